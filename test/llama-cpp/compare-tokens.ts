/** Token ids of made vocabularies, ours beside llama.cpp's. @module */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGgufHeader } from '../../src/engines/gguf/file/header.js';
import { createGgufTokenizer } from '../../src/engines/gguf/tokenizer/gguf-tokenizer.js';
import { readVocabulary } from '../../src/engines/gguf/tokenizer/vocabulary.js';
import { comparedTexts } from '../engines/gguf/support/awkward-texts.js';
import { madeVocabularies } from '../engines/gguf/support/made-vocabulary.js';
import { writeGguf } from '../engines/gguf/support/write-gguf.js';
import type { Llama } from './llama-cpp.js';

/** Ids of llama.cpp, which unit tests compare with: `npm run test:llama-cpp -- --record` writes them. */
const RECORDED = join(import.meta.dirname, '../fixtures/gguf/llama-cpp-ids.json');
/** One of each group of names that have the same rules. */
const RECORDED_NAMES = new Set(
  'no pre,gpt-2,smollm,llama-bpe,dbrx,qwen2,qwen35,gpt-4o,tekken,falcon,deepseek-v3,llama,llama without a space,bert'.split(
    ',',
  ),
);

/** @returns what differs */
export async function compareTokens(llama: Llama, record: boolean): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-llama-cpp-'));
  const differences: string[] = [];
  const recorded: Record<string, number[][]> = {};
  try {
    for (const [name, metadata] of madeVocabularies()) {
      const bytes = writeGguf({ metadata, tensors: [] });
      const path = join(folder, 'vocabulary.gguf');
      writeFileSync(path, bytes);
      const header = await readGgufHeader(async (from, to) => bytes.subarray(from, to), 'vocabulary.gguf');
      const ours = createGgufTokenizer(readVocabulary(header));
      const model = await llama.loadModel({ modelPath: path, gpuLayers: 0, vocabOnly: true });
      let same = 0;
      const texts = comparedTexts(name);
      const all: number[][] = [];
      for (const text of texts) {
        const theirs = [...model.tokenize(text, false)];
        all.push(theirs);
        const mine = ours.encodeText(text);
        if (theirs.join() === mine.join()) same += 1;
        else {
          const shown = (ids: readonly number[]): string =>
            ids.map((id) => new TextDecoder().decode(ours.bytesOf(id))).join('|');
          differences.push(
            `${name}: ${JSON.stringify(text)}\n  llama.cpp ${shown(theirs)}\n  ours      ${shown(mine)}`,
          );
        }
      }
      console.warn(`${name}: ids of ${same} of ${texts.length} texts equal`);
      await model.dispose();
      if (RECORDED_NAMES.has(name)) recorded[name] = all;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const text = `{\n${Object.entries(recorded)
    .map(
      ([name, all]) =>
        `  ${JSON.stringify(name)}: [\n${all.map((ids) => `    ${JSON.stringify(ids)}`).join(',\n')}\n  ]`,
    )
    .join(',\n')}\n}\n`;
  if (record) writeFileSync(RECORDED, text);
  else if (readFileSync(RECORDED, 'utf8') !== text)
    differences.push('The recorded ids are no longer those of llama.cpp.');
  return differences;
}
