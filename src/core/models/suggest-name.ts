/** What a misspelt name was probably meant to be. @module */

/** A sentence about an unknown name: the nearest known one, or all of them. */
export function suggestName(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known, Math.max(2, name.length / 3));
  return nearest === undefined ? `Known are: ${known.join(', ')}.` : `Did you mean \`${nearest}\`?`;
}

/** The known name that differs in the fewest letters, if these are no more than `most`. */
export function nearestName(name: string, known: readonly string[], most: number): string | undefined {
  const distances = known.map(
    (candidate) => [distance(name.toLowerCase(), candidate.toLowerCase()), candidate] as const,
  );
  const [best] = distances.toSorted(([a], [b]) => a - b);
  return best && best[0] <= most ? best[1] : undefined;
}

/** Letters to insert, delete or change (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(from).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(to).entries())
      next.push(Math.min(row[j]! + (letter === other ? 0 : 1), row[j + 1]! + 1, next[j]! + 1));
    row = next;
  }
  return row[to.length]!;
}
