/** Tags in grammars: one token where the vocabulary has it, else their letters. @module */
import { type Expression, literal } from '../../constraints/grammar/expression.js';
import type { TokenMarker } from './thought-grammar.js';

/** A tag as its token where there is one, else spelled. */
export function tag(text: string, marker: TokenMarker): Expression {
  return literal(marker(text) ?? text);
}

/** The spellings of a tag: as token and as text. */
export function spellings(text: string, marker: TokenMarker): string[] {
  const reserved = marker(text);
  return reserved === undefined ? [text] : [reserved, text];
}
