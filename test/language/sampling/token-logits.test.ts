import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sampling } from '../../../src/core/request/generation-request.js';
import { type SampleRequest, logitsNeed, type LogitsNeed } from '../../../src/language/sampling/token-logits.js';
import { AnswerRandom, createRandomNumbers } from '../../../src/language/sampling/random.js';
import { TokenSampler } from '../../../src/language/sampling/sample-token.js';
import { greatestOf } from './greatest-of.js';

const numbers = [new AnswerRandom(1, 0)];
const draw = (changes: Partial<SampleRequest>): LogitsNeed => ({
  type: 'sample',
  temperature: 1,
  topP: 1,
  minP: 0,
  random: numbers,
  seeded: false,
  ...changes,
});

/** What draws instead, where an engine can. */
const cut = (topK: number, topP: number) => ({ temperature: 1, topK, topP, minP: 0, random: numbers });

describe('logitsNeed', () => {
  it.each<[string, Sampling, LogitsNeed]>([
    ['nothing said', {}, { type: 'greatest', count: 1 }],
    ['greedy, with a seed', { temperature: 0, seed: 3, topK: 40 }, { type: 'greatest', count: 1 }],
    ['top_k', { temperature: 1, topK: 40, topP: 0.9, seed: 3 }, { type: 'greatest', count: 41, draw: cut(40, 0.9) }],
    ['a large top_k', { temperature: 1, topK: 1000 }, { type: 'all', draw: cut(1000, 1) }],
    ['no cut-off by count', { temperature: 0.7, topP: 0.9 }, draw({ temperature: 0.7, topP: 0.9 })],
    ['the same with a seed', { temperature: 0.7, seed: 1 }, draw({ temperature: 0.7, seeded: true })],
    ['min_p', { temperature: 0.7, minP: 0.1 }, draw({ temperature: 0.7, minP: 0.1 })],
    ['a bias of what is drawn', { temperature: 0.7, logitBias: { 5: 1 } }, { type: 'all' }],
    ['a bias', { logitBias: { 5: 1 } }, { type: 'all' }],
    ['a repetition penalty', { repetitionPenalty: 1.1 }, { type: 'all' }],
  ])('%s', (_, sampling, need) => expect(logitsNeed(sampling, numbers)).toEqual(need));

  it('asks for what leads to the very token that all logits lead to, ties, padding and NaN included', () => {
    // Steps of an eighth make many ties.
    const logit = fc.oneof(
      { weight: 12, arbitrary: fc.integer({ min: -40, max: 40 }).map((value) => value / 8) },
      { weight: 1, arbitrary: fc.constantFrom(-Infinity, NaN, -0, -300) },
    );
    const sampling = fc.record({
      temperature: fc.constantFrom(0, 0.01, 0.7, 1, 2),
      topK: fc.integer({ min: 1, max: 63 }),
      topP: fc.constantFrom(0, 0.3, 0.9, 1),
    });
    fc.assert(
      fc.property(fc.array(logit, { minLength: 1, maxLength: 150 }), sampling, fc.integer(), (values, chosen, seed) => {
        const logits = Float32Array.from(values);
        const need = logitsNeed(chosen, numbers);
        if (need.type !== 'greatest') throw new Error('More was asked for than is needed.');
        const sampler = new TokenSampler(logits.length, chosen);
        const draw = (given: typeof logits | ReturnType<typeof greatestOf>): number[] => {
          const random = createRandomNumbers(seed, 0);
          return Array.from({ length: 8 }, () => sampler.sample(given, random));
        };
        expect(draw(greatestOf(logits, need.count))).toEqual(draw(logits));
      }),
      {
        numRuns: 500,
        // As many numbers as may be chosen, and one NaN.
        examples: [[[0, 0, 0, 0, Number.NaN, 0, 0, 0, -0.125, 0, 0, 0], { temperature: 2, topK: 11, topP: 1 }, 0]],
      },
    );
  });
});
