/** Prepares a tokenizer's vocabulary for the grammar engine. @module */
import { grammarTags } from '../families/answer-syntax.js';
import type { TextTokenizer } from '../prompt/text-tokenizer.js';
import { isReserved, reservedCharacters } from '../grammar/reserved-characters.js';

const NOTHING = new Uint8Array(0);

export interface TokenVocabulary {
  /** Bytes of each token; empty: never allowed by a grammar. */
  bytes: Uint8Array[];
  /** The reserved character that stands for an added token, by the token's text. */
  markers: ReadonlyMap<string, string>;
  /** Token ids by reserved character. */
  markerTokens: ReadonlyMap<string, number>;
}

/** Added tokens in grammars become reserved characters, which no string can contain; all others are never allowed. */
export function readVocabulary(tokenizer: TextTokenizer): TokenVocabulary {
  const bytes = Array.from({ length: tokenizer.vocabularySize }, (_, token) => {
    const own = tokenizer.bytesOf(token);
    return own.some(isReserved) || !isWellFormed(own) ? NOTHING : own;
  });
  const markers = reservedCharacters(grammarTags().filter((tag) => isToken(tokenizer, tag)));
  const markerTokens = new Map<string, number>();
  for (const [text, token] of tokenizer.addedTokens) {
    if (token >= tokenizer.vocabularySize) continue;
    const reserved = markers.get(text);
    bytes[token] = reserved === undefined ? addedText(text) : new TextEncoder().encode(reserved);
    if (reserved !== undefined) markerTokens.set(reserved, token);
  }
  return { bytes, markers, markerTokens };
}

const beginnings = new WeakMap<TextTokenizer, Uint8Array>();

/**
 * How many characters each token begins with that count as one in every string, up to 255. Made once for a tokenizer.
 * Characters that may mean something in a string of some family count as none.
 */
export function plainBeginnings(tokenizer: TextTokenizer): Uint8Array {
  const known = beginnings.get(tokenizer);
  if (known) return known;
  const made = Uint8Array.from({ length: tokenizer.vocabularySize }, (_, token) => {
    let count = 0;
    for (const byte of tokenizer.bytesOf(token)) {
      // A token may begin inside a character.
      const isInside = (byte & 0xc0) === 0x80;
      if (isInside ? count === 0 : !isPlain(byte)) break;
      if (!isInside) count += 1;
    }
    return Math.min(count, 255);
  });
  beginnings.set(tokenizer, made);
  return made;
}

/** Letters, digits, blanks, simple punctuation, and the first bytes of characters beyond ASCII. */
function isPlain(byte: number): boolean {
  return byte >= 0xc0 || /[\w ,.:;!?()-]/.test(String.fromCharCode(byte));
}

function isToken({ addedTokens, vocabularySize }: TextTokenizer, tag: string): boolean {
  return (addedTokens.get(tag) ?? vocabularySize) < vocabularySize;
}

/**
 * Whether a byte may follow another one in UTF-8. The grammar engine does not check this: it takes overlong forms,
 * surrogates and code points beyond Unicode for characters.
 */
export function mayFollow(before: number | undefined, byte: number): boolean {
  switch (before) {
    case 0xe0:
      return byte >= 0xa0;
    case 0xed:
      return byte < 0xa0;
    case 0xf0:
      return byte >= 0x90;
    case 0xf4:
      return byte < 0x90;
    default:
      return byte !== 0xc0 && byte !== 0xc1 && byte < 0xf5;
  }
}

function isWellFormed(bytes: Uint8Array): boolean {
  return bytes.every((byte, index) => mayFollow(bytes[index - 1], byte));
}

/** Added tokens of white space are ordinary text. All others count as control tokens, which no text may contain. */
function addedText(text: string): Uint8Array {
  return /^\s+$/.test(text) ? new TextEncoder().encode(text) : NOTHING;
}
