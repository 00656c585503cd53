/** What the author of a test should know of requests that no reply fitted. @module */
import type { JournalEntry } from './test-server-types.js';

/** Requests that are shown. */
const SHOWN = 3;

export function unmatchedMessage(entries: readonly JournalEntry[]): string {
  const count = entries.length === 1 ? 'A request was' : `${entries.length} requests were`;
  const shown = entries.slice(0, SHOWN).map((entry) => `${entry.method} ${entry.path}: ${explainMismatch(entry)}`);
  return `inpage: ${count} not matched by any reply.\n${shown.join('\n')}`;
}

/** The error that the app got, in whatever shape. */
function explainMismatch({ answer }: JournalEntry): string {
  const { error } = (answer?.body ?? {}) as { error?: string | { message?: string } };
  return (typeof error === 'string' ? error : error?.message) ?? answer?.text ?? 'no answer';
}
