/** tiny-chat's real vocabulary, without its weights. @module */
import { Tokenizer } from '@huggingface/tokenizers';
import { createTextTokenizer, type TextTokenizer } from '../../../../src/language/prompt/text-tokenizer.js';

let loading: Promise<TextTokenizer> | undefined;

/** The tokenizer of the bundled chat model. For browser tests. */
export function tinyChatTokenizer(): Promise<TextTokenizer> {
  loading ??= load();
  return loading;
}

async function load(): Promise<TextTokenizer> {
  const read = async (file: string): Promise<Record<string, unknown>> =>
    (await fetch(`/models/tiny-chat/${file}`)).json() as Promise<Record<string, unknown>>;
  const [json, config] = await Promise.all([read('tokenizer.json'), read('tokenizer_config.json')]);
  return createTextTokenizer({
    tokenizer: new Tokenizer(json, config),
    json,
    specialTokens: {},
    endTokens: [0, 2],
    chatTemplate: String(config['chat_template']),
  });
}

/** The same vocabulary as if another family of models had it: other added tokens, another template. */
export function disguised(
  tokenizer: TextTokenizer,
  renamed: Record<string, string>,
  chatTemplate = 'spaced',
): TextTokenizer {
  const addedTokens = new Map([...tokenizer.addedTokens].map(([text, id]) => [renamed[text] ?? text, id]));
  const names = new Map([...addedTokens].map(([text, id]) => [id, text]));
  return {
    ...tokenizer,
    addedTokens,
    chatTemplate,
    bytesOf: (token) => (names.has(token) ? new TextEncoder().encode(names.get(token)) : tokenizer.bytesOf(token)),
  };
}
