/** Lines in the console about requests that are answered, but probably not as their sender meant them. @module */

/** Most lines: names in them come from clients. */
const MAX_LINES = 100;

const printed = new Set<string>();

/** Prints a line once, however many requests it is about. */
export function warnOnce(line: string): void {
  if (printed.has(line) || printed.size >= MAX_LINES) return;
  printed.add(line);
  console.warn(`inpage: ${line}`);
}
