/** Tokenizers of transformers.js, whose private fields are read. @module */
import { AutoTokenizer, type PreTrainedTokenizer } from '@huggingface/transformers';
import type { Tokenizer } from '@huggingface/tokenizers';
import {
  type ChatTemplates,
  createTextTokenizer,
  specialTokensOf,
  type TextTokenizer,
  type TokenizerJson,
} from '../../../language/prompt/text-tokenizer.js';
import { mendTokenizer } from '../../../language/prompt/tokenizer/mend-tokenizer.js';

/** The tokenizer of a repository, which gives the tokens that Python's gives. */
export async function loadTokenizer(id: string): Promise<PreTrainedTokenizer> {
  return mendPretrained(await AutoTokenizer.from_pretrained(id));
}

/** For tokenizers that come with something else; see {@link mendTokenizer}. */
export function mendPretrained(pretrained: PreTrainedTokenizer): PreTrainedTokenizer {
  mendTokenizer(fieldsOf(pretrained)['_tokenizer']);
  return pretrained;
}

/** What the tokenizer's own files do not contain. */
interface TextTokenizerOptions extends ChatTemplates {
  /** `eos_token_id` of the generation config and config. */
  endTokens: readonly number[];
}

export function textTokenizerOf(pretrained: PreTrainedTokenizer, options: TextTokenizerOptions): TextTokenizer {
  const fields = fieldsOf(pretrained);
  return createTextTokenizer({
    ...options,
    tokenizer: fields['_tokenizer'],
    json: fields['_tokenizerJSON'],
    specialTokens: specialTokensOf(fields),
  });
}

/** Every tokenizer has them, but they are not declared. */
interface PrivateFields extends Record<string, unknown> {
  _tokenizer: Tokenizer;
  _tokenizerJSON: TokenizerJson;
}

function fieldsOf(pretrained: PreTrainedTokenizer): PrivateFields {
  return pretrained as unknown as PrivateFields;
}
