import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { judgeModel } from '../../../src/core/models/model-estimate.js';
import { estimateModel } from '../../../src/page/diagnosis/estimate-model.js';

const LFS = (path: string, size: number) => ({ type: 'file', path, size: 1, oid: 'a', lfs: { oid: 'b', size } });

const TREES: Record<string, object[]> = {
  'owner/gguf': [
    LFS('model-Q4_K_M.gguf', 3e6),
    LFS('model-Q8_0.gguf', 6e6),
    LFS('split-Q6_K-00001-of-00002.gguf', 4e6),
    LFS('split-Q6_K-00002-of-00002.gguf', 5e6),
  ],
  'owner/onnx': [
    { type: 'file', path: 'config.json', size: 10, oid: 'a' },
    { type: 'file', path: 'tokenizer.json', size: 20, oid: 'a' },
    { type: 'file', path: 'README.md', size: 99, oid: 'a' },
    LFS('onnx/model_quantized.onnx', 1e6),
    LFS('onnx/model_q4.onnx', 5e5),
    LFS('onnx/model_q4.onnx_data', 7e5),
  ],
  'owner/named': [LFS('onnx/model_q8.onnx', 2e6), LFS('onnx/model.onnx', 8e6)],
  'owner/old': [LFS('onnx/decoder_model_merged_quantized.onnx', 3e6), LFS('onnx/decoder_model_merged.onnx', 9e6)],
  'owner/other': [{ type: 'file', path: 'model.safetensors', size: 10, oid: 'a' }],
};

const asked: string[] = [];

beforeEach(() => {
  asked.length = 0;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    asked.push(`${init?.method ?? 'GET'} ${url}`);
    const tree = TREES[/\/api\/models\/(.+)\/tree\//.exec(url)?.[1] ?? ''];
    return tree ? Response.json(tree) : new Response(null, { status: 404 });
  });
});

const chat = { id: 'm', task: 'chat' } as const;
const estimate = (entry: Partial<ModelEntry>) =>
  estimateModel(
    'm',
    { models: [{ ...chat, ...entry } as ModelEntry], load: { pageURL: location.href, hub: 'https://hub.test' } },
    { stored: async () => [] },
  );

describe('[I03] what a load would fetch', () => {
  it.each([
    [{ backend: 'gguf', source: 'owner/gguf' }, 3e6],
    [{ backend: 'gguf', source: 'owner/gguf', file: '*Q8_0.gguf' }, 6e6],
    [{ backend: 'gguf', source: 'owner/gguf', file: 'split-Q6_K-00001-of-00002.gguf' }, 9e6],
    [{ backend: 'transformers', source: 'owner/onnx', device: 'wasm' }, 1e6 + 30],
    [{ backend: 'transformers', source: 'owner/onnx', device: 'wasm', dtype: 'q4' }, 12e5 + 30],
    // As a load does: other names of graphs and of precisions, none at all, and what the entry asks for and nobody has.
    [{ backend: 'transformers', source: 'owner/named', device: 'wasm' }, 2e6],
    [{ backend: 'transformers', source: 'owner/old', device: 'wasm' }, 3e6],
    [{ backend: 'transformers', source: 'owner/onnx', device: 'webgpu', task: 'embeddings' }, 12e5 + 30],
    [{ backend: 'transformers', source: 'owner/other', device: 'wasm' }, null],
    [{ backend: 'transformers', source: 'owner/onnx', device: 'wasm', dtype: 'fp16' }, null],
    [{ backend: 'scripted', script: { replies: [] } }, 0],
    [{ backend: 'gguf', source: '/folder/', file: 'x.gguf' }, null],
  ] as [Partial<ModelEntry>, number | null][])('%j: %s bytes', async (entry, bytes) => {
    const found = await estimate(entry);
    expect([found.bytes, found.missingBytes]).toEqual([bytes, bytes]);
    expect(asked.filter((each) => !each.includes('/api/models/'))).toEqual([]);
    expect(found.verdict === 'unknown').toBe(bytes === null);
  });

  it('says which model is unknown, and that a source is out of reach', async () => {
    const sources = { models: [], load: { pageURL: location.href } };
    await expect(estimateModel('x', sources, { stored: async () => [] })).rejects.toMatchObject({
      code: 'model_not_found',
    });
    await expect(estimate({ backend: 'gguf', source: 'owner/none' })).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('[I04] the verdict', () => {
  const needs = { bytes: 1e9, missingBytes: 1e9, needsGpu: false, needsHalfFloats: false };
  const device = { roomBytes: 1e10, memoryGB: 8, gpu: undefined };
  it.each([
    ['fits', [], {}, {}],
    ['no', ['storage'], {}, { roomBytes: 5e8 }],
    ['tight', ['storage'], {}, { roomBytes: 11e8 }],
    ['fits', [], { missingBytes: 0 }, { roomBytes: 5e8 }],
    ['tight', ['memory'], { bytes: 6e9 }, {}],
    ['no', ['webgpu'], { needsGpu: true }, {}],
    ['no', ['shader-f16'], { needsGpu: true, needsHalfFloats: true }, { gpu: { halfFloats: false } }],
    ['unknown', [], { bytes: null, missingBytes: null }, {}],
  ] as const)('%s %j', (verdict, codes, need, has) => {
    const judged = judgeModel({ ...needs, ...need }, { ...device, ...has });
    expect([judged.verdict, judged.reasons.map(({ code }) => code)]).toEqual([verdict, codes]);
  });
});
