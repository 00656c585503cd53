import { describe, expect, it } from 'vitest';
import { mergePairs } from '../../../../src/engines/gguf/tokenizer/merge-pairs.js';

/** Merges as the definition says: look at all pairs, merge the best, begin again. */
function slowly(text: string, ranks: ReadonlyMap<string, number>): string[] {
  const pieces = Array.from(text);
  for (;;) {
    const all = pieces.slice(1).map((piece, at) => ({ at, rank: ranks.get(pieces[at]! + piece) }));
    const [best] = all.filter(({ rank }) => rank !== undefined).toSorted((a, b) => a.rank! - b.rank! || a.at - b.at);
    if (!best) return pieces;
    pieces.splice(best.at, 2, pieces[best.at]! + pieces[best.at + 1]!);
  }
}

function merge(text: string, ranks: ReadonlyMap<string, number>): string[] {
  let from = 0;
  return mergePairs(text, (begin, _, to) => ranks.get(text.slice(begin, to))).map((to) => {
    const piece = text.slice(from, to);
    from = to;
    return piece;
  });
}

describe('mergePairs', () => {
  it('merges as the definition says', () => {
    const pieces = ['ab', 'bc', 'abc', 'ca', 'cab', 'aa', 'aaa', 'aaaa', 'bb', 'b😀', '😀😀', 'cb😀'];
    // Each order of ranks, some of them equal.
    for (let round = 0; round < 200; round++) {
      const ranks = new Map(pieces.map((piece, index) => [piece, (index * (round + 3) * 7919) % 11]));
      const text = Array.from(
        { length: 30 },
        (_, index) => ['a', 'b', 'c', '😀'][((index * index * (round + 1) + round) % 7) % 4]!,
      );
      expect(merge(text.join(''), ranks)).toEqual(slowly(text.join(''), ranks));
    }
  });

  it('leaves nothing, one character and what no pair makes', () => {
    expect(merge('', new Map())).toEqual([]);
    expect(merge('😀', new Map())).toEqual(['😀']);
    expect(merge('xyz', new Map([['ab', 1]]))).toEqual(['x', 'y', 'z']);
  });
});
