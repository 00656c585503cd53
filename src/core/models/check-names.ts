/** Refuses names that mean nothing, because a misspelt option would otherwise be silently ignored. @module */
import { InferenceError } from '../errors/inference-error.js';

/**
 * Checks that an object has no member of another name.
 * @param known all names, as the keys of an object, so that the compiler knows when one is missing
 * @param what what the names are of, e.g. `an option of startInference`
 * @param path dotted path of the object; empty: the object is the argument itself
 * @throws InferenceError `invalid_request` that names the member and the nearest known name
 */
export function checkNames(value: object, known: Record<string, unknown>, what: string, path = ''): void {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(known, name)) continue;
    const param = path === '' ? name : `${path}.${name}`;
    const hint = suggestName(name, Object.keys(known));
    throw new InferenceError('invalid_request', `\`${param}\` is not ${what}. ${hint}`, { param });
  }
}

/** A sentence about a name that there is not: the nearest known one, or all of them. */
export function suggestName(name: string, known: readonly string[]): string {
  const nearest = nearestOf(name, known);
  return nearest === undefined ? `Known are: ${known.join(', ')}.` : `Did you mean \`${nearest}\`?`;
}

/** The name that differs in the fewest letters, if that is few enough to be a slip. */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  const distances = known.map(
    (candidate) => [distance(name.toLowerCase(), candidate.toLowerCase()), candidate] as const,
  );
  const [best] = distances.toSorted(([a], [b]) => a - b);
  return best && best[0] <= Math.max(2, name.length / 3) ? best[1] : undefined;
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
