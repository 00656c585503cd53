/** What commands print. @module */

/** Control and format characters, but line feeds and tabs: a terminal obeys escape sequences, and some change the order of letters. */
// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Prints to the standard output. Texts of pages and services may be part of it: their escape sequences are shown, not obeyed. */
export function print(text: string): void {
  process.stdout.write(printable(text));
}

/** The same to the standard error. */
export function printError(text: string): void {
  process.stderr.write(printable(text));
}

/** Unprintable characters as `\u001b`, which is the same text where they stand in a string of JSON. */
function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
