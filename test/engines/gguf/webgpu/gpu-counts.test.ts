import { describe, expect, it } from 'vitest';
import type { GgufHeader, GgufTensor, GgufValue } from '../../../../src/engines/gguf/file/header.js';
import { TENSOR_KINDS, type TensorKind } from '../../../../src/engines/gguf/file/tensor-kinds.js';
import type { TokenChoice } from '../../../../src/engines/gguf/forward-interface.js';
import { KvPages, KvSequence } from '../../../../src/engines/gguf/kv-pages.js';
import { planModel } from '../../../../src/engines/gguf/model-plan.js';
import { GpuForward } from '../../../../src/engines/gguf/webgpu/gpu-forward.js';
import { placeModel } from '../../../../src/engines/gguf/webgpu/place-model.js';
import { ROW_CLASSES } from '../../../../src/engines/gguf/webgpu/dispatch.js';
import { countingDevice } from '../support/counting-device.js';

interface Shape {
  architecture: string;
  layers: number;
  width: number;
  heads: number;
  kvHeads: number;
  head: number;
  inner: number;
  vocabulary: number;
  biases?: boolean;
  /** Of most matrices; of the down projections of every second layer; of the table. */
  kinds: readonly [TensorKind, TensorKind, TensorKind];
  /** Dispatches of a layer for one row, and of the whole for what is beside layers. */
  most: number;
}

const SHAPES: Readonly<Record<string, Shape>> = {
  'SmolLM2-135M Q4_1': {
    architecture: 'llama',
    layers: 30,
    width: 576,
    heads: 9,
    kvHeads: 3,
    head: 64,
    inner: 1536,
    vocabulary: 49_152,
    kinds: ['Q4_1', 'Q4_1', 'Q8_0'],
    most: 6,
  },
  'Gemma 3 270M Q4_K_M': {
    architecture: 'gemma3',
    layers: 18,
    width: 640,
    heads: 4,
    kvHeads: 1,
    head: 256,
    inner: 2048,
    vocabulary: 262_144,
    kinds: ['Q5_0', 'Q8_0', 'Q8_0'],
    most: 8,
  },
  '0.5B Q4_0': {
    architecture: 'qwen2',
    layers: 24,
    width: 896,
    heads: 14,
    kvHeads: 2,
    head: 64,
    inner: 4864,
    vocabulary: 151_936,
    biases: true,
    kinds: ['Q4_0', 'Q4_0', 'Q8_0'],
    most: 6,
  },
  '1.5B Q4_K_M': {
    architecture: 'qwen2',
    layers: 28,
    width: 1536,
    heads: 12,
    kvHeads: 2,
    head: 128,
    inner: 8960,
    vocabulary: 151_936,
    biases: true,
    kinds: ['Q4_K', 'Q6_K', 'Q6_K'],
    most: 6,
  },
  '3B Q4_K_M': {
    architecture: 'qwen2',
    layers: 36,
    width: 2048,
    heads: 16,
    kvHeads: 2,
    head: 128,
    inner: 11_008,
    vocabulary: 151_936,
    biases: true,
    kinds: ['Q4_K', 'Q6_K', 'Q6_K'],
    most: 6,
  },
};

function headerOf(shape: Shape): GgufHeader {
  const { architecture, layers, width, heads, kvHeads, head, inner, vocabulary, biases, kinds } = shape;
  const tensors: GgufTensor[] = [];
  let offset = 0;
  const add = (name: string, kind: TensorKind, ...sizes: number[]): void => {
    const { values, bytes: blockBytes } = TENSOR_KINDS[kind];
    const bytes = (sizes.reduce((product, size) => product * size, 1) / values) * blockBytes;
    tensors.push({ name, shape: sizes, kind, offset, bytes });
    offset += bytes;
  };
  add('token_embd.weight', kinds[2], width, vocabulary);
  add('output_norm.weight', 'F32', width);
  for (let layer = 0; layer < layers; layer++) {
    const of = (part: string): string => `blk.${layer}.${part}.weight`;
    add(of('attn_q'), kinds[0], width, heads * head);
    add(of('attn_k'), kinds[0], width, kvHeads * head);
    add(of('attn_v'), kinds[0], width, kvHeads * head);
    add(of('attn_output'), kinds[0], heads * head, width);
    add(of('ffn_gate'), kinds[0], width, inner);
    add(of('ffn_up'), kinds[0], width, inner);
    add(of('ffn_down'), layer % 2 === 0 ? kinds[0] : kinds[1], inner, width);
    for (const norm of ['attn_norm', 'ffn_norm']) add(of(norm), 'F32', width);
    if (architecture === 'gemma3') {
      for (const norm of ['post_attention_norm', 'post_ffw_norm']) add(of(norm), 'F32', width);
      for (const norm of ['attn_q_norm', 'attn_k_norm']) add(of(norm), 'F32', head);
    }
    if (biases) {
      add(`blk.${layer}.attn_q.bias`, 'F32', heads * head);
      for (const part of ['attn_k', 'attn_v']) add(`blk.${layer}.${part}.bias`, 'F32', kvHeads * head);
    }
  }
  const values: Record<string, number> = {
    context_length: 4096,
    embedding_length: width,
    block_count: layers,
    feed_forward_length: inner,
    'attention.head_count': heads,
    'attention.head_count_kv': kvHeads,
    'attention.key_length': head,
    'attention.value_length': head,
    'attention.layer_norm_rms_epsilon': 1e-6,
    ...(architecture === 'gemma3' && { 'attention.sliding_window': 512 }),
  };
  const metadata = new Map<string, GgufValue>([['general.architecture', architecture]]);
  for (const [key, value] of Object.entries(values)) metadata.set(`${architecture}.${key}`, value);
  return { file: 'made.gguf', version: 3, metadata, tensors, dataStart: 0, dataEnd: offset };
}

const GREEDY: TokenChoice = { temperature: 0, topK: 0, topP: 1, minP: 0, seed: 0 };

async function counted(shape: Shape) {
  const { device, counts } = countingDevice();
  const header = headerOf(shape);
  const plan = planModel(header);
  const whole = { ...plan.shape, exact: false, precision: 16 as const };
  const limit = device.limits.maxStorageBufferBindingSize;
  const placed = placeModel(plan, limit);
  const forward = new GpuForward({ device, plan, shape: whole, placed, limit, maxRows: 64 });
  await forward.compile(ROW_CLASSES);
  const kv = new KvSequence(new KvPages(forward.pages, whole, 2 ** 30, forward.pages.pageBytes));
  return { counts, forward, kv, placed, header };
}

describe('[W69] [W70] what a token costs, on a device that only counts', () => {
  it.each(Object.entries(SHAPES))('%s', async (_, shape) => {
    const { counts, forward, kv, placed, header } = await counted(shape);
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
    expect(made).toBe(2 * (shape.layers * shape.most + 2 * tables + 3));
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

  it('reads positions side by side behind a long prompt, and pages grow without a part for each token', async () => {
    const { counts, forward, kv } = await counted(SHAPES['SmolLM2-135M Q4_1']!);
    for (let read = 0; read < 640; read += 64)
      await forward.run([{ kv, tokens: Array.from({ length: 64 }, () => 1), keep: 0 }]);
    const before = { ...counts };
    await forward.run([{ kv, tokens: [1], keep: 1, choose: [GREEDY] }]);
    await forward.run([{ kv, tokens: [1], keep: 1, choose: [GREEDY], isFollowing: true }]);
    expect((counts.dispatches - before.dispatches) / 2).toBe(30 * 7 + 5);
    expect(counts.bindGroups).toBe(before.bindGroups);
  });

  it.each(['Gemma 3 270M Q4_K_M', '3B Q4_K_M'])(
    'reads keys and values of %s once for four rows of a prompt',
    async (name) => {
      const shape = SHAPES[name]!;
      const { counts, forward, kv } = await counted(shape);
      const pass = Array.from({ length: 62 }, () => 1);
      await forward.run([{ kv, tokens: pass, keep: 1, choose: [GREEDY] }]);
      expect(counts.groups.get('attend in tiles')).toBe(shape.layers * shape.kvHeads * Math.ceil(62 / 4));
      expect(counts.groups.get('attend')).toBeUndefined();
      await forward.run([{ kv, tokens: [1], keep: 1, choose: [GREEDY] }]);
      expect(counts.groups.get('attend in tiles')).toBe(shape.layers * shape.kvHeads * Math.ceil(62 / 4));
      expect(counts.groups.get('attend')! % (shape.layers * shape.kvHeads)).toBe(0);
    },
  );

  it('[W70] loads with a few megabytes under way, whatever the size, and reads the file once from its beginning to its end', async () => {
    // A layer of 3 billion weights, and a shorter table: 60 MB.
    const { counts, forward, header } = await counted({ ...SHAPES['3B Q4_K_M']!, layers: 1, vocabulary: 8000 });
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
