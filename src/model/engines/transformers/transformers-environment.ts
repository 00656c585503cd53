/** Sets transformers.js up for a model worker: files from the store, threads. @module */
import { env } from '@huggingface/transformers';
import { isInferenceError } from '../../../core/errors/inference-error.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { ModelFiles } from '../../../store/model-files.js';
import { StoredResponse } from '../../../store/stored-response.js';
import type { FileFailure } from '../load-failure.js';
import { keepLastLogits } from './onnx-file/keep-last-logits.js';

/** More threads than this do not make these models faster. */
const MAX_THREADS = 4;

/** The graph of a chat model that gives logits. */
const CHAT_DECODER = /^onnx\/(decoder_)?model[^/]*\.onnx$/;

/** A model's files: where they are fetched from and what transformers.js calls them. */
export interface ModelLocation {
  /** What `from_pretrained` takes: a hub id, or a path that stands for a folder. */
  id: string;
  /** Of the files, on a hub too; ends with `/`. */
  folderURL: string;
  /** The source is a folder, no hub id. */
  isFolder: boolean;
}

/**
 * WASM threads that this realm can use: 1 unless it is cross-origin isolated, else a share of the cores. The threads spin
 * while they wait for each other; with every core taken for long, the page and the other workers would slow all of them
 * down, so only short bursts of work take them all.
 * @param share of the cores, above 0 to 1
 */
export function availableThreads(share: number): number {
  if (!globalThis.crossOriginIsolated) return 1;
  return Math.max(1, Math.min(MAX_THREADS, Math.ceil((navigator.hardwareConcurrency || 1) * share)));
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
 * Lets transformers.js have this model's files from the store and nothing else: folders never fall back to the hub, hub
 * models never probe the app's own paths. Its own caches are off, for they would be a second copy.
 * @returns finds the file that is the reason when loading has thrown something
 */
export function configureFiles(
  { id, folderURL, isFolder }: ModelLocation,
  files: ModelFiles,
  { task, signal }: { task: ModelEntry['task']; signal: AbortSignal },
): (thrown: unknown) => FileFailure | undefined {
  Object.assign(env, { allowLocalModels: isFolder, allowRemoteModels: !isFolder, localModelPath: '/' });
  Object.assign(env, { useBrowserCache: false, useFSCache: false, useCustomCache: false });
  // What transformers.js puts before a file's name. The store knows the hub and the revision.
  const prefix = isFolder ? `${id}/` : new URL(`${id}/resolve/main/`, env.remoteHost).href;
  const failures: FileFailure[] = [];
  env.fetch = async (request: string | URL) => {
    const file = String(request).startsWith(prefix) ? String(request).slice(prefix.length) : undefined;
    if (file === undefined) return new Response(null, { status: 404 });
    const url = new URL(file, folderURL).href;
    const response = await files.read(file).catch((thrown: unknown) => {
      if (!signal.aborted) failures.push(failureOf(url, thrown));
      throw thrown;
    });
    if (response) return task === 'chat' && CHAT_DECODER.test(file) ? keepingLastLogits(response) : response;
    failures.push({ url, ...files.absence(file) });
    return new Response(null, { status: 404 });
  };
  return (thrown) => reasonOf(failures, thrown);
}

/** The kept file stays as it is. */
function keepingLastLogits(response: StoredResponse): StoredResponse {
  return new StoredResponse({
    size: Number(response.headers.get('content-length')),
    contentType: undefined,
    bytes: async () => keepLastLogits(await response.bytes()),
  });
}

/** An outage is told in the words of all engines; what the store refuses itself, in its own. */
function failureOf(url: string, thrown: unknown): FileFailure {
  const refusal = isInferenceError(thrown) ? thrown : undefined;
  if (!refusal || refusal.details.url === undefined) return { url, ...(refusal && { refusal }), cause: thrown };
  const { httpStatus } = refusal.details;
  return { url, ...(httpStatus !== undefined && { httpStatus }), cause: refusal.cause };
}

/**
 * The file whose failure made loading fail. One that the network, the server or the store did not give explains whatever
 * was thrown; one that is not there is the reason only when the error names it, because many files of a model are optional.
 */
function reasonOf(failures: readonly FileFailure[], thrown: unknown): FileFailure | undefined {
  const isOutage = ({ httpStatus }: FileFailure): boolean =>
    httpStatus === undefined || httpStatus === 429 || httpStatus >= 500;
  const message = thrown instanceof Error ? thrown.message : '';
  return failures.find(isOutage) ?? failures.find(({ url }) => message.includes(url.slice(url.lastIndexOf('/') + 1)));
}
