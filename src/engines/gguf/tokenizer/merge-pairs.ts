/** Merges the characters of a text to pieces, the best pair first, as byte-pair encoding and SentencePiece do. @module */

/**
 * The rank of merging `text` from `from` to `middle` with what follows up to `to`; lower ranks are merged first, of the same
 * rank the leftmost. Undefined: they are not merged.
 */
export type RankPair = (from: number, middle: number, to: number) => number | undefined;

/** A pair that may be merged: its rank, and where it begins and ends. */
interface Pair {
  rank: number;
  from: number;
  to: number;
}

/** Ends of the pieces that a text consists of once no pair can be merged. Takes n log n steps for n characters. */
export function mergePairs(text: string, rankPair: RankPair): number[] {
  // By the place where a piece begins: where it ends, 0 once it was merged; and where the piece before it begins.
  const ends = new Int32Array(text.length);
  const before = new Int32Array(text.length + 1);
  let last = -1;
  for (let at = 0; at < text.length;) {
    const end = at + (text.codePointAt(at)! > 0xffff ? 2 : 1);
    ends[at] = end;
    before[at] = last;
    last = at;
    at = end;
  }
  const pairs = new PairQueue();
  const offer = (from: number): void => {
    const middle = ends[from]!;
    if (from < 0 || middle >= text.length) return;
    const to = ends[middle]!;
    const rank = rankPair(from, middle, to);
    if (rank !== undefined) pairs.push({ rank, from, to });
  };
  for (let at = 0; at < text.length; at = ends[at]!) offer(at);
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const { from, to } = pair;
    const middle = ends[from]!;
    // One of both was merged with another meanwhile.
    if (middle === 0 || middle >= to || ends[middle] !== to) continue;
    ends[from] = to;
    ends[middle] = 0;
    if (to < text.length) before[to] = from;
    if (before[from]! >= 0) offer(before[from]!);
    offer(from);
  }
  const found: number[] = [];
  for (let at = 0; at < text.length; at = ends[at]!) found.push(ends[at]!);
  return found;
}

/** The best pair first: a binary heap. */
class PairQueue {
  readonly #pairs: Pair[] = [];

  push(pair: Pair): void {
    const pairs = this.#pairs;
    let at = pairs.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBetter(pair, pairs[parent]!)) break;
      pairs[at] = pairs[parent]!;
      at = parent;
    }
    pairs[at] = pair;
  }

  pop(): Pair | undefined {
    const pairs = this.#pairs;
    const best = pairs[0];
    const last = pairs.pop();
    if (pairs.length === 0 || last === undefined) return best;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= pairs.length) break;
      if (child + 1 < pairs.length && isBetter(pairs[child + 1]!, pairs[child]!)) child += 1;
      if (!isBetter(pairs[child]!, last)) break;
      pairs[at] = pairs[child]!;
      at = child;
    }
    pairs[at] = last;
    return best;
  }
}

function isBetter(a: Pair, b: Pair): boolean {
  return a.rank !== b.rank ? a.rank < b.rank : a.from < b.from;
}
