/** Keys and values of 8 bits: `kvCache` of an entry. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createGgufTokenizer } from '../../../src/engines/gguf/tokenizer/gguf-tokenizer.js';
import { readVocabulary } from '../../../src/engines/gguf/tokenizer/vocabulary.js';
import { openFile } from './support/logits-of-file.js';
import { FIXED_TEXT, lossesOf, perplexityOf } from './support/perplexity.js';
import { headerOf } from './support/tiny-model.js';

/** The weekly run reads 2,000, of models that people use (`npm run test:real-models`). */
const TOKENS = 130;
const FILE = join(import.meta.dirname, '../../../public/models/tiny-chat/tiny-chat-Q8_0.gguf');

it(`[W06] \`kvCache: "q8"\` foretells a text as well as 16 bits do`, { timeout: 60_000 }, async () => {
  const file = new Uint8Array(readFileSync(FILE));
  const tokenizer = createGgufTokenizer(readVocabulary(await headerOf(file)));
  const tokens = tokenizer.encodeText(FIXED_TEXT.slice(0, 1000)).slice(0, TOKENS);
  const read = async (precision: 8 | 16): Promise<number> =>
    perplexityOf(lossesOf(await openFile(file, { exact: false, isFast: true, precision }), [tokens]));
  const [q8, usual] = [await read(8), await read(16)];
  expect(q8).not.toBe(usual);
  expect(Math.abs(q8 / usual - 1)).toBeLessThan(0.01);
});
