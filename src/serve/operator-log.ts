/** What the person who runs a server is told on standard error. @module */
import { printable } from './http/printable.js';

/** Milliseconds for which the same line is not printed again. */
const QUIET_MS = 60_000;

const printed = new Map<string, number>();

/** Prints one line. */
export function warn(text: string): void {
  process.stderr.write(`inpage: ${printable(text.replaceAll(/\s*\n\s*/g, ' '))}\n`);
}

/** Prints a line, and the same again after a minute at the earliest. */
export function warnOnce(text: string, now: number = performance.now()): void {
  for (const [line, at] of printed) if (now - at >= QUIET_MS) printed.delete(line);
  if (printed.has(text)) return;
  printed.set(text, now);
  warn(text);
}
