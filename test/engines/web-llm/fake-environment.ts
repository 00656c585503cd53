/** A browser for the WebLLM backend: GPU, caches and network, all in memory. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { WebLlmEnvironment } from '../../../src/engines/web-llm/web-llm-environment.js';
import { filesOf, testStore, type TestStore } from '../../store/support/node-store.js';
import { CHAT_CONFIG } from './chat-config.js';
import { type FakeModel, FakeRecord, fakeWebLlm } from './fake-engine.js';
import { FakeGpu } from './fake-gpu.js';

export interface FakeBrowser {
  environment: WebLlmEnvironment;
  gpu: FakeGpu;
  store: TestStore;
  /** What the engines did. */
  record: FakeRecord;
  /** Every URL that was fetched; whether kept files are still the server's is not counted. */
  fetched: string[];
}

/** Weights are said to be this large. */
export const WEIGHT_BYTES = 300_000_000;

const TINY_CHAT = new URL('../../../public/models/tiny-chat/', import.meta.url);

/** `tensor-cache.json` of weights in two shards. */
export function manifestOf(bytes: number): object {
  return { records: [0, 1].map((shard) => ({ dataPath: `params_shard_${shard}.bin`, nbytes: bytes / 2 })) };
}

export interface FakeBrowserOptions extends Partial<Omit<FakeModel, 'rows'>> {
  gpu?: FakeGpu | undefined;
  freeStorage?: number;
  deviceMemory?: number;
  /** Files of the model folder in place of the usual ones; `undefined` means 404. */
  files?: Record<string, unknown>;
}

/** Any model folder of this browser holds tiny-chat's tokenizer. */
export function fakeBrowser(options: FakeBrowserOptions = {}): FakeBrowser {
  const gpu = 'gpu' in options ? options.gpu : new FakeGpu();
  const record = new FakeRecord();
  const fetched: string[] = [];
  // Words without control tokens; the end of a turn must not come by chance.
  const sayable = Array.from({ length: 400 }, (_, index) => 500 + index * 7);
  const library = fakeWebLlm({ sayable, ...options, rows: CHAT_CONFIG.vocab_size }, gpu as unknown as GPU, record);
  const environment: WebLlmEnvironment = {
    gpu: gpu as unknown as GPU,
    freeStorage: async () => options.freeStorage,
    deviceMemory: options.deviceMemory ?? 8,
    importWebLlm: async () => library,
    openStore: async () => store,
  };
  const store = testStore({
    fetch: async (url, { method }) => {
      if (method !== 'HEAD') fetched.push(url);
      return fileOf(url, options.files ?? {});
    },
  });
  return { environment, gpu: gpu ?? new FakeGpu(), store, record, fetched };
}

async function fileOf(url: string, overrides: Record<string, unknown>): Promise<Response> {
  const file = url.slice(url.lastIndexOf('/') + 1);
  if (file in overrides) {
    const given = overrides[file];
    if (typeof given === 'string') return new Response(given);
    return given === undefined ? new Response(null, { status: 404 }) : Response.json(given);
  }
  if (file === 'mlc-chat-config.json') return Response.json(CHAT_CONFIG);
  if (file === 'tensor-cache.json') return Response.json(manifestOf(WEIGHT_BYTES));
  if (file.startsWith('tokenizer')) return new Response(await readFile(fileURLToPath(new URL(file, TINY_CHAT))));
  return new Response(null, { status: 404 });
}

/** Puts files into the store, as an earlier load would have. */
export async function keepFiles(browser: FakeBrowser, folder: string, files: readonly string[]): Promise<void> {
  const environment = { ...browser.store, fetch: async () => new Response('kept') };
  const earlier = filesOf(environment, folder);
  for (const file of files) await earlier.find(file);
}
