/** How fast made files of every architecture and kind are, ours beside llama.cpp. @module */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPARED_KINDS } from '../engines/gguf/support/compared-models.js';
import {
  TINY_ARCHITECTURES,
  type TinyArchitecture,
  type TinyArchitectureName,
} from '../engines/gguf/support/tiny-architectures.js';
import { someTokens } from '../engines/gguf/support/tiny-decoder.js';
import { type TinyFile, tinyFile } from '../engines/gguf/support/tiny-file.js';
import type { Llama } from './llama-cpp.js';
import { openOurs, openTheirs, type Spent, type TimedTask } from './time-sides.js';

/** Tokens that are read, and then written. */
const [READ, WRITTEN] = [128, 32];
const TASK: TimedTask = { prompt: someTokens(READ), written: WRITTEN };
const ROUNDS = 5;
const CONTEXT = 512;

/** 44 million weights in 7 layers, as wide as models of 200 million have them. Windows are longer than the texts. */
const SHAPE = { width: 768, inner: 2048, layers: 7, heads: [12, 4], distinctRows: 32 } as const;
const WINDOW = 512;
/** So small that what is around the computation is all that it takes. */
const EMPTY: TinyFile = { kind: 'Q8_0' };

/** Of the architectures' files. */
const USUAL_KIND = 'Q4_0';

/** By what is compared. */
export const SPEED_FILES: Readonly<Record<string, TinyFile>> = Object.fromEntries([
  ...(Object.keys(TINY_ARCHITECTURES) as TinyArchitectureName[]).map((architecture): [string, TinyFile] => {
    const traits: TinyArchitecture = TINY_ARCHITECTURES[architecture];
    const hasWindow = traits.metadata !== undefined && 'attention.sliding_window' in traits.metadata;
    const metadata = hasWindow ? { [`${architecture}.attention.sliding_window`]: WINDOW } : {};
    return [architecture, { ...SHAPE, architecture, kind: USUAL_KIND, metadata }];
  }),
  ...['F32' as const, ...COMPARED_KINDS].map((kind): [string, TinyFile] => [kind, { ...SHAPE, kind }]),
]);

/** How many times as fast as llama.cpp, at both. */
export interface Speed {
  prompt: number;
  decode: number;
}

/** One thread each, in turns, in processor time. What a model of hardly any weights takes is subtracted on both sides. */
export async function compareSpeed(llama: Llama): Promise<Map<string, Speed>> {
  const speeds = new Map<string, Speed>();
  const around = await measure(llama, EMPTY);
  for (const [name, options] of Object.entries(SPEED_FILES)) {
    const { ours, theirs } = await measure(llama, options);
    const ratio = (part: keyof Spent): number =>
      (theirs[part] - around.theirs[part]) / (ours[part] - around.ours[part]);
    const speed = { prompt: ratio('reading'), decode: ratio('writing') };
    const rate = (tokens: number, spent: number): string => `${(tokens / spent).toFixed(0)} tokens/s`;
    console.warn(
      `${name}: prompt ${speed.prompt.toFixed(2)} (${rate(READ, ours.reading)}), decode ${speed.decode.toFixed(2)} (${rate(WRITTEN, ours.writing)})`,
    );
    speeds.set(name, speed);
  }
  return speeds;
}

async function measure(llama: Llama, options: TinyFile): Promise<{ ours: Spent; theirs: Spent }> {
  const file = tinyFile(options);
  const folder = mkdtempSync(join(tmpdir(), 'inpage-llama-cpp-'));
  const path = join(folder, 'model.gguf');
  writeFileSync(path, file);
  const ours = await openOurs(file, TASK);
  const theirs = await openTheirs(llama, path, TASK, CONTEXT);
  try {
    const spent: Record<'ours' | 'theirs', Spent[]> = { ours: [], theirs: [] };
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      spent.ours.push(await ours());
      spent.theirs.push(await theirs.run());
    }
    // What else the machine does makes a round slower, by what it takes of caches and memory, and none faster.
    const best = (all: readonly Spent[]): Spent => ({
      reading: Math.min(...all.slice(1).map(({ reading }) => reading)),
      writing: Math.min(...all.slice(1).map(({ writing }) => writing)),
    });
    return { ours: best(spent.ours), theirs: best(spent.theirs) };
  } finally {
    await theirs.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
