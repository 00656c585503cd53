/** Log-probabilities and greedy answers of made files of every architecture, ours beside llama.cpp's. @module */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GivenAdapter, logitsOfFile } from '../model/engines/gguf/support/logits-of-file.js';
import { type TinyAdapter, tinyAdapter } from '../model/engines/gguf/support/tiny-adapter.js';
import { TINY_ARCHITECTURES, type TinyArchitectureName } from '../model/engines/gguf/support/tiny-architectures.js';
import { someTokens } from '../model/engines/gguf/support/tiny-decoder.js';
import { type TinyFile, tinyFile } from '../model/engines/gguf/support/tiny-file.js';
import { VARIANTS } from '../model/engines/gguf/support/tiny-variants.js';
import type { Llama } from './llama-cpp.js';

/** As files name them. */
export const KINDS = [
  ...(['F16', 'BF16', 'Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'Q8_0', 'Q2_K', 'Q3_K', 'Q4_K', 'Q5_K', 'Q6_K'] as const),
  ...(['IQ4_NL', 'IQ4_XS', 'MXFP4'] as const),
];
const TOKENS = someTokens(40);
/** Tokens that are continued with. */
const GREEDY = 12;
const CONTEXT = 512;
/** llama.cpp looks up GELU in a table of 16-bit floats. */
const MOST_DIFFERENCE = 0.005;

/** A model that both have read. */
export interface Comparison {
  /** What was compared, for people. */
  name: string;
  /** Largest difference of the log-probabilities of a token. */
  worst: number;
  /** What must not be. */
  differences: readonly string[];
}

/** Of every architecture, and of their variants. */
export async function compareModels(llama: Llama): Promise<Comparison[]> {
  const files: [string, TinyFile][] = [
    ...(Object.keys(TINY_ARCHITECTURES) as TinyArchitectureName[]).map((architecture): [string, TinyFile] => [
      architecture,
      { architecture },
    ]),
    ...Object.entries(VARIANTS),
  ];
  const comparisons: Comparison[] = [];
  for (const [name, options] of files) {
    const file = tinyFile({ ...options, kind: 'F32' });
    comparisons.push(await compareModel(llama, name, file, file));
  }
  return comparisons;
}

/**
 * Kinds of tensors: tokens are looked up in one of the kind, which llama.cpp does exactly; then all matrices are of it, and
 * llama.cpp has the numbers that they hold as 32-bit floats.
 */
export async function compareKinds(llama: Llama): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  const sizes = { width: 256, inner: 256 };
  for (const kind of KINDS) {
    const embedding = tinyFile({
      ...sizes,
      kind: (name) => (name === 'token_embd.weight' ? kind : 'F32'),
      untied: true,
    });
    comparisons.push(await compareModel(llama, `${kind}, looked up`, embedding, embedding));
    const all = tinyFile({ ...sizes, kind });
    const plain = tinyFile({ ...sizes, kind, asFloats: true });
    comparisons.push(await compareModel(llama, `${kind}, multiplied`, all, plain));
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
    comparisons.push(await compareModel(llama, name, file, file, adapters));
  }
  return comparisons;
}

interface ComparedAdapter extends Required<GivenAdapter> {
  /** What llama.cpp reads. */
  theirFile: Uint8Array;
}

/** @param file what this project's engine reads, in 32 bits @param theirFile what llama.cpp reads */
async function compareModel(
  llama: Llama,
  name: string,
  file: Uint8Array,
  theirFile: Uint8Array,
  adapters: readonly ComparedAdapter[] = [],
): Promise<Comparison> {
  const theirs = await logitsOfLlamaCpp(llama, theirFile, TOKENS, adapters).catch((error: unknown) => String(error));
  if (typeof theirs === 'string') return { name, worst: Number.NaN, differences: [`${name}: ${theirs}`] };
  const ours = await logitsOfFile(file, TOKENS, { adapters });
  const worst = Math.max(...ours.map((logits, row) => farthest(logits, theirs.logits[row]!)));
  const answer = await answerOf(file, adapters);
  const isSame = answer.join() === theirs.answer.join();
  console.warn(`${name}: log-probabilities within ${worst.toExponential(1)}, greedy ${isSame ? 'equal' : 'differs'}`);
  const differences = [
    ...(worst < MOST_DIFFERENCE ? [] : [`${name}: log-probabilities differ by ${worst}`]),
    ...(isSame ? [] : [`${name}: greedy tokens ${answer.join()} instead of ${theirs.answer.join()}`]),
  ];
  return { name, worst, differences };
}

async function answerOf(file: Uint8Array, adapters: readonly GivenAdapter[]): Promise<number[]> {
  const tokens = [...TOKENS];
  while (tokens.length < TOKENS.length + GREEDY) {
    const logits = (await logitsOfFile(file, tokens, { adapters })).at(-1)!;
    tokens.push(logits.indexOf(Math.max(...logits)));
  }
  return tokens.slice(TOKENS.length);
}

async function logitsOfLlamaCpp(
  llama: Llama,
  file: Uint8Array,
  tokens: readonly number[],
  adapters: readonly ComparedAdapter[],
): Promise<{ logits: Float32Array[]; answer: number[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-llama-cpp-'));
  try {
    const path = join(folder, 'model.gguf');
    writeFileSync(path, file);
    const lora = adapters.map(({ theirFile: bytes, scale }, index) => {
      const filePath = join(folder, `adapter-${index}.gguf`);
      writeFileSync(filePath, bytes);
      return { filePath, scale };
    });
    const model = await llama.loadModel({ modelPath: path, gpuLayers: 0, useMmap: false });
    const context = await model.createContext({
      contextSize: CONTEXT,
      threads: 1,
      flashAttention: false,
      ...(lora.length > 0 && { lora: { adapters: lora } }),
      experimentalKvCacheKeyType: 'F32',
      experimentalKvCacheValueType: 'F32',
    });
    const sequence = context.getSequence();
    const given = await sequence.controlledEvaluate(tokens.map((token) => [token, { generateNext: { logits: true } }]));
    const logits = given.map((each) => {
      const found = each!.next.logits!;
      return Float32Array.from({ length: found.size }, (_, token) => found.get(token) ?? Number.NaN);
    });
    await sequence.clearHistory();
    const answer: number[] = [];
    for await (const token of sequence.evaluate(tokens, { temperature: 0, yieldEogToken: true })) {
      answer.push(token);
      if (answer.length === GREEDY) break;
    }
    await model.dispose();
    return { logits, answer };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Largest difference of two tokens' log-probabilities. */
function farthest(ours: Float32Array, theirs: Float32Array): number {
  const [a, b] = [logProbabilities(ours), logProbabilities(theirs)];
  return a.reduce((most, value, token) => {
    const difference = Math.abs(value - b[token]!);
    return difference > most || Number.isNaN(difference) ? difference : most;
  }, 0);
}

function logProbabilities(logits: Float32Array): number[] {
  const top = Math.max(...logits);
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - top), 0);
  return Array.from(logits, (logit) => logit - top - Math.log(sum));
}
