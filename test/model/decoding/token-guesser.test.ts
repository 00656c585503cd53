import { describe, expect, it } from 'vitest';
import { TokenGuesser } from '../../../src/model/decoding/token-guesser.js';

const count = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

describe('TokenGuesser', () => {
  it('says what came after the same three tokens the last time', () => {
    const guesser = new TokenGuesser([1, 2, 3, 4, 5, 8, 1, 2, 3, 6, 7, 9, 1, 2], 100);
    expect(guesser.guess(8)).toEqual([]);
    guesser.push(3);
    expect(guesser.guess(8)).toEqual([6, 7]);
    expect(guesser.guess(1)).toEqual([6]);
  });

  it('does not take other tokens for the same in a vocabulary of 152,000', () => {
    const guesser = new TokenGuesser([151_935, 1, 2, 3, 7, 151_934, 1, 2], 151_936);
    expect(guesser.guess(8)).toEqual([]);
    guesser.push(3);
    expect(guesser.guess(1)).toEqual([7]);
  });

  it('guesses more while it is right, and less when it is not', () => {
    const guesser = new TokenGuesser([...count(0, 50), 0, 1, 2], 100);
    const lengths: number[] = [];
    for (let time = 0; time < 3; time++) {
      lengths.push(guesser.guess(20).length);
      guesser.learn(lengths.at(-1)!, lengths.at(-1)!);
    }
    expect([...lengths, guesser.guess(20).length]).toEqual([2, 4, 8, 8]);
    guesser.learn(3, 8);
    expect(guesser.guess(20)).toHaveLength(3);
  });

  it('pauses after guesses that came to nothing, longer each time', () => {
    const guesser = new TokenGuesser([1, 2, 3], 100);
    const pauses: number[] = [];
    let quiet = 0;
    let wasted = 0;
    for (let step = 0; step < 900; step++) {
      guesser.push([1, 2, 3][step % 3]!);
      const guesses = guesser.guess(8);
      if (guesses.length === 0) {
        quiet += 1;
        continue;
      }
      if (quiet > 8) pauses.push(quiet);
      quiet = 0;
      wasted += guesses.length;
      guesser.learn(0, guesses.length);
    }
    expect(pauses.length).toBeGreaterThan(1);
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThan((pauses[index - 1] ?? 0) * 1.5);
    // At 8 % of a pass each, less than 2 % of all.
    expect(wasted * 0.08).toBeLessThan(900 * 0.02);
  });
});
