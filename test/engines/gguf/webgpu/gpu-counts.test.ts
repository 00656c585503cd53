import { describe, expect, it } from 'vitest';
import { headerOf, MODEL_SIZES, type ModelName } from '../../../../demo/speed/model-sizes.js';
import type { TokenChoice } from '../../../../src/engines/gguf/forward-interface.js';
import type { GgufHeader } from '../../../../src/engines/gguf/file/header.js';
import { KvPages, KvSequence } from '../../../../src/engines/gguf/kv-pages.js';
import { planModel } from '../../../../src/engines/gguf/model-plan.js';
import { GpuForward } from '../../../../src/engines/gguf/webgpu/gpu-forward.js';
import { placeModel } from '../../../../src/engines/gguf/webgpu/place-model.js';
import { ROW_CLASSES } from '../../../../src/engines/gguf/webgpu/dispatch.js';
import { DEFAULT_TUNING, type ShaderTuning } from '../../../../src/engines/gguf/webgpu/shaders/tuning.js';
import { countingDevice } from '../support/counting-device.js';
import { layeredFile } from '../support/layered-files.js';
import { madeFile } from '../support/made-architectures.js';
import { headerOf as headerOfFile } from '../support/tiny-model.js';

/** Dispatches of a layer for one row. */
const COUNTED: readonly (readonly [name: ModelName, most: number])[] = [
  ['SmolLM2-135M Q4_1', 6],
  ['Gemma 3 270M Q4_K_M', 8],
  ['0.5B Q4_0', 6],
  ['1.5B Q4_K_M', 6],
  ['3B Q4_K_M', 6],
];

const GREEDY: TokenChoice = { temperature: 0, topK: 0, topP: 1, minP: 0, seed: 0 };

interface Counted {
  /** The label of a shader that the GPU cannot compile. */
  refused?: string;
  tuning?: ShaderTuning;
  /** Bytes of a binding. @default those that every adapter has */
  limit?: number;
}

async function counted(header: GgufHeader, { refused, tuning = DEFAULT_TUNING, limit: binding }: Counted = {}) {
  const { device, counts } = countingDevice();
  const compile = device.createComputePipelineAsync.bind(device);
  device.createComputePipelineAsync = async (descriptor) => {
    if (descriptor.label === refused) throw new Error('Too many registers.');
    return compile(descriptor);
  };
  const plan = planModel(header);
  const whole = { ...plan.shape, exact: false, precision: 16 as const };
  const limit = binding ?? device.limits.maxStorageBufferBindingSize;
  const placed = placeModel(plan, limit);
  const forward = new GpuForward({ device, plan, shape: whole, placed, tuning, limit, maxRows: 64 });
  await forward.compile(ROW_CLASSES);
  const kv = new KvSequence(new KvPages(forward.pages, whole, 2 ** 30, forward.pages.blockBytes));
  return { counts, forward, kv, placed };
}

describe('[W69] [W70] what a token costs, on a device that only counts', () => {
  it.each(COUNTED)('%s', async (name, most) => {
    const shape = MODEL_SIZES[name];
    const header = headerOf(shape);
    const { counts, forward, kv, placed } = await counted(header);
    const step = (isFollowing: boolean): ReturnType<GpuForward['run']> =>
      forward.run([{ kv, tokens: [1], keep: 1, choose: [GREEDY], isFollowing }]);
    await step(false);
    await step(true);
    const before = { ...counts };
    const tables = placed.embedding.length;
    // The second is submitted before the first is read.
    const both = [step(true), step(true)];
    expect(counts.submits - before.submits).toBe(2);
    await Promise.all(both);
    const made = counts.dispatches - before.dispatches;
    // The table twice, the last norm, and two that choose.
    expect(made).toBe(2 * (shape.layers * most + 2 * tables + 3));
    expect(counts.readBytes - before.readBytes).toBe(8);
    // A third buffer of 4 bytes may be under way for the first time, none else.
    expect(counts.buffers - before.buffers).toBeLessThanOrEqual(1);
    expect(counts.bindGroups).toBe(before.bindGroups);
    expect(counts.pipelines).toBe(before.pipelines);
    expect(counts.storageBuffers).toBeLessThanOrEqual(8);
    await Promise.all([step(true), step(true)]);
    expect(counts.buffers - before.buffers).toBeLessThanOrEqual(1);
    // Each row of a matrix is in one part of one product: what is read is what is placed.
    const inFile = header.tensors.reduce((sum, { bytes, shape: [, rows = 1] }) => sum + (rows > 1 ? bytes : 0), 0);
    const { slabs } = placed.places;
    expect(slabs.reduce((sum, { bytes }) => sum + bytes, 0) / inFile).toBeLessThanOrEqual(1.02);
    for (const { bytes } of slabs) expect(bytes).toBeLessThanOrEqual(2 ** 27);
  });

  it.each([
    [32, 8],
    [64, 8],
  ] as const)(
    '[W63] [W69] with %i sums a row of weights a token has as many dispatches, of workgroups for %i rows, which no table has too many of',
    async (lanes, rows) => {
      const shape = MODEL_SIZES['Gemma 3 270M Q4_K_M'];
      const tuning = { lanes, halves: true };
      // On a GPU that binds the whole table at once.
      const { counts, forward, kv, placed } = await counted(headerOf(shape), { tuning, limit: 2 ** 30 });
      await forward.run([{ kv, tokens: [1], keep: 1, choose: [GREEDY] }]);
      expect(placed.embedding).toHaveLength(1);
      expect(counts.dispatches).toBe(shape.layers * 8 + 2 + 3);
      const output = shape.width / rows;
      expect(counts.groups.get('1 × Q5_0 each')).toBe(shape.layers * output + (shape.layers / 2) * output);
      expect(counts.mostGroups).toBe(shape.vocabulary / rows);
      expect(counts.mostGroups).toBeLessThan(2 ** 16);
      // A prompt has the tiles that it has with 16.
      const pass = { kv, tokens: Array.from({ length: 62 }, () => 1), keep: 0 };
      await forward.run([pass]);
      const default16 = await counted(headerOf(shape), { limit: 2 ** 30 });
      await default16.forward.run([{ ...pass, kv: default16.kv }]);
      expect(counts.groups.get('tile × Q5_0 each')).toBe(default16.counts.groups.get('tile × Q5_0 each'));
    },
  );

  it('[W63] experts with 64 sums a row of weights', async () => {
    const experts = { count: 8, used: 2, inner: 768 };
    const sizes = { ...MODEL_SIZES['3B Q4_K_M'], heads: 32, kvHeads: 4, layers: 2, biases: false, experts };
    const header = headerOf({ ...sizes, architecture: 'qwen3moe' });
    const { counts, forward, kv } = await counted(header, { tuning: { lanes: 64, halves: false } });
    await forward.run([{ kv, tokens: [1], keep: 1, choose: [GREEDY] }]);
    expect(counts.groups.get('experts Q4_K silu normed')).toBe(2 * experts.used * (experts.inner / 4));
    expect(counts.groups.get('experts Q4_K added')).toBe(sizes.width / 8);
  });

  it.each([
    ['hunyuan-dense', 2 * 6],
    // Two layers, which are read twice, and a norm between.
    ['nanbeige', 4 * 6 + 1],
    // What has no gate is bent in a dispatch of its own.
    ['apertus', 2 * 7],
    // A router, the choice, what goes into experts, and what comes out; what all rows take is read with the chosen ones.
    ['qwen3moe', 2 * 8],
    ['gpt-oss', 2 * 8],
    ['granitemoe', 2 * 8],
    // A short convolution is one; a gated delta net two, and Mamba 2, whose convolutions the product makes that gives their channels.
    ['lfm2', 4 * 5 + 6],
    ['lfm2moe', 5 + 2 * 7 + 8],
    ['qwen35', 3 * 6 + 6],
    ['qwen35moe', 3 * 8 + 8],
    ['qwen3next', 3 * 8 + 8],
    ['granitehybrid', 2 * 6 + 6],
    ['granitehybrid with experts', 8 + 8],
    // Each layer has attention and a state; or one of them, or a network.
    ['falcon-h1', 3 * 8],
    ['nemotron_h', 2 * 4 + 4 + 2 * 3],
    // Experts and a network, which are read together; norms of each and of both are one dispatch.
    ['gemma4 with experts', 6 * 10],
  ] as const)('a made %s, whose weights lie there once', async (name, ofLayers) => {
    const { counts, forward, kv, placed } = await counted(await headerOfFile(madeFile(name)));
    const step = () => forward.run([{ kv, tokens: [1], keep: 1, choose: [GREEDY] }]);
    await step();
    const before = { ...counts };
    await step();
    expect(counts.dispatches - before.dispatches).toBe(ofLayers + 5);
    expect(counts.bindGroups).toBe(before.bindGroups);
    const tensors = placed.places.parts.map(({ part }) => part.tensor);
    expect(new Set(tensors).size).toBe(tensors.length);
  });

  it.each([
    // The table twice, what is made of embeddings, and their norm; of a layer three branches with norms behind.
    [true, 4 * 10 + 3],
    [false, 4 * 8],
  ])('a made gemma4 with inputs of layers: %s; keys that are values are read once', async (hasInputs, ofLayers) => {
    const { counts, forward, kv, placed } = await counted(await headerOfFile(layeredFile({ hasInputs })));
    const step = (isFollowing: boolean): ReturnType<GpuForward['run']> =>
      forward.run([{ kv, tokens: [1], keep: 1, choose: [GREEDY], isFollowing }]);
    await step(false);
    const before = { ...counts };
    await Promise.all([step(true), step(true)]);
    expect(counts.dispatches - before.dispatches).toBe(2 * (ofLayers + 5));
    expect(counts.readBytes - before.readBytes).toBe(8);
    expect(counts.bindGroups).toBe(before.bindGroups);
    expect(counts.storageBuffers).toBeLessThanOrEqual(8);
    const tensors = placed.places.parts.map(({ part }) => part.tensor);
    expect(new Set(tensors).size).toBe(tensors.length);
    // Layers with other keys than their own have none.
    expect(forward.pages.blockBytes).toBe((2 * 2 * 16 + 2 * 32) * 64 * 2);
  });

  it('experts, which are cut between them where they are larger than a binding', async () => {
    const experts = { count: 128, used: 8, inner: 768 };
    const sizes = { ...MODEL_SIZES['3B Q4_K_M'], heads: 32, kvHeads: 4, layers: 2, biases: false, experts };
    const header = headerOf({ ...sizes, architecture: 'qwen3moe' });
    const { counts, forward, kv, placed } = await counted(header);
    const step = () => forward.run([{ kv, tokens: [1], keep: 1, choose: [GREEDY] }]);
    await step();
    const before = { ...counts, groups: new Map(counts.groups) };
    await step();
    // Gate and up in two slabs, and what comes out in one or, of six bits, in two. Those of another slab than a chosen one end at once.
    const pieces = placed.layers.map(({ routed }) => [routed!.chosen.inner[0].length, routed!.chosen.down.length]);
    expect(pieces).toEqual([
      [2, 1],
      [2, 2],
    ]);
    expect(counts.dispatches - before.dispatches).toBe(2 * 8 + 3 + 2 * placed.embedding.length + 3);
    expect(counts.bindGroups).toBe(before.bindGroups);
    const groups = (label: string): number => counts.groups.get(label)! - before.groups.get(label)!;
    expect(groups('experts Q4_K silu normed')).toBe(2 * 2 * experts.used * (experts.inner / 8));
    expect(groups('experts Q4_K added')).toBe(sizes.width / 16);
    expect(groups('experts Q6_K added')).toBe((2 * sizes.width) / 16);
    const { slabs } = placed.places;
    const inFile = header.tensors.reduce((sum, { bytes, shape: [, rows = 1] }) => sum + (rows > 1 ? bytes : 0), 0);
    expect(slabs.reduce((sum, { bytes }) => sum + bytes, 0) / inFile).toBeLessThanOrEqual(1.02);
    for (const { bytes } of slabs) expect(bytes).toBeLessThanOrEqual(2 ** 27);
    expect(() => placeModel(planModel(header), 2 ** 19)).toThrow(
      expect.objectContaining({ code: 'insufficient_resources', details: expect.anything() }),
    );
  });

  it('keeps the state before each token, to which a pass that nobody wants goes back, without a command more', async () => {
    const { counts, forward, kv } = await counted(await headerOfFile(madeFile('qwen35')));
    const step = () => {
      kv.keepState();
      return forward.run([{ kv, tokens: [1], keep: 1, choose: [GREEDY], isFollowing: true }]);
    };
    // Until as many copies are kept as there may be.
    for (let read = 0; read < 70; read++) await step();
    const before = { ...counts };
    for (let read = 0; read < 10; read++) await step();
    expect(counts.submits - before.submits).toBe(10);
    expect([counts.bindGroups, counts.buffers]).toEqual([before.bindGroups, before.buffers]);
  });

  it('reads positions side by side behind a long prompt, and pages grow without a part for each token', async () => {
    const { counts, forward, kv } = await counted(headerOf(MODEL_SIZES['SmolLM2-135M Q4_1']));
    for (let read = 0; read < 640; read += 64)
      await forward.run([{ kv, tokens: Array.from({ length: 64 }, () => 1), keep: 0 }]);
    const before = { ...counts };
    await forward.run([{ kv, tokens: [1], keep: 1, choose: [GREEDY] }]);
    await forward.run([{ kv, tokens: [1], keep: 1, choose: [GREEDY], isFollowing: true }]);
    expect((counts.dispatches - before.dispatches) / 2).toBe(30 * 7 + 5);
    expect(counts.bindGroups).toBe(before.bindGroups);
  });

  it.each(['Gemma 3 270M Q4_K_M', '3B Q4_K_M'] as const)(
    'reads keys and values of %s once for four rows of a prompt',
    async (name) => {
      const shape = MODEL_SIZES[name];
      const { counts, forward, kv } = await counted(headerOf(shape));
      const pass = Array.from({ length: 62 }, () => 1);
      await forward.run([{ kv, tokens: pass, keep: 1, choose: [GREEDY] }]);
      expect(counts.groups.get('attend in tiles')).toBe(shape.layers * shape.kvHeads * Math.ceil(62 / 4));
      expect(counts.groups.get('attend')).toBeUndefined();
      await forward.run([{ kv, tokens: [1], keep: 1, choose: [GREEDY] }]);
      expect(counts.groups.get('attend in tiles')).toBe(shape.layers * shape.kvHeads * Math.ceil(62 / 4));
      expect(counts.groups.get('attend')! % (shape.layers * shape.kvHeads)).toBe(0);
    },
  );

  it('reads keys and values for each row where a GPU cannot compile the shader for several', async () => {
    const shape = MODEL_SIZES['Gemma 3 270M Q4_K_M'];
    const { counts, forward, kv } = await counted(headerOf(shape), { refused: 'attend in tiles' });
    await forward.run([{ kv, tokens: Array.from({ length: 62 }, () => 1), keep: 1, choose: [GREEDY] }]);
    expect(counts.groups.get('attend')).toBe(shape.layers * shape.kvHeads * 62);
  });

  it('[W70] loads with a few megabytes under way, whatever the size, and reads the file once from its beginning to its end', async () => {
    // A layer, and a shorter table: 24 MB.
    const header = headerOf({ ...MODEL_SIZES['0.5B Q4_0'], layers: 1, vocabulary: 16_000 });
    const { counts, forward } = await counted(header);
    counts.waitingBytes = 0;
    counts.mostWaitingBytes = 0;
    const reads: (readonly [number, number])[] = [];
    const piece = new Uint8Array(2 ** 21);
    await forward.load(header.file, async (from, to) => {
      reads.push([from, to]);
      return piece.subarray(0, to - from);
    });
    for (const [index, [from]] of reads.entries()) expect(from).toBe(index === 0 ? 0 : reads[index - 1]![1]);
    expect(reads.at(-1)![1]).toBe(header.dataEnd);
    expect(Math.max(...reads.map(([from, to]) => to - from))).toBeLessThanOrEqual(2 ** 20);
    // Nothing is written twice, and what is not on the GPU yet is far below 64 MB.
    expect(counts.mostWaitingBytes).toBeLessThan(12e6);
    expect(counts.waitingBytes).toBeLessThan(12e6);
  });
});
