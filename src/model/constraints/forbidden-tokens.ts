/** Free text without some tokens. Needs no grammar engine. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { CompiledConstraint, TokenConstraint } from './token-constraint.js';

/** Everything is allowed but these tokens. */
export function forbidTokens(tokens: readonly number[]): CompiledConstraint {
  const state: TokenConstraint = {
    maskLogits(logits) {
      for (const token of tokens) if (token < logits.length) logits[token] = -Infinity;
      return tokens.length > 0;
    },
    accept(token) {
      if (tokens.includes(token)) throw new InferenceError('internal', 'The model chose a forbidden token.');
    },
    forcedTokens: () => [],
    likelyTokens: () => [],
    isComplete: () => false,
    dispose: () => undefined,
  };
  return { start: () => state, dispose: () => undefined };
}
