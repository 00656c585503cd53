/** A text as one word of a POSIX shell. @module */

/** In single quotes, between which a shell reads every character as it is. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
