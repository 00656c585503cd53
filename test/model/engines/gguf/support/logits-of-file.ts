/** What the engine computes of a made file. @module */
import { ForwardPass, PASS_ROWS } from '../../../../../src/model/engines/gguf/forward.js';
import { type ForwardShape, widestRow } from '../../../../../src/model/engines/gguf/forward-shape.js';
import { planAdapter } from '../../../../../src/model/engines/gguf/adapter-plan.js';
import { type LoadedAdapter, loadAdapter, widestRank } from '../../../../../src/model/engines/gguf/adapter-weights.js';
import type { KernelMemory } from '../../../../../src/model/engines/gguf/kernel-memory.js';
import { KvPages, KvSequence } from '../../../../../src/model/engines/gguf/kv-pages.js';
import { loadKernels } from '../../../../../src/model/engines/gguf/load-kernels.js';
import { loadWeights } from '../../../../../src/model/engines/gguf/load-weights.js';
import { planModel } from '../../../../../src/model/engines/gguf/model-plan.js';
import { SharedKernels } from '../../../../../src/model/engines/gguf/shared-kernels.js';
import { readAll } from './tiny-decoder.js';
import { headerOf } from './tiny-model.js';

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

interface OpenedFile {
  forward: ForwardPass;
  memory: KernelMemory;
  shape: ForwardShape;
  /** All adapters. */
  set: LoadedAdapter[];
}

/** A pass of a made file with adapters. */
export async function openFile(
  file: Uint8Array,
  { exact = true, adapters = [] }: { exact?: boolean; adapters?: readonly GivenAdapter[] } = {},
): Promise<OpenedFile> {
  const header = await headerOf(file);
  const kernels = await loadKernels('plain');
  const plan = planModel(header);
  const { weights, ropeFactors } = await loadWeights(plan, header, kernels, async (from, to) =>
    file.subarray(from, to),
  );
  const shape = {
    ...plan.shape,
    exact,
    precision: exact ? (32 as const) : (16 as const),
    rope: { ...plan.shape.rope, factors: ropeFactors },
  };
  const plans = await Promise.all(
    adapters.map(async (each) => planAdapter(await headerOf(each.file), plan, each.scale ?? 1)),
  );
  const rank = widestRank(plans);
  const set: LoadedAdapter[] = [];
  for (const [index, adapter] of plans.entries()) {
    const bytes = adapters[index]!.file;
    set.push(await loadAdapter(adapter, { plan, weights }, kernels, async (from, to) => bytes.subarray(from, to)));
  }
  const shared = new SharedKernels(kernels, shape.contextLength, Math.max(widestRow(shape), rank));
  return { forward: new ForwardPass(shared, shape, weights, { all: set, rank }), memory: kernels.memory, shape, set };
}
