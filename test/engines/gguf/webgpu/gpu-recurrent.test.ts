/** Models with recurrent layers on a GPU in software. `npm run test:webgpu` tries all; shaders take long to compile there. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GenerationRequest, plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import { assembleTextModel, planDecoder } from '../../../../src/engines/gguf/assemble-text-model.js';
import type { Forward } from '../../../../src/engines/gguf/forward-interface.js';
import { GgufSequence } from '../../../../src/engines/gguf/gguf-sequence.js';
import { planModel } from '../../../../src/engines/gguf/model-plan.js';
import { PassQueue } from '../../../../src/engines/gguf/pass-queue.js';
import { ROW_CLASSES } from '../../../../src/engines/gguf/webgpu/dispatch.js';
import type { TensorKind } from '../../../../src/engines/gguf/file/tensor-kinds.js';
import type { MatrixPlan } from '../../../../src/engines/gguf/model-tensors.js';
import { openOnGpu, tryGpu } from '../../../../src/engines/gguf/webgpu/gguf-webgpu.js';
import type { Pipelines } from '../../../../src/engines/gguf/webgpu/pipelines.js';
import { isPlain } from '../../../../src/engines/gguf/webgpu/plain-layers.js';
import { placeModel } from '../../../../src/engines/gguf/webgpu/place-model.js';
import { checkGpu } from '../../../../src/engines/gguf/webgpu/self-check.js';
import type { TextModel } from '../../../../src/language/decoding/create-text-model.js';
import { collectEvents, piecesOf as tokensOf } from '../../../support/token-events.js';
import { type GpuFile, gpuOfFile } from '../support/gpu-of-file.js';
import { farthest, likeliest } from '../support/log-probabilities.js';
import { logitsOfFile } from '../support/logits-of-file.js';
import { MADE_PROMPT, madeContent, madeFile } from '../support/made-architectures.js';
import { openTestDevice } from '../support/gpu-device.js';
import { softwareGpu } from '../support/software-gpu.js';
import { headerOfHybrid, REAL_HYBRIDS } from '../support/real-hybrids.js';
import { someTokens } from '../support/tiny-decoder.js';
import { headerOf, piecesOf, TINY_ENTRY } from '../support/tiny-model.js';
import { writeGguf } from '../support/write-gguf.js';

const isLong = Boolean(process.env['LONG_RUNS']);
const gpu = await softwareGpu();
const ALL = [
  'lfm2',
  'lfm2 with several counts of heads',
  'qwen35',
  'granitehybrid',
  'falcon-h1',
  'nemotron_h',
  'lfm2moe',
  'qwen35moe',
  'qwen3next',
  'granitehybrid with experts',
] as const;
const NAMES = isLong ? ALL : ALL.slice(0, 1);
const LIMIT = 2 ** 27;
/** Rows of a pass, which shaders are compiled for; tokens; and how many of them are read beside others. */
const [PIECE, PROMPT, BESIDE] = isLong ? [32, MADE_PROMPT, 35] : [2, MADE_PROMPT.slice(0, 20), 2];

/** All layers; or one that is recurrent and one with attention. */
function fileOf(name: string): Uint8Array<ArrayBuffer> {
  if (isLong) return madeFile(name);
  const { metadata, tensors } = madeContent(name);
  const kept = tensors.flatMap((tensor) => {
    const [, layer, part] = /^blk\.(\d+)\.(.*)/.exec(tensor.name) ?? [];
    if (layer === undefined) return [tensor];
    return layer === '1' || layer === '2' ? [{ ...tensor, name: `blk.${Number(layer) - 1}.${part}` }] : [];
  });
  return writeGguf({
    metadata: { ...metadata, [`${name}.block_count`]: 2, [`${name}.attention.head_count_kv`]: [0, 2] },
    tensors: kept,
  });
}

const ask = (text: string, more: Partial<GenerationRequest>): GenerationRequest => ({
  ...plainGenerationRequest('tiny', { type: 'raw', text }),
  ...more,
});

describe.skipIf(!gpu)('recurrent layers on a GPU in software', () => {
  let device: GPUDevice;
  let pipelines: Pipelines;
  let errors: string[];
  beforeAll(async () => {
    ({ device, pipelines, errors } = await openTestDevice(gpu!));
  });
  afterAll(() => device?.destroy());

  describe.each(NAMES)('a made %s', (name) => {
    const file = fileOf(name);
    let model: GpuFile;
    let whole: Float32Array[];
    beforeAll(async () => {
      expect(isPlain(planModel(await headerOf(file)))).toBe(true);
      model = await gpuOfFile(device, file, { pipelines, classes: isLong ? ROW_CLASSES : [2] });
      whole = await model.read(PROMPT, PIECE);
    }, 600_000);
    afterAll(() => model?.forward.destroy());

    it('[W64] [W26] computes what WASM computes', async () => {
      const expected = await logitsOfFile(file, PROMPT);
      for (const [row, logits] of whole.entries()) {
        expect(farthest(logits, expected[row]!)).toBeLessThan(2e-4);
        expect(likeliest(logits)).toBe(likeliest(expected[row]!));
      }
      expect(errors).toEqual([]);
    });

    it('[W27] [W65] gives the same bits in pieces, beside others, forked, and continued from a copy', async () => {
      for (const piece of isLong ? [1, 7] : [1])
        expect(await model.read(PROMPT.slice(0, 10), piece)).toEqual(whole.slice(0, 10));
      const [one, two] = [model.fresh(), model.fresh()];
      const together = isLong ? 5 : 1;
      for (let at = 0; at < BESIDE; at += together) {
        const part = PROMPT.slice(at, at + together);
        const [, found] = await model.forward.run([
          { kv: one, tokens: someTokens(together, 11), keep: 1 },
          { kv: two, tokens: part, keep: part.length },
        ]);
        expect(found).toEqual(whole.slice(at, at + together));
      }
      // The original and its forks go on in one pass.
      const [fork, other] = [two.fork(), two.fork()];
      const spans = [fork, two].map((kv, index) => ({
        kv,
        tokens: PROMPT.slice(BESIDE, BESIDE + 1 + index * (together - 1)),
        keep: 1,
      }));
      const [first, last] = await model.forward.run(spans);
      expect([first![0], last![0]]).toEqual([whole[BESIDE], whole[two.length - 1]]);
      expect(await model.read(PROMPT.slice(BESIDE), PIECE, other)).toEqual(whole.slice(BESIDE));
      expect(await model.read(PROMPT.slice(BESIDE + 1, BESIDE + 3), PIECE, fork)).toEqual(
        whole.slice(BESIDE + 1, BESIDE + 3),
      );
      two.expectPrompt(PROMPT.length);
      while (two.length < PROMPT.length) {
        const from = two.length;
        const part = PROMPT.slice(from, from + two.untilStop(Math.min(PIECE, PROMPT.length - from)));
        expect(await model.read(part, PIECE, two)).toEqual(whole.slice(from, from + part.length));
      }
      const behind = two.fork(PROMPT.length - 5);
      expect(behind.length).toBe(PROMPT.length - 16);
      expect(await model.read(PROMPT.slice(-16), PIECE, behind)).toEqual(whole.slice(-16));
      for (const kv of [one, two, fork, other, behind]) kv.release();
    });

    it.runIf(isLong)('[W27] goes on from a kept page with the state behind it', async () => {
      const [kv, read] = [model.fresh(), model.fresh()];
      kv.expectPrompt(PROMPT.length);
      await model.read(PROMPT.slice(0, 64), PIECE, kv);
      read.append(await kv.block(0));
      expect(await model.read(PROMPT.slice(64), PIECE, read)).toEqual(whole.slice(64));
      for (const each of [kv, read]) each.release();
    });

    it('[W27] reads again what a rejected draft took', async () => {
      const forward: Forward = { run: (spans) => model.forward.run(spans), passRows: PIECE };
      const passes = new PassQueue(forward, () => {});
      const { signal } = new AbortController();
      const prompt = PROMPT.slice(0, 6);
      const start = (): GgufSequence =>
        new GgufSequence({ prompt, kv: model.fresh(), adapters: undefined, passes, onClose: async () => {} });
      const [plain, drafted] = [start(), start()];
      expect(await drafted.prefill(signal)).toEqual(await plain.prefill(signal));
      await drafted.speculation.score([5, 6, 7, 8], 4);
      drafted.speculation.rollBack(2);
      for (const token of [5, 6]) await plain.decode([[token]]);
      expect(await drafted.decode([[9]])).toEqual(await plain.decode([[9]]));
    });

    it.runIf(isLong)(
      '[W71] passes the self-check',
      async () => {
        const plan = planModel(await headerOf(file));
        const own = { plan, shape: model.shape, placed: placeModel(plan, LIMIT), limit: LIMIT };
        const outcome = { isRight: true, keepsBits: true };
        await expect(tryGpu({ device, pipelines, identity: '', ...own })).resolves.toEqual(outcome);
      },
      600_000,
    );
  });

  it.runIf(isLong).each(Object.entries(REAL_HYBRIDS))(
    '[W71] the self-check of a model of the size of %s passes, with keys and values of 16 bits',
    async (_, hybrid) => {
      const plan = planModel(headerOfHybrid(hybrid));
      expect(isPlain(plan)).toBe(true);
      const shape = { ...plan.shape, exact: false, precision: 16 as const };
      const own = { plan, shape, placed: placeModel(plan, LIMIT), limit: LIMIT };
      const outcome = { isRight: true, keepsBits: true };
      await expect(checkGpu(own, { device, pipelines, limit: LIMIT })).resolves.toEqual(outcome);
      expect(errors).toEqual([]);
    },
    600_000,
  );

  it.runIf(isLong).each(['qwen35', 'falcon-h1'])(
    '[W64] [W65] [W71] a self-check reads what goes into the states of a made %s in matrices of several kinds',
    async (name) => {
      const whole = planModel(await headerOf(madeFile(name)));
      const kinds: Record<string, TensorKind> = { mixIn: 'Q4_K', mixGate: 'Q6_K', alpha: 'Q8_0', value: 'Q5_0' };
      const layers = whole.layers.map(({ matrices, ...layer }) => ({
        ...layer,
        matrices: Object.fromEntries(
          Object.entries(matrices).map(([part, matrix]: [string, MatrixPlan | undefined]) => {
            const kind = kinds[part];
            return [part, kind && matrix ? { ...matrix, tensor: { ...matrix.tensor, kind } } : matrix];
          }),
        ),
      }));
      const shape = { ...whole.shape, exact: true, precision: 32 } as const;
      const plan = { ...whole, shape, layers };
      const own = { plan, shape, placed: placeModel(plan, LIMIT) };
      const outcome = { isRight: true, keepsBits: true };
      await expect(checkGpu(own, { device, pipelines, limit: LIMIT })).resolves.toEqual(outcome);
      expect(errors).toEqual([]);
    },
    600_000,
  );

  it.runIf(isLong).each(ALL)(
    '[W64] [W67] [W69] a text model of a made %s writes what it writes on WASM: alone, several choices, and from kept prompts',
    async (name) => {
      const file = madeFile(name);
      const entry = { ...TINY_ENTRY, dtype: 'fp32' };
      const planned = planDecoder(entry, await headerOf(file));
      const stream = () => piecesOf(file.subarray(planned.header.dataStart));
      const { plan, shape } = planned;
      const gpuModel = { device, plan, shape, limit: LIMIT, pipelines, placed: placeModel(plan, LIMIT), identity: '' };
      const onWasm = await assembleTextModel(entry, planned, stream());
      const onGpu = await assembleTextModel(entry, planned, stream(), {
        openForward: (read) => openOnGpu(gpuModel, { file: 'made.gguf', read, onCompile: () => {} }),
      });
      const texts = async (text: TextModel, n: number, prompt: string): Promise<(number | undefined)[][]> => {
        const request = ask(prompt, { n, maxTokens: 12 });
        const pieces = tokensOf(await collectEvents(text.generate(request, new AbortController().signal)));
        const ofChoice = (choice: number) => pieces.filter((piece) => piece.choice === choice);
        return Array.from({ length: n }, (_, choice) => ofChoice(choice).map(({ token }) => token));
      };
      for (const [n, prompt] of [
        [1, 'hello world'],
        [3, 'hello world and all'],
        [1, 'hello world'],
        [1, 'hello world and all that shall be'],
      ] as const)
        expect(await texts(onGpu, n, prompt)).toEqual(await texts(onWasm, n, prompt));
      const together = (text: TextModel) => Promise.all(['he', 'all', 'world'].map((prompt) => texts(text, 1, prompt)));
      expect(await together(onGpu)).toEqual(await together(onWasm));
      expect(errors).toEqual([]);
    },
    600_000,
  );
});
