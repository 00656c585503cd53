/**
 * Weights of tokens as whole numbers, so that their sums are exact: the CPU and a GPU, which adds in another order, sample
 * the same token with the same random number.
 * @module
 */

/** Distances from the best token are counted in units: so many halve the weight. */
export const UNITS_PER_HALVING = 2 ** 20;

/** Tokens that are farther away than this many units, 2^-31 of the best token's weight, are never sampled. */
export const FARTHEST = 31 * UNITS_PER_HALVING - 1;

/** Weight of the best token: integers of 32 bits with a sign are the fastest. */
const FULL = 2 ** 31 - 1;

/** Steps of the table per halving, and units per step, both 2 to this power. Between two steps weights lie on a line. */
export const STEP_BITS = 10;
const STEPS = 2 ** STEP_BITS;

/** The weights of the first halving, both ends included. */
export const HALVING: Int32Array<ArrayBuffer> = Int32Array.from({ length: STEPS + 1 }, (_, step) =>
  Math.round(FULL * 2 ** (-step / STEPS)),
);

/** Units for each 1 that a logit is below the best, as a 32-bit float. @param temperature greater than 0 */
export function unitsPerLogit(temperature: number): number {
  return Math.fround((UNITS_PER_HALVING * Math.LOG2E) / temperature);
}

/** The greatest distance that min_p allows, in units. @param minP from 0, which allows all */
export function minPCutoff(minP: number): number {
  return Math.min(FARTHEST, Math.floor(-Math.log2(minP) * UNITS_PER_HALVING));
}

/** Distance in units; more than {@link FARTHEST}, or NaN, for tokens that are never sampled. In 32-bit floats, as on a GPU. */
export function unitsBelow(greatest: number, logit: number, scale: number): number {
  return Math.fround(Math.fround(greatest - logit) * scale);
}

/** Weight of a token, to six digits and at least to a unit. @param units a whole number from 0 to {@link FARTHEST} */
export function weightAt(units: number): number {
  const step = (units >> STEP_BITS) & (STEPS - 1);
  const from = HALVING[step]!;
  const whole = from - (Math.imul(from - HALVING[step + 1]!, units & (STEPS - 1)) >> STEP_BITS);
  const halvings = units >> (2 * STEP_BITS);
  if (halvings === 0) return whole;
  const double = whole >> (halvings - 1);
  return (double >> 1) + (double & 1);
}

/** A share from 0 (included) to 1 (excluded) in steps of 2^-32. */
export function to32Bits(share: number): number {
  return Math.floor(share * 2 ** 32);
}

/** That share of a sum of weights, rounded down. Exact, with whole numbers only. @param total less than 2^53 */
export function shareOf(total: number, share: number): number {
  const parts = to32Bits(share);
  const low = total >>> 0;
  const high = (total - low) / 2 ** 32;
  const carried = Math.floor((low * (parts & 0xffff)) / 2 ** 16);
  return high * parts + Math.floor((low * (parts >>> 16) + carried) / 2 ** 16);
}
