/** tiny-chat's tokenizer in Node, through the same code as in the browser. */
import { Tokenizer } from '@huggingface/tokenizers';
import { readFileSync } from 'node:fs';
import type { PreTrainedTokenizer } from '@huggingface/transformers';
import { createTextTokenizer } from '../../src/backends/transformers/text/tokenizer.js';
import type { TextTokenizer } from '../../src/decoding/text-engine.js';

const read = (file: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`../../public/models/tiny-chat/${file}`, import.meta.url), 'utf8'));

/** Only what `createTextTokenizer` reads of transformers.js's class, which Node cannot load without its native runtime. */
export function tinyChatTokenizer(): TextTokenizer {
  const json = read('tokenizer.json');
  const config = read('tokenizer_config.json');
  return createTextTokenizer(pretrainedLike(json, config), {
    endTokens: [2, 0],
    chatTemplate: config['chat_template'] as string,
  });
}

export function pretrainedLike(json: Record<string, unknown>, config: Record<string, unknown>): PreTrainedTokenizer {
  const inner = new Tokenizer(json, config);
  const named = (name: string) => (config[name] as string | null) ?? undefined;
  const idOf = (name: string) => (named(name) === undefined ? undefined : inner.token_to_id(named(name)!));
  return {
    _tokenizer: inner,
    _tokenizerJSON: json,
    bos_token: named('bos_token'),
    eos_token: named('eos_token'),
    bos_token_id: idOf('bos_token'),
    eos_token_id: idOf('eos_token'),
    encode: (text: string) => inner.encode(text).ids,
  } as unknown as PreTrainedTokenizer;
}
