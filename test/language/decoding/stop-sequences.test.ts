import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StopSequences } from '../../../src/language/decoding/stop-sequences.js';

/** Few letters, so that sequences do occur and overlap. */
const letters = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b', 'c'), { minLength, maxLength }).map((all) => all.join(''));

function run(sequences: string[], pieces: string[]): { text: string; matched?: string } {
  const stops = new StopSequences(sequences);
  let text = '';
  for (const piece of pieces) {
    const result = stops.push(piece);
    text += result.text;
    if (result.matched !== undefined) return { text, matched: result.matched };
  }
  return { text: text + stops.end() };
}

/** The rule, said in the plainest way. */
function expected(sequences: string[], whole: string): { text: string; matched?: string } {
  for (let end = 1; end <= whole.length; end++) {
    const matched = sequences
      .filter((stop) => whole.slice(0, end).endsWith(stop))
      .toSorted((a, b) => b.length - a.length)[0];
    if (matched !== undefined) return { text: whole.slice(0, end - matched.length), matched };
  }
  return { text: whole };
}

describe('StopSequences', () => {
  it('follows the rule for every text, every sequences and every way of cutting', () => {
    const stops = fc.array(letters(1, 4), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(stops, fc.array(letters(0, 4), { maxLength: 12 }), (sequences, pieces) => {
        expect(run(sequences, pieces)).toEqual(expected(sequences, pieces.join('')));
      }),
      { numRuns: 2000 },
    );
  });

  it('never gives out a part of a sequence that later completes', () => {
    const stops = new StopSequences(['STOP']);
    expect(stops.push('Hello S')).toEqual({ text: 'Hello ' });
    expect(stops.push('TO')).toEqual({ text: '' });
    expect(stops.peek('P more')).toEqual({ text: '', matched: 'STOP', swallowed: 'STOP more' });
    expect(stops.push('P more')).toEqual({ text: '', matched: 'STOP', swallowed: 'STOP more' });
  });

  it('gives text out as soon as it cannot become a sequence', () => {
    const stops = new StopSequences(['STOP']);
    expect(stops.push('ST')).toEqual({ text: '' });
    expect(stops.push('A')).toEqual({ text: 'STA' });
  });

  it('ignores empty sequences', () => {
    expect(run(['', 'x'], ['ab', 'xc'])).toEqual({ text: 'ab', matched: 'x' });
    expect(run([''], ['ab'])).toEqual({ text: 'ab' });
  });
});
