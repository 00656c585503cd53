/** Samples the next token from logits, in linear time: only tokens at the cut-off are sorted. @module */
import type { Sampling } from '../../core/request/generation-request.js';
import { isGreedy, type TokenLogits } from './token-logits.js';

/** Buckets of tokens by probability: 4 per factor e, 192 in all. Tokens below e^-48 of the best are never chosen. */
const BUCKETS_PER_NAT = 4;
const BUCKETS = 192;
const NO_BUCKET = 255;

const STEPS_PER_NAT = 64;
const POWERS = Float64Array.from({ length: (BUCKETS / BUCKETS_PER_NAT) * STEPS_PER_NAT + 1 }, (_, step) =>
  Math.exp(-step / STEPS_PER_NAT),
);

/**
 * exp(-distance) to nine digits, from a table and three terms of the series; 0 beyond the last bucket. `Math.exp` would
 * take most of the time of sampling.
 */
function decay(distance: number): number {
  if (!(distance < BUCKETS / BUCKETS_PER_NAT)) return 0;
  const step = (distance * STEPS_PER_NAT + 0.5) | 0;
  const rest = step / STEPS_PER_NAT - distance;
  return POWERS[step]! * (1 + rest * (1 + rest * (0.5 + rest / 6)));
}

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
  readonly #weights: Float32Array;
  readonly #buckets: Uint8Array;
  readonly #tokens: Int32Array;
  readonly #bucketCounts = new Int32Array(BUCKETS);
  readonly #bucketWeights = new Float64Array(BUCKETS);

  constructor(vocabularySize: number, sampling: Sampling) {
    this.isGreedy = isGreedy(sampling);
    this.#sampling = sampling;
    const size = this.isGreedy ? 0 : vocabularySize;
    this.#weights = new Float32Array(size);
    this.#buckets = new Uint8Array(size);
    this.#tokens = new Int32Array(size);
  }

  /**
   * The chosen token, or -1 when every token is forbidden. The greatest logits (see `logitsNeed`)
   * give the same token as all of them: the same tokens are weighed, in the same order.
   * @param logits of the vocabulary, or the greatest; forbidden tokens are -Infinity. Not changed.
   * @param random from 0 (included) to 1 (excluded)
   */
  sample(logits: TokenLogits, random: number): number {
    if (logits instanceof Float32Array) return this.#sampleIndex(logits, random);
    return logits.tokens[this.#sampleIndex(logits.values, random)] ?? -1;
  }

  #sampleIndex(logits: Float32Array, random: number): number {
    const best = greatestLogit(logits);
    if (best < 0 || this.isGreedy) return best;
    const sampling = this.#sampling;
    const temperature = sampling.temperature ?? 1;
    const topK = sampling.topK !== undefined && sampling.topK >= 1 ? sampling.topK : Infinity;
    const topP = sampling.topP ?? 1;
    const minP = sampling.minP ?? 0;
    if (topK === Infinity && topP >= 1 && minP <= 0) return this.#sampleFromAll(logits, best, temperature, random);
    this.#sortIntoBuckets(logits, logits[best]!, temperature, -Math.log(minP));
    const weight = this.#weigh(logits, logits[best]!, temperature, this.#bucketOf(topK));
    let cut: Cut = { border: BUCKETS, borderTokens: this.#tokens, borderCount: 0, weight };
    // Even with no more logits than topK: the order of drawing must not depend on how many logits were given.
    if (topK < Infinity) cut = this.#cutByCount(logits, topK, cut);
    if (topP < 1) cut = this.#cutByWeight(logits, topP * cut.weight, cut);
    return this.#draw(cut, random * cut.weight, best, logits.length);
  }

  /** Without cut-offs no buckets are needed. */
  #sampleFromAll(logits: Float32Array, best: number, temperature: number, random: number): number {
    const weights = this.#weights;
    const greatest = logits[best]!;
    const scale = 1 / temperature;
    let total = 0;
    for (let token = 0; token < logits.length; token++) {
      const weight = decay((greatest - logits[token]!) * scale);
      weights[token] = weight;
      total += weight;
    }
    let left = random * total;
    for (let token = 0; token < logits.length; token++) {
      left -= weights[token]!;
      if (left < 0) return token;
    }
    return best;
  }

  /** @param farthest distance from the best token, in nats, beyond which tokens are dropped */
  #sortIntoBuckets(logits: Float32Array, greatest: number, temperature: number, farthest: number): void {
    const scale = BUCKETS_PER_NAT / temperature;
    const limit = farthest * BUCKETS_PER_NAT;
    this.#bucketCounts.fill(0);
    for (let token = 0; token < logits.length; token++) {
      const place = (greatest - logits[token]!) * scale;
      if (place < BUCKETS && place <= limit) {
        const bucket = place | 0;
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

  /** Fills the weights (relative to the best token's 1) of the buckets up to `last`; returns their sum. */
  #weigh(logits: Float32Array, greatest: number, temperature: number, last: number): number {
    this.#bucketWeights.fill(0);
    const scale = 1 / temperature;
    let total = 0;
    for (let token = 0; token < logits.length; token++) {
      const bucket = this.#buckets[token]!;
      if (bucket > last) continue;
      const weight = decay((greatest - logits[token]!) * scale);
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
        return this.#cutBorder(bucket, tokens, tokens.length, weight, target);
      }
      weight += inBucket;
    }
    return this.#cutBorder(cut.border, cut.borderTokens, cut.borderCount, weight, target);
  }

  #cutBorder(border: number, borderTokens: Int32Array, count: number, before: number, target: number): Cut {
    let weight = before;
    let borderCount = 0;
    while (borderCount < count) {
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

  #draw(cut: Cut, drawn: number, best: number, count: number): number {
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
