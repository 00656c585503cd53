/** transformers.js's tokenizer as a TextTokenizer. @module */
import type { PreTrainedTokenizer } from '@huggingface/transformers';
import type { Tokenizer } from '@huggingface/tokenizers';
import type { TextTokenizer } from '../../../prompt/text-tokenizer.js';
import type { ChatTemplates } from '../../../prompt/chat-templates.js';
import {
  createTextTokenizer as createOfParts,
  specialTokensOf,
  type TokenizerJson,
} from '../../../prompt/create-text-tokenizer.js';

/** What is not in the tokenizer's own files. */
export interface TextTokenizerOptions extends ChatTemplates {
  /** `eos_token_id` of the generation config and config. */
  endTokens: readonly number[];
}

/** Takes out of transformers.js's class what the tokenizer's files said. */
export function createTextTokenizer(pretrained: PreTrainedTokenizer, options: TextTokenizerOptions): TextTokenizer {
  // They are there in every tokenizer, but not in its declarations.
  const fields = pretrained as unknown as Record<string, unknown>;
  return createOfParts({
    ...options,
    tokenizer: fields['_tokenizer'] as Tokenizer,
    json: fields['_tokenizerJSON'] as TokenizerJson,
    specialTokens: specialTokensOf(fields),
  });
}
