/** Sets transformers.js up for a model worker: files from the app itself, threads, one cache. @module */
import { env } from '@huggingface/transformers';
import type { LoadOptions } from '../../models/backend.js';
import type { FileFailure } from '../load-failure.js';
import { keepFresh, MODEL_CACHE } from './model-cache.js';

/** More threads than this do not make these models faster. */
const MOST_THREADS = 4;

/** A model's files: where they are fetched from and what transformers.js calls them. */
export interface ModelLocation {
  /** What `from_pretrained` takes: a hub id, or a path that stands for a folder. */
  id: string;
  /** Absent: the Hugging Face Hub. Ends with `/`. */
  folderURL?: string;
}

/**
 * WASM threads that this realm can use: 1 unless it is cross-origin isolated, else a share of the cores. The threads spin
 * while they wait for each other; with every core taken for long, the page and the other workers would slow all of them
 * down, so only short bursts of work take them all.
 * @param share of the cores, above 0 to 1
 */
export function availableThreads(share: number): number {
  if (!globalThis.crossOriginIsolated) return 1;
  return Math.max(1, Math.min(MOST_THREADS, Math.ceil((navigator.hardwareConcurrency || 1) * share)));
}

/**
 * Points ONNX Runtime at the app's own files. Works once per realm: the first session loads the wasm. The build with
 * WebGPU is twice as large and slower on the CPU, so WASM models take the plain one, through `ort-module.mjs` where the
 * app serves it.
 */
export async function configureRuntime(device: 'webgpu' | 'wasm', assetsURL: string, threads: number): Promise<void> {
  const { wasm } = env.backends.onnx;
  if (!wasm) return;
  const file = `${assetsURL}ort-wasm-simd-threaded${device === 'webgpu' ? '.asyncify' : ''}`;
  const shared = `${assetsURL}ort-module.mjs`;
  const loader = device === 'wasm' && (await canImport(shared)) ? shared : `${file}.mjs`;
  wasm.wasmPaths = { mjs: loader, wasm: `${file}.wasm` };
  wasm.numThreads = threads;
  wasm.proxy = false;
  // The cached form would import the runtime from a blob URL, which a strict CSP forbids.
  env.useWasmCache = false;
}

async function canImport(url: string): Promise<boolean> {
  try {
    await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ url);
    return true;
  } catch {
    return false;
  }
}

/**
 * Lets transformers.js fetch this model's files and nothing else: folders never fall back to the hub, hub models never
 * probe the app's own paths. Downloads report progress, stop with `signal`, and are kept in one cache.
 * @returns finds the file that is the reason when loading has thrown something
 */
export function configureFiles(
  location: ModelLocation,
  model: string,
  options: LoadOptions,
): (thrown: unknown) => FileFailure | undefined {
  const { id, folderURL } = location;
  const local = folderURL !== undefined;
  env.allowLocalModels = local;
  env.allowRemoteModels = !local;
  env.localModelPath = '/';
  env.cacheKey = MODEL_CACHE;
  const toURL = (request: string): string =>
    local && request.startsWith(id) ? new URL(request.slice(id.length).replace(/^\//, ''), folderURL).href : request;
  const failures: FileFailure[] = [];
  const noteFailure = (failure: FileFailure): void => {
    if (!options.signal.aborted) failures.push(failure);
  };
  const reported = (response: Response, url: string): Response =>
    withProgress(response, {
      onBytes: (loadedBytes, totalBytes) =>
        options.onProgress({ model, file: fileOf(url), loadedBytes, totalBytes, stage: 'download' }),
      onFailure: (cause) => noteFailure({ url, cause }),
    });
  env.fetch = async (request: string | URL, init?: RequestInit) => {
    const url = toURL(String(request));
    const response = await fetch(url, { ...init, signal: options.signal }).catch((cause: unknown) => {
      noteFailure({ url, cause });
      throw cause;
    });
    // Development servers answer missing files with their start page.
    const isPage = response.headers.get('content-type')?.startsWith('text/html') === true;
    if (!response.ok || isPage) noteFailure({ url, httpStatus: response.status, isPage });
    if (!response.ok) return response;
    if (isPage) return new Response(null, { status: 404 });
    return reported(response, url);
  };
  if (env.useBrowserCache) {
    env.useCustomCache = true;
    const cache = keepFresh(local ? toURL : undefined);
    env.customCache = {
      put: (key, response) => cache.put(key, response),
      async match(key) {
        const kept = await cache.match(key);
        return kept && reported(kept, key);
      },
    };
  }
  return (thrown) => reasonOf(failures, thrown);
}

/**
 * The file whose failure made loading fail. One that the network or the server did not give explains whatever was thrown;
 * one that is not there is the reason only when the error names it, because many files of a model are optional.
 */
function reasonOf(failures: readonly FileFailure[], thrown: unknown): FileFailure | undefined {
  const isOutage = ({ httpStatus }: FileFailure): boolean =>
    httpStatus === undefined || httpStatus === 429 || httpStatus >= 500;
  const message = thrown instanceof Error ? thrown.message : '';
  return failures.find(isOutage) ?? failures.find(({ url }) => message.includes(fileOf(url)));
}

function fileOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

interface ReadingWatch {
  onBytes: (loaded: number, total: number) => void;
  /** The rest will not come. */
  onFailure: (error: unknown) => void;
}

/** The same response; `watch` hears of its bytes as they are read. */
function withProgress(response: Response, watch: ReadingWatch): Response {
  if (!response.body) return response;
  const encoded = response.headers.has('content-encoding');
  const total = encoded ? 0 : Number(response.headers.get('content-length') ?? 0);
  let loaded = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      watch.onBytes(loaded, Math.max(total, loaded));
      controller.enqueue(chunk);
    },
  });
  // The reader gets the same error, but nothing that tells it from the engine's.
  response.body.pipeTo(counting.writable).catch(watch.onFailure);
  return new Response(counting.readable, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}
