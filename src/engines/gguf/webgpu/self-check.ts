/**
 * Whether a GPU computes what the kernels on WASM compute, with the shaders that a model will use; and whether it keeps the order
 * of additions, so that bits do not depend on what is read together.
 * @module
 */
import { ForwardPass } from '../forward.js';
import { type ForwardShape, widestRow } from '../forward-shape.js';
import { KvPages, KvSequence } from '../kv-pages.js';
import { loadKernels } from '../load-kernels.js';
import { loadWeights } from '../load-weights.js';
import type { ModelPlan } from '../model-plan.js';
import { SharedKernels } from '../shared-kernels.js';
import { GpuForward } from './gpu-forward.js';
import { type MadeModel, madeModel } from './made-model.js';
import type { Pipelines } from './pipelines.js';
import { type PlacedModel, placeModel } from './place-model.js';
import type { ShaderTuning } from './shaders/tuning.js';
import { gpuPrecision } from './gpu-pages.js';

/** Changes with what shaders compute: what earlier ones were tried for is then tried anew. */
export const SHADER_VERSION = 5;

/** Tokens of a prompt, of a pass of eight rows, and of passes of one. */
const [PROMPT, ROWS, ALONE] = [20, 8, 3];
/** Largest difference of a logit, as a part of the largest logit: keys and values of 16 bits are rounded, sums are not. */
const MOST_ERROR = { 16: 5e-3, 32: 1e-4 };

export interface SelfCheck {
  /** Logits are those of WASM. */
  isRight: boolean;
  /** They are the same to the last bit alone, with others and as a prompt. */
  keepsBits: boolean;
}

const tokens = Array.from({ length: PROMPT }, (_, index) => (index * 37 + 11) % 320);

/** @param pipelines compiles what the model needs, for it too @param limit bytes of a binding */
export async function checkGpu(
  model: {
    plan: ModelPlan;
    shape: ForwardShape;
    placed: Pick<PlacedModel, 'layers'>;
    isStored?: boolean;
    tuning?: ShaderTuning;
  },
  { device, pipelines, limit }: { device: GPUDevice; pipelines: Pipelines; limit: number },
): Promise<SelfCheck> {
  const made = madeModel(model.plan, model.shape, model.isStored);
  const { plan, shape, header, read, chosen } = made;
  const areApart = (layer: number): boolean => model.placed.layers[chosen[layer]!]!.routed?.isTogether === false;
  const forward = new GpuForward({
    device,
    plan,
    shape,
    placed: placeModel(plan, limit, false, areApart),
    ...(model.tuning && { tuning: model.tuning }),
    pipelines,
    limit,
    maxRows: 32,
  });
  try {
    const [expected] = await Promise.all([
      logitsOnWasm(made),
      forward.load(header.file, read),
      forward.compile([1, 8, 'tile']),
    ]);
    const pages = new KvPages(forward.pages, shape, 2 ** 24, forward.pages.blockBytes);
    const logits = async (pieces: readonly number[]): Promise<Float32Array[]> => {
      const kv = new KvSequence(pages);
      const given: Float32Array[] = [];
      for (const piece of pieces) {
        const part = tokens.slice(kv.length, kv.length + piece);
        const [rows] = await forward.run([{ kv, tokens: part, keep: part.length }]);
        given.push(...(rows as Float32Array[]));
      }
      kv.release();
      return given;
    };
    const prompt = await logits([PROMPT]);
    const pieces = await logits([ROWS, ...Array.from({ length: ALONE }, () => 1)]);
    const isRight = errorOf(prompt, expected) <= MOST_ERROR[gpuPrecision(shape)];
    return {
      isRight: isRight && errorOf(pieces, expected) <= MOST_ERROR[gpuPrecision(shape)],
      keepsBits: areEqual(pieces, prompt),
    };
  } finally {
    forward.destroy();
  }
}

/** In 32 bits: what the numbers of the file mean. */
async function logitsOnWasm({ header, plan, shape: made, read }: MadeModel): Promise<Float32Array[]> {
  const kernels = await loadKernels();
  const { weights } = await loadWeights(plan, header, { kernels, isExact: true }, read);
  const shape: ForwardShape = { ...made, exact: true, precision: 32 };
  const shared = new SharedKernels(kernels, shape.contextLength, widestRow(shape), 1);
  const kv = new KvSequence(new KvPages(kernels.memory, shape, 2 ** 24));
  kv.reserve(PROMPT);
  return new ForwardPass(shared, shape, weights).run([{ kv, tokens, keep: PROMPT }])[0]!;
}

function errorOf(given: readonly Float32Array[], expected: readonly Float32Array[]): number {
  let [error, size] = [0, 0];
  for (const [row, logits] of given.entries()) {
    for (const [token, value] of logits.entries()) {
      const right = expected[row]![token]!;
      // What is no number is as wrong as can be.
      const difference = Math.abs(value - right);
      error = difference <= error ? error : Number.isNaN(difference) ? Infinity : difference;
      size = Math.max(size, Math.abs(right));
    }
  }
  return error / size;
}

function areEqual(some: readonly Float32Array[], all: readonly Float32Array[]): boolean {
  return some.every((row, index) => row.every((value, token) => Object.is(value, all[index]![token])));
}
