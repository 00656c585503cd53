/** A TextTokenizer from the private fields of transformers.js's tokenizer. @module */
import type { PreTrainedTokenizer } from '@huggingface/transformers';
import type { Tokenizer } from '@huggingface/tokenizers';
import {
  type ChatTemplates,
  createTextTokenizer,
  specialTokensOf,
  type TextTokenizer,
  type TokenizerJson,
} from '../../../prompt/text-tokenizer.js';

/** What the tokenizer's own files do not contain. */
interface TextTokenizerOptions extends ChatTemplates {
  /** `eos_token_id` of the generation config and config. */
  endTokens: readonly number[];
}

export function textTokenizerOf(pretrained: PreTrainedTokenizer, options: TextTokenizerOptions): TextTokenizer {
  // Every tokenizer has them, but they are not declared.
  const fields = pretrained as unknown as Record<string, unknown>;
  return createTextTokenizer({
    ...options,
    tokenizer: fields['_tokenizer'] as Tokenizer,
    json: fields['_tokenizerJSON'] as TokenizerJson,
    specialTokens: specialTokensOf(fields),
  });
}
