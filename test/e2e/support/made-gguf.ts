/** Made GGUF models that pages try on a GPU: small, with each sort of layer. @module */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GgufEntry } from '../../../src/index.js';
import { madeFile } from '../../engines/gguf/support/made-architectures.js';

/** Experts beside a state, short convolutions, and layers with inputs of their own. */
export const MADE_ON_GPU = ['qwen35moe', 'lfm2', 'gemma4'] as const;
type MadeName = (typeof MADE_ON_GPU)[number];

/** @returns a new folder with the files, to be served as `/made/` */
export async function writeMadeFiles(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'made-gguf-'));
  await Promise.all(MADE_ON_GPU.map((name) => writeFile(join(folder, `${name}.gguf`), madeFile(name))));
  return folder;
}

export const madeEntry = (name: MadeName, device: 'webgpu' | 'wasm'): GgufEntry => ({
  id: 'own',
  task: 'chat',
  backend: 'gguf',
  source: `/made/${name}.gguf`,
  dtype: 'fp32',
  device,
});
