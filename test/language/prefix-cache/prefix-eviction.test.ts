import { describe, expect, it } from 'vitest';
import { commonLength, PrefixEviction } from '../../../src/language/prefix-cache/prefix-eviction.js';

const count = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

describe('commonLength', () => {
  it('ends at the first difference, and with the shorter text', () => {
    expect(commonLength([1, 2, 3], [1, 2, 4])).toBe(2);
    expect(commonLength([1, 2], [1, 2, 3])).toBe(2);
    expect(commonLength([], [1])).toBe(0);
  });
});

describe('PrefixEviction', () => {
  it('takes the oldest, until a prompt misses what was evicted', () => {
    const eviction = new PrefixEviction();
    expect([1, 2, 3].map(() => eviction.choose(5))).toEqual([0, 0, 0]);
    eviction.remember(count(0, 100));
    eviction.noteMiss(count(500, 600), 0);
    expect(eviction.choose(5)).toBe(0);
    eviction.noteMiss(count(0, 100), 0);
    expect([5, 6, 7, 8].map(() => eviction.choose(5))).toEqual([5, 5, 5, 0]);
  });

  it('does not miss what shares fewer tokens than a block, nor what it was told to forget', () => {
    const eviction = new PrefixEviction();
    eviction.remember(count(0, 63));
    eviction.noteMiss(count(0, 63), 0);
    expect(eviction.choose(5)).toBe(0);
    eviction.remember(count(0, 100));
    eviction.forget();
    eviction.noteMiss(count(0, 100), 0);
    expect(eviction.choose(5)).toBe(0);
  });
});
