/** Which texts run together: near equal in length, so that little padding is computed, and within a token budget. @module */

/** Tokens of one batch, padding included. Larger batches fall out of the CPU's caches and gain nothing. */
export const TOKEN_BUDGET = 512;

/** Shorter texts than this share of the batch's longest run in a batch of their own kind. */
const LENGTH_RATIO = 0.8;

/** Texts this much shorter than the longest are padded whatever the ratio. */
const LENGTH_SLACK = 2;

/**
 * Picks the next batch from `lengths` (tokens per waiting text, all at least 1): the texts nearest in length to the
 * one at `anchor`, which is always part of it.
 * @returns indices into `lengths`
 */
export function planBatch(lengths: readonly number[], anchor: number, tokenBudget: number = TOKEN_BUDGET): number[] {
  const anchorLength = lengths[anchor] ?? 1;
  const order = lengths.map((_, index) => index).filter((index) => index !== anchor);
  const distance = (index: number) => Math.abs((lengths[index] ?? 1) - anchorLength);
  order.sort((left, right) => distance(left) - distance(right) || left - right);
  const batch = [anchor];
  let shortest = anchorLength;
  let longest = anchorLength;
  for (const index of order) {
    const length = lengths[index] ?? 1;
    const low = Math.min(shortest, length);
    const high = Math.max(longest, length);
    if (low < high * LENGTH_RATIO && high - low > LENGTH_SLACK) continue;
    if ((batch.length + 1) * high > tokenBudget) continue;
    batch.push(index);
    shortest = low;
    longest = high;
  }
  return batch;
}
