/** Where a corrected text differs from the original, by words. @module */

export interface ProofreadCorrection {
  /** Offset in the input, in UTF-16. */
  startIndex: number;
  endIndex: number;
  /** What stands there in the corrected text. */
  correction: string;
}

/** Most pairs of words that are compared; between longer differences is no telling which word became which. */
const MOST_PAIRS = 4_000_000;

/** Rising, apart, and complete: applied to the input they give the corrected text. */
export function findCorrections(input: string, corrected: string): ProofreadCorrection[] {
  const [from, to] = [wordsOf(input), wordsOf(corrected)];
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < from.length - start && end < to.length - start && from.at(-1 - end) === to.at(-1 - end)) end += 1;
  const [removed, added] = [from.slice(start, from.length - end), to.slice(start, to.length - end)];
  const offset = from.slice(0, start).join('').length;
  return toCorrections(removed, added, matches(removed, added), offset);
}

/** Words, spaces, and single signs. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}'’]+|\s+|[^\p{L}\p{N}\p{M}\s'’]/gu) ?? [];
}

/** Pairs of equal words, as many as there are in one order: the longest common subsequence. */
function matches(removed: readonly string[], added: readonly string[]): [number, number][] {
  const width = added.length + 1;
  if (removed.length * width > MOST_PAIRS) return [];
  const lengths = new Uint32Array((removed.length + 1) * width);
  for (let row = removed.length - 1; row >= 0; row--) {
    for (let column = added.length - 1; column >= 0; column--) {
      const at = row * width + column;
      lengths[at] =
        removed[row] === added[column]
          ? lengths[at + width + 1]! + 1
          : Math.max(lengths[at + width]!, lengths[at + 1]!);
    }
  }
  const pairs: [number, number][] = [];
  for (let row = 0, column = 0; row < removed.length && column < added.length;) {
    const at = row * width + column;
    if (removed[row] === added[column]) pairs.push([row++, column++]);
    else if (lengths[at + width]! >= lengths[at + 1]!) row += 1;
    else column += 1;
  }
  return pairs;
}

/** What lies between the pairs. */
function toCorrections(
  removed: readonly string[],
  added: readonly string[],
  pairs: readonly [number, number][],
  offset: number,
): ProofreadCorrection[] {
  const corrections: ProofreadCorrection[] = [];
  let [row, column, startIndex] = [0, 0, offset];
  for (const [nextRow, nextColumn] of [...pairs, [removed.length, added.length] as const]) {
    const before = removed.slice(row, nextRow).join('');
    const correction = added.slice(column, nextColumn).join('');
    const endIndex = startIndex + before.length;
    if (before !== correction) corrections.push({ startIndex, endIndex, correction });
    startIndex = endIndex + (removed[nextRow]?.length ?? 0);
    [row, column] = [nextRow + 1, nextColumn + 1];
  }
  return corrections;
}
