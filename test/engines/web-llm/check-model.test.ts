import { type ModelRecord, prebuiltAppConfig } from '@mlc-ai/web-llm';
import { describe, expect, it } from 'vitest';
import { isChatModel } from '../../../src/engines/web-llm/model-record.js';
import { createWebLlmBackend } from '../../../src/engines/web-llm/web-llm-backend.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { CHAT_CONFIG } from './chat-config.js';
import { type FakeBrowser, fakeBrowser, keepFiles, manifestOf, WEIGHT_BYTES } from './fake-environment.js';
import { FakeGpu } from './fake-gpu.js';

const LARGE = 'Llama-3.1-8B-Instruct-q4f32_1-MLC';
const FOLDER = `https://huggingface.co/mlc-ai/${LARGE}/resolve/main/`;
const HALF_PRECISION = 'SmolLM2-360M-Instruct-q4f16_1-MLC';

async function failure(browser: FakeBrowser, entry: Partial<ModelEntry> & { id: string }) {
  const load = createWebLlmBackend(browser.environment).load(
    { task: 'chat', backend: 'web-llm', ...entry },
    {
      onProgress: () => {},
      signal: new AbortController().signal,
      assetsURL: 'http://localhost/',
      pageURL: 'http://localhost/',
    },
  );
  return load.then(
    () => expect.fail('The model was loaded.'),
    (error: { code: string; message: string }) => error,
  );
}

/** The model that a refusal names, as WebLLM's list has it. */
function suggestion(message: string) {
  const id = /Use `([^`]+)` \(\d+ MB\) instead/.exec(message)?.[1];
  return prebuiltAppConfig.model_list.find((record) => record.model_id === id);
}

function isHalfPrecisionChat(record: ModelRecord): boolean {
  return isChatModel(record) && /q\df16/.test(record.model_id);
}

describe('before any download', () => {
  it('refuses without WebGPU', async () => {
    const browser = fakeBrowser({ gpu: undefined });
    const error = await failure(browser, { id: LARGE });
    expect(error).toMatchObject({ code: 'insufficient_resources' });
    expect(error.message).toContain('no WebGPU');
    expect(browser.fetched).toEqual([]);
  });

  it('refuses without an adapter', async () => {
    const browser = fakeBrowser();
    browser.gpu.requestAdapter = async () => null;
    expect(await failure(browser, { id: LARGE })).toMatchObject({ code: 'insufficient_resources' });
    expect(browser.fetched).toEqual([]);
  });

  it('refuses a missing feature and names a smaller model that does without', async () => {
    const browser = fakeBrowser({ gpu: new FakeGpu({}, []) });
    const { code, message } = await failure(browser, { id: HALF_PRECISION });
    expect(code).toBe('insufficient_resources');
    expect(message).toContain('shader-f16');
    expect(message).toContain('transformers.js');
    const larger = await failure(browser, { id: 'gemma-2-9b-it-q4f16_1-MLC' });
    expect(suggestion(larger.message)!.model_id).toContain('f32');
    expect(browser.fetched).toEqual([]);
  });

  it.each(prebuiltAppConfig.model_list.filter(isHalfPrecisionChat).map((record) => record.model_id))(
    'refuses %s without half precision, whether the list says so or not',
    async (id) => {
      const browser = fakeBrowser({ gpu: new FakeGpu({}, []) });
      const { code, message } = await failure(browser, { id });
      expect(code).toBe('insufficient_resources');
      expect(message).toContain('shader-f16');
      expect(suggestion(message)?.model_id ?? 'f32').toContain('f32');
      expect(browser.fetched).toEqual([]);
    },
  );

  it('refuses an entry’s own model by the precision of its config', async () => {
    const files = { 'mlc-chat-config.json': { ...CHAT_CONFIG, quantization: 'q4f16_1' } };
    const browser = fakeBrowser({ gpu: new FakeGpu({}, []), files });
    const { code, message } = await failure(browser, { id: 'mine', source: '/m', modelLibrary: '/m.wasm' });
    expect(code).toBe('insufficient_resources');
    expect(message).toContain('shader-f16');
    expect(browser.fetched).toEqual(['http://localhost/m/mlc-chat-config.json']);
  });

  it('refuses too little memory and names a smaller model that fits', async () => {
    const browser = fakeBrowser({ deviceMemory: 2 });
    const { code, message } = await failure(browser, { id: LARGE });
    expect(code).toBe('insufficient_resources');
    expect(suggestion(message)!.vram_required_MB).toBeLessThanOrEqual(2048);
    expect(browser.fetched).toEqual([]);
  });

  it('takes 8 GB for “8 or more”', async () => {
    const browser = fakeBrowser({ deviceMemory: 8, files: { 'mlc-chat-config.json': undefined } });
    const seventy = prebuiltAppConfig.model_list.find((record) => (record.vram_required_MB ?? 0) > 9000)!;
    expect(await failure(browser, { id: seventy.model_id })).toMatchObject({ code: 'unavailable' });
  });

  it('keeps large models off phones', async () => {
    const browser = fakeBrowser({ gpu: new FakeGpu({ maxStorageBufferBindingSize: 256 * 2 ** 20 }) });
    const { code, message } = await failure(browser, { id: LARGE });
    expect(code).toBe('insufficient_resources');
    expect(suggestion(message)).toMatchObject({ low_resource_required: true });
  });

  it.each([
    ['maxBufferSize', 2 ** 20],
    ['maxComputeWorkgroupStorageSize', 16384],
    ['maxStorageBuffersPerShaderStage', 8],
    ['maxComputeInvocationsPerWorkgroup', 128],
  ])('refuses a GPU whose %s is too small for any model', async (limit, value) => {
    const browser = fakeBrowser({ gpu: new FakeGpu({ [limit]: value }) });
    const { code, message } = await failure(browser, { id: LARGE });
    expect(code).toBe('insufficient_resources');
    expect(message).toContain(limit);
    expect(suggestion(message)).toBeUndefined();
  });

  it('refuses when the weights do not fit the storage, having read small files only', async () => {
    const browser = fakeBrowser({ freeStorage: WEIGHT_BYTES / 4 });
    const { code, message } = await failure(browser, { id: LARGE });
    expect(code).toBe('insufficient_resources');
    expect(message).toContain('storage');
    const large = prebuiltAppConfig.model_list.find((record) => record.model_id === LARGE)!;
    expect(suggestion(message)!.vram_required_MB).toBeLessThan(large.vram_required_MB! / 4);
    expect(browser.fetched.filter((url) => url.endsWith('.bin'))).toEqual([]);
  });

  it.each([
    ['enough', WEIGHT_BYTES / 2, 'model_not_supported', 'tokenizer.json'],
    [
      'too little',
      WEIGHT_BYTES / 2 - 1,
      'insufficient_resources',
      `${Math.ceil(WEIGHT_BYTES / 2 ** 21)} MB of storage`,
    ],
  ])('counts only the shards that are not kept: %s', async (_, freeStorage, code, says) => {
    const browser = fakeBrowser({ freeStorage, files: { 'tokenizer.json': undefined } });
    await keepFiles(browser, FOLDER, ['params_shard_0.bin']);
    const error = await failure(browser, { id: LARGE });
    expect(error.code).toBe(code);
    expect(error.message).toContain(says);
  });

  it('names for an entry’s own model one that is smaller than its weights, and none when their size is unknown', async () => {
    const own = { id: 'mine', source: '/m', modelLibrary: '/m.wasm' };
    const [bytes, free] = [4e9, 3e9];
    const browser = fakeBrowser({ freeStorage: free, files: { 'tensor-cache.json': manifestOf(bytes) } });
    const { code, message } = await failure(browser, own);
    expect(code).toBe('insufficient_resources');
    expect(suggestion(message)!.vram_required_MB! * 2 ** 20).toBeLessThan(free);
    const files = { 'mlc-chat-config.json': { ...CHAT_CONFIG, quantization: 'q4f16_1' } };
    const unknown = await failure(fakeBrowser({ gpu: new FakeGpu({}, []), files }), own);
    expect(suggestion(unknown.message)).toBeUndefined();
  });

  it('asks for no storage when the weights are kept', async () => {
    const browser = fakeBrowser({ freeStorage: 0, files: { 'tokenizer.json': undefined } });
    await keepFiles(browser, FOLDER, ['params_shard_0.bin', 'params_shard_1.bin']);
    expect(await failure(browser, { id: LARGE })).toMatchObject({ code: 'model_not_supported' });
  });
});

describe('entries that cannot be meant', () => {
  it.each([
    ['an unknown id', { id: 'no-such-model' }, 'model_not_found'],
    ['a library without weights', { id: 'mine', modelLibrary: '/m.wasm' }, 'invalid_request'],
    ['an embedding model', { id: 'snowflake-arctic-embed-s-q0f32-MLC-b4' }, 'model_not_supported'],
    ['another task', { id: LARGE, task: 'embeddings' }, 'model_not_supported'],
    ['WASM', { id: LARGE, device: 'wasm' }, 'invalid_request'],
  ] as const)('%s', async (_, entry, code) => {
    const browser = fakeBrowser();
    expect(await failure(browser, entry)).toMatchObject({ code });
    expect(browser.fetched).toEqual([]);
  });
});
