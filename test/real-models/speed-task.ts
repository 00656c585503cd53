/** What each side of a comparison of speeds does. @module */
import { createGgufTokenizer } from '../../src/engines/gguf/tokenizer/gguf-tokenizer.js';
import { readVocabulary } from '../../src/engines/gguf/tokenizer/vocabulary.js';
import { FIXED_TEXT } from '../engines/gguf/support/perplexity.js';
import { headerOf } from '../engines/gguf/support/tiny-model.js';

/** Tokens that are read, and then written. */
export const [READ, WRITTEN] = [512, 128];

/** Of a file's model. */
export async function promptFor(file: Uint8Array): Promise<number[]> {
  return createGgufTokenizer(readVocabulary(await headerOf(file)))
    .encodeText(FIXED_TEXT)
    .slice(0, READ);
}
