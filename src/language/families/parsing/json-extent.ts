/** Where does a JSON value end? @module */

/** Follows one JSON value through pieces of text. */
export interface JsonExtent {
  /**
   * How many characters of `text` belong to the value (from its first, which must not be white space).
   * `ended` becomes true with the last one; numbers and literals end before the character that follows them.
   */
  take(text: string): number;
  readonly ended: boolean;
  readonly begun: boolean;
}

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/**
 * Looks only at strings and brackets: the end is found even where the inside is malformed. Whether it parses is checked
 * later, on the whole. A bracket that closes an outer one closes what was left open inside it.
 * @param ignoreStrings quotes mean nothing: for a text in which one of them was forgotten
 */
export function createJsonExtent({ ignoreStrings = false } = {}): JsonExtent {
  const open: string[] = [];
  let kind: 'unknown' | 'nested' | 'string' | 'scalar' = 'unknown';
  let inString = false;
  let escaped = false;
  let ended = false;

  const followString = (character: string): boolean => {
    if (escaped) escaped = false;
    else if (character === '\\') escaped = true;
    else if (character === '"') inString = false;
    return !inString && kind === 'string';
  };

  const close = (character: string): void => {
    const at = open.lastIndexOf(character);
    if (at >= 0) open.length = at;
  };

  /** True when the value ends with (for a scalar: before) this character. */
  const follow = (character: string): boolean => {
    if (inString) return followString(character);
    if (kind === 'unknown') {
      kind = character === '"' ? 'string' : Object.hasOwn(CLOSING, character) ? 'nested' : 'scalar';
    }
    if (kind === 'scalar') return /[\s,}\]]/.test(character);
    if (character === '"' && !ignoreStrings) inString = true;
    else if (Object.hasOwn(CLOSING, character)) open.push(CLOSING[character]!);
    else if (character === '}' || character === ']') close(character);
    return kind === 'nested' && open.length === 0;
  };

  return {
    take(text) {
      if (ended) return 0;
      for (let index = 0; index < text.length; index++) {
        if (!follow(text[index]!)) continue;
        ended = true;
        return kind === 'scalar' ? index : index + 1;
      }
      return text.length;
    },
    get ended() {
      return ended;
    },
    get begun() {
      return kind !== 'unknown';
    },
  };
}
