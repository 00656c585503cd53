/** tiny-chat's tokenizer in Node, through the same code as in the browser. */
import { Tokenizer } from '@huggingface/tokenizers';
import { readFileSync } from 'node:fs';
import {
  createTextTokenizer,
  specialTokensOf,
  type TextTokenizer,
} from '../../../src/language/prompt/text-tokenizer.js';

const read = (file: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`../../../public/models/tiny-chat/${file}`, import.meta.url), 'utf8')) as Record<
    string,
    unknown
  >;

export function tinyChatTokenizer(): TextTokenizer {
  const json = read('tokenizer.json');
  const config = read('tokenizer_config.json');
  return createTextTokenizer({
    tokenizer: new Tokenizer(json, config),
    json,
    specialTokens: specialTokensOf(config),
    endTokens: [2, 0],
    chatTemplate: config['chat_template'] as string,
  });
}
