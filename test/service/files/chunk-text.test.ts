import { array, assert, asyncProperty, constantFrom, integer } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkText, countCharacters, type CountTokens } from '../../../src/service/files/chunk-text.js';
import { decodeIndex, encodeIndex } from '../../../src/service/files/file-index.js';
import { rankChunks } from '../../../src/service/files/rank-chunks.js';
import { wordsOf } from '../../../src/service/files/words.js';

/** A token for each character that is no blank. */
const countLetters: CountTokens = async (texts) => texts.map((text) => text.replaceAll(/\s/g, '').length);

describe('[F13] chunks', () => {
  it('are all of the text, none larger, and break no character', async () => {
    const character = constantFrom('a', 'b', ' ', '\n', 'é', 'e\u0301', '東', '🙂', '👨‍👩‍👧', '.', 'x'.repeat(40));
    const texts = array(character, { maxLength: 300 }).map((all) => all.join(''));
    await assert(
      asyncProperty(texts, integer({ min: 30, max: 60 }), integer({ min: 0, max: 15 }), async (text, max, overlap) => {
        const chunks = await chunkText(text, { max, overlap }, 20, countLetters);
        let end = 0;
        for (const chunk of chunks) {
          expect(chunk.start).toBeLessThanOrEqual(end);
          expect(chunk.end).toBeGreaterThan(end);
          end = chunk.end;
          const said = text.slice(chunk.start, chunk.end);
          expect((await countLetters([said]))[0]).toBeLessThanOrEqual(max);
          expect(said).not.toMatch(/^[\u0301\u200d]|^\p{Cs}|\p{Cs}$/u);
          expect(chunk.parts.map((part) => text.slice(part.start, part.end)).join('')).toBe(said);
          for (const part of chunk.parts)
            expect((await countLetters([text.slice(part.start, part.end)]))[0]).toBeLessThanOrEqual(20);
        }
        expect(end).toBe(text.length);
      }),
    );
  });

  it('overlap by so many tokens', async () => {
    const text = 'abcd '.repeat(100);
    const chunks = await chunkText(text, { max: 40, overlap: 20 }, Infinity, countLetters);
    expect(chunks.slice(0, 2).map(({ start, end }) => [start, end])).toEqual([
      [0, 49],
      [24, 74],
    ]);
    expect(await chunkText('x'.repeat(5000), { max: 800, overlap: 400 }, Infinity, countCharacters)).toHaveLength(3);
  });
});

it('[F17] words of all scripts are found, and rare ones count more', async () => {
  expect(wordsOf('The ÄPFEL, no. QX-4711')).toEqual(['the', 'äpfel', 'no', 'qx', '4711']);
  expect(wordsOf('東京都', true)).toEqual(['東京', '京都']);
  const texts = ['the cat and the dog', 'the dog', '東京都に行く'];
  const files = texts.map((text) => {
    const span = { start: 0, end: text.length };
    return decodeIndex(encodeIndex(text, [{ ...span, parts: [span] }], []))!;
  });
  const ranked = (text: string) =>
    rankChunks(files, () => true, {
      queries: [{ text, vector: undefined }],
      weights: { vectors: 1, words: 1 },
      threshold: 0,
      limit: 9,
    }).map(({ file }) => file);
  expect([ranked('the cat'), ranked('東京'), ranked('bird')]).toEqual([[0, 1], [2], []]);
});
