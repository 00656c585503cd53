/** Log-probabilities and greedy answers of made files of every architecture, ours beside llama.cpp's. @module */
import { type GivenAdapter, logitsOfFile } from '../engines/gguf/support/logits-of-file.js';
import { type TinyAdapter, tinyAdapter } from '../engines/gguf/support/tiny-adapter.js';
import { COMPARED_ARCHITECTURES, LOOKED_UP, MULTIPLIED } from '../engines/gguf/support/compared-models.js';
import { farthest, likeliest } from '../engines/gguf/support/log-probabilities.js';
import { TINY_ARCHITECTURES, type TinyArchitectureName } from '../engines/gguf/support/tiny-architectures.js';
import { someTokens } from '../engines/gguf/support/tiny-decoder.js';
import { type TinyFile, tinyFile } from '../engines/gguf/support/tiny-file.js';
import type { Llama } from './llama-cpp.js';
import type { ReadOnGpu } from './read-on-gpu.js';
import { type ComparedAdapter, type ReadAnswer, readByLlamaCpp } from './read-by-llama-cpp.js';

const TOKENS = someTokens(40);
/** Tokens that are continued with. */
const GREEDY = 12;
/** llama.cpp looks up GELU in a table of 16-bit floats. */
export const MOST_DIFFERENCE = 0.005;

/** A model that both have read. */
export interface Comparison {
  /** What was compared, for people. */
  name: string;
  /** Largest difference of the log-probabilities of a token. */
  worst: number;
  /** What must not be. */
  differences: readonly string[];
  /** What llama.cpp gave; undefined where it failed. */
  theirs?: ReadAnswer | undefined;
}

/** Of every architecture and its variants, and of every kind of tensors. @param readOnGpu what shaders compute is compared too */
export async function compareModels(llama: Llama, readOnGpu?: ReadOnGpu): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const [name, options] of Object.entries({ ...COMPARED_ARCHITECTURES, ...LOOKED_UP })) {
    const file = tinyFile(options);
    comparisons.push(await compareModel(llama, { name, file, theirFile: file, readOnGpu }));
  }
  for (const [name, options] of Object.entries(MULTIPLIED)) {
    const theirs = tinyFile({ ...options, asFloats: true });
    comparisons.push(await compareModel(llama, { name, file: tinyFile(options), theirFile: theirs, readOnGpu }));
  }
  return comparisons;
}

const LOOK_UP = (name: string): boolean => name === 'token_embd.weight' || name === 'output.weight';

/** Adapters beside the weights, in 32 bits. */
export async function compareAdapters(llama: Llama): Promise<Comparison[]> {
  const cases: [string, TinyFile, (TinyAdapter & { scale?: number })[]][] = [
    ...(Object.keys(TINY_ARCHITECTURES) as TinyArchitectureName[]).map(
      (architecture): [string, TinyFile, TinyAdapter[]] => [
        `${architecture} with an adapter`,
        { architecture },
        [{ model: { architecture } }],
      ],
    ),
    ['llama with an adapter of rank 1', {}, [{ model: {}, rank: 1 }]],
    ['llama with an adapter without alpha', {}, [{ model: {}, alpha: 0 }]],
    ['llama with an adapter in F16', {}, [{ model: {}, kind: 'F16', rank: 16 }]],
    ['llama with an adapter in Q8_0', {}, [{ model: {}, kind: 'Q8_0', rank: 32 }]],
    ['llama with an adapter of look-up and logits', { untied: true }, [{ model: { untied: true }, changes: LOOK_UP }]],
    [
      'llama with two adapters',
      {},
      [
        { model: {}, scale: 0.5 },
        { model: {}, seed: 8, rank: 3, scale: -1.5 },
      ],
    ],
  ];
  const comparisons: Comparison[] = [];
  for (const [name, model, given] of cases) {
    const file = tinyFile({ ...model, kind: 'F32' });
    const adapters = given.map(({ scale = 1, ...adapter }) => ({
      file: tinyAdapter(adapter),
      // llama.cpp rounds what it multiplies with other kinds.
      theirFile: tinyAdapter({ ...adapter, asFloats: true }),
      scale,
    }));
    comparisons.push(await compareModel(llama, { name, file, theirFile: file, adapters }));
  }
  return comparisons;
}

interface ComparedFiles {
  name: string;
  /** What this project's engine reads, in 32 bits, and what llama.cpp reads. */
  file: Uint8Array;
  theirFile: Uint8Array;
  adapters?: readonly ComparedAdapter[];
  readOnGpu?: ReadOnGpu | undefined;
}

async function compareModel(
  llama: Llama,
  { name, file, theirFile, adapters = [], readOnGpu }: ComparedFiles,
): Promise<Comparison> {
  const given = await readByLlamaCpp(llama, theirFile, [TOKENS], { most: GREEDY, adapters }).catch((error: unknown) =>
    String(error),
  );
  if (typeof given === 'string') return { name, worst: Number.NaN, differences: [`${name}: ${given}`] };
  const [theirs] = given as [ReadAnswer];
  const ours = await logitsOfFile(file, TOKENS, { adapters });
  const worst = Math.max(...ours.map((logits, row) => farthest(logits, theirs.logits[row]!)));
  const answer = await answerOf(file, adapters);
  const isSame = answer.join() === theirs.answer.join();
  console.warn(`${name}: log-probabilities within ${worst.toExponential(1)}, greedy ${isSame ? 'equal' : 'differs'}`);
  const differences = [
    ...(worst < MOST_DIFFERENCE ? [] : [`${name}: log-probabilities differ by ${worst}`]),
    ...(isSame ? [] : [`${name}: greedy tokens ${answer.join()} instead of ${theirs.answer.join()}`]),
    ...(readOnGpu ? await compareOnGpu(readOnGpu, { name, file, theirs }) : []),
  ];
  return { name, worst, differences, theirs };
}

/** The same file in shaders: log-probabilities, and whether each token of the answer is the likeliest one. */
async function compareOnGpu(
  readOnGpu: ReadOnGpu,
  { name, file, theirs }: { name: string; file: Uint8Array; theirs: ReadAnswer },
): Promise<string[]> {
  const logits = await readOnGpu(file, [...TOKENS, ...theirs.answer]);
  if (!logits) return [];
  const worst = Math.max(...TOKENS.map((_, row) => farthest(logits[row]!, theirs.logits[row]!)));
  const wrong = theirs.answer.filter((token, index) => likeliest(logits[TOKENS.length - 1 + index]!) !== token);
  const isSame = wrong.length === 0;
  console.warn(
    `${name}, WebGPU: log-probabilities within ${worst.toExponential(1)}, greedy ${isSame ? 'equal' : 'differs'}`,
  );
  return [
    ...(worst < MOST_DIFFERENCE ? [] : [`${name}, WebGPU: log-probabilities differ by ${worst}`]),
    ...(isSame ? [] : [`${name}, WebGPU: greedy tokens differ: ${wrong.join()}`]),
  ];
}

async function answerOf(file: Uint8Array, adapters: readonly GivenAdapter[]): Promise<number[]> {
  const tokens = [...TOKENS];
  while (tokens.length < TOKENS.length + GREEDY) {
    const logits = (await logitsOfFile(file, tokens, { adapters })).at(-1)!;
    tokens.push(logits.indexOf(Math.max(...logits)));
  }
  return tokens.slice(TOKENS.length);
}
