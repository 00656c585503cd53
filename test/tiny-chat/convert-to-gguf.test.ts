import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createGgufTokenizer } from '../../src/engines/gguf/tokenizer/gguf-tokenizer.js';
import { readVocabulary } from '../../src/engines/gguf/tokenizer/vocabulary.js';
import { readGgufHeader } from '../../src/engines/gguf/file/header.js';
import type { TextTokenizer } from '../../src/language/prompt/text-tokenizer.js';
import { AWKWARD_TEXTS } from '../engines/gguf/support/awkward-texts.js';
import { tinyChatTokenizer } from '../language/prompt/tiny-chat-tokenizer.js';
import { convertToGguf } from './convert-to-gguf.js';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'public/models/tiny-chat');

describe('[W19] the bundled GGUF file', () => {
  let file: Uint8Array;
  let ours: TextTokenizer;
  const theirs = tinyChatTokenizer();
  beforeAll(async () => {
    file = new Uint8Array(readFileSync(join(folder, 'tiny-chat-Q8_0.gguf')));
    const header = await readGgufHeader(async (from, to) => file.subarray(from, to), 'tiny-chat-Q8_0.gguf');
    ours = createGgufTokenizer(readVocabulary(header));
  });

  it('is what the script makes of the ONNX file', () => {
    expect(Buffer.from(convertToGguf(folder)).equals(file)).toBe(true);
  });

  it('has the tokens, the end tokens and the template of its tokenizer.json', () => {
    expect(ours.vocabularySize).toBe(theirs.vocabularySize);
    expect(new Set(ours.endTokens)).toEqual(new Set(theirs.endTokens));
    expect(ours.chatTemplate).toBe(theirs.chatTemplate);
    expect(new Map(ours.addedTokens)).toEqual(new Map(theirs.addedTokens));
    for (let token = 0; token < ours.vocabularySize; token++)
      expect(ours.bytesOf(token)).toEqual(theirs.bytesOf(token));
  });

  it('gives the ids of its tokenizer.json', () => {
    const documents = readdirSync(join(root, 'demo/docs')).filter((name) => name.endsWith('.md'));
    const texts = [
      ...AWKWARD_TEXTS,
      "'tis the dogs' 'bone', they'll say it's hers; O'Neill didn't.",
      '[\n  5,\n\n   17\n]\n\n\n  end \n',
      ...['README.md', 'src/index.ts', 'package.json'].map((name) => readFileSync(join(root, name), 'utf8')),
      ...documents.map((name) => readFileSync(join(root, 'demo/docs', name), 'utf8')),
    ];
    for (const text of texts) expect(ours.encodeText(text)).toEqual(theirs.encodeText(text));
  });
});
