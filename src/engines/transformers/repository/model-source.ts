/** Prepares a transformers.js model before loading: device, precision, graphs, files and runtime. @module */
import { env, type PretrainedModelOptions } from '@huggingface/transformers';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { LoadOptions, ModelInfo } from '../../../core/models/backend.js';
import { openModelFiles } from '../../../store/open-model-files.js';
import type { ModelFiles } from '../../../store/model-files.js';
import { checkMemory } from './choose-device.js';
import { dtypeOf, dtypeWarning, graphFile } from './choose-dtype.js';
import { type ChosenFiles, chooseFiles, filesOfOtherName, openedFiles, packedPrompts } from './choose-files.js';
import { availableThreads, configureRuntime, type FilesReport } from './transformers-environment.js';

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
  /**
   * The same model with its weights under the name that other repositories give them; undefined: the server has them under
   * the usual name, or under neither. Call it when the sessions could not be created.
   */
  withOtherName(): Promise<ModelSource | undefined>;
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
  const { files, device } = chosen;
  const dtype = chosen.named ?? dtypeOf(chosen.dtype, decoderOf(chosen.graphs));
  // A ranker reads many documents at a time, and is then idle.
  const threads = device === 'wasm' ? availableThreads(entry.task === 'rerank' ? 1 : 0.5) : 1;
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
  return sourceOf(entry, options, { chosen, info, threads, warn });
}

/** The graph whose precision is shown: the decoder's takes nearly all of the time. */
function decoderOf(graphs: readonly string[]): string {
  return graphs.find((graph) => graph.startsWith('decoder_')) ?? graphs[0]!;
}

/** What a source has, whatever its files are called. */
interface SourceParts extends Pick<ModelSource, 'info' | 'warn'> {
  chosen: ChosenFiles;
  threads: number;
}

function sourceOf(entry: ModelEntry, options: LoadOptions, parts: SourceParts): ModelSource {
  const { chosen, info, threads, warn } = parts;
  const { location, files, fileFailure, weightsLost, graphHas, device, dtype: dtypes, graphs } = chosen;
  const decoder = decoderOf(graphs);
  const written = dtypeOf(dtypes, decoder);
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
    identity: () => identityOf(entry, chosen, threads),
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
    readJson: async (file) => files && readJson(file, files),
    async fetchFiles() {
      if (!files) return;
      const wanted = await openedFiles(entry, chosen, files);
      if (device === 'wasm') checkMemory(entry, await files.bytesOf(wanted));
      // They were computed by one thread, and no other number computes the same.
      const prompts = device === 'wasm' && threads === 1 ? await packedPrompts(entry, files) : [];
      await files.prepare([...wanted, ...prompts], 'load');
    },
    async withOtherName() {
      const other = await filesOfOtherName(entry, chosen, options.signal);
      return other && sourceOf(entry, options, { ...parts, chosen: other });
    },
    repair: async () => (await files?.repair()) ?? false,
  };
}

/** What computes the same from the same prompt; undefined: not known. */
async function identityOf(entry: ModelEntry, chosen: ChosenFiles, threads: number): Promise<string | undefined> {
  const { files, device, dtype } = chosen;
  const hashes = files && (await files.contentHash(await openedFiles(entry, chosen, files)));
  if (hashes === undefined) return undefined;
  // A browser brings its GPU's compiler, and threads share the work by their number.
  const runsOn = device === 'webgpu' ? navigator.userAgent : threads;
  const { versions } = env.backends.onnx as { versions?: { web?: string; common?: string } };
  const engine = [env.version, versions?.web ?? versions?.common];
  return JSON.stringify([hashes, dtype, device, runsOn, engine]);
}

/** @throws Error that names a file that is not JSON */
async function readJson(file: string, files: ModelFiles): Promise<unknown> {
  const found = await files.read(file);
  try {
    return await found?.json();
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new Error(`Its file ${file} is not JSON.`, { cause });
  }
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
