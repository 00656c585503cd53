/**
 * What loading a model would fetch. Asks for lists of files only: the hub's, or the manifest of a pack. Fetched when the first
 * estimate is asked for.
 * @module
 */
import { InferenceError, isInferenceError } from '../../core/errors/inference-error.js';
import { bundledSizes } from '../../core/models/bundled-sizes.js';
import { Catalog } from '../../core/models/catalog.js';
import { LISTED_MODELS } from '../../core/models/listed-models.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { type DeviceFacts, judgeModel, type ModelEstimate } from '../../core/models/model-estimate.js';
import type { StoredModel } from '../../core/models/stored-model.js';
import { deviceMemory } from '../../core/platform/device-memory.js';
import { findAdapter, ownGpu } from '../../engines/common/find-adapter.js';
import { chooseFile } from '../../engines/gguf/choose-file.js';
import { dtypeFor, halfFloatsIn } from '../../engines/transformers/repository/choose-dtype.js';
import { chooseWeights } from '../../engines/transformers/repository/choose-weights.js';
import { graphFileName } from '../../engines/transformers/repository/repository-files.js';
import { BACKENDS_WITH_FILES, type Sources } from '../../store/list-stored.js';
import { filesFolderOf, parseHubFolder, requireHubFiles } from '../../store/sources/hub.js';
import { PACK_MANIFEST, readManifest } from '../../store/sources/pack-manifest.js';
import { browserStore } from '../../store/storage/store-environment.js';
import { ggufFileURLOf } from '../../core/models/entry-files.js';

/** Bytes of each file, by its name in the folder. */
type FileSizes = ReadonlyMap<string, number>;

/** Milliseconds for a list of files. */
const LIST_TIMEOUT_MS = 30_000;

/** What an estimate asks. */
interface Asked {
  /** What is on the device. */
  stored: () => Promise<StoredModel[]>;
  /** Whether a folder's list of files may be asked for. Default: each. */
  mayAsk?: (folder: string) => boolean;
}

/**
 * See `PageInference.estimate`.
 * @throws InferenceError `model_not_found`; `unavailable` when the list of files cannot be had
 */
export async function estimateModel(model: string, sources: Sources, asked: Asked): Promise<ModelEstimate> {
  const entry = new Catalog(sources.models).require(model);
  const device = await deviceFacts();
  const license = licenseOf(entry);
  const sizes = await sizesOf(entry, sources, device, asked);
  const source = BACKENDS_WITH_FILES.includes(entry.backend) ? folderOf(entry, sources) : undefined;
  const needs = { ...sizes, needsGpu: needsGpu(entry), needsHalfFloats: needsHalfFloats(entry) };
  return {
    model: entry.id,
    ...sizes,
    ...(source !== undefined && { source }),
    ...(license !== undefined && { license }),
    ...judgeModel(needs, device),
  };
}

/** What this device has. Never rejects. */
export async function deviceFacts(): Promise<DeviceFacts> {
  const storage = (navigator as { storage?: StorageManager }).storage;
  const [adapter, estimate] = await Promise.all([
    findAdapter(ownGpu()),
    storage?.estimate?.().catch(() => undefined) ?? undefined,
  ]);
  const { quota, usage = 0 } = estimate ?? {};
  return {
    roomBytes: quota === undefined ? undefined : Math.max(0, quota - usage),
    memoryGB: deviceMemory(),
    gpu: adapter && {
      halfFloats: adapter.features.has('shader-f16'),
      isSoftware: adapter.info?.isFallbackAdapter ?? false,
    },
  };
}

async function sizesOf(
  entry: ModelEntry,
  sources: Sources,
  device: DeviceFacts,
  { stored, mayAsk = () => true }: Asked,
): Promise<Pick<ModelEstimate, 'bytes' | 'missingBytes'>> {
  // The browser's own model comes with the browser, which does not tell what it costs.
  if (entry.backend === 'built-in') return { bytes: null, missingBytes: null };
  if (!BACKENDS_WITH_FILES.includes(entry.backend)) return { bytes: 0, missingBytes: 0 };
  const mine = (await stored()).filter(({ models }) => models.includes(entry.id));
  const kept = new Map(mine.flatMap(({ files }) => files.map(({ file, bytes }) => [file, bytes] as const)));
  const keptBytes = [...kept.values()].reduce((sum, bytes) => sum + bytes, 0);
  // What is there needs no list: it is also told without a network.
  if (mine.length > 0 && mine.every(({ complete }) => complete)) return { bytes: keptBytes, missingBytes: 0 };
  const wanted: [file: string, bytes: number][] = [];
  for (const part of partsOf(entry)) {
    const listed = mayAsk(folderOf(part, sources)) ? await listFiles(part, sources) : undefined;
    if (!listed) return { bytes: null, missingBytes: null };
    const chosen = await chooseFiles(part, listed, device, sources.load.pageURL);
    if (!chosen) return { bytes: null, missingBytes: null };
    for (const file of chosen) wanted.push([file, listed.get(file) ?? 0]);
  }
  const sum = (each: (file: string, bytes: number) => number): number =>
    wanted.reduce((total, [file, bytes]) => total + each(file, bytes), 0);
  return {
    bytes: sum((_, bytes) => bytes),
    missingBytes: sum((file, bytes) => Math.max(0, bytes - (kept.get(file) ?? 0))),
  };
}

/** @internal The entry, and its adapters as entries of their own. */
export function partsOf({ loras = [], ...entry }: ModelEntry): ModelEntry[] {
  const { id, task, backend } = entry;
  return [
    entry,
    ...loras.map(({ source, file }) => ({ id, task, backend, source, ...(file !== undefined && { file }) })),
  ];
}

function folderOf(entry: ModelEntry, { load }: Sources): string {
  // WebLLM's own list has its models in one place on the hub.
  const isListed = entry.backend === 'web-llm' && entry.modelLibrary === undefined;
  const source = isListed ? `mlc-ai/${entry.source ?? entry.id}` : entry.source;
  return filesFolderOf({ ...entry, ...(source !== undefined && { source }) }, load.pageURL, load.hub);
}

/** Undefined: nobody states the sizes. @throws InferenceError `unavailable` */
async function listFiles(entry: ModelEntry, sources: Sources): Promise<FileSizes | undefined> {
  const { load } = sources;
  const folder = folderOf(entry, sources);
  const hub = parseHubFolder(folder);
  const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
  try {
    if (hub) return sizesIn(await requireHubFiles(hub, await browserStore(), signal));
    if (typeof entry.integrity !== 'string' || ggufFileURLOf(entry, load.pageURL)) return bundledSizes(folder);
    const response = await fetch(folder + PACK_MANIFEST, { signal });
    return response.ok ? sizesIn(readManifest(await response.text())) : undefined;
  } catch (thrown) {
    if (isInferenceError(thrown)) throw thrown;
    const { host } = new URL(folder);
    throw new InferenceError(
      'unavailable',
      `The list of files of \`${entry.id}\` could not be read from ${host}. Check the network, and the \`source\` of the model.`,
      { url: folder },
      { cause: thrown },
    );
  }
}

function sizesIn(files: ReadonlyMap<string, { bytes?: number }>): FileSizes {
  return new Map([...files].map(([file, { bytes = 0 }]) => [file, bytes]));
}

/** @internal Those of the listed files that a load opens. @throws InferenceError `invalid_request` when the entry names none of them */
export async function chooseFiles(
  entry: ModelEntry,
  listed: FileSizes,
  device: DeviceFacts,
  pageURL: string,
): Promise<readonly string[] | undefined> {
  const names = [...listed.keys()];
  if (entry.backend === 'web-llm')
    return names.filter((name) => /\.(bin|json|model)$/.test(name) && !name.includes('/'));
  if (entry.backend === 'gguf') return chooseGgufFiles(entry, listed, pageURL);
  const small = names.filter((name) => OPENED_TEXTS.test(name) && OPENED_BY[entry.task].test(name));
  const graphs = await chooseGraphs(entry, names, device);
  return graphs && [...small, ...graphs];
}

/** With all pieces of a file that is split. */
function chooseGgufFiles(entry: ModelEntry, listed: FileSizes, pageURL: string): readonly string[] {
  const url = ggufFileURLOf(entry, pageURL);
  const files = [...listed].map(([name, bytes]) => ({ name, bytes }));
  const file = url
    ? decodeURIComponent(url.pathname.slice(url.pathname.lastIndexOf('/') + 1))
    : chooseFile(entry, files);
  const [, stem, count] = /^(.*)-\d{5}-of-(\d{5})\.gguf$/i.exec(file) ?? [];
  if (stem === undefined) return [file];
  return [...listed.keys()].filter((name) => name.startsWith(`${stem}-`) && name.endsWith(`-of-${count}.gguf`));
}

const OPENED_TEXTS =
  /^((generation_|tokenizer_|preprocessor_|processor_)?config|tokenizer|chat_template|modules|config_sentence_transformers|sentence_bert_config)\.(json|jinja)$|^\d_\w+\/|^voices\//;

/** Which of those texts each task reads. */
const OPENED_BY: Readonly<Record<ModelEntry['task'], RegExp>> = {
  chat: /^(?!\d_|voices\/|modules|.*sentence)/,
  embeddings: /^(?!generation|preprocessor|processor|chat_template|voices\/)/,
  rerank: /^(?!generation|preprocessor|processor|\d_|voices\/|modules|.*sentence)/,
  'speech-to-text': /^(?!processor|chat_template|\d_|voices\/|modules|.*sentence)/,
  'text-to-speech': /^(?!generation|preprocessor|processor|chat_template|\d_|modules|.*sentence)/,
};

/** Sets of graphs that a model may consist of, the first that is there. */
const GRAPHS: readonly (readonly string[])[] = [
  ['embed_tokens', 'vision_encoder', 'decoder_model_merged'],
  ['encoder_model', 'decoder_model_merged'],
  ['text_encoder', 'latent_denoiser', 'voice_decoder'],
  ['model'],
];

/** As a load chooses them, from the list alone. Undefined: the list has nothing that a load would open. */
async function chooseGraphs(
  entry: ModelEntry,
  names: readonly string[],
  { gpu }: DeviceFacts,
): Promise<readonly string[] | undefined> {
  const lacksHalfFloats = halfFloatsIn(dtypeFor(entry, 'webgpu')) !== undefined && !gpu?.halfFloats;
  const mayUseGpu = entry.device !== 'wasm' && gpu && !gpu.isSoftware && !lacksHalfFloats;
  const device = entry.device === 'webgpu' || mayUseGpu ? 'webgpu' : 'wasm';
  const graphs = GRAPHS.find((set) => set.every((graph) => names.some((name) => name.startsWith(`onnx/${graph}`)))) ?? [
    'model',
  ];
  const files = {
    exists: async (file: string): Promise<boolean> => names.includes(file),
    isStored: async (): Promise<boolean> => false,
    listed: async (): Promise<readonly string[]> => names,
  };
  const config = {};
  try {
    const weights = await chooseWeights(entry, { device, halfFloats: gpu?.halfFloats ?? false, graphs, config, files });
    const opened = weights.graphs.map((graph) => `onnx/${graphFileName(graph, { ...weights, device }, config)}`);
    if (!opened.every((file) => names.includes(file))) return undefined;
    // Large weights lie beside the graph: `…_data`, `…_data_1`.
    return names.filter((name) => opened.some((file) => name === file || name.startsWith(`${file}_data`)));
  } catch (thrown) {
    if (isInferenceError(thrown) && thrown.code === 'model_not_supported') return undefined;
    throw thrown;
  }
}

/** It runs on WebGPU only. */
export function needsGpu({ backend, device }: ModelEntry): boolean {
  return backend === 'web-llm' || device === 'webgpu';
}

function needsHalfFloats(entry: ModelEntry): boolean {
  if (entry.backend === 'web-llm') return /q\df16/.test(entry.source ?? entry.id);
  return (
    entry.backend === 'transformers' &&
    entry.device === 'webgpu' &&
    halfFloatsIn(dtypeFor(entry, 'webgpu')) !== undefined
  );
}

/** As the entry says it, else as the list of models knows it. */
function licenseOf({ metadata, source, id }: ModelEntry): string | undefined {
  return metadata?.license ?? LISTED_MODELS.find((listed) => listed.source === (source ?? id))?.license;
}
