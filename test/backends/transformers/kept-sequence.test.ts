import { describe, expect, it } from 'vitest';
import { type KeptSequence, reusableLength } from '../../../src/backends/transformers/text/kept-sequence.js';

const BLOCK = 4;
const count = (to: number): number[] => Array.from({ length: to }, (_, index) => index);
const kept = (tokens: number[], promptLength: number, croppable = true): KeptSequence => ({
  tokens,
  promptLength,
  state: { isCroppable: () => croppable } as KeptSequence['state'],
});
const logits = (tokens: number[]) => ({ tokens, logits: new Float32Array(1) });

describe('reusableLength', () => {
  it('takes the same prompt whole, when its logits are known', () => {
    const sequence = kept(count(15), 10);
    expect(reusableLength(sequence, count(10), BLOCK, logits(count(10)))).toBe(10);
    expect(reusableLength(sequence, count(10), BLOCK, undefined)).toBe(8);
  });

  it('takes whole blocks of an earlier prompt, and leaves at least one token to read', () => {
    expect(reusableLength(kept(count(15), 10), [...count(6), 99, 98], BLOCK, undefined)).toBe(4);
    expect(reusableLength(kept(count(15), 10), [...count(3), 99], BLOCK, undefined)).toBe(0);
    expect(reusableLength(kept(count(10), 10), count(8), BLOCK, undefined)).toBe(4);
  });

  it('takes every token of a conversation that goes on', () => {
    expect(reusableLength(kept(count(15), 10), count(20), BLOCK, undefined)).toBe(15);
    expect(reusableLength(kept(count(15), 10), [...count(13), 99, 98], BLOCK, undefined)).toBe(13);
  });

  it('takes all or nothing of a state that cannot be cropped', () => {
    expect(reusableLength(kept(count(15), 10, false), count(20), BLOCK, undefined)).toBe(15);
    expect(reusableLength(kept(count(15), 10, false), [...count(13), 99, 98], BLOCK, undefined)).toBe(0);
    expect(reusableLength(kept(count(15), 10, false), count(10), BLOCK, logits(count(10)))).toBe(0);
  });
});
