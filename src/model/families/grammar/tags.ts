/** Tags in grammars: one token where the vocabulary has it, else their letters. @module */
import { type Expression, literal } from '../../grammar/expression.js';

/** The reserved character of an added token, or undefined when the model spells this text. */
export type TokenMarker = (text: string) => string | undefined;

/** A tag as its token where there is one, else spelled. */
export function tag(text: string, marker: TokenMarker): Expression {
  return literal(marker(text) ?? text);
}

/** The spellings of a tag: as token and as text. */
export function spellings(text: string, marker: TokenMarker): string[] {
  const reserved = marker(text);
  return reserved === undefined ? [text] : [reserved, text];
}
