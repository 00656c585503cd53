/** Texts and token arrays to the ids that the model reads. @module */
import { InferenceError } from '../../../../core/errors/inference-error.js';
import { isFarLonger } from '../../../prompt/far-longer.js';

/** What this needs of a tokenizer. */
export interface InputTokenizer {
  encode(text: string, options?: { add_special_tokens?: boolean }): number[];
}

export interface InputLimits {
  /** Most tokens of one input, special ones included. */
  maxTokens: number;
  /** Token ids are 0 to this, exclusive. */
  vocabularySize: number;
}

/**
 * Ids per input, special tokens included, in input order. Token arrays get the special tokens that a text would get.
 * @throws InferenceError `invalid_request` with param `input.<i>` for an empty or over-long input or an unknown token
 */
export function encodeInputs(
  tokenizer: InputTokenizer,
  inputs: readonly (string | readonly number[])[],
  limits: InputLimits,
): number[][] {
  const frame = specialTokens(tokenizer);
  return inputs.map((input, index) => {
    const refuse = (problem: string) =>
      new InferenceError('invalid_request', `Input ${index} ${problem}.`, { param: `input.${index}` });
    if (input.length === 0) throw refuse('is empty');
    if (typeof input !== 'string') {
      const unknown = input.find((id) => !Number.isInteger(id) || id < 0 || id >= limits.vocabularySize);
      if (unknown !== undefined) throw refuse(`holds the token ${unknown}, which this model does not have`);
    }
    if (typeof input === 'string' && isFarLonger([input], (text) => tokenizer.encode(text).length, limits.maxTokens)) {
      throw refuse(`has many more tokens than the ${limits.maxTokens} that this model reads`);
    }
    const ids = typeof input === 'string' ? tokenizer.encode(input) : [...frame.before, ...input, ...frame.after];
    if (ids.length > limits.maxTokens) {
      throw refuse(`has ${ids.length} tokens; this model reads at most ${limits.maxTokens}`);
    }
    if (ids.length === 0) throw refuse('has no tokens');
    return ids;
  });
}

/** The tokens that the tokenizer puts around a text, such as `[CLS]` and `[SEP]`. */
function specialTokens(tokenizer: InputTokenizer): { before: number[]; after: number[] } {
  const bare = tokenizer.encode('a', { add_special_tokens: false });
  const framed = tokenizer.encode('a');
  const start = framed.findIndex((_, at) => bare.every((id, offset) => framed[at + offset] === id));
  if (start < 0 || bare.length === 0) return { before: [], after: [] };
  return { before: framed.slice(0, start), after: framed.slice(start + bare.length) };
}
