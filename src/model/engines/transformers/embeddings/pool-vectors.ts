/** From the model's hidden states to one unit vector per text. @module */

/** How a model sums up its tokens: the mean of all, the first (`[CLS]`), or the last real one. */
export type Pooling = 'mean' | 'cls' | 'last-token';

/** One batch's hidden states, row-major `[texts, tokens, width]`, texts padded on the right. */
export interface HiddenStates {
  data: Float32Array;
  tokens: number;
  width: number;
}

/**
 * The pooled vector of one text of the batch, not normalised.
 * @param length real tokens of this text, special ones included
 */
export function poolVector(states: HiddenStates, row: number, length: number, pooling: Pooling): Float32Array {
  const { data, tokens, width } = states;
  const start = row * tokens * width;
  if (pooling === 'cls') return data.slice(start, start + width);
  if (pooling === 'last-token') return data.slice(start + (length - 1) * width, start + length * width);
  const vector = new Float32Array(width);
  for (let token = 0; token < length; token++) {
    const offset = start + token * width;
    for (let i = 0; i < width; i++) vector[i]! += data[offset + i]!;
  }
  for (let i = 0; i < width; i++) vector[i]! /= length;
  return vector;
}
