/** The installed WebLLM in real Chromium, as far as it goes without a model library. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LoadOptions } from '../../../src/core/models/backend.js';
import { webLlmBackend } from '../../../src/engines/web-llm/web-llm-backend.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
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

async function bundled(file: string): Promise<string> {
  return (await fetch(`/models/tiny-chat/${file}`)).text();
}

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  for (const scope of await caches.keys()) await caches.delete(scope);
});

describe('the installed WebLLM', () => {
  it('has its files from the store, and names a library that does not fit', async () => {
    const files: Record<string, string> = {
      'mlc-chat-config.json': JSON.stringify(CHAT_CONFIG),
      'tensor-cache.json': JSON.stringify({ metadata: {}, records: [] }),
      'tokenizer.json': await bundled('tokenizer.json'),
      'tokenizer_config.json': await bundled('tokenizer_config.json'),
      'model.wasm': 'no library',
    };
    const { fetch } = globalThis;
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (request: Request | string, init?: RequestInit) => {
      const url = request instanceof Request ? request.url : request;
      if (!url.startsWith(FOLDER)) return fetch(request, init);
      asked.push(`${init?.method ?? 'GET'} ${url.slice(FOLDER.length)}`);
      const body = files[url.slice(FOLDER.length)];
      return body === undefined ? new Response(null, { status: 404 }) : new Response(body);
    });
    const failure = webLlmBackend.load(entry, options);
    await expect(failure).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^The model `mine` could not be loaded\. CompileError/),
      cause: expect.objectContaining({ name: 'CompileError' }),
    });
    // Once each, whoever asked first.
    expect(asked.filter((line) => line.startsWith('GET')).toSorted()).toEqual(
      Object.keys(files)
        .map((file) => `GET ${file}`)
        .toSorted(),
    );
  });

  it('refuses a model that this adapter cannot run, before it asks for any file', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    vi.spyOn(navigator.gpu, 'requestAdapter').mockResolvedValue(null);
    const failure = webLlmBackend.load({ ...entry, id: 'Llama-3.2-1B-Instruct-q4f32_1-MLC' }, options);
    await expect(failure).rejects.toMatchObject({ code: 'insufficient_resources' });
    expect(fetched).not.toHaveBeenCalled();
  });
});
