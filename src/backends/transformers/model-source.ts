/** What every transformers.js model needs before its files are read. @module */
import { env, type PretrainedModelOptions } from '@huggingface/transformers';
import type { InferenceError } from '../../errors/inference-error.js';
import type { ModelEntry } from '../../models/model-entry.js';
import { folderURLOf } from '../../models/entry-files.js';
import type { LoadOptions, ModelInfo } from '../../models/backend.js';
import { type FileFailure, loadFailure } from '../load-failure.js';
import { type ChosenDevice, chooseDevice } from './choose-device.js';
import { chooseDtype, dtypeFor, dtypeWarning, modelFile } from './choose-dtype.js';
import { readKept } from './model-cache.js';
import { availableThreads, configureFiles, configureRuntime, type ModelLocation } from './transformers-environment.js';

/** A source that is ready for `from_pretrained`. */
export interface ModelSource {
  /** First argument of `from_pretrained`. */
  id: string;
  /** Second argument of `from_pretrained`. */
  pretrained: PretrainedModelOptions;
  info: Omit<ModelInfo, 'contextLength'>;
  /** The file that is the reason of a failure to load, if one is. */
  fileFailure(thrown: unknown): FileFailure | undefined;
  /**
   * The model's graph has an operator of this name. To be asked for once the model is loaded and kept; false also when
   * that cannot be told.
   */
  graphHas(operator: string): Promise<boolean>;
  /** A JSON file of the model; undefined when there is none. */
  readJson(file: string): Promise<unknown>;
  /** A text file of the model; undefined when there is none. */
  readText(file: string): Promise<string | undefined>;
}

/**
 * Chooses the device and points transformers.js at the model's files. A realm holds one model, because these settings
 * are the engine's globals.
 * @throws InferenceError `insufficient_resources` before anything but the config is fetched
 */
export async function prepareSource(entry: ModelEntry, options: LoadOptions): Promise<ModelSource> {
  const location = locate(entry, options.pageURL);
  const inNode = options.pageURL.startsWith('file:');
  const fileFailure = inNode ? () => undefined : configureFiles(location, entry.id, options);
  const chosen: ChosenDevice = inNode ? { device: 'wasm', halfFloats: false } : await chooseDevice(entry, location.id);
  const { device } = chosen;
  const threads = device === 'wasm' ? availableThreads(entry.task === 'embeddings' ? 1 : 0.5) : 1;
  if (!inNode) await configureRuntime(device, options.assetsURL, threads);
  const has = (file: string): Promise<boolean> => hasFile(location, file, options.signal);
  const dtype = inNode ? dtypeFor(entry, device) : await chooseDtype(entry, device, has, chosen.halfFloats);
  const warning = dtypeWarning(dtype, device);
  if (warning !== undefined) console.warn(`inpage: the model \`${entry.id}\`: ${warning}`);
  const read = (file: string): Promise<string | undefined> => readFile(location, file, options.signal);
  return {
    id: location.id,
    pretrained: {
      device: inNode ? 'cpu' : device,
      ...(dtype !== undefined && { dtype: dtype as NonNullable<PretrainedModelOptions['dtype']> }),
    },
    info: {
      device,
      threads,
      ...(dtype !== undefined && { dtype }),
      ...(warning !== undefined && { warning }),
      toolFormat: 'none',
      reasoningFormat: 'none',
      images: false,
    },
    fileFailure,
    async graphHas(operator) {
      const start = dtype !== undefined && !inNode && (await readStart(location, modelFile(dtype), options.signal));
      return start !== false && start.includes(operator);
    },
    readText: read,
    async readJson(file) {
      const text = await read(file);
      return text === undefined ? undefined : (JSON.parse(text) as unknown);
    },
  };
}

/** Any failure of loading as an InferenceError, see {@link loadFailure}. @param source absent: not even that was ready */
export function toLoadError(
  thrown: unknown,
  entry: ModelEntry,
  signal: AbortSignal,
  source: ModelSource | undefined,
): InferenceError {
  return loadFailure(thrown, entry, signal, source?.fileFailure(thrown));
}

function locate(entry: ModelEntry, pageURL: string): ModelLocation {
  const source = entry.source ?? entry.id;
  const folderURL = folderURLOf(source, pageURL);
  if (folderURL === undefined) return { id: source };
  const url = new URL(folderURL);
  if (url.protocol === 'file:') return { id: decodeURIComponent(url.pathname).replace(/\/$/, '') };
  const path = url.pathname.replace(/\/$/, '');
  // transformers.js takes no folder URLs, but paths; one of another origin needs a path that cannot be our own.
  const id = url.origin === new URL(pageURL).origin ? path : `/.inpage/${encodeURIComponent(url.origin)}${path}`;
  return { id, folderURL };
}

/** Under which transformers.js asks for a file and keeps it. */
function keyOf(location: ModelLocation, file: string): string {
  if (location.folderURL) return `${location.id}/${file}`;
  return `${env.remoteHost}${env.remotePathTemplate.replaceAll('{model}', location.id).replaceAll('{revision}', 'main')}${file}`;
}

/** Asks for the first byte alone: some stores sign their URLs for GET and refuse HEAD. */
async function hasFile(location: ModelLocation, file: string, signal: AbortSignal): Promise<boolean> {
  const key = keyOf(location, file);
  if (env.useCustomCache && (await readKept(key))) return true;
  const url = location.folderURL ? new URL(file, location.folderURL).href : key;
  const response = await fetch(url, { headers: { range: 'bytes=0-0' }, signal }).catch(() => undefined);
  void response?.body?.cancel().catch(() => {});
  // Development servers answer missing files with their start page.
  return response?.ok === true && !response.headers.get('content-type')?.startsWith('text/html');
}

/** The graph comes before the weights. Its first operators are all that is looked for. */
const GRAPH_START = 2 ** 20;

/** What stands at the beginning of a file, a character per byte; empty where it cannot be had. */
async function readStart(location: ModelLocation, file: string, signal: AbortSignal): Promise<string> {
  const key = keyOf(location, file);
  const url = location.folderURL ? new URL(file, location.folderURL).href : key;
  const range = { range: `bytes=0-${GRAPH_START - 1}` };
  const kept = env.useCustomCache ? await readKept(key) : undefined;
  const response = kept ?? (await fetch(url, { headers: range, signal }).catch(() => undefined));
  if (!response?.ok || !response.body) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder('latin1');
  let text = '';
  while (text.length < GRAPH_START) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  void reader.cancel().catch(() => {});
  return text;
}

async function readFile(location: ModelLocation, file: string, signal: AbortSignal): Promise<string | undefined> {
  const url = keyOf(location, file);
  const kept = env.useCustomCache ? await env.customCache?.match(url) : undefined;
  if (kept instanceof Response) return kept.text();
  const response = (await env.fetch(url, { signal }).catch(() => undefined)) as Response | undefined;
  if (!response?.ok) return undefined;
  const text = await response.text();
  if (env.useCustomCache)
    await env.customCache?.put(url, new Response(text, { headers: response.headers })).catch(() => {});
  return text;
}
