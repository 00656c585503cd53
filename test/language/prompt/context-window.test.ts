import { describe, expect, it } from 'vitest';
import { estimateHugeLength } from '../../../src/language/prompt/context-window.js';

/** A counter of words that tells how much it was given. */
function counter(): { count: (text: string) => number; characters: () => number } {
  let characters = 0;
  return {
    count: (text) => {
      characters += text.length;
      return text.split(' ').filter(Boolean).length;
    },
    characters: () => characters,
  };
}

describe('estimateHugeLength', () => {
  it('does not even look at texts that may fit', () => {
    const { count, characters } = counter();
    expect(estimateHugeLength(['a '.repeat(200), 'b '.repeat(199)], count, 100)).toBeUndefined();
    expect(characters()).toBe(0);
  });

  it('stops as soon as it knows, and estimates the rest', () => {
    const { count, characters } = counter();
    expect(estimateHugeLength(['a', 'word '.repeat(1_000_000)], count, 1_000)).toBeCloseTo(1_000_000, -5);
    expect(characters()).toBeLessThan(20_000);
  });

  it('lets through what is long and has few tokens', () => {
    const blanks = `${' '.repeat(50_000)}end `.repeat(10);
    expect(estimateHugeLength([blanks], counter().count, 100)).toBeUndefined();
  });
});
