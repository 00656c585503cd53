/** Loads the tokenizer and the chat template of a WebLLM model folder. @module */
import { Tokenizer } from '@huggingface/tokenizers';
import {
  type ChatTemplateField,
  chatTemplatesOf,
  createTextTokenizer,
  specialTokensOf,
  type TextTokenizer,
  type TokenizerJson,
} from '../../prompt/text-tokenizer.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { type ChatConfig, endTokensOf, readJson, readText } from './model-folder.js';
import { toChatTemplate } from './conversation-template.js';
import type { ModelFiles } from '../../../store/model-files.js';

/** The fields of `tokenizer.json` that are used. */
interface TokenizerFile extends TokenizerJson {
  added_tokens?: { id: number; content: string }[];
}

type TokenizerConfig = Record<string, unknown> & { chat_template?: ChatTemplateField };

/**
 * Reads `tokenizer.json` and `tokenizer_config.json`. The chat template is the model's own, which newer folders hold in
 * `chat_template.jinja`, or built from `conv_template` where the folder has none.
 * @throws InferenceError `model_not_supported` for models that only come with a SentencePiece file
 */
export async function loadTokenizer(files: ModelFiles, config: ChatConfig): Promise<TextTokenizer> {
  const json = (await readJson(files, 'tokenizer.json')) as TokenizerFile | undefined;
  if (!json) {
    throw new InferenceError('model_not_supported', 'The model folder holds no `tokenizer.json`.', { param: 'model' });
  }
  const own = ((await readJson(files, 'tokenizer_config.json')) ?? {}) as TokenizerConfig;
  const templates = chatTemplatesOf(own.chat_template ?? (await readText(files, 'chat_template.jinja')));
  return createTextTokenizer({
    ...templates,
    tokenizer: new Tokenizer(json, own),
    json,
    specialTokens: specialTokensOf(own),
    endTokens: endTokensOf(config),
    chatTemplate: templates.chatTemplate ?? builtTemplate(config, json),
  });
}

function builtTemplate({ conv_template: format }: ChatConfig, json: TokenizerFile): string | undefined {
  if (!format || format.seps.length === 0) return undefined;
  const textOf = (id: number): string => json.added_tokens?.find((token) => token.id === id)?.content ?? '';
  return toChatTemplate(format, { prefix: (format.system_prefix_token_ids ?? []).map(textOf).join('') });
}
