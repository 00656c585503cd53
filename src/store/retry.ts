/** When to try again, and when not. @module */

/** Attempts without a single byte after which a file is given up. */
export const MOST_FAILURES = 6;
/** The same as long as nothing at all has come: then it is the address that is wrong, more often than the network. */
export const MOST_FAILURES_AT_FIRST = 3;

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
/** A server that wants more patience is not waited for: the person in front of the page is not either. */
const LONGEST_WISH = 120_000;

/** Milliseconds before the next attempt. @param failures attempts in a row that brought nothing, at least 1 */
export function pauseAfter(failures: number, retryAfter: number | undefined): number {
  const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1));
  return Math.max(pause, Math.min(LONGEST_WISH, retryAfter ?? 0));
}

/** Milliseconds that a server asks to wait, from `Retry-After` in seconds or as a date. */
export function retryAfterOf(response: Response): number | undefined {
  const header = response.headers.get('retry-after');
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now());
}

/** Whether a status says that another attempt can succeed. */
export function isTransient(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}
