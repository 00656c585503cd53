/** Shaders of each tuning, on a GPU in software. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TensorKind } from '../../../../src/engines/gguf/file/tensor-kinds.js';
import { planModel } from '../../../../src/engines/gguf/model-plan.js';
import type { MeasureTuning } from '../../../../src/engines/gguf/webgpu/choose-tuning.js';
import { ROW_CLASSES } from '../../../../src/engines/gguf/webgpu/dispatch.js';
import type { Pipelines } from '../../../../src/engines/gguf/webgpu/pipelines.js';
import { DEFAULT_TUNING, type ShaderTuning } from '../../../../src/engines/gguf/webgpu/shaders/tuning.js';
import { tuneShaders } from '../../../../src/engines/gguf/webgpu/tune-shaders.js';
import { COMPARED_KINDS } from '../support/compared-models.js';
import { gpuOfFile } from '../support/gpu-of-file.js';
import { farthest, likeliest } from '../support/log-probabilities.js';
import { logitsOfFile } from '../support/logits-of-file.js';
import { MADE_PROMPT, madeFile } from '../support/made-architectures.js';
import { multiply, referenceLogits } from '../support/reference-decoder.js';
import { referenceOf } from '../support/reference-of-file.js';
import { openTestDevice } from '../support/gpu-device.js';
import { softwareGpu } from '../support/software-gpu.js';
import { tinyContent, tinyFile, type TinyFile } from '../support/tiny-file.js';
import { headerOf } from '../support/tiny-model.js';

const gpu = await softwareGpu();
const isLong = Boolean(process.env['LONG_RUNS']);

const LIMIT = 2 ** 27;
const tokens = Array.from({ length: 12 }, (_, index) => (index * 37 + 3) % 100);
/** More blocks inside than there are sums, and not a multiple of them. */
const sizesOf = (kind: TensorKind): TinyFile => ({ kind, width: 256, inner: isLong ? 2304 : 1088, layers: 1 });
const HALVES: ShaderTuning = { lanes: 32, halves: true };
const TUNINGS: readonly ShaderTuning[] = isLong ? [HALVES, { lanes: 64, halves: false }] : [HALVES];
/** With experts, states and inputs of layers. */
const MADE = [
  'qwen3moe',
  'gpt-oss',
  'granitemoe',
  'gemma4 with experts',
  'lfm2',
  'qwen35',
  'granitehybrid',
  'falcon-h1',
  'nemotron_h',
];
const KINDS: readonly TensorKind[] = isLong ? [...COMPARED_KINDS, 'F32'] : ['Q5_0'];

describe.skipIf(!gpu)('tuned shaders on a GPU in software', () => {
  let device: GPUDevice;
  let pipelines: Pipelines;
  let errors: string[];
  beforeAll(async () => {
    ({ device, pipelines, errors } = await openTestDevice(gpu!));
  });
  afterAll(() => device?.destroy());

  /** Logits of a prompt in a tile, which the same tokens one by one and in pieces have to the last bit. */
  async function logitsWith(file: Uint8Array, tuning: ShaderTuning): Promise<Float32Array[]> {
    const classes = isLong ? ROW_CLASSES : ([1, 'tile'] as const);
    const model = await gpuOfFile(device, file, { pipelines, tuning, classes });
    const whole = await model.read(tokens);
    const kv = model.fresh();
    expect(await model.read(tokens.slice(0, 3), 1, kv)).toEqual(whole.slice(0, 3));
    expect(await model.read(tokens.slice(3), isLong ? 7 : 9, kv)).toEqual(whole.slice(3));
    // Beside another, behind what they share.
    const spans = [11, 7].map((from) => ({ kv: kv.fork(from), tokens: tokens.slice(from, from + 1), keep: 1 }));
    const [last, eighth] = await model.forward.run(spans);
    expect([last![0], eighth![0]]).toEqual([whole[11], whole[7]]);
    model.forward.destroy();
    return whole;
  }

  function expectReference(given: readonly Float32Array[], options: TinyFile): void {
    const expected = referenceLogits(referenceOf(tinyContent(options)), tokens, multiply);
    const size = Math.max(...expected.flatMap((row) => [...row].map((value) => Math.abs(value))));
    for (const [row, logits] of given.entries())
      for (const [token, value] of expected[row]!.entries())
        expect(Math.abs(logits[token]! - value) / size).toBeLessThan(2e-6);
  }

  it.each(KINDS)(
    '[W63] [W64] [W65] %s: each number of sums computes what plain loops compute, with bits of its own; halves change none',
    async (kind) => {
      const options = sizesOf(kind);
      const file = tinyFile(options);
      // Rows alone have no halves: they have the bits of a tile that does.
      const given: Float32Array[][] = [];
      for (const tuning of TUNINGS) given.push(await logitsWith(file, tuning));
      for (const logits of given) expectReference(logits, options);
      expect(new Set(given.map(String)).size).toBe(TUNINGS.length);
      expect(errors).toEqual([]);
    },
    600_000,
  );

  it.runIf(isLong)(
    '[W65] halves keep weights of F16 as they are, also below 2⁻¹⁴, which are subnormal',
    async () => {
      const options = { kind: 'F16', layers: 1 } as const;
      const name = 'blk.0.ffn_down.weight';
      const down = tinyContent(options).tensors.find((tensor) => tensor.name === name)!;
      const data = (down.data as Float32Array).map((value) => value * 2 ** -14);
      expect(Math.max(...data)).toBeLessThan(2 ** -14);
      const small = { ...options, tensors: [{ ...down, data }] };
      expectReference(await logitsWith(tinyFile(small), { lanes: 16, halves: true }), small);
      expect(errors).toEqual([]);
    },
    600_000,
  );

  it.runIf(isLong).each(MADE)(
    '[W64] [W65] a made %s computes what WASM computes, with the same bits alone and together',
    async (name) => {
      const file = madeFile(name);
      const model = await gpuOfFile(device, file, {
        pipelines,
        tuning: { lanes: 64, halves: true },
        classes: ROW_CLASSES,
      });
      const prompt = MADE_PROMPT.slice(0, 12);
      const [given, expected] = [await model.read(prompt), await logitsOfFile(file, prompt)];
      for (const [row, logits] of given.entries()) {
        expect(farthest(logits, expected[row]!)).toBeLessThan(1e-3);
        expect(likeliest(logits)).toBe(likeliest(expected[row]!));
      }
      expect(await model.read(prompt.slice(0, 4), 1)).toEqual(given.slice(0, 4));
      model.forward.destroy();
      expect(errors).toEqual([]);
    },
    600_000,
  );

  it('[W63] [W71] a GPU is measured with matrices of the sizes of a model, without its weights', async () => {
    const plan = planModel(await headerOf(tinyFile({ kind: 'Q4_0' })));
    const chosen: ShaderTuning = { lanes: 64, halves: true };
    const choose = async (measure: MeasureTuning): Promise<ShaderTuning> => {
      for (const lanes of [16, 32, 64] as const)
        expect(await measure({ lanes, halves: false }, 'row')).toBeGreaterThan(0);
      for (const halves of [false, true]) expect(await measure({ lanes: 16, halves }, 'tile')).toBeGreaterThan(0);
      return chosen;
    };
    await expect(tuneShaders({ device, plan, limit: LIMIT, pipelines }, choose)).resolves.toBe(chosen);
    expect(errors).toEqual([]);
  }, 600_000);

  it('[W63] what fails on a GPU changes nothing, and is no error of the page', async () => {
    const plan = planModel(await headerOf(tinyFile()));
    const chosen: ShaderTuning = { lanes: 64, halves: true };
    const failing: readonly [limit: number, choose: (measure: MeasureTuning) => Promise<ShaderTuning>][] = [
      // No matrix fits such a binding.
      [64, async () => chosen],
      [LIMIT, () => Promise.reject(new Error('It burns.'))],
      [
        LIMIT,
        async () => {
          device.createBuffer({ size: 2 ** 50, usage: 0x80 });
          return chosen;
        },
      ],
    ];
    for (const [limit, choose] of failing)
      await expect(tuneShaders({ device, plan, limit, pipelines }, choose)).resolves.toBe(DEFAULT_TUNING);
    expect(errors).toEqual([]);
  });
});
