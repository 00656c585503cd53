/** Prepares a transformers.js model before loading: device, precision, graphs, files and runtime. @module */
import {
  AutoConfig,
  AutoModelForCausalLM,
  AutoModelForImageTextToText,
  env,
  ModelRegistry,
  PretrainedConfig,
  type PretrainedModelOptions,
} from '@huggingface/transformers';
import type { ModelEntry } from '../../../../core/models/model-entry.js';
import { isHubId } from '../../../../core/models/entry-files.js';
import type { LoadOptions, ModelInfo } from '../../../../core/models/backend.js';
import { loadFailure } from '../../load-failure.js';
import { filesFolderOf } from '../../../../store/sources/hub.js';
import { openModelFiles } from '../../../../store/open-model-files.js';
import type { ModelFiles } from '../../../../store/model-files.js';
import { isPackedPrompt } from '../../../../store/sources/pack-manifest.js';
import { checkMemory, chooseDevice } from './choose-device.js';
import { dtypeFor, dtypeOf, dtypeWarning, graphFile } from './choose-dtype.js';
import { chooseWeights, type WeightFiles } from './choose-weights.js';
import {
  availableThreads,
  configureFiles,
  configureRuntime,
  type FilesReport,
  type ModelLocation,
} from './transformers-environment.js';
import { checkModelClass, refuseUnknownClass } from './model-classes.js';
import { MODULES } from './sentence-files.js';
import { checkOwnConfig, graphsOf, isVisionModel, modelFileNames } from './repository-files.js';
import { InferenceError } from '../../../../core/errors/inference-error.js';

/** A source that is ready for `from_pretrained`. */
export interface ModelSource extends FilesReport {
  /** First argument of `from_pretrained`. */
  id: string;
  /** Second argument of `from_pretrained`. */
  pretrained: PretrainedModelOptions;
  info: Omit<ModelInfo, 'contextLength'>;
  /** URL of the files' folder. */
  folder: string;
  /**
   * What decides the numbers that the model computes: its files by their hashes, precision, device and engine. Undefined
   * when the store does not know the files. Call it once the model is loaded and stored.
   */
  identity(): Promise<string | undefined>;
  /** Names of the files that the model's pack has for cached prompts. */
  packedPrompts(): Promise<readonly string[]>;
  /** One of them, checked; also when the load is over. */
  readPackedPrompt(file: string): Promise<Uint8Array | undefined>;
  /** Names of the model's graphs. */
  graphs: readonly string[];
  /** It runs on a GPU that computes with 16-bit floats. */
  halfFloats: boolean;
  /** Tells the app, in the console and in `info.warning`. @param warning a sentence that begins small, with its point */
  warn(warning: string): void;
  /**
   * What is asked about the decoder's graph on this device and version of the library. The answer is kept with the graph's
   * file, so that later loads do not pay for it. Call it once the model is loaded and stored.
   */
  cachedProbe(question: string, find: () => Promise<boolean>): Promise<boolean>;
  /**
   * Starts to fetch all files, several at once.
   * @throws InferenceError `insufficient_resources`, before the download, when storage or WASM has no room for the weights
   */
  fetchFiles(): Promise<void>;
  /** A JSON file of the model; undefined when there is none. */
  readJson: (file: string) => Promise<unknown>;
  /** A file of the model; undefined when there is none. */
  readBytes: (file: string) => Promise<Uint8Array | undefined>;
  /** A text file of the model; undefined when there is none. */
  readText: (file: string) => Promise<string | undefined>;
  /** Checks all stored files and downloads damaged ones again. @returns true when there were any */
  repair(): Promise<boolean>;
}

/**
 * Chooses device and precision and points transformers.js to the model's files. These settings are global, so a worker holds
 * one model.
 * @throws InferenceError `insufficient_resources`, `model_not_supported` before anything but the config is fetched
 */
export async function prepareSource(entry: ModelEntry, options: LoadOptions): Promise<ModelSource> {
  const chosen = await chooseFiles(entry, options);
  const { location, files, fileFailure, weightsLost, graphHas, device, dtype: dtypes, graphs } = chosen;
  const decoder = graphs.find((graph) => graph.startsWith('decoder_')) ?? graphs[0]!;
  // The precision that is shown is the decoder's, which takes nearly all of the time.
  const written = dtypeOf(dtypes, decoder);
  const dtype = chosen.named ?? written;
  const threads = device === 'wasm' ? availableThreads(['embeddings', 'rerank'].includes(entry.task) ? 1 : 0.5) : 1;
  if (files) await configureRuntime(device, options.assetsURL, threads);
  const warning = chosen.substitute ?? dtypeWarning(dtype, device);
  const info: ModelSource['info'] = {
    device,
    threads,
    ...(dtype !== undefined && { dtype }),
    toolFormat: 'none',
    reasoningFormat: 'none',
    images: false,
  };
  const warn = (text: string): void => {
    console.warn(`inpage: the model \`${entry.id}\`: ${text}`);
    info.warning = info.warning === undefined ? text : `${info.warning} ${text}`;
  };
  if (warning !== undefined) warn(warning);
  const readText = async (file: string): Promise<string | undefined> => (await files?.read(file))?.text();
  let lasting: Promise<ModelFiles> | undefined;
  return {
    id: location.id,
    pretrained: {
      device: files ? device : 'cpu',
      ...(dtypes !== undefined && { dtype: dtypes as NonNullable<PretrainedModelOptions['dtype']> }),
      ...(graphs.length === 1 && graphs[0] !== 'model' && { model_file_name: graphs[0]! }),
      ...(files && { use_external_data_format: { ...chosen.shards } }),
      ...(graphs.some(hasBranches) && { session_options: structuredClone(UNPACKED_WEIGHTS) }),
    },
    graphs,
    info,
    folder: location.folderURL,
    async identity() {
      const hashes = files && (await files.contentHash(await openedFiles(entry, chosen, files)));
      if (hashes === undefined) return undefined;
      // A browser brings its GPU's compiler, and threads share the work by their number.
      const runsOn = device === 'webgpu' ? navigator.userAgent : threads;
      const { versions } = env.backends.onnx as { versions?: { web?: string; common?: string } };
      const engine = [env.version, versions?.web ?? versions?.common];
      return JSON.stringify([hashes, dtypes, device, runsOn, engine]);
    },
    packedPrompts: async () => (files ? packedPrompts(entry, files) : []),
    async readPackedPrompt(file) {
      // The files of a load end with it.
      const later = { ...options, onProgress: () => {}, signal: new AbortController().signal };
      const kept = await (lasting ??= openModelFiles(entry, location.folderURL, later));
      return (await kept.read(file))?.bytes();
    },
    warn,
    fileFailure,
    weightsLost,
    graphHas,
    halfFloats: chosen.halfFloats,
    async cachedProbe(question, find) {
      if (written === undefined || !files) return find();
      const file = graphFile(decoder, written);
      const whole = `${question} (${device}, transformers.js ${env.version})`;
      const known = await files.fact(file, whole);
      if (known !== undefined) return known;
      const answer = await find();
      // A full disk is no reason to fail.
      await files.keepFact(file, whole, answer).catch(() => {});
      return answer;
    },
    readText,
    readBytes: async (file) => (await files?.read(file))?.bytes(),
    async readJson(file) {
      const text = await readText(file);
      try {
        return text === undefined ? undefined : (JSON.parse(text) as unknown);
      } catch (cause) {
        throw new Error(`Its file ${file} is not JSON.`, { cause });
      }
    },
    async fetchFiles() {
      if (!files) return;
      const wanted = await openedFiles(entry, chosen, files);
      if (device === 'wasm') checkMemory(entry, await files.bytesOf(wanted));
      // They were computed by one thread, and no other number computes the same.
      const prompts = device === 'wasm' && threads === 1 ? await packedPrompts(entry, files) : [];
      await files.prepare([...wanted, ...prompts]);
    },
    repair: async () => (await files?.repair()) ?? false,
  };
}

/**
 * ONNX Runtime 1.30 refuses graphs whose 8-bit weights are unpacked in a branch (`TransposeDQWeightsForMatMulNBits Missing
 * required scale`), as in published Whisper decoders. With this option it unpacks them once, while it loads, and decodes
 * faster than when it packs them again.
 */
export const UNPACKED_WEIGHTS = { extra: { session: { disable_quant_qdq: '1' } } };

/** Merged graphs have two branches: with and without a cache. */
function hasBranches(graph: string): boolean {
  return graph.endsWith('_merged');
}

/** A model's files, and which of them its device needs. */
export interface ChosenFiles extends WeightFiles, FilesReport {
  location: ModelLocation;
  /** Absent in Node: transformers.js reads a folder itself. */
  files: ModelFiles | undefined;
  device: 'webgpu' | 'wasm';
  /** The GPU computes with 16-bit floats. */
  halfFloats: boolean;
}

/** Names of the files that a model's pack has for cached prompts. */
export async function packedPrompts({ integrity }: ModelEntry, files: ModelFiles): Promise<string[]> {
  // Only a manifest's hash; others list no files, or ask a hub for them.
  return typeof integrity === 'string' ? (await files.listed()).filter(isPackedPrompt) : [];
}

/** All files that a load of this model opens, by their names in its folder. @throws InferenceError `unavailable` */
export async function openedFiles(
  { task, voices }: ModelEntry,
  { device, dtype, graphs, shards }: Pick<ChosenFiles, 'device' | 'dtype' | 'graphs' | 'shards'>,
  files: ModelFiles,
): Promise<string[]> {
  return modelFileNames({ task, device, dtype, graphs, shards, voices }, (file) => files.read(file));
}

/** @throws InferenceError `insufficient_resources`, `model_not_supported` before anything but the config is fetched */
export async function chooseFiles(entry: ModelEntry, options: LoadOptions): Promise<ChosenFiles> {
  const location = locate(entry, options);
  if (options.pageURL.startsWith('file:')) {
    const config = await AutoConfig.from_pretrained(location.id);
    checkClass(entry, config);
    const dtype = dtypeFor(entry, 'wasm');
    const graphs = await modelGraphs(entry, location.id, config);
    const report: FilesReport = {
      fileFailure: () => undefined,
      weightsLost: new Promise<never>(() => {}),
      graphHas: () => false,
    };
    const none = { files: undefined, ...report, shards: {} };
    return { location, ...none, device: 'wasm', halfFloats: false, dtype, graphs };
  }
  const files = await openModelFiles(entry, location.folderURL, options);
  const report = configureFiles(location, files, { task: entry.task, signal: options.signal });
  // Which files there are depends on it, so it comes beside the config.
  if (entry.task === 'embeddings') files.find(MODULES).catch(() => {});
  try {
    const config = (await (await files.read('config.json'))?.json()) as object | undefined;
    checkOwnConfig(entry.id, config ?? {});
    checkClass(entry, config);
    const { device, halfFloats } = await chooseDevice(entry, location.id);
    const graphs = await modelGraphs(entry, location.id, config ?? {});
    const weights = await chooseWeights(entry, { device, halfFloats, graphs, config: config ?? {}, files });
    return { location, files, ...report, device, halfFloats, ...weights };
  } catch (thrown) {
    throw loadFailure(thrown, entry, options.signal, report.fileFailure(thrown));
  }
}

/** @throws InferenceError `model_not_supported` */
function checkClass(entry: ModelEntry, config: unknown): void {
  checkModelClass(entry, config);
  const { model_type: type = '' } = (config ?? {}) as { model_type?: string };
  const isKnown = AutoModelForCausalLM.supports(type) || AutoModelForImageTextToText.supports(type);
  if (entry.task === 'chat' && !isKnown && config !== undefined) refuseUnknownClass(entry, config);
}

function locate(entry: ModelEntry, { pageURL, hub }: LoadOptions): ModelLocation {
  const source = entry.source ?? entry.id;
  const folderURL = filesFolderOf(entry, pageURL, hub);
  if (isHubId(source)) return { id: source, folderURL, isFolder: false };
  const url = new URL(folderURL);
  if (url.protocol === 'file:') {
    return { id: decodeURIComponent(url.pathname).replace(/\/$/, ''), folderURL, isFolder: true };
  }
  const path = url.pathname.replace(/\/$/, '');
  // transformers.js takes paths, not URLs; a folder of another origin gets a path that no file of ours has.
  const id = url.origin === new URL(pageURL).origin ? path : `/.inpage/${encodeURIComponent(url.origin)}${path}`;
  return { id, folderURL, isFolder: true };
}

/**
 * Names of the graphs: `model` for a text model, several for a vision model.
 * @param id first argument of `from_pretrained`
 * @throws InferenceError `model_not_supported` for chat models with other graphs
 */
async function modelGraphs(entry: ModelEntry, id: string, config: object): Promise<readonly string[]> {
  if (entry.task !== 'chat') return graphsOf(entry.task, config as Record<string, unknown>);
  // Handed over, because the registry remembers the config of an id for as long as the worker lives.
  const files = await ModelRegistry.get_model_files(id, { config: new PretrainedConfig(config), dtype: 'fp32' });
  const graphs = files.flatMap((file) => /^onnx\/(.*)\.onnx$/.exec(file)?.[1] ?? []);
  if (graphs.length <= 1 || isVisionModel(graphs)) return graphs.length === 0 ? ['model'] : graphs;
  throw new InferenceError(
    'model_not_supported',
    `The model \`${entry.id}\` consists of ${graphs.length} ONNX graphs. Inpage runs models with a single graph, and vision models with a vision encoder, an embedding and a decoder.`,
    { param: 'model' },
  );
}
