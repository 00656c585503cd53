/** The installed WebLLM in real Chromium, as far as it goes without a model library. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LoadOptions } from '../../../src/models/backend.js';
import { webLlmBackend } from '../../../src/backends/web-llm/web-llm-backend.js';
import type { ModelEntry } from '../../../src/models/model-entry.js';
import { CHAT_CONFIG } from './chat-config.js';

/** Nobody answers here: what is read from it can only come from the cache. */
const FOLDER = 'https://models.example/mine/';

const entry: ModelEntry = {
  id: 'mine',
  task: 'chat',
  backend: 'web-llm',
  source: FOLDER,
  modelLibrary: `${FOLDER}model.wasm`,
};

const options: LoadOptions = {
  onProgress: () => {},
  signal: new AbortController().signal,
  assetsURL: location.href,
  pageURL: location.href,
};

async function store(scope: string, file: string, body: BodyInit): Promise<void> {
  await (await caches.open(scope)).put(`${FOLDER}${file}`, new Response(body));
}

async function bundled(file: string): Promise<string> {
  return (await fetch(`/models/tiny-chat/${file}`)).text();
}

afterEach(async () => {
  vi.restoreAllMocks();
  for (const scope of await caches.keys()) await caches.delete(scope);
});

describe('the installed WebLLM', () => {
  it('finds everything in the caches that this backend and WebLLM share, and names a library that does not fit', async () => {
    await store('webllm/config', 'mlc-chat-config.json', JSON.stringify(CHAT_CONFIG));
    await store('webllm/model', 'tensor-cache.json', JSON.stringify({ metadata: {}, records: [] }));
    for (const file of ['tokenizer.json', 'tokenizer_config.json']) {
      await store('webllm/model', file, await bundled(file));
    }
    await store('webllm/wasm', 'model.wasm', 'no library');
    const fetched = vi.spyOn(globalThis, 'fetch');
    const failure = webLlmBackend.load(entry, options);
    await expect(failure).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^The model `mine` could not be loaded\. CompileError/),
      cause: expect.objectContaining({ name: 'CompileError' }),
    });
    const urls = fetched.mock.calls.map(([request]) => (request instanceof Request ? request.url : String(request)));
    expect(urls.filter((url) => url.startsWith(FOLDER))).toEqual([]);
  });

  it('refuses a model that this adapter cannot run, before it asks for any file', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    vi.spyOn(navigator.gpu, 'requestAdapter').mockResolvedValue(null);
    const failure = webLlmBackend.load({ ...entry, id: 'Llama-3.2-1B-Instruct-q4f32_1-MLC' }, options);
    await expect(failure).rejects.toMatchObject({ code: 'insufficient_resources' });
    expect(fetched).not.toHaveBeenCalled();
  });
});
