/** What the engine computes of a made file. @module */
import { ForwardPass, PASS_ROWS } from '../../../../../src/model/engines/gguf/forward.js';
import { widestRow } from '../../../../../src/model/engines/gguf/forward-shape.js';
import { KvPages, KvSequence } from '../../../../../src/model/engines/gguf/kv-pages.js';
import { loadKernels } from '../../../../../src/model/engines/gguf/load-kernels.js';
import { loadWeights } from '../../../../../src/model/engines/gguf/load-weights.js';
import { planModel } from '../../../../../src/model/engines/gguf/model-plan.js';
import { SharedKernels } from '../../../../../src/model/engines/gguf/shared-kernels.js';
import { readAll } from './tiny-decoder.js';
import { headerOf } from './tiny-model.js';

/** Logits after each token. @param exact activations in 32 bits */
export async function logitsOfFile(
  file: Uint8Array,
  tokens: readonly number[],
  { exact = true } = {},
): Promise<Float32Array[]> {
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
  const forward = new ForwardPass(new SharedKernels(kernels, shape.contextLength, widestRow(shape)), shape, weights);
  return readAll({ forward }, new KvSequence(new KvPages(kernels.memory, shape, 2 ** 26)), tokens, PASS_ROWS);
}
