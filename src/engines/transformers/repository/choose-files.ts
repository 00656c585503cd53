/** The files of a load: where they are, which device they are for, and which of them it opens. @module */
import {
  AutoConfig,
  AutoModelForCausalLM,
  AutoModelForImageTextToText,
  ModelRegistry,
  PretrainedConfig,
} from '@huggingface/transformers';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { LoadOptions } from '../../../core/models/backend.js';
import { isHubId } from '../../../core/models/entry-files.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { ModelFiles } from '../../../store/model-files.js';
import { openModelFiles } from '../../../store/open-model-files.js';
import { filesFolderOf } from '../../../store/sources/hub.js';
import { isPackedPrompt } from '../../../store/sources/pack-manifest.js';
import { loadFailure } from '../../common/load-failure.js';
import { chooseDevice } from './choose-device.js';
import { dtypeFor } from './choose-dtype.js';
import { chooseWeights, type WeightFiles, weightsOfOtherName } from './choose-weights.js';
import { checkModelClass, refuseUnknownClass } from './model-classes.js';
import { checkOwnConfig, graphsOf, isVisionModel, modelFileNames } from './repository-files.js';
import { MODULES } from './sentence-files.js';
import { configureFiles, type FilesReport, type ModelLocation } from './transformers-environment.js';

/** A model's files, and which of them its device needs. */
export interface ChosenFiles extends WeightFiles, FilesReport {
  location: ModelLocation;
  /** Absent in Node: transformers.js reads a folder itself. */
  files: ModelFiles | undefined;
  device: 'webgpu' | 'wasm';
  /** The GPU computes with 16-bit floats. */
  halfFloats: boolean;
  /** Parsed `config.json`. */
  config: object;
}

/** The same files, but for weights that the server has under the name that other repositories give them alone. */
export async function filesOfOtherName(
  { task }: ModelEntry,
  chosen: ChosenFiles,
  signal: AbortSignal,
): Promise<ChosenFiles | undefined> {
  const { location, device, config, files } = chosen;
  const weights =
    files &&
    (await weightsOfOtherName(
      chosen,
      { device, config, files },
      (file) => files.absence(file).httpStatus !== undefined,
    ));
  if (!weights) return undefined;
  const report = configureFiles(location, files, { task, signal });
  const fileFailure: FilesReport['fileFailure'] = (thrown) => report.fileFailure(thrown) ?? chosen.fileFailure(thrown);
  return { ...chosen, ...weights, ...report, fileFailure };
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
    return { location, ...none, device: 'wasm', halfFloats: false, dtype, graphs, config };
  }
  const files = await openModelFiles(entry, location.folderURL, options);
  const report = configureFiles(location, files, { task: entry.task, signal: options.signal });
  // Which files there are depends on it, so it comes beside the config.
  if (entry.task === 'embeddings') files.find(MODULES).catch(() => {});
  try {
    const found = (await (await files.read('config.json'))?.json()) as object | undefined;
    const config = found ?? {};
    checkOwnConfig(entry.id, config);
    checkClass(entry, found);
    const { device, halfFloats } = await chooseDevice(entry, location.id);
    const graphs = await modelGraphs(entry, location.id, config);
    const weights = await chooseWeights(entry, { device, halfFloats, graphs, config, files });
    return { location, files, ...report, device, halfFloats, config, ...weights };
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
