/** What commands print. @module */
import { printable } from '../../serve/http/printable.js';

/** Prints to the standard output. Texts of pages and services may be part of it: their escape sequences are shown, not obeyed. */
export function print(text: string): void {
  process.stdout.write(printable(text));
}

/** The same to the standard error. */
export function printError(text: string): void {
  process.stderr.write(printable(text));
}
