/** How much of the context a completion may take. @module */
import { InferenceError } from '../errors/inference-error.js';

/**
 * Most tokens that a completion may have: the smallest of the caps, shortened so that prompt and completion fit.
 * 0 when the prompt fills the context to the last token.
 * @param caps what the caller and the model allow; undefined entries allow everything
 * @throws InferenceError `context_length_exceeded` when the prompt alone is too long
 */
export function completionCap(
  promptTokens: number,
  contextLength: number,
  caps: readonly (number | undefined)[],
): number {
  if (promptTokens > contextLength) {
    throw new InferenceError(
      'context_length_exceeded',
      `This model's context length is ${contextLength} tokens, but the prompt has ${promptTokens} tokens.`,
      { param: 'messages' },
    );
  }
  let cap = contextLength - promptTokens;
  for (const limit of caps) if (limit !== undefined && limit < cap) cap = limit;
  return cap;
}
