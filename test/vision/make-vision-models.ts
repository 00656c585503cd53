/**
 * Makes a vision-language model of each family, a few megabytes of random weights from a seed:
 * `node .ci/run-ts.mjs test/vision/make-vision-models.ts [folder]`. What they say is nonsense; their parts, inputs and
 * files are those of published models.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RandomGraph } from './random-graph.js';
import { embedTokens, mergedDecoder, qwenEncoder, smolVlmEncoder } from './random-parts.js';
import { FAMILIES, QWEN_SECTIONS, type Tokenizer, visionModelFiles, type VisionFamily } from './vision-model-files.js';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Where the models are once they are made; git ignores it, and Vite's server knows it as `/.cache/vision/`. */
export const VISION_MODELS = path('../../.cache/vision');

/** Counted up when the models change, so that older ones are made anew. */
const VERSION = '1';

const SEED = 19;

/** Makes those that are not there yet. */
export async function makeVisionModels(folder = VISION_MODELS): Promise<void> {
  const tokenizer = JSON.parse(
    await readFile(path('../../public/models/tiny-chat/tokenizer.json'), 'utf8'),
  ) as Tokenizer;
  for (const family of FAMILIES) await makeModel(family, join(folder, family), tokenizer);
}

async function makeModel(family: VisionFamily, folder: string, tokenizer: Tokenizer): Promise<void> {
  const version = join(folder, 'version');
  if (existsSync(version) && (await readFile(version, 'utf8')) === VERSION) return;
  // Two test runs may make it at the same time; a folder of that name is whole.
  await mkdir(dirname(folder), { recursive: true });
  const part = await mkdtemp(`${folder}.`);
  await mkdir(join(part, 'onnx'));
  const { files, vocabulary } = visionModelFiles(family, tokenizer);
  for (const [name, content] of Object.entries(files)) await writeFile(join(part, name), JSON.stringify(content));
  const graphs: Record<string, RandomGraph> = {
    embed_tokens: embedTokens(SEED, vocabulary),
    vision_encoder: family === 'smolvlm' ? smolVlmEncoder(SEED + 1) : qwenEncoder(SEED + 2),
    decoder_model_merged: mergedDecoder(SEED + 3, vocabulary, family === 'smolvlm' ? undefined : QWEN_SECTIONS),
  };
  for (const [name, graph] of Object.entries(graphs)) await writeGraph(graph, join(part, `onnx/${name}.onnx`));
  await writeFile(join(part, 'version'), VERSION);
  await rm(folder, { recursive: true, force: true });
  await rename(part, folder).catch(() => rm(part, { recursive: true, force: true }));
}

async function writeGraph(graph: RandomGraph, name: string): Promise<void> {
  const file = await open(name, 'w');
  try {
    for (const piece of graph.toMessage()) await file.write(piece);
  } finally {
    await file.close();
  }
}

/** Vitest's global set-up of the projects that need them. */
export async function setup(): Promise<void> {
  await makeVisionModels();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await makeVisionModels(process.argv[2]);
