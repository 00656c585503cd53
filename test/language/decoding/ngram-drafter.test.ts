import { describe, expect, it } from 'vitest';
import { NgramDrafter } from '../../../src/language/decoding/ngram-drafter.js';

const count = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

describe('NgramDrafter', () => {
  it('says what came after the same three tokens the last time', () => {
    const drafter = new NgramDrafter([1, 2, 3, 4, 5, 8, 1, 2, 3, 6, 7, 9, 1, 2], 100);
    expect(drafter.draft(8)).toEqual([]);
    drafter.push(3);
    expect(drafter.draft(8)).toEqual([6, 7]);
    expect(drafter.draft(1)).toEqual([6]);
  });

  it('does not take other tokens for the same in a vocabulary of 152,000', () => {
    const drafter = new NgramDrafter([151_935, 1, 2, 3, 7, 151_934, 1, 2], 151_936);
    expect(drafter.draft(8)).toEqual([]);
    drafter.push(3);
    expect(drafter.draft(1)).toEqual([7]);
  });

  it('drafts more while drafts are accepted, and less when they are not', () => {
    const drafter = new NgramDrafter([...count(0, 50), 0, 1, 2], 100);
    const lengths: number[] = [];
    for (let time = 0; time < 3; time++) {
      lengths.push(drafter.draft(20).length);
      drafter.learn(lengths.at(-1)!, lengths.at(-1)!);
    }
    expect([...lengths, drafter.draft(20).length]).toEqual([2, 4, 8, 8]);
    drafter.learn(3, 8);
    expect(drafter.draft(20)).toHaveLength(3);
  });

  it('pauses after rejected drafts, longer each time', () => {
    const drafter = new NgramDrafter([1, 2, 3], 100);
    const pauses: number[] = [];
    let quiet = 0;
    let wasted = 0;
    for (let step = 0; step < 900; step++) {
      drafter.push([1, 2, 3][step % 3]!);
      const draft = drafter.draft(8);
      if (draft.length === 0) {
        quiet += 1;
        continue;
      }
      if (quiet > 8) pauses.push(quiet);
      quiet = 0;
      wasted += draft.length;
      drafter.learn(0, draft.length);
    }
    expect(pauses.length).toBeGreaterThan(1);
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThan((pauses[index - 1] ?? 0) * 1.5);
    // At 8 % of a pass each, less than 2 % of all.
    expect(wasted * 0.08).toBeLessThan(900 * 0.02);
  });
});
