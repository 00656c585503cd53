/** A tokenizer's vocabulary as the grammar engine sees it. @module */
import type { TextTokenizer } from '../decoding/text-engine.js';
import { isReserved, reservedCharacter } from './grammar/reserved-characters.js';

const NOTHING = new Uint8Array(0);

export interface TokenVocabulary {
  /** Bytes of each token; empty: never allowed by a grammar. */
  bytes: Uint8Array[];
  /** The reserved character that stands for an added token, by the token's text. */
  markers: ReadonlyMap<string, string>;
  /** Token ids by reserved character. */
  markerTokens: ReadonlyMap<string, number>;
}

/** Added tokens become reserved characters, so that strings cannot contain them; those without one are never allowed. */
export function readVocabulary(tokenizer: TextTokenizer): TokenVocabulary {
  const bytes = Array.from({ length: tokenizer.vocabularySize }, (_, token) => {
    const own = tokenizer.bytesOf(token);
    return own.some(isReserved) ? NOTHING : own;
  });
  const markers = new Map<string, string>();
  const markerTokens = new Map<string, number>();
  for (const [text, token] of tokenizer.addedTokens) {
    if (token >= tokenizer.vocabularySize) continue;
    const reserved = reservedCharacter(text);
    bytes[token] = reserved === undefined ? addedText(text) : new TextEncoder().encode(reserved);
    if (reserved === undefined) continue;
    markers.set(text, reserved);
    markerTokens.set(reserved, token);
  }
  return { bytes, markers, markerTokens };
}

/** Some tokenizers add plain text, such as runs of blanks; what looks like a tag is a control token. */
function addedText(text: string): Uint8Array {
  return /^\s+$/.test(text) ? new TextEncoder().encode(text) : NOTHING;
}
