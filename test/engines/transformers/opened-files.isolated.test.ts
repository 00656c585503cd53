/** What is downloaded or packed is what a load opens: no file less, and none more. */
import { readFile } from 'node:fs/promises';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { transformersBackend } from '../../../src/engines/transformers/transformers-backend.js';
import { chooseForPack } from '../../../src/engines/transformers/transformers-pack.js';
import { ModelFiles } from '../../../src/store/model-files.js';
import { filesOf, testStore } from '../../store/support/node-store.js';
import { makeVisionModels, VISION_MODELS } from '../../vision/make-vision-models.js';
import { filesOfFolder, LOAD, modelServer } from './support/web-build.js';

vi.mock('@huggingface/transformers', async () => (await import('./support/web-build.js')).webBuild());
const store = vi.hoisted(() => ({ current: undefined as unknown }));
vi.mock('../../../src/store/storage/store-environment.js', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  storeOf: async () => store.current,
}));

const CHAT = 'config.json generation_config.json tokenizer.json tokenizer_config.json'.split(' ');
const repositories: Record<string, Record<string, unknown>> = {};

beforeAll(async () => {
  const bundled = (name: string, files: string[]) => filesOfFolder(`public/models/${name}/`, files);
  const chat = await bundled('tiny-chat', [...CHAT, 'onnx/model_quantized.onnx']);
  const tokenizer = JSON.parse(Buffer.from(chat['tokenizer_config.json']!).toString()) as Record<string, unknown>;
  const { chat_template: template, ...bare } = tokenizer;
  repositories['text'] = chat;
  repositories['text with a template of its own'] = {
    ...chat,
    'tokenizer_config.json': bare,
    'chat_template.jinja': template,
  };
  repositories['text with a template for tools'] = {
    ...repositories['text with a template of its own'],
    'additional_chat_templates/tool_use.jinja': template,
  };
  repositories['embedding'] = await bundled('tiny-embed', [
    'config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    '1_Pooling/config.json',
    'onnx/model_quantized.onnx',
  ]);
  const width = 256;
  const header = JSON.stringify({
    'linear.weight': { dtype: 'F32', shape: [1, width], data_offsets: [0, 4 * width] },
  });
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(header.length));
  repositories['embedding with a dense layer'] = {
    ...repositories['embedding'],
    'modules.json': ['Transformer', 'Pooling', 'Dense', 'Normalize'].map((kind, idx) => ({
      idx,
      name: String(idx),
      path: idx === 0 ? '' : `${idx}_${kind}`,
      type: `sentence_transformers.models.${kind}`,
    })),
    '2_Dense/config.json': { in_features: width, out_features: 1, activation_function: 'torch.nn.Identity' },
    '2_Dense/model.safetensors': Buffer.concat([size, Buffer.from(header), Buffer.alloc(4 * width, 1)]),
  };
  repositories['speech'] = await bundled('tiny-whisper', [
    ...CHAT,
    'preprocessor_config.json',
    'onnx/encoder_model_quantized.onnx',
    'onnx/decoder_model_merged_quantized.onnx',
  ]);
  await makeVisionModels();
  const parts = ['embed_tokens', 'vision_encoder', 'decoder_model_merged'].map((part) => `onnx/${part}.onnx`);
  for (const family of ['smolvlm', 'qwen2-vl']) {
    const names = [...CHAT, 'preprocessor_config.json', 'processor_config.json', ...parts];
    const contents = names.map(async (name) => [name, await readFile(`${VISION_MODELS}/${family}/${name}`)] as const);
    repositories[`vision, ${family}`] = Object.fromEntries(await Promise.all(contents));
  }
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const entryOf = (kind: string): ModelEntry => {
  const task = kind.startsWith('embedding') ? 'embeddings' : kind === 'speech' ? 'speech-to-text' : 'chat';
  return { id: kind, task, backend: 'transformers', device: 'wasm', source: `/models/${encodeURIComponent(kind)}` };
};

/** A server of the repositories, and an empty store. */
function begin() {
  store.current = testStore();
  const server = modelServer(repositories);
  vi.stubGlobal('fetch', server.fetch);
  return server;
}

describe.each([
  'text',
  'text with a template of its own',
  'text with a template for tools',
  'vision, smolvlm',
  'vision, qwen2-vl',
  'embedding',
  'embedding with a dense layer',
  'speech',
])('%s', (kind) => {
  it('opens without a network what was downloaded', async () => {
    begin();
    await transformersBackend.fetchFiles!(entryOf(kind), LOAD);
    vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('Failed to fetch')));
    const model = await transformersBackend.load(entryOf(kind), LOAD);
    expect(model.info.device).toBe('wasm');
    await model.unload();
  });

  it('opens exactly what is downloaded and packed', async () => {
    begin();
    const opened = new Set<string>();
    const wanted = new Set<string>();
    const { read, prepare } = ModelFiles.prototype;
    vi.spyOn(ModelFiles.prototype, 'read').mockImplementation(function (this: ModelFiles, file) {
      opened.add(file);
      return read.call(this, file);
    });
    vi.spyOn(ModelFiles.prototype, 'prepare').mockImplementation(function (this: ModelFiles, files) {
      for (const file of files) wanted.add(file);
      return prepare.call(this, files);
    });
    await (await transformersBackend.load(entryOf(kind), LOAD)).unload();
    const files = filesOf(testStore(), `http://localhost/models/${encodeURIComponent(kind)}/`);
    const packed = await chooseForPack(entryOf(kind), files);
    const there = (names: Iterable<string>) => [...names].filter((name) => name in repositories[kind]!).toSorted();
    // Only some processors read this one, and the library does not say which.
    if (wanted.has('processor_config.json')) opened.add('processor_config.json');
    expect([...wanted].toSorted()).toEqual([...opened].toSorted());
    expect(packed.files.toSorted()).toEqual([...wanted].toSorted());
    expect(there(wanted)).toEqual(Object.keys(repositories[kind]!).toSorted());
  });
});
