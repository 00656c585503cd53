/** What a GPU in software is tried with, in Node and in Chromium. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GenerationRequest, plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import { collectEvents, piecesOf as tokensOf } from '../../../support/token-events.js';
import type { TokenChoice } from '../../../../src/engines/gguf/forward-interface.js';
import { COMPARED_KINDS } from './compared-models.js';
import { openTestDevice } from './gpu-device.js';
import { type GpuFile, gpuOfFile } from './gpu-of-file.js';
import { farthest, likeliest } from './log-probabilities.js';
import { logitsOfFile } from './logits-of-file.js';
import { MADE_PROMPT, madeContent, madeFile } from './made-architectures.js';
import { type TensorInput, writeGguf } from './write-gguf.js';
import { checkGpu } from '../../../../src/engines/gguf/webgpu/self-check.js';
import { multiply, referenceLogits } from './reference-decoder.js';
import { referenceOf } from './reference-of-file.js';
import { TINY_ARCHITECTURES, type TinyArchitectureName } from './tiny-architectures.js';
import { tinyContent, tinyFile, type TinyFile } from './tiny-file.js';
import { headerOf, piecesOf, TINY_ENTRY, tinyModel } from './tiny-model.js';
import { VARIANTS } from './tiny-variants.js';
import type { TextModel } from '../../../../src/language/decoding/create-text-model.js';
import { assembleTextModel, planDecoder } from '../../../../src/engines/gguf/assemble-text-model.js';
import { type GpuModel, openOnGpu, tryGpu } from '../../../../src/engines/gguf/webgpu/gguf-webgpu.js';
import type { TensorKind } from '../../../../src/engines/gguf/file/tensor-kinds.js';
import { type ModelPlan, planModel } from '../../../../src/engines/gguf/model-plan.js';
import type { MatrixPlan } from '../../../../src/engines/gguf/model-tensors.js';
import { isPlain } from '../../../../src/engines/gguf/webgpu/plain-layers.js';
import type { Pipelines } from '../../../../src/engines/gguf/webgpu/pipelines.js';
import { placeModel } from '../../../../src/engines/gguf/webgpu/place-model.js';

const ask = (text: string, more: Partial<GenerationRequest>): GenerationRequest => ({
  ...plainGenerationRequest('tiny', { type: 'raw', text }),
  ...more,
});

const tokens = Array.from({ length: 20 }, (_, index) => (index * 37 + 3) % 100);

const everything = (): Readonly<Record<string, TinyFile>> => ({
  ...Object.fromEntries(
    (Object.keys(TINY_ARCHITECTURES) as TinyArchitectureName[]).map((architecture) => [architecture, { architecture }]),
  ),
  ...VARIANTS,
  ...Object.fromEntries(
    [...COMPARED_KINDS, 'F32' as const].map((kind) => [kind, { kind, width: 256, inner: 256, layers: 1 }]),
  ),
});
/** `npm run test:webgpu` tries everything; shaders take long to compile in software. */
const FEW: Readonly<Record<string, TinyFile>> = { qwen3: { architecture: 'qwen3' } };

/** What is compared with WASM, as the plain loops do not compute it. */
const COMPARED_ARCHITECTURES = [
  'mistral3',
  'exaone4',
  'ernie4_5',
  'minicpm',
  'qwen2vl',
  'qwen3vl',
  'hunyuan-dense',
  'nanbeige',
  'apertus',
  'qwen3moe',
  'granitemoe',
  'gpt-oss',
  'gemma4 with experts',
] as const;

/** A made file whose experts have gate and up in one tensor, one below the other. */
function withFusedExperts(name: string): Uint8Array<ArrayBuffer> {
  const { metadata, tensors } = madeContent(name);
  const fused = tensors.flatMap((tensor): TensorInput[] => {
    if (tensor.name.includes('ffn_up_exps')) return [];
    if (!tensor.name.includes('ffn_gate_exps')) return [tensor];
    const [columns, rows, count] = tensor.shape as [number, number, number];
    const up = tensors.find((other) => other.name === tensor.name.replace('gate', 'up'))!;
    const [size, data] = [columns * rows, new Float32Array(2 * columns * rows * count)];
    for (let expert = 0; expert < count; expert++)
      for (const [index, part] of [tensor, up].entries())
        data.set((part.data as Float32Array).subarray(expert * size, (expert + 1) * size), (2 * expert + index) * size);
    const shape = [columns, 2 * rows, count];
    return [{ ...tensor, name: tensor.name.replace('gate', 'gate_up'), shape, data }];
  });
  return writeGguf({ metadata, tensors: fused });
}

/** As a file whose experts are of other kinds: a self-check takes nothing but kinds and sizes of it. */
function withExpertsOf(plan: ModelPlan, kindOf: (part: 'gate' | 'up' | 'down') => TensorKind): ModelPlan {
  const all = (matrices: readonly MatrixPlan[], kind: TensorKind): MatrixPlan[] =>
    matrices.map((matrix) => ({ ...matrix, tensor: { ...matrix.tensor, kind } }));
  const layers = plan.layers.map(({ experts, ...layer }) => ({
    ...layer,
    experts: experts && {
      gate: all(experts.gate, kindOf('gate')),
      up: all(experts.up, kindOf('up')),
      down: all(experts.down, kindOf('down')),
    },
  }));
  return { ...plan, layers: layers.slice(0, 1) };
}

/** @param gpu one in software; undefined: there is none, and nothing is tried */
export function testGpu(gpu: GPU | undefined, { isLong }: { isLong: boolean }): void {
  describe.skipIf(!gpu)('a decoder on a GPU in software', () => {
    tryDecoders(gpu!, isLong);
  });
}

function tryDecoders(gpu: GPU, isLong: boolean): void {
  let device: GPUDevice;
  let errors: string[];
  let pipelines: Pipelines;
  beforeAll(async () => {
    ({ device, pipelines, errors } = await openTestDevice(gpu));
  });
  afterAll(() => device?.destroy());

  describe.each(Object.entries(isLong ? everything() : FEW))('%s', (_, options) => {
    let model: GpuFile;
    beforeAll(async () => {
      model = await gpuOfFile(device, tinyFile(options), {
        pipelines,
        classes: isLong ? [1, 2, 4, 8, 'tile'] : [1, 'tile'],
      });
    }, 600_000);
    afterAll(() => model?.forward.destroy());

    it('[W63] [W64] computes what plain loops of 64 bits compute, with default limits and no feature', async () => {
      const given = await model.read(tokens);
      const expected = referenceLogits(referenceOf(tinyContent(options)), tokens, multiply);
      let [error, size] = [0, 0];
      for (const [row, logits] of given.entries()) {
        for (const [token, value] of expected[row]!.entries()) {
          error = Math.max(error, Math.abs(logits[token]! - value));
          size = Math.max(size, Math.abs(value));
        }
      }
      expect(error / size).toBeLessThan(2e-6);
      expect(size).toBeGreaterThan(1);
      expect(errors).toEqual([]);
    });

    it('[W65] gives the same bits one by one, in pieces, behind shared pages and beside others', async () => {
      const whole = await model.read(tokens);
      expect(await model.read(tokens.slice(0, 8), 1)).toEqual(whole.slice(0, 8));
      const kv = model.fresh();
      expect(await model.read(tokens, 9, kv)).toEqual(whole);
      // Two go on from places of the first one, and a third reads a prompt.
      const forks = [20, 7].map((length) => ({ kv: kv.fork(length), length }));
      const spans = forks.map((fork) => ({ kv: fork.kv, tokens: [5], keep: 1 }));
      const third = { kv: model.fresh(), tokens: tokens.slice(0, 11), keep: 2 };
      const given = await model.forward.run([spans[0]!, third, spans[1]!]);
      const alone = await model.read([...tokens, 5]);
      expect(given[0]![0]).toEqual(alone[20]);
      expect(given[2]![0]).toEqual((await model.read([...tokens.slice(0, 7), 5]))[7]);
      expect(given[1]).toEqual(whole.slice(9, 11));
      // Nobody wrote into the pages of another.
      const [[again]] = (await model.forward.run([{ kv, tokens: [5], keep: 1 }])) as [[Float32Array]];
      expect(again).toEqual(alone[20]);
    });
  });

  // Shaders take long to compile in software.
  it.skipIf(!isLong).each(COMPARED_ARCHITECTURES)(
    '[W64] [W65] computes what WASM computes, and the same bits token by token: a made %s',
    async (name) => {
      const file = madeFile(name);
      const plan = planModel(await headerOf(file));
      expect(isPlain(plan)).toBe(true);
      const model = await gpuOfFile(device, file, { pipelines });
      const [given, expected] = [await model.read(MADE_PROMPT), await logitsOfFile(file, MADE_PROMPT)];
      for (const [row, logits] of given.entries()) {
        expect(farthest(logits, expected[row]!)).toBeLessThan(1e-3);
        expect(likeliest(logits)).toBe(likeliest(expected[row]!));
      }
      expect(await model.read(MADE_PROMPT, 1)).toEqual(given);
      const limit = 2 ** 27;
      const own = { plan, shape: model.shape, placed: placeModel(plan, limit), limit };
      await expect(tryGpu({ device, pipelines, identity: '', ...own })).resolves.toEqual({
        isRight: true,
        keepsBits: true,
      });
      expect(errors).toEqual([]);
      model.forward.destroy();
    },
    600_000,
  );

  it('[W64] [W65] computes what WASM computes with experts, and the same bits for a row alone', async () => {
    const file = madeFile('qwen3moe');
    // Shaders of one sort: they take long to compile in software.
    const model = await gpuOfFile(device, file, { pipelines, classes: isLong ? [1, 2, 4, 8, 'tile'] : [2] });
    const prompt = MADE_PROMPT.slice(0, 12);
    const [given, expected] = [await model.read(prompt, isLong ? 12 : 2), await logitsOfFile(file, prompt)];
    for (const [row, logits] of given.entries()) {
      expect(farthest(logits, expected[row]!)).toBeLessThan(1e-3);
      expect(likeliest(logits)).toBe(likeliest(expected[row]!));
    }
    expect(await model.read(prompt, 1)).toEqual(given);
    expect(errors).toEqual([]);
    model.forward.destroy();
  }, 600_000);

  it.skipIf(!isLong).each([
    ['sinks', 'gpt-oss'],
    ['gates of queries', 'qwen35'],
  ])(
    '[W65] gives the same bits behind a long prompt with %s: in tiles, one by one, side by side',
    async (_, name) => {
      const file = madeFile(name);
      const model = await gpuOfFile(device, file, { pipelines });
      const long = Array.from({ length: 270 }, (_, index) => (index * 31 + 7) % 100);
      const first = model.fresh();
      const [whole, expected] = [await model.read(long, 64, first), await logitsOfFile(file, long)];
      for (const [row, logits] of whole.entries()) expect(farthest(logits, expected[row]!)).toBeLessThan(1e-3);
      const fork = first.fork(255);
      const from = fork.length;
      expect(await model.read(long.slice(from), 1, fork)).toEqual(whole.slice(from));
      model.forward.destroy();
    },
    600_000,
  );

  it.skipIf(!isLong)('[W64] reads experts whose gate and up are in one tensor', async () => {
    const file = withFusedExperts('qwen3moe');
    const model = await gpuOfFile(device, file, { pipelines });
    const [given, expected] = [await model.read(MADE_PROMPT), await logitsOfFile(file, MADE_PROMPT)];
    for (const [row, logits] of given.entries()) expect(farthest(logits, expected[row]!)).toBeLessThan(1e-3);
    expect(await model.read(MADE_PROMPT, 1)).toEqual(given);
    model.forward.destroy();
  });

  it.skipIf(!isLong).each([
    // One of the two fits a binding, not both.
    ['granitemoe', 200_000],
    ['gemma4 with experts', 140_000],
  ])('[W64] [W65] [W71] reads what all rows of a made %s take apart from its experts', async (name, limit) => {
    const file = madeFile(name);
    const model = await gpuOfFile(device, file, { pipelines, limit });
    const [given, expected] = [await model.read(MADE_PROMPT), await logitsOfFile(file, MADE_PROMPT)];
    for (const [row, logits] of given.entries()) expect(farthest(logits, expected[row]!)).toBeLessThan(1e-3);
    expect(await model.read(MADE_PROMPT.slice(0, 20), 1)).toEqual(given.slice(0, 20));
    const plan = planModel(await headerOf(file));
    const placed = placeModel(plan, limit);
    for (const { routed } of placed.layers) expect(routed!.isTogether).toBe(false);
    const own = { plan, shape: model.shape, placed };
    await expect(checkGpu(own, { device, pipelines, limit: 2 ** 27 })).resolves.toEqual({
      isRight: true,
      keepsBits: true,
    });
    expect(errors).toEqual([]);
    model.forward.destroy();
  });

  it.skipIf(!isLong).each(['sigmoid', 'opened'])('[W64] [W65] [W71] a self-check reads %s experts', async (name) => {
    const { shape: whole, ...plan } = planModel(await headerOf(madeFile('granitemoe')));
    const experts = { ...whole.experts!, ...(name === 'sigmoid' && { gating: 'sigmoid' as const }) };
    const layers = plan.layers.slice(0, 1).map(({ matrices, vectors, ...layer }) => ({
      ...layer,
      matrices: { ...matrices, ...(name === 'opened' && { sharedOpening: matrices.router }) },
      vectors: { ...vectors, ...(name === 'sigmoid' && { choiceBias: vectors.attentionNorm }) },
    }));
    const shape = { ...whole, experts, exact: true, precision: 32 } as const;
    const made = { ...plan, shape, layers };
    const own = { plan: made, shape, placed: placeModel(made, 2 ** 27) };
    await expect(checkGpu(own, { device, pipelines, limit: 2 ** 27 })).resolves.toEqual({
      isRight: true,
      keepsBits: true,
    });
    expect(errors).toEqual([]);
  });

  it.skipIf(!isLong).each(['several', ...COMPARED_KINDS])(
    '[W64] [W65] [W71] a self-check reads experts of %s kinds',
    async (name) => {
      const file = madeFile('granitemoe');
      const mixed = { gate: 'Q4_0', up: 'Q8_0', down: 'Q6_K' } as const;
      const plan = withExpertsOf(planModel(await headerOf(file)), (part) =>
        name === 'several' ? mixed[part] : (name as TensorKind),
      );
      const shape = { ...plan.shape, exact: true, precision: 32 } as const;
      const own = { plan, shape, placed: placeModel(plan, 2 ** 27) };
      await expect(checkGpu(own, { device, pipelines, limit: 2 ** 27 })).resolves.toEqual({
        isRight: true,
        keepsBits: true,
      });
      expect(errors).toEqual([]);
    },
    600_000,
  );

  it('[W65] gives the same bits behind a long prompt, whose rows share what attention reads, and in its pieces', async () => {
    const model = await gpuOfFile(device, tinyFile({ architecture: 'qwen3', layers: 1 }), { pipelines });
    const long = Array.from({ length: 267 }, (_, index) => (index * 31 + 7) % 100);
    const first = model.fresh();
    const whole = await model.read(long, 64, first);
    const kv = first.fork(192);
    // Tiles of three rows; a row alone, whose splits are one behind the other and side by side; beside another that is read.
    expect(await model.read(long.slice(192, 255), 63, kv)).toEqual(whole.slice(192, 255));
    expect(await model.read(long.slice(255, 259), 1, kv)).toEqual(whole.slice(255, 259));
    const spans = [
      { kv: model.fresh(), tokens: long.slice(0, 9), keep: 1 },
      { kv, tokens: long.slice(259), keep: 8 },
    ];
    const [short, rest] = await model.forward.run(spans);
    expect(short![0]).toEqual(whole[8]);
    expect(rest).toEqual(whole.slice(259));
    model.forward.destroy();
  }, 600_000);

  it('[W70] reads a table that is cut into pieces, and a gate of another kind than what it opens', async () => {
    const options: TinyFile = { layers: 1, untied: true, kind: (name) => (name.includes('ffn_up') ? 'Q4_0' : 'Q8_0') };
    // A tile of another kind takes long to compile in software.
    const classes = isLong ? ([1, 'tile'] as const) : ([1] as const);
    const model = await gpuOfFile(device, tinyFile(options), { pipelines, tableLimit: 8192, classes });
    const given = await model.read(tokens, isLong ? 32 : 1);
    const expected = referenceLogits(referenceOf(tinyContent(options)), tokens, multiply);
    for (const [row, logits] of given.entries())
      for (const [token, value] of expected[row]!.entries())
        expect(Math.abs(logits[token]! - value)).toBeLessThan(1e-4);
    model.forward.destroy();
  }, 600_000);

  describe('chooses tokens', () => {
    let model: GpuFile;
    beforeAll(async () => {
      model = await gpuOfFile(device, tinyFile({ architecture: 'qwen3', layers: 1 }), { pipelines });
    }, 600_000);
    afterAll(() => model?.forward.destroy());
    const DRAWS = 30;
    const GREEDY: TokenChoice = { temperature: 0, topK: 0, topP: 1, minP: 0, seed: 0 };
    const chosen = async (given: ReturnType<GpuFile['forward']['run']>): Promise<number> =>
      ((await given)[0]![0] as { sampled: number[] }).sampled[0]!;

    it('[W66] [W69] the greatest as the logits say, also of passes that were begun before the last token was read', async () => {
      const expected: number[] = [];
      const plain = model.fresh();
      let logits = (await model.read(tokens, 32, plain)).at(-1)!;
      for (let step = 0; step < 6; step++) {
        expected.push(likeliest(logits));
        [logits] = (await model.read(expected.slice(-1), 1, plain)) as [Float32Array];
      }
      const kv = model.fresh();
      const first = model.forward.run([{ kv, tokens, keep: 1, choose: [GREEDY] }]);
      // The prompt's last row is not the first one: its token is read before the next pass.
      const given = [await chosen(first)];
      let last = model.forward.run([{ kv, tokens: given, keep: 1, choose: [GREEDY] }]);
      for (let step = 2; step < 6; step++) {
        const next = model.forward.run([{ kv, tokens: [0], keep: 1, choose: [GREEDY], isFollowing: true }]);
        given.push(await chosen(last));
        last = next;
      }
      given.push(await chosen(last));
      expect(given).toEqual(expected);
    });

    it('[W66] by temperature, top_k, top_p and min_p as the exact distribution says; a seed gives its token again', async () => {
      const kv = model.fresh();
      const logits = (await model.read(tokens, 32, kv)).at(-1)!;
      const weights = Float64Array.from(logits, (logit) => Math.exp((logit - Math.max(...logits)) / 12));
      const order = [...weights.keys()].toSorted((a, b) => weights[b]! - weights[a]!);
      const SETTINGS = { temperature: 12, topK: 0, topP: 1, minP: 0 };
      const kept = {
        topK: order.slice(0, 5),
        minP: order.filter((token) => weights[token]! >= 0.2 * weights[order[0]!]!),
      };
      const draw = async (settings: Partial<TokenChoice>): Promise<number[]> => {
        const spans = Array.from({ length: DRAWS }, (_, index) => ({
          kv: kv.fork(19),
          tokens: tokens.slice(19),
          keep: 1,
          choose: [{ ...SETTINGS, ...settings, seed: index * 7919 }],
        }));
        const given = (await model.forward.run(spans)).map(([row]) => (row as { sampled: number[] }).sampled[0]!);
        for (const span of spans) span.kv.release();
        return given;
      };
      const five = await draw({ topK: 5 });
      for (const token of five) expect(kept.topK).toContain(token);
      expect(new Set(five).size).toBeGreaterThan(1);
      for (const token of await draw({ minP: 0.2 })) expect(kept.minP).toContain(token);
      expect(new Set(await draw({ topP: 0.01 }))).toEqual(new Set([order[0]]));
      expect(await draw({ topK: 5 })).toEqual(five);
      // The share of the likeliest: four standard deviations.
      const share = weights[order[0]!]! / weights.reduce((sum, weight) => sum + weight);
      const count = (await draw({})).filter((token) => token === order[0]).length;
      expect(Math.abs(count / DRAWS - share)).toBeLessThan(4 * Math.sqrt((share * (1 - share)) / DRAWS));
    });
  });

  describe('a text model', () => {
    const options = { architecture: 'qwen3', layers: 1 } as const;
    let onGpu: TextModel;
    let onWasm: TextModel;
    let model: GpuModel;
    beforeAll(async () => {
      const file = tinyFile(options);
      const entry = { ...TINY_ENTRY, dtype: 'fp32' };
      const planned = planDecoder(entry, await headerOf(file));
      const { plan, shape } = planned;
      const limit = 2 ** 27;
      model = { device, plan, shape, limit, pipelines, placed: placeModel(plan, limit), identity: '' };
      const stream = piecesOf(file.subarray(planned.header.dataStart));
      onWasm = await tinyModel(options, { dtype: 'fp32' });
      onGpu = await assembleTextModel(entry, planned, stream, {
        openForward: (read) => openOnGpu(model, { file: 'tiny.gguf', read, onCompile: () => {} }),
      });
    }, 600_000);

    it('[W71] is made after a trial, in which the GPU computes what WASM computes', async () => {
      await expect(tryGpu(model)).resolves.toEqual({ isRight: true, keepsBits: true });
    }, 600_000);

    it('[W62] says where it runs', () => {
      expect(onGpu.info).toMatchObject({ device: 'webgpu', dtype: 'fp32', contextLength: 512 });
    });

    it('[W64] [W67] writes what it writes on WASM: alone, several choices at once, and again from kept prompts', async () => {
      const texts = async (text: TextModel, n: number, prompt: string): Promise<(number | undefined)[][]> => {
        const events = await collectEvents(
          text.generate(ask(prompt, { n, maxTokens: 12 }), new AbortController().signal),
        );
        const pieces = tokensOf(events);
        return Array.from({ length: n }, (_, choice) =>
          pieces.filter((piece) => piece.choice === choice).map(({ token }) => token),
        );
      };
      for (const [n, prompt] of [
        [1, 'hello world'],
        [3, 'hello world and all'],
        [1, 'hello world'],
      ] as const)
        expect(await texts(onGpu, n, prompt)).toEqual(await texts(onWasm, n, prompt));
      expect(errors).toEqual([]);
    });

    it('[W68] ends what runs when its device is lost', async () => {
      const request = ask('hello', { maxTokens: 400 });
      const read = async (): Promise<void> => {
        for await (const _ of onGpu.generate(request, new AbortController().signal)) device.destroy();
      };
      await expect(read()).rejects.toMatchObject({ code: 'unavailable' });
      await expect(onGpu.lost).resolves.toMatchObject({ code: 'unavailable', details: { retryAfter: 5 } });
    });
  });
}
