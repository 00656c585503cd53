/** Which shaders are compiled for a model with a tuning, on a device that only counts. */
import { describe, expect, it } from 'vitest';
import type { MeasureTuning } from '../../../../src/engines/gguf/webgpu/choose-tuning.js';
import { tuneShaders } from '../../../../src/engines/gguf/webgpu/tune-shaders.js';
import { headerOf as headerOfSize, MODEL_SIZES } from '../../../../demo/speed/model-sizes.js';
import { planModel } from '../../../../src/engines/gguf/model-plan.js';
import { openOnGpu, tryGpu } from '../../../../src/engines/gguf/webgpu/gguf-webgpu.js';
import { Pipelines } from '../../../../src/engines/gguf/webgpu/pipelines.js';
import { placeModel } from '../../../../src/engines/gguf/webgpu/place-model.js';
import type { ShaderTuning } from '../../../../src/engines/gguf/webgpu/shaders/tuning.js';
import { countingDevice } from '../support/counting-device.js';
import { tinyFile } from '../support/tiny-file.js';
import { headerOf } from '../support/tiny-model.js';

async function modelWith(tuning?: ShaderTuning) {
  const codes: string[] = [];
  const { device } = countingDevice();
  Object.assign(device, { addEventListener: () => {}, lost: new Promise(() => {}) });
  device.createShaderModule = ({ code }) => {
    codes.push(code);
    return {} as GPUShaderModule;
  };
  const file = tinyFile();
  const plan = planModel(await headerOf(file));
  const shape = { ...plan.shape, exact: true, precision: 32 } as const;
  const limit = 2 ** 27;
  const own = { device, plan, shape, placed: placeModel(plan, limit), limit, pipelines: new Pipelines(device) };
  return { codes, file, model: { ...own, identity: 'card', ...(tuning && { tuning }) } };
}

/** Numbers of sums, and whether tiles keep words. */
const shapesOf = (codes: readonly string[]) => ({
  lanes: [...new Set(codes.flatMap((code) => /let lane = t % (\d+)u; let group/.exec(code)?.[1] ?? []))],
  tiles: [...new Set(codes.flatMap((code) => /lane < min\((\d+)u.*/.exec(code)?.[1] ?? []))],
  weights: [...new Set(codes.flatMap((code) => /var<workgroup> weights: array<(\w+),/.exec(code)?.[1] ?? []))],
});

describe.each<[ShaderTuning | undefined, ReturnType<typeof shapesOf>]>([
  [undefined, { lanes: ['16'], tiles: ['16'], weights: ['vec4f'] }],
  [
    { lanes: 64, halves: true },
    { lanes: ['64'], tiles: ['64'], weights: ['vec2u'] },
  ],
])('[W63] [W65] with the tuning %j all shaders have it', (tuning, shapes) => {
  it('of the self-check', async () => {
    const { codes, model } = await modelWith(tuning);
    // What computes nothing is not right.
    await expect(tryGpu(model)).resolves.toMatchObject({ isRight: false });
    expect(shapesOf(codes)).toEqual(shapes);
  });

  it('of the model', async () => {
    const { codes, file, model } = await modelWith(tuning);
    const read = async (from: number, to: number): Promise<Uint8Array> => file.subarray(from, to);
    const opened = await openOnGpu(model, { file: 'a.gguf', read, onCompile: () => {} });
    expect(opened.rounding).toBe('webgpu card');
    expect(shapesOf(codes)).toEqual(shapes);
    opened.dispose();
  });
});

it.each([
  ['SmolLM2-135M Q4_1', 'Q4_1', 66],
  ['Gemma 3 270M Q4_K_M', 'Q8_0', 134],
  ['0.5B Q4_0', 'Q4_0', 132],
  ['3B Q4_K_M', 'Q4_K', 114],
] as const)(
  '[W71] %s is tuned for with matrices of %s, which most of it is of: %i MB at most, and no dispatch is too large',
  async (name, kind, megabytes) => {
    const { device, counts } = countingDevice();
    let bytes = 0;
    const create = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => {
      bytes += descriptor.size;
      return create(descriptor);
    };
    Object.assign(device, { features: new Set(), pushErrorScope: () => {}, popErrorScope: async () => null });
    const chosen: ShaderTuning = { lanes: 32, halves: false };
    const choose = async (measure: MeasureTuning): Promise<ShaderTuning> => {
      for (const lanes of [16, 32, 64] as const) await measure({ lanes, halves: false }, 'row');
      await measure({ lanes: 16, halves: true }, 'tile');
      return chosen;
    };
    const plan = planModel(headerOfSize(MODEL_SIZES[name]));
    const own = { device, plan, limit: 2 ** 27, pipelines: new Pipelines(device) };
    await expect(tuneShaders(own, choose)).resolves.toBe(chosen);
    expect([...counts.groups.keys()]).toEqual([`1 × ${kind} each`, `tile × ${kind} each`]);
    // And 4 MB of activations and results.
    expect(Math.round(bytes / 1e6)).toBeLessThanOrEqual(megabytes + 5);
    expect(Math.round(bytes / 1e6)).toBeGreaterThanOrEqual(megabytes);
    expect(counts.mostGroups).toBeLessThan(2 ** 16);
  },
);
