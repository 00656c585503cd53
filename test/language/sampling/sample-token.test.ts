import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sampling } from '../../../src/core/request/generation-request.js';
import { AnswerRandom, createRandomNumbers } from '../../../src/language/sampling/random.js';
import { greatestLogit, TokenSampler } from '../../../src/language/sampling/sample-token.js';

/** Logits with many ties, as float32. */
const logitsOf = fc
  .array(fc.integer({ min: -40, max: 40 }), { minLength: 1, maxLength: 60 })
  .map((values) => Float32Array.from(values, (value) => value / 8));

/** What may be chosen and how often, by sorting everything; `slack` widens the cut of top_p. */
function expectedChances(
  logits: Float32Array,
  { temperature = 1, topK = Infinity, topP = 1 }: Sampling,
  slack = 0,
): Map<number, number> {
  const greatest = Math.max(...logits);
  let all = [...logits].map((logit, token) => ({ token, logit, weight: Math.exp((logit - greatest) / temperature) }));
  all.sort((a, b) => b.logit - a.logit || a.token - b.token);
  all = all.slice(0, topK);
  const total = all.reduce((sum, { weight }) => sum + weight, 0);
  const kept: typeof all = [];
  let sum = 0;
  for (const candidate of all) {
    if (topP < 1 && sum >= topP * total + slack && kept.length > 0) break;
    kept.push(candidate);
    sum += candidate.weight;
  }
  return new Map(kept.map(({ token, weight }) => [token, weight / sum]));
}

describe('TokenSampler', () => {
  it('keeps exactly the tokens that top_k and top_p allow', () => {
    const samplings = fc.record({
      temperature: fc.double({ min: 0.1, max: 2, noNaN: true }),
      topK: fc.integer({ min: 2, max: 70 }),
      topP: fc.double({ min: 0.05, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(logitsOf, samplings, (logits, sampling) => {
        const sampler = new TokenSampler(logits.length, sampling);
        const possible = expectedChances(logits, sampling, 1e-6);
        const certain = expectedChances(logits, sampling, -1e-6);
        const reached = new Set<number>();
        for (let step = 0; step < 400; step++) {
          reached.add(sampler.sample(logits, () => step / 400));
        }
        expect([...reached].filter((token) => !possible.has(token))).toEqual([]);
        // Every token with a chance above the step's width is reached by some random number.
        const missed = [...certain].filter(([token, chance]) => chance > 1 / 200 && !reached.has(token));
        expect(missed).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it.each<Sampling>([
    { temperature: 0.8 },
    { temperature: 0.8, topP: 0.9 },
    // Most of what is drawn is not allowed.
    { temperature: 0.8, topP: 0.02 },
    { temperature: 0.8, topP: 0.6, topK: 400 },
    { temperature: 1.3, minP: 0.05 },
  ])('chooses as often as the probabilities say, with %o', (sampling) => {
    const { minP = 0 } = sampling;
    const logits = Float32Array.from({ length: 500 }, (_, token) => Math.sin(token * 7) * 3);
    const sampler = new TokenSampler(logits.length, sampling);
    const numbers = new AnswerRandom(11, 0);
    const counts = new Float64Array(logits.length);
    const draws = 10_000;
    for (let draw = 0; draw < draws; draw++) {
      const token = sampler.sample(logits, numbers.at(draw));
      counts[token] = counts[token]! + 1;
    }
    const all = [...expectedChances(logits, sampling)];
    const least = minP * Math.max(...all.map(([, chance]) => chance));
    const kept = all.filter(([, chance]) => chance >= least);
    const sum = kept.reduce((total, [, chance]) => total + chance, 0);
    // Pearson's statistic has as many degrees of freedom as there are tokens but one, and twice that variance.
    const statistic = kept.reduce((total, [token, chance]) => {
      const expected = (draws * chance) / sum;
      return total + (counts[token]! - expected) ** 2 / expected;
    }, 0);
    expect(kept.reduce((total, [token]) => total + counts[token]!, 0)).toBe(draws);
    expect(Math.abs(statistic - (kept.length - 1)) / Math.sqrt(2 * kept.length)).toBeLessThan(4);
  });

  it.each<[string, Sampling]>([
    ['[C25] no temperature', {}],
    ['[C25] temperature 0', { temperature: 0 }],
    ['[C29] a temperature below 0.001, whatever top_k says', { temperature: 0.0009, topK: 40 }],
    ['[C28] top_k 1 at any temperature', { temperature: 2, topK: 1 }],
    ['top_p 0', { temperature: 2, topP: 0 }],
  ])('is greedy with %s', (_, sampling) => {
    fc.assert(
      fc.property(logitsOf, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (logits, random) => {
        const token = new TokenSampler(logits.length, sampling).sample(logits, () => random);
        expect(token).toBe([...logits].indexOf(Math.max(...logits)));
      }),
    );
  });

  it('shares the chances among the tokens that are not forbidden', () => {
    const logits = Float32Array.from({ length: 1000 }, (_, token) => (token % 10 === 3 ? 0 : -Infinity));
    for (const sampling of [{ temperature: 1 }, { temperature: 2, topP: 0.99 }, { temperature: 1, topK: 100 }]) {
      const sampler = new TokenSampler(1000, sampling);
      const seen = new Set<number>();
      for (let step = 0; step < 200; step++) seen.add(sampler.sample(logits, () => step / 200));
      expect([...seen].every((token) => token % 10 === 3)).toBe(true);
      expect(seen.size).toBeGreaterThan(90);
    }
  });

  it('never chooses a forbidden token, and says so when all are', () => {
    const logits = new Float32Array(100).fill(-Infinity);
    const sampler = new TokenSampler(100, { temperature: 1 });
    expect(sampler.sample(logits, () => 0.5)).toBe(-1);
    logits[42] = -1000;
    for (const random of [0, 0.5, 0.999999]) expect(sampler.sample(logits, () => random)).toBe(42);
    expect(greatestLogit(Float32Array.from([NaN, 3, NaN]))).toBe(1);
  });

  it('stays linear for large vocabularies', () => {
    const logits = Float32Array.from({ length: 150_000 }, (_, token) => Math.sin(token) * 4);
    const random = createRandomNumbers(1, 0);
    // The fastest of several runs: that one was not disturbed.
    const fastest = (work: () => void): number =>
      Math.min(
        ...Array.from({ length: 6 }, () => {
          const start = performance.now();
          work();
          return performance.now() - start;
        }),
      );
    const sampler = new TokenSampler(logits.length, { temperature: 0.7, topP: 0.9, topK: 50 });
    const choosing = fastest(() => sampler.sample(logits, random));
    const sorting = fastest(() => [...logits.keys()].toSorted((a, b) => logits[b]! - logits[a]!));
    expect(choosing).toBeLessThan(sorting / 2);
  });
});
