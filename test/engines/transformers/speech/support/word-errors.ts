/** Word error rate as the model card counts it: lower case, no punctuation, edits over the words that were said. */
export function wordErrors(said: string, heard: string): { errors: number; words: number } {
  const [expected, actual] = [wordsOf(said), wordsOf(heard)];
  let row = Array.from({ length: actual.length + 1 }, (_, i) => i);
  for (const [i, word] of expected.entries()) {
    const next = [i + 1];
    for (const [j, other] of actual.entries()) {
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (word === other ? 0 : 1)));
    }
    row = next;
  }
  return { errors: row.at(-1)!, words: expected.length };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}
