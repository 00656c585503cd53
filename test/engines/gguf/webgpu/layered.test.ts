/** Gemma 4 on a GPU in software: layers that differ, share keys and values, and take inputs of tokens themselves. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import { assembleTextModel, planDecoder } from '../../../../src/engines/gguf/assemble-text-model.js';
import type { ReadRange } from '../../../../src/engines/gguf/file/header.js';
import { planModel } from '../../../../src/engines/gguf/model-plan.js';
import type { OpenForward } from '../../../../src/engines/gguf/opened-forward.js';
import { openOnGpu, tryGpu } from '../../../../src/engines/gguf/webgpu/gguf-webgpu.js';
import type { Pipelines } from '../../../../src/engines/gguf/webgpu/pipelines.js';
import { placeModel } from '../../../../src/engines/gguf/webgpu/place-model.js';
import { isPlain } from '../../../../src/engines/gguf/webgpu/plain-layers.js';
import type { TextModel } from '../../../../src/language/decoding/create-text-model.js';
import { collectEvents, piecesOf as tokensOf } from '../../../support/token-events.js';
import { countingDevice } from '../support/counting-device.js';
import { gpuOfFile } from '../support/gpu-of-file.js';
import { layeredFile } from '../support/layered-files.js';
import { farthest, likeliest } from '../support/log-probabilities.js';
import { logitsOfFile } from '../support/logits-of-file.js';
import { openTestDevice } from '../support/gpu-device.js';
import { softwareGpu } from '../support/software-gpu.js';
import { headerOf, piecesOf, TINY_ENTRY } from '../support/tiny-model.js';

/** Shaders take long to compile in software: `npm run test:webgpu`. */
const gpu = process.env['LONG_RUNS'] ? await softwareGpu() : undefined;
const LIMIT = 2 ** 27;
const tokens = Array.from({ length: 20 }, (_, index) => (index * 37 + 3) % 100);

describe('[W67] a table of inputs that stays in the store', () => {
  it('gives no row that was not brought, and none for tokens that are not known', async () => {
    const file = layeredFile({ hasInputs: true });
    const { forward, fresh } = await gpuOfFile(countingDevice().device, file, { isStored: true });
    expect(forward.readsAhead).toBe(false);
    const spans = [{ kv: fresh(), tokens: [1, 99], keep: 1 }];
    await expect(forward.run(spans)).rejects.toThrow(/token 1 /);
    await forward.bring(spans);
    await expect(forward.run(spans)).resolves.toHaveLength(1);
    await expect(forward.run([{ ...spans[0]!, isFollowing: true }])).rejects.toThrow(/known/);
  });
});

describe.skipIf(!gpu)('layers of Gemma 4 on a GPU in software', () => {
  let device: GPUDevice;
  let pipelines: Pipelines;
  let errors: string[];
  beforeAll(async () => {
    ({ device, pipelines, errors } = await openTestDevice(gpu!));
  });
  afterAll(() => device?.destroy());

  it('[W64] [W67] compute the same with a table on the GPU and with one that stays in the store', async () => {
    const file = layeredFile({ hasInputs: true, tableKind: 'Q8_0' });
    const expected = await logitsOfFile(file, tokens);
    const onGpu = await gpuOfFile(device, file, { pipelines });
    const given = await onGpu.read(tokens);
    for (const [row, logits] of given.entries()) {
      expect(farthest(logits, expected[row]!)).toBeLessThan(1e-4);
      expect(likeliest(logits)).toBe(likeliest(expected[row]!));
    }
    const stored = await gpuOfFile(device, file, { pipelines, isStored: true });
    expect(await stored.read(tokens)).toEqual(given);
    expect(await stored.read(tokens, 1)).toEqual(given);
    expect(errors).toEqual([]);
    onGpu.forward.destroy();
    stored.forward.destroy();
  }, 600_000);

  it('[W64] [W65] have heads of 512', async () => {
    const file = layeredFile({ hasInputs: false, headSize: 512, kvHeads: 4 });
    const model = await gpuOfFile(device, file, { pipelines });
    const [given, expected] = [await model.read(tokens), await logitsOfFile(file, tokens)];
    for (const [row, logits] of given.entries()) expect(farthest(logits, expected[row]!)).toBeLessThan(1e-3);
    expect(await model.read(tokens, 1)).toEqual(given);
    expect(errors).toEqual([]);
    model.forward.destroy();
  }, 600_000);

  it('[W64] [W66] [W67] write what they write on WASM, each token looked up in the store', async () => {
    const file = layeredFile({ hasInputs: true });
    const entry = { ...TINY_ENTRY, dtype: 'fp32' };
    const planned = planDecoder(entry, await headerOf(file), true);
    const { plan, shape } = planned;
    const model = { device, plan, shape, limit: LIMIT, pipelines, identity: '', isStored: true };
    const readStored: ReadRange = async (from, to) => file.subarray(from, to);
    const assemble = (openForward?: OpenForward): Promise<TextModel> =>
      assembleTextModel(entry, planned, piecesOf(file.subarray(planned.header.dataStart)), {
        openForward,
        openStored: async () => readStored,
      });
    const onWasm = await assemble();
    const onGpu = await assemble((read, openStored) =>
      openOnGpu(
        { ...model, placed: placeModel(plan, LIMIT, true) },
        { file: 'm.gguf', read, openStored, onCompile: () => {} },
      ),
    );
    const texts = async (text: TextModel, n: number): Promise<string[]> => {
      const request = { ...plainGenerationRequest('tiny', { type: 'raw', text: 'hello world' }), n, maxTokens: 12 };
      const events = await collectEvents(text.generate(request, new AbortController().signal));
      return tokensOf(events).map(({ choice, token }) => `${choice}: ${token}`);
    };
    for (const n of [1, 3]) {
      const [given, expected] = [await texts(onGpu, n), await texts(onWasm, n)];
      expect(given.toSorted()).toEqual(expected.toSorted());
      expect(given.length).toBeGreaterThan(n);
    }
    expect(errors).toEqual([]);
  }, 600_000);

  describe.each([true, false])('with inputs of tokens: %s', (hasInputs) => {
    const file = layeredFile({ hasInputs });

    it.each([16, 32] as const)(
      '[W64] [W65] [W67] with keys of %i bits give the same bits one by one, in pieces, behind shared pages and beside others',
      async (precision) => {
        const model = await gpuOfFile(device, file, { pipelines, precision, classes: [1, 2, 4, 8, 'tile'] });
        const whole = await model.read(tokens);
        const expected = await logitsOfFile(file, tokens);
        for (const [row, logits] of whole.entries())
          expect(farthest(logits, expected[row]!)).toBeLessThan(precision === 32 ? 1e-4 : 0.03);
        expect(await model.read(tokens, 1)).toEqual(whole);
        expect(await model.read(tokens, 2)).toEqual(whole);
        const kv = model.fresh();
        expect(await model.read(tokens, 7, kv)).toEqual(whole);
        const forks = [20, 7].map((length) => ({ kv: kv.fork(length), tokens: [5], keep: 1 }));
        const third = { kv: model.fresh(), tokens: tokens.slice(0, 11), keep: 2 };
        const given = await model.forward.run([forks[0]!, third, forks[1]!]);
        expect(given[0]![0]).toEqual((await model.read([...tokens, 5]))[20]);
        expect(given[1]).toEqual(whole.slice(9, 11));
        expect(given[2]![0]).toEqual((await model.read([...tokens.slice(0, 7), 5]))[7]);
        expect(errors).toEqual([]);
        model.forward.destroy();
      },
      600_000,
    );

    it('[W65] give the same bits behind a long prompt, and when wished rows are brought together', async () => {
      const model = await gpuOfFile(device, file, { pipelines });
      const long = Array.from({ length: 267 }, (_, index) => (index * 31 + 7) % 100);
      const first = model.fresh();
      const whole = await model.read(long, 64, first);
      const kv = first.fork(192);
      const [[, last]] = (await model.forward.run([{ kv, tokens: long.slice(192, 255), keep: 2 }])) as [
        [Float32Array, Float32Array],
      ];
      expect(last).toEqual(whole[254]);
      expect(await model.read(long.slice(255), 1, kv)).toEqual(whole.slice(255));
      model.forward.destroy();
    }, 600_000);

    it('[W71] pass the trial, whose made model has such layers', async () => {
      const plan = planModel(await headerOf(file));
      expect(isPlain(plan)).toBe(true);
      const shape = { ...plan.shape, exact: true, precision: 32 as const };
      const own = { plan, shape, placed: placeModel(plan, LIMIT), limit: LIMIT };
      await expect(tryGpu({ device, pipelines, identity: '', ...own })).resolves.toEqual({
        isRight: true,
        keepsBits: true,
      });
    }, 600_000);
  });
});
