/** What the engine computes of a made file. @module */
import type { KvPrecision } from '../../../../src/engines/gguf/kernel-exports.js';
import { ForwardPass, PASS_ROWS } from '../../../../src/engines/gguf/forward.js';
import { type ForwardShape, widestRow } from '../../../../src/engines/gguf/forward-shape.js';
import { planAdapter } from '../../../../src/engines/gguf/adapter-plan.js';
import { type LoadedAdapter, loadAdapter } from '../../../../src/engines/gguf/adapter-weights.js';
import type { KernelMemory } from '../../../../src/engines/gguf/kernel-memory.js';
import { KvPages, KvSequence } from '../../../../src/engines/gguf/kv-pages.js';
import { loadKernels } from '../../../../src/engines/gguf/load-kernels.js';
import { loadWeights } from '../../../../src/engines/gguf/load-weights.js';
import { planModel } from '../../../../src/engines/gguf/model-plan.js';
import { SharedKernels } from '../../../../src/engines/gguf/shared-kernels.js';
import { likeliest } from './log-probabilities.js';
import { readAll } from './tiny-decoder.js';
import { headerOf } from './tiny-model.js';
import { AdapterProducts } from '../../../../src/engines/gguf/adapter-products.js';

/** An adapter's file, and the scale of the entry. */
export interface GivenAdapter {
  file: Uint8Array;
  scale?: number;
}

/** Logits after each token. @param exact activations in 32 bits */
export async function logitsOfFile(
  file: Uint8Array,
  tokens: readonly number[],
  { exact = true, adapters = [] }: { exact?: boolean; adapters?: readonly GivenAdapter[] } = {},
): Promise<Float32Array[]> {
  const { forward, set, shape, memory } = await openFile(file, { exact, adapters });
  return readAll({ forward }, new KvSequence(new KvPages(memory, shape, 2 ** 26)), tokens, PASS_ROWS, set);
}

/** What is computed of a prompt. */
export interface FileAnswer {
  /** After each of its tokens. */
  logits: Float32Array[];
  /** The likeliest tokens that follow, and logits after them but the last. */
  answer: number[];
  answerLogits: Float32Array[];
}

/**
 * Reads prompts and writes the likeliest answers.
 * @param most tokens of an answer @param ends tokens that end one
 */
export async function answersOfFile(
  file: Uint8Array,
  prompts: readonly (readonly number[])[],
  { exact, most, ends = [] }: { exact: boolean; most: number; ends?: readonly number[] },
): Promise<FileAnswer[]> {
  const { forward, shape, memory } = await openFile(file, { exact });
  const pages = new KvPages(memory, shape, 2 ** 26);
  return prompts.map((prompt) => {
    const kv = new KvSequence(pages);
    const logits = readAll({ forward }, kv, prompt, PASS_ROWS);
    const answer = [likeliest(logits.at(-1)!)];
    const answerLogits: Float32Array[] = [];
    while (answer.length < most && !ends.includes(answer.at(-1)!)) {
      answerLogits.push(...readAll({ forward }, kv, answer.slice(-1)));
      answer.push(likeliest(answerLogits.at(-1)!));
    }
    kv.release();
    return { logits, answer, answerLogits };
  });
}

interface OpenedFile {
  forward: ForwardPass;
  memory: KernelMemory;
  shape: ForwardShape;
  /** All adapters. */
  set: LoadedAdapter[];
}

export interface FileOptions {
  /** Activations in 32 bits; by default true. */
  exact?: boolean;
  adapters?: readonly GivenAdapter[];
  /** The kernels are the fastest ones that run here. */
  isFast?: boolean;
  /** Bits of keys and values. */
  precision?: KvPrecision;
  /** More than one only in a page that is cross-origin isolated. */
  threads?: number;
}

/** A pass of a made file with adapters. */
export async function openFile(
  file: Uint8Array,
  { exact = true, adapters = [], isFast = false, precision = exact ? 32 : 16, threads = 1 }: FileOptions = {},
): Promise<OpenedFile> {
  const header = await headerOf(file);
  const kernels = await loadKernels(isFast ? undefined : 'plain', { shared: threads > 1 });
  const plan = planModel(header);
  const { weights, ropeFactors } = await loadWeights(plan, header, { kernels, isExact: exact }, async (from, to) =>
    file.subarray(from, to),
  );
  const shape = {
    ...plan.shape,
    exact,
    precision,
    rope: { ...plan.shape.rope, factors: ropeFactors },
  };
  const plans = await Promise.all(
    adapters.map(async (each) => planAdapter(await headerOf(each.file), plan, each.scale ?? 1)),
  );
  const rank = Math.max(0, ...plans.map(({ width }) => width));
  const set: LoadedAdapter[] = [];
  for (const [index, adapter] of plans.entries()) {
    const bytes = adapters[index]!.file;
    set.push(await loadAdapter(adapter, { plan, weights }, kernels, async (from, to) => bytes.subarray(from, to)));
  }
  const shared = new SharedKernels(kernels, shape.contextLength, Math.max(widestRow(shape), rank), threads);
  if (threads > 1) await shared.startThreads();
  return {
    forward: new ForwardPass(
      shared,
      shape,
      weights,
      set.length > 0 ? { all: set, rank, Products: AdapterProducts } : undefined,
    ),
    memory: kernels.memory,
    shape,
    set,
  };
}
