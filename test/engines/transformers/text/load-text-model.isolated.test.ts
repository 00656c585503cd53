/** Loading that fails, without any engine. */
import {
  AutoModelForCausalLM,
  AutoTokenizer,
  env,
  ModelFileNotFoundError,
  ModelRegistry,
  type PreTrainedModel,
  type PreTrainedTokenizer,
} from '@huggingface/transformers';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadTextModel } from '../../../../src/engines/transformers/text/load-text-model.js';
import { InferenceError } from '../../../../src/core/errors/inference-error.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';

vi.mock('../../../../src/engines/transformers/repository/choose-device.js', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  chooseDevice: async (entry: ModelEntry) => ({
    device: entry.device === 'wasm' ? 'wasm' : 'webgpu',
    halfFloats: false,
  }),
}));

const load = (
  changes: Partial<ModelEntry> = {},
  pageURL = 'http://localhost/',
  signal = new AbortController().signal,
) =>
  loadTextModel(
    { id: 'mine', task: 'chat', backend: 'transformers', source: 'owner/name', dtype: 'q8', ...changes },
    { onProgress: () => {}, signal, assetsURL: 'http://localhost/assets/', pageURL },
  );

const loadedDevices = () =>
  vi.mocked(AutoModelForCausalLM.from_pretrained).mock.calls.map(([, options]) => options?.device);

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('a model in several files', () => {
  it.each([
    ['VoxtralForConditionalGeneration', 'voxtral'],
    ['Phi3VForCausalLM', 'phi3_v'],
  ])('%s is refused by its config, before any weights', async (architecture, type) => {
    const folder = await mkdtemp(`${tmpdir()}/inpage-`);
    const config = { architectures: [architecture], model_type: type, text_config: { model_type: `${type}_text` } };
    await writeFile(`${folder}/config.json`, JSON.stringify(config));
    vi.spyOn(AutoModelForCausalLM, 'from_pretrained');
    await expect(load({ source: './' }, `${pathToFileURL(folder).href}/`)).rejects.toMatchObject({
      code: 'model_not_supported',
      param: 'model',
    });
    expect(loadedDevices()).toEqual([]);
  });
});

describe('on a device that was chosen here', () => {
  beforeEach(() => {
    vi.spyOn(ModelRegistry, 'get_model_files').mockResolvedValue(['config.json', 'onnx/model.onnx']);
    vi.spyOn(AutoTokenizer, 'from_pretrained').mockResolvedValue(tokenizerWith('x'));
    answerWeights(async () => new Response('weights'));
  });

  /** The hub has no other files than weights. */
  function answerWeights(answer: () => Promise<Response>): void {
    vi.stubGlobal('fetch', async (url: string) =>
      url.endsWith('.onnx') ? answer() : new Response(null, { status: 404 }),
    );
  }

  it('is refused weights that WASM cannot address, before their first byte', async () => {
    const asked: string[] = [];
    vi.spyOn(AutoModelForCausalLM, 'from_pretrained');
    vi.stubGlobal('fetch', async (url: string, { method = 'GET' }: RequestInit = {}) => {
      asked.push(`${method} ${url.slice(url.lastIndexOf('/') + 1)}`);
      if (url.endsWith('config.json')) return Response.json({ model_type: 'llama' });
      const headers = { 'content-length': String(5 * 2 ** 30) };
      return new Response(null, url.endsWith('.onnx') ? { headers } : { status: 404 });
    });
    await expect(load({ device: 'wasm' })).rejects.toMatchObject({
      code: 'insufficient_resources',
      message: expect.stringContaining('5.0 GB of weights'),
    });
    expect(asked).toContain('HEAD model_quantized.onnx');
    expect(asked).not.toContain('GET model_quantized.onnx');
    expect(loadedDevices()).toEqual([]);
  });

  it('refuses a chat template that cannot be rendered', async () => {
    vi.spyOn(AutoModelForCausalLM, 'from_pretrained').mockResolvedValue({
      dispose: () => undefined,
    } as unknown as PreTrainedModel);
    vi.spyOn(AutoTokenizer, 'from_pretrained').mockResolvedValue(tokenizerWith('{% if'));
    await expect(load()).rejects.toMatchObject({
      code: 'model_not_supported',
      message: expect.stringContaining('chat template cannot be rendered'),
    });
  });

  it('asks for the other one in a fresh realm when the engine fails', async () => {
    vi.spyOn(AutoModelForCausalLM, 'from_pretrained').mockRejectedValue(new Error("Can't create a session."));
    await expect(load()).rejects.toMatchObject({ code: 'unavailable', entry: { id: 'mine', device: 'wasm' } });
    expect(loadedDevices()).toEqual(['webgpu']);
  });

  it.each([
    ['a file is missing or gated', new ModelFileNotFoundError('401', { status: 401 })],
    ['the model is refused', new InferenceError('model_not_supported', 'No.')],
  ])('does not fetch twice when %s', async (_, error) => {
    vi.spyOn(AutoModelForCausalLM, 'from_pretrained').mockRejectedValue(error);
    await expect(load()).rejects.toMatchObject({ name: 'InferenceError' });
    expect(loadedDevices()).toEqual(['webgpu']);
  });

  it.each([
    ['the network fails', async () => Promise.reject(new TypeError('Failed to fetch'))],
    ['the server fails', async () => new Response(null, { status: 503 })],
    ['the network fails in the middle', async () => new Response(brokenBody())],
  ])('does not fetch twice when %s, and names the file', async (_, answer: () => Promise<Response>) => {
    answerWeights(answer);
    vi.spyOn(AutoModelForCausalLM, 'from_pretrained').mockImplementation(async () => {
      await (
        (await env.fetch('https://huggingface.co/owner/name/resolve/main/onnx/model.onnx')) as Response
      ).arrayBuffer();
      throw new Error('Protobuf parsing failed.');
    });
    await expect(load()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('https://huggingface.co/owner/name/resolve/main/onnx/model.onnx'),
      details: { url: 'https://huggingface.co/owner/name/resolve/main/onnx/model.onnx' },
    });
    expect(loadedDevices()).toEqual(['webgpu']);
  });

  it.each([
    ['404', 'Check `source` and whether it has files of dtype `q4`.', async () => new Response(null, { status: 404 })],
    [
      'a page',
      'returned an HTML page instead of a model file',
      async () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }),
    ],
  ])('says why and what to do when a file is answered with %s', async (_, advice, answer) => {
    answerWeights(answer);
    vi.spyOn(AutoModelForCausalLM, 'from_pretrained').mockImplementation(async () => {
      const { status } = await env.fetch('https://huggingface.co/owner/name/resolve/main/onnx/model_q4.onnx');
      throw new ModelFileNotFoundError(
        'Could not locate file: "https://huggingface.co/owner/name/resolve/main/onnx/model_q4.onnx".',
        { status },
      );
    });
    await expect(load({ dtype: 'q4' })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(advice),
      details: { url: 'https://huggingface.co/owner/name/resolve/main/onnx/model_q4.onnx' },
    });
  });

  it('is cancelled, not failed, when the caller aborts', async () => {
    const controller = new AbortController();
    answerWeights(async () => {
      controller.abort();
      throw new DOMException('Aborted.', 'AbortError');
    });
    vi.spyOn(AutoModelForCausalLM, 'from_pretrained').mockImplementation(async () => {
      await env.fetch('https://huggingface.co/owner/name/resolve/main/onnx/model.onnx');
      throw new Error('Unreachable.');
    });
    const loading = load({}, undefined, controller.signal);
    await expect(loading).rejects.toMatchObject({ code: 'cancelled' });
    expect(loadedDevices()).toEqual(['webgpu']);
  });

  it('frees what was loaded when it turns out to be no text decoder', async () => {
    const dispose = vi.fn<() => Promise<void[]>>(async () => []);
    const model = { sessions: {}, config: {}, dispose } as unknown as PreTrainedModel;
    vi.spyOn(AutoModelForCausalLM, 'from_pretrained').mockResolvedValue(model);
    await expect(load()).rejects.toMatchObject({ code: 'model_not_supported' });
    expect(loadedDevices()).toEqual(['webgpu']);
    expect(dispose).toHaveBeenCalledOnce();
  });
});

function brokenBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      controller.error(new TypeError('network error'));
    },
  });
}

/** A tokenizer of which only the chat template is read. */
function tokenizerWith(chatTemplate: string): PreTrainedTokenizer {
  const stages = { tokenizer: {}, normalizer: null, pre_tokenizer: null, model: {} };
  return { chat_template: chatTemplate, _tokenizer: stages } as unknown as PreTrainedTokenizer;
}
