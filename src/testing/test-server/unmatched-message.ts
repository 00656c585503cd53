/** What the author of a test should know of requests that no reply fitted. @module */
import type { JournalEntry } from './test-server-types.js';

/** Requests that are shown. */
const SHOWN = 3;

/** @param lines of the requests, see {@link entryLines} */
export function unmatchedMessage(lines: readonly string[]): string {
  const count = lines.length === 1 ? 'A request was' : `${lines.length} requests were`;
  return `inpage: ${count} not matched by any reply.\n${lines.slice(0, SHOWN).join('\n')}`;
}

/** Each request with the error that its client got. */
export function entryLines(entries: readonly JournalEntry[]): string[] {
  return entries.map((entry) => `${entry.method} ${entry.path}: ${explainMismatch(entry)}`);
}

/** The error that the app got, in whatever shape. */
function explainMismatch({ answer }: JournalEntry): string {
  const { error } = (answer?.body ?? {}) as { error?: string | { message?: string } };
  return (typeof error === 'string' ? error : error?.message) ?? answer?.text ?? 'no answer';
}
