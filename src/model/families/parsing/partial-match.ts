/** Could the end of this text be the beginning of a tag? @module */

/**
 * Length of the longest end of `text` that is a proper beginning of one of `tags`; 0 when there is none.
 * @example
 * partialMatchLength('so <thi', ['<think>']) // 4
 */
export function partialMatchLength(text: string, tags: readonly string[]): number {
  let longest = 0;
  for (const tag of tags) {
    for (let length = Math.min(tag.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(tag.slice(0, length))) longest = length;
    }
  }
  return longest;
}

/** The earliest of `tags` in `text`, or undefined. */
export function findTag(text: string, tags: readonly string[]): { index: number; tag: string } | undefined {
  let found: { index: number; tag: string } | undefined;
  for (const tag of tags) {
    const index = text.indexOf(tag);
    if (index >= 0 && (!found || index < found.index)) found = { index, tag };
  }
  return found;
}

/** `text` could still become one of `tags` when more comes: it is a proper beginning of one. */
export function mayBecome(text: string, tags: readonly string[]): boolean {
  return tags.some((tag) => text.length < tag.length && tag.startsWith(text));
}

/**
 * How many characters of `text` are certain to stand before a tag: what remains is white space, which belongs to
 * the tag if one follows, and what may be the tag's beginning.
 */
export function certainLength(text: string, tags: readonly string[]): number {
  return text.slice(0, text.length - partialMatchLength(text, tags)).trimEnd().length;
}
