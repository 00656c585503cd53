/** The greatest logits, found by sorting all of them. */
import type { GreatestLogits } from '../../../src/language/sampling/token-logits.js';

/** Of equal ones the lowest ids; no NaN. */
export function greatestOf(logits: Float32Array, count: number): GreatestLogits {
  const tokens = [...logits.keys()]
    .filter((token) => !Number.isNaN(logits[token]!))
    .toSorted((a, b) => (logits[a] === logits[b] ? a - b : logits[b]! - logits[a]!))
    .slice(0, count)
    .toSorted((a, b) => a - b);
  return { tokens, values: Float32Array.from(tokens, (token) => logits[token]!) };
}
