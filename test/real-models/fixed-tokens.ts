/** The fixed text in tokens of a model. @module */
import { createGgufTokenizer } from '../../src/engines/gguf/tokenizer/gguf-tokenizer.js';
import { textFrameOf } from '../../src/engines/gguf/tokenizer/text-frame.js';
import { readVocabulary } from '../../src/engines/gguf/tokenizer/vocabulary.js';
import type { GgufHeader } from '../../src/engines/gguf/file/header.js';
import { FIXED_TEXT } from '../engines/gguf/support/perplexity.js';

/** @returns the first of them, and those that the model wants before a text @throws RangeError where there are fewer */
export function fixedTokens(header: GgufHeader, count: number): { before: readonly number[]; tokens: number[] } {
  const vocabulary = readVocabulary(header);
  const all = createGgufTokenizer(vocabulary).encodeText(FIXED_TEXT);
  if (all.length < count) throw new RangeError(`The text has only ${all.length} tokens.`);
  return { before: textFrameOf(vocabulary).before, tokens: all.slice(0, count) };
}
