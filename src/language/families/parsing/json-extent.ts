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

/**
 * Looks only at strings and brackets: the end is found even where the inside is malformed. Whether it parses is checked
 * later, on the whole.
 */
export function createJsonExtent(): JsonExtent {
  let depth = 0;
  let kind: 'unknown' | 'nested' | 'string' | 'scalar' = 'unknown';
  let inString = false;
  let escaped = false;
  let ended = false;

  /** True when the value ends with (for a scalar: before) this character. */
  const follow = (character: string): boolean => {
    if (inString) {
      if (escaped) escaped = false;
      else if (character === '\\') escaped = true;
      else if (character === '"') inString = false;
      return !inString && kind === 'string';
    }
    if (kind === 'unknown') {
      kind = character === '"' ? 'string' : character === '{' || character === '[' ? 'nested' : 'scalar';
    }
    if (kind === 'scalar') return /[\s,}\]]/.test(character);
    if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    return kind === 'nested' && depth === 0;
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
