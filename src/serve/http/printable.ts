/** Text that a terminal shows as it is. @module */

/** Control and format characters, but line feeds and tabs: a terminal obeys escape sequences, and some change the order of letters. */
// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Unprintable characters as `\u001b`, which is the same text where they stand in a string of JSON. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
