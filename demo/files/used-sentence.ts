/** Which sentence of a text another one rests on, as far as words tell. */

/** The sentence of the text that has most words in common with another text; of several the first. */
export function usedSentence(text: string, near: string): { before: string; sentence: string; behind: string } {
  const wanted = new Set(wordsOf(near));
  let best = { start: 0, end: 0, shared: 0 };
  for (const { index, segment } of new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)) {
    const shared = [...new Set(wordsOf(segment))].filter((word) => wanted.has(word)).length;
    if (shared > best.shared) best = { start: index, end: index + segment.trimEnd().length, shared };
  }
  const { start, end } = best;
  return { before: text.slice(0, start), sentence: text.slice(start, end), behind: text.slice(end) };
}

/** Short ones such as `the` say nothing. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{4,}|\p{N}+/gu) ?? [];
}
