/** Samples the next token from logits, in linear time: only tokens at the cut-off are sorted. @module */
import type { Sampling } from '../../core/request/generation-request.js';
import type { RandomNumbers } from './random.js';
import { isGreedy, type TokenLogits } from './token-logits.js';
import {
  minPCutoff,
  FARTHEST,
  shareOf,
  UNITS_PER_HALVING,
  unitsBelow,
  unitsPerLogit,
  weightAt,
} from './token-weights.js';

/** Buckets of tokens by distance from the best one: 4 for each halving of the weight, each of this many units. */
const UNITS_PER_BUCKET = UNITS_PER_HALVING / 4;
const BUCKETS = (FARTHEST + 1) / UNITS_PER_BUCKET;
const NO_BUCKET = 255;

/**
 * With top_p alone a token is sampled from all, and again while top_p does not allow it: so the most likely tokens need not be
 * sorted. After this many attempts they are.
 */
export const MAX_SAMPLE_ATTEMPTS = 8;

/** The token with the greatest logit, the lowest id of several; -1 when no logit is above -Infinity. */
export function greatestLogit(logits: Float32Array): number {
  let best = -1;
  let greatest = -Infinity;
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token]!;
    if (logit > greatest) {
      greatest = logit;
      best = token;
    }
  }
  return best;
}

/** The tokens that may be chosen: all of the buckets before `border`, and the first `borderCount` of `borderTokens`. */
interface Cut {
  border: number;
  borderTokens: Int32Array;
  borderCount: number;
  /** Weight of everything kept. */
  weight: number;
}

/**
 * Samples with temperature, top_k, top_p and min_p. Holds scratch memory for one vocabulary, unless it is greedy; one
 * sampler serves all choices of a request.
 */
export class TokenSampler {
  /** No random number is needed: the most likely token is taken. */
  readonly isGreedy: boolean;
  readonly #sampling: Sampling;
  readonly #weights: Int32Array;
  readonly #buckets: Uint8Array;
  readonly #tokens: Int32Array;
  readonly #bucketCounts = new Int32Array(BUCKETS);
  readonly #bucketWeights = new Float64Array(BUCKETS);

  constructor(vocabularySize: number, sampling: Sampling) {
    this.isGreedy = isGreedy(sampling);
    this.#sampling = sampling;
    const size = this.isGreedy ? 0 : vocabularySize;
    this.#weights = new Int32Array(size);
    this.#buckets = new Uint8Array(size);
    this.#tokens = new Int32Array(size);
  }

  /**
   * The chosen token, or -1 when every token is forbidden. The greatest logits (see `logitsNeed`)
   * give the same token as all of them: the same tokens are weighed, in the same order.
   * @param logits of the vocabulary, or the greatest; forbidden tokens are -Infinity. Not changed.
   * @param random gives one number, and more where top_p does not allow what was sampled; undefined where decoding is greedy
   */
  sample(logits: TokenLogits, random: RandomNumbers | undefined): number {
    if (logits instanceof Float32Array) return this.#sampleIndex(logits, random);
    if ('sampled' in logits) return logits.sampled[0]!;
    return logits.tokens[this.#sampleIndex(logits.values, random)] ?? -1;
  }

  #sampleIndex(logits: Float32Array, random: RandomNumbers | undefined): number {
    const best = greatestLogit(logits);
    if (best < 0 || this.isGreedy || !random) return best;
    const sampling = this.#sampling;
    const { temperature = 1, topP = 1, minP = 0 } = sampling;
    const topK = sampling.topK !== undefined && sampling.topK >= 1 ? sampling.topK : Infinity;
    const scale = unitsPerLogit(temperature);
    const farthest = minPCutoff(minP);
    if (topK === Infinity) {
      const token = this.#sampleFromAll(logits, best, { scale, farthest, topP }, random);
      if (token !== undefined) return token;
    }
    this.#sortIntoBuckets(logits, logits[best]!, scale, farthest);
    const weight = this.#weigh(logits, logits[best]!, scale, this.#bucketOf(topK));
    let cut: Cut = { border: BUCKETS, borderTokens: this.#tokens, borderCount: 0, weight };
    // Even with no more logits than topK: the order of sampling must not depend on how many logits were given.
    if (topK < Infinity) cut = this.#cutByCount(logits, topK, cut);
    if (topP < 1) cut = this.#cutByWeight(logits, topP * cut.weight, cut);
    return this.#sampleCut(cut, random() * cut.weight, best, logits.length);
  }

  /** Samples as `sample-shader.ts` does. @returns undefined when top_p allows nothing that was sampled */
  #sampleFromAll(
    logits: Float32Array,
    best: number,
    { scale, farthest, topP }: { scale: number; farthest: number; topP: number },
    random: RandomNumbers,
  ): number | undefined {
    const total = this.#weighAll(logits, logits[best]!, scale, farthest);
    if (topP >= 1) return this.#tokenAt(shareOf(total, random()), best, logits.length);
    const most = shareOf(total, topP);
    for (let attempt = 0; attempt < MAX_SAMPLE_ATTEMPTS; attempt++) {
      const token = this.#tokenAt(shareOf(total, random()), best, logits.length);
      const before = this.#weightBefore(logits, token);
      if (before < most || before === 0) return token;
    }
    return undefined;
  }

  #weighAll(logits: Float32Array, greatest: number, scale: number, farthest: number): number {
    const weights = this.#weights;
    let total = 0;
    for (let token = 0; token < logits.length; token++) {
      const units = unitsBelow(greatest, logits[token]!, scale);
      const weight = units <= FARTHEST && (units | 0) <= farthest ? weightAt(units | 0) : 0;
      weights[token] = weight;
      total += weight;
    }
    return total;
  }

  /** The token where the sum of weights by token id exceeds `weight`. */
  #tokenAt(weight: number, best: number, count: number): number {
    const weights = this.#weights;
    let left = weight;
    for (let token = 0; token < count; token++) {
      left -= weights[token]!;
      if (left < 0) return token;
    }
    return best;
  }

  /** The sum of the weights of all more likely tokens; of equally likely ones those with lower ids count. */
  #weightBefore(logits: Float32Array, token: number): number {
    const logit = logits[token]!;
    let before = 0;
    for (let other = 0; other < logits.length; other++) {
      const value = logits[other]!;
      if (value > logit || (value === logit && other < token)) before += this.#weights[other]!;
    }
    return before;
  }

  /** @param farthest distance from the best token, in units, beyond which tokens are dropped */
  #sortIntoBuckets(logits: Float32Array, greatest: number, scale: number, farthest: number): void {
    this.#bucketCounts.fill(0);
    for (let token = 0; token < logits.length; token++) {
      const units = unitsBelow(greatest, logits[token]!, scale);
      if (units <= FARTHEST && (units | 0) <= farthest) {
        const bucket = ((units | 0) / UNITS_PER_BUCKET) | 0;
        this.#buckets[token] = bucket;
        this.#bucketCounts[bucket] = this.#bucketCounts[bucket]! + 1;
      } else {
        this.#buckets[token] = NO_BUCKET;
      }
    }
  }

  /** The bucket that holds the token of this rank. */
  #bucketOf(rank: number): number {
    let before = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      before += this.#bucketCounts[bucket]!;
      if (before >= rank) return bucket;
    }
    return BUCKETS - 1;
  }

  /** Fills the weights of the buckets up to `last`; returns their sum. */
  #weigh(logits: Float32Array, greatest: number, scale: number, last: number): number {
    this.#bucketWeights.fill(0);
    let total = 0;
    for (let token = 0; token < logits.length; token++) {
      const bucket = this.#buckets[token]!;
      if (bucket > last) continue;
      const weight = weightAt(unitsBelow(greatest, logits[token]!, scale) | 0);
      this.#weights[token] = weight;
      this.#bucketWeights[bucket] = this.#bucketWeights[bucket]! + weight;
      total += weight;
    }
    return total;
  }

  /** Keeps the `count` most likely tokens. */
  #cutByCount(logits: Float32Array, count: number, all: Cut): Cut {
    let before = 0;
    let weight = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const inBucket = this.#bucketCounts[bucket]!;
      if (before + inBucket >= count) {
        const borderTokens = this.#sortedBucket(logits, bucket);
        const borderCount = count - before;
        for (let index = 0; index < borderCount; index++) weight += this.#weights[borderTokens[index]!]!;
        return { border: bucket, borderTokens, borderCount, weight };
      }
      before += inBucket;
      weight += this.#bucketWeights[bucket]!;
    }
    return all;
  }

  /** Keeps the fewest most likely tokens of `cut` whose weight reaches `target`. */
  #cutByWeight(logits: Float32Array, target: number, cut: Cut): Cut {
    let weight = 0;
    for (let bucket = 0; bucket < cut.border; bucket++) {
      const inBucket = this.#bucketWeights[bucket]!;
      if (weight + inBucket >= target && this.#bucketCounts[bucket]! > 0) {
        const tokens = this.#sortedBucket(logits, bucket);
        return this.#cutBorder({ border: bucket, borderTokens: tokens, borderCount: tokens.length, weight }, target);
      }
      weight += inBucket;
    }
    return this.#cutBorder({ ...cut, weight }, target);
  }

  /** @param cut its weight is that of the buckets before the border */
  #cutBorder(cut: Cut, target: number): Cut {
    const { border, borderTokens } = cut;
    let { weight } = cut;
    let borderCount = 0;
    while (borderCount < cut.borderCount) {
      weight += this.#weights[borderTokens[borderCount]!]!;
      borderCount += 1;
      if (weight >= target) break;
    }
    return { border, borderTokens, borderCount, weight };
  }

  /** The bucket's tokens, most likely first, lower ids first among equals. */
  #sortedBucket(logits: Float32Array, bucket: number): Int32Array {
    let count = 0;
    for (let token = 0; token < logits.length; token++) {
      if (this.#buckets[token] === bucket) this.#tokens[count++] = token;
    }
    const tokens = this.#tokens.subarray(0, count);
    // In place: a sorted copy would be garbage of every step.
    // oxlint-disable-next-line unicorn/no-array-sort
    return tokens.sort((a, b) => logits[b]! - logits[a]! || a - b);
  }

  #sampleCut(cut: Cut, drawn: number, best: number, count: number): number {
    let left = drawn;
    let last = best;
    if (cut.border > 0) {
      for (let token = 0; token < count; token++) {
        if (this.#buckets[token]! >= cut.border) continue;
        left -= this.#weights[token]!;
        last = token;
        if (left < 0) return token;
      }
    }
    for (let index = 0; index < cut.borderCount; index++) {
      last = cut.borderTokens[index]!;
      left -= this.#weights[last]!;
      if (left < 0) return last;
    }
    return last;
  }
}
