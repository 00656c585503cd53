import { describe, expect, it } from 'vitest';
import { AnswerRandom, createRandomNumbers } from '../../../src/language/sampling/random.js';

const take = (seed: number | undefined, stream: number, count = 8) => {
  const random = createRandomNumbers(seed, stream);
  return Array.from({ length: count }, random);
};

describe('createRandomNumbers', () => {
  it('repeats itself for a seed, and only for it', () => {
    expect(take(5, 0)).toEqual(take(5, 0));
    const seeds = [0, 1, 2, -1, 4294967296, Number.MAX_SAFE_INTEGER, -(2 ** 60)];
    expect(new Set(seeds.map((seed) => take(seed, 0, 1)[0])).size).toBe(seeds.length);
    expect(take(5, 1)).not.toEqual(take(5, 0));
    expect(take(undefined, 0)).not.toEqual(take(undefined, 0));
  });

  it('is even between 0 and 1, and across neighbouring seeds', () => {
    const many = take(3, 0, 20_000);
    const firsts = Array.from({ length: 20_000 }, (_, seed) => take(seed, 0, 1)[0]!);
    for (const numbers of [many, firsts]) {
      const tenths = Array.from({ length: 10 }, () => 0);
      for (const number of numbers) tenths[Math.floor(number * 10)]! += 1;
      for (const count of tenths) expect(Math.abs(count - 2000)).toBeLessThan(250);
    }
  });
});

describe('AnswerRandom', () => {
  it('gives each place the same numbers whenever it is asked', () => {
    const of = (numbers: AnswerRandom, place: number) => Array.from({ length: 3 }, numbers.at(place));
    const [first, second] = [new AnswerRandom(5, 1), new AnswerRandom(5, 1)];
    const forwards = [0, 1, 2, 3].map((place) => of(first, place));
    const backwards = [3, 2, 1, 0].map((place) => of(second, place));
    expect(backwards.toReversed()).toEqual(forwards);
    expect(forwards.map(([own]) => own)).toEqual(take(5, 1, 4));
    expect(new Set(forwards.flat()).size).toBe(12);
    const free = new AnswerRandom(undefined, 0);
    expect(of(free, 1)).toEqual(of(free, 1));
  });
});
