/** What stays of the last sequence, and how much of it the next prompt can use. @module */
import type { SequenceState } from './sequence-state.js';

/** Keys and values of tokens that were read. */
export interface KeptSequence {
  tokens: readonly number[];
  /** How many of them came with the prompt; the others were generated. */
  promptLength: number;
  state: SequenceState;
}

/** Logits after a whole prompt: the same prompt again needs no run and gives the very same answer. */
export interface KeptLogits {
  tokens: readonly number[];
  logits: Float32Array;
}

/**
 * How many tokens the prompt can take over from the kept sequence. Inside the earlier prompt only whole blocks count:
 * then the rest is computed in the same runs, and to the last bit the same, as without anything kept. Into generated
 * tokens (a conversation that goes on) every token counts.
 * @param block tokens that are read in one run
 */
export function reusableLength(
  kept: KeptSequence,
  prompt: readonly number[],
  block: number,
  logits: KeptLogits | undefined,
): number {
  const common = commonLength(kept.tokens, prompt);
  const croppable = kept.state.isCroppable();
  const usable = (length: number): boolean => croppable || length === kept.tokens.length;
  const knowsLogits = logits?.tokens.length === prompt.length && commonLength(logits.tokens, prompt) === prompt.length;
  if (common === prompt.length && knowsLogits && usable(common)) return common;
  // At least one token must be read, for its logits.
  const most = Math.min(common, prompt.length - 1);
  const length = most < kept.promptLength ? Math.floor(most / block) * block : most;
  return usable(length) ? length : 0;
}

function commonLength(a: readonly number[], b: readonly number[]): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length += 1;
  return length;
}
