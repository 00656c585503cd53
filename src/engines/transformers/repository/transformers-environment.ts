/** Configures transformers.js for a model worker: files from the store, ONNX Runtime, threads. @module */
import { env } from '@huggingface/transformers';
import { InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { ModelFiles } from '../../../store/model-files.js';
import type { StoredContent } from '../../../store/download/file-contents.js';
import { StoredResponse } from '../../../store/stored-response.js';
import type { FileFailure } from '../../common/load-failure.js';
import { keepLastLogits } from '../onnx-file/keep-last-logits.js';
import { quantizeByRow } from '../onnx-file/quantize-by-row.js';
import { checkGraphSize } from '../onnx-file/read-graph.js';
import { type GraphPlan, rewriteGraph } from '../onnx-file/write-graph.js';
import { CHAT_TEMPLATES } from './repository-files.js';
import { importRuntime } from '../ort/runtime-module.js';

/** More threads do not make these models faster. */
const MAX_THREADS = 4;

/** How graphs are changed; a model that ranks may be a language model. */
const PLANS: Readonly<Partial<Record<ModelEntry['task'], readonly GraphPlan[]>>> = {
  chat: [quantizeByRow, keepLastLogits],
  rerank: [quantizeByRow, keepLastLogits],
};

/** Files of graphs that read the tokens of several requests in one pass. */
const SHARED_GRAPH = /^onnx\/(decoder_)?model[^/]*\.onnx$/;

/** Operators that decide how such a graph is used. */
const NOTED_OPERATORS = ['GroupQueryAttention'] as const;
type NotedOperator = (typeof NOTED_OPERATORS)[number];

/** Bytes at the start of a file that contain the first operators of its graph; the weights come later. */
const GRAPH_START = 2 ** 20;

/** Files of weights beside a graph. */
const WEIGHTS = /^onnx\/[^/]*\.onnx_data(_\d+)?$/;

/** What stands for a file that is not there. */
const STAND_INS: Readonly<Record<string, string>> = {
  // Processors of Gemma demand it; templates are read from all their places elsewhere.
  [CHAT_TEMPLATES[0]]: '',
  // Without it a tokenizer has no options of its own.
  'tokenizer_config.json': '{}',
};

/** How the files of a load fare. */
export interface FilesReport {
  /** Finds the file that made loading fail. */
  fileFailure: (thrown: unknown) => FileFailure | undefined;
  /** Whether a graph that tokens of several requests pass has this operator; false before it was read. */
  graphHas: (operator: NotedOperator) => boolean;
  /** Rejects when weights beside a graph cannot be had: the library would wait for them for ever. Never resolves. */
  weightsLost: Promise<never>;
}

/** Where a model's files are, and the id that transformers.js uses for them. */
export interface ModelLocation {
  /** First argument of `from_pretrained`: a hub id or a path. */
  id: string;
  /** URL of the files, on a hub too; ends with `/`. */
  folderURL: string;
  /** The source is a folder, not a hub id. */
  isFolder: boolean;
}

/**
 * Number of WASM threads: 1 without cross-origin isolation, else a share of the cores. Threads spin while they wait, and for some
 * milliseconds after each run, so they would slow down the page and each other if they took all cores for long, or for little work.
 * @param share of the cores, above 0 to 1
 */
export function availableThreads(share: number): number {
  if (!globalThis.crossOriginIsolated) return 1;
  return Math.max(1, Math.min(MAX_THREADS, Math.ceil((navigator.hardwareConcurrency || 1) * share)));
}

/**
 * Points ONNX Runtime to the app's own files. Works once per worker: the first session loads the wasm. The build with WebGPU
 * is twice as large and slower on the CPU, so WASM models use the plain one, through `ort-module.mjs` if the app serves
 * it.
 */
export async function configureRuntime(device: 'webgpu' | 'wasm', assetsURL: string, threads: number): Promise<void> {
  const { wasm } = env.backends.onnx;
  if (!wasm) return;
  const file = `${assetsURL}ort-wasm-simd-threaded${device === 'webgpu' ? '.asyncify' : ''}`;
  const shared = device === 'wasm' ? await importRuntime(assetsURL) : undefined;
  wasm.wasmPaths = { mjs: shared ?? `${file}.mjs`, wasm: `${file}.wasm` };
  wasm.numThreads = threads;
  wasm.proxy = false;
  // The cache would import the runtime from a blob URL, which a strict CSP forbids.
  env.useWasmCache = false;
}

/**
 * Gives transformers.js the model's files from the store and nothing else: folders never fall back to the hub, and hub
 * models never request the app's own paths. Its own caches, which would be a second copy, are off. Empty files stand for some
 * that the library demands.
 */
export function configureFiles(
  { id, folderURL, isFolder }: ModelLocation,
  files: ModelFiles,
  { task, signal }: { task: ModelEntry['task']; signal: AbortSignal },
): FilesReport {
  Object.assign(env, { allowLocalModels: isFolder, allowRemoteModels: !isFolder, localModelPath: '/' });
  Object.assign(env, { useBrowserCache: false, useFSCache: false, useCustomCache: false });
  // The prefix of file names in transformers.js's requests. The store knows the hub and the revision.
  const prefix = isFolder ? `${id}/` : new URL(`${id}/resolve/main/`, env.remoteHost).href;
  const failures: FileFailure[] = [];
  const operators = new Set<string>();
  /** In memory; the stored file stays as it is. */
  const checked = (response: StoredResponse): StoredResponse =>
    changed(response, async () => {
      const bytes = await response.bytes();
      checkGraphSize(bytes);
      return bytes;
    });
  const rewritten = (response: StoredResponse): StoredResponse =>
    changed(response, async () => {
      const bytes = await response.bytes();
      checkGraphSize(bytes);
      const start = new TextDecoder('latin1').decode(bytes.subarray(0, GRAPH_START));
      for (const operator of NOTED_OPERATORS) if (start.includes(operator)) operators.add(operator);
      return rewriteGraph(bytes, PLANS[task] ?? [quantizeByRow]);
    });
  let loseWeights!: (reason: unknown) => void;
  const weightsLost = new Promise<never>((_, reject) => (loseWeights = reject));
  weightsLost.catch(() => {});
  env.fetch = async (request: string | URL) => {
    const file = String(request).startsWith(prefix) ? String(request).slice(prefix.length) : undefined;
    if (file === undefined) return new Response(null, { status: 404 });
    const url = new URL(file, folderURL).href;
    const isWeights = WEIGHTS.test(file);
    // The library neither waits for an answer any more nor handles a failure.
    const lose = async (reason: unknown): Promise<never> => {
      loseWeights(reason);
      return new Promise(() => {});
    };
    const noting = async <Given>(given: Promise<Given>): Promise<Given> =>
      given.catch((thrown: unknown) => {
        if (!signal.aborted) failures.push(failureOf(url, thrown));
        if (isWeights) return lose(thrown);
        throw thrown;
      });
    const response = await noting(files.read(file).then(async (found) => withoutPointer(url, found)));
    if (response && isWeights) return changed(response, async () => noting(response.bytes()));
    if (response && task !== 'speech-to-text' && SHARED_GRAPH.test(file)) return rewritten(response);
    if (response) return file.endsWith('.onnx') ? checked(response) : response;
    const standIn = STAND_INS[file];
    if (standIn !== undefined) return new Response(standIn);
    failures.push(files.absence(file));
    return isWeights ? lose(new Error(`${url} is missing.`)) : new Response(null, { status: 404 });
  };
  return {
    fileFailure: (thrown) => findCause(failures, thrown),
    weightsLost,
    graphHas: (operator) => operators.has(operator),
  };
}

/** Servers of a clone without its large files give what Git keeps in their place. */
const [POINTER, POINTER_BYTES] = ['version https://git-lfs', 1_024] as const;

/** @throws InferenceError `unavailable` when the file is a pointer of Git LFS */
async function withoutPointer(url: string, found: StoredResponse | undefined): Promise<StoredResponse | undefined> {
  const isSmall = Number(found?.headers.get('content-length')) < POINTER_BYTES;
  if (!found || !isSmall || !(await found.text()).startsWith(POINTER)) return found;
  const message = `${url} is a Git LFS pointer, not the file itself. Run \`git lfs pull\` to download the file.`;
  throw new InferenceError('unavailable', message, { reason: message, permanent: true });
}

function changed({ headers }: StoredResponse, bytes: StoredContent['bytes']): StoredResponse {
  return new StoredResponse({ size: Number(headers.get('content-length')), contentType: undefined, bytes });
}

/** A failed download becomes the same error as in all engines; the store's own refusals keep theirs. */
function failureOf(url: string, thrown: unknown): FileFailure {
  const refusal = isInferenceError(thrown) ? thrown : undefined;
  if (!refusal || refusal.details.url === undefined) return { url, ...(refusal && { refusal }), cause: thrown };
  const { httpStatus } = refusal.details;
  return { url, ...(httpStatus !== undefined && { httpStatus }), cause: refusal.cause };
}

/**
 * The file that made loading fail. A file that network, server or store failed to give explains any error. A file that does
 * not exist is the reason only when the error names it, because many files are optional.
 */
function findCause(failures: readonly FileFailure[], thrown: unknown): FileFailure | undefined {
  const isOutage = ({ httpStatus }: FileFailure): boolean =>
    httpStatus === undefined || httpStatus === 429 || httpStatus >= 500;
  const message = thrown instanceof Error ? thrown.message : '';
  return failures.find(isOutage) ?? failures.find(({ url }) => message.includes(url.slice(url.lastIndexOf('/') + 1)));
}
