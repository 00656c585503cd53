/** Loads models of all tasks: files, sessions, and what follows a failure. Or fetches the files alone. @module */
import { ModelFileNotFoundError, type PreTrainedModel } from '@huggingface/transformers';
import { type InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';
import type { LoadOptions } from '../../../core/models/backend.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { RetryInNewWorker } from '../../../core/models/retry-in-new-worker.js';
import { loadFailure } from '../../common/load-failure.js';
import { type ChosenFiles, chooseFiles, filesOfOtherName, openedFiles, packedPrompts } from './choose-files.js';
import { type ModelSource, prepareSource } from './model-source.js';
import { findRuntimeFault } from '../ort/runtime-fault.js';
import { fetchAll } from '../../../store/open-model-files.js';

/** How models of one task load. */
export interface ModelKind<Texts, Loaded> {
  /** Creates the sessions. */
  open(source: ModelSource): Promise<PreTrainedModel>;
  /** Reads the small files at the same time. */
  read(source: ModelSource): Promise<Texts>;
  /** Creates the engine from both. */
  assemble(source: ModelSource, model: PreTrainedModel, texts: Texts): Loaded | Promise<Loaded>;
}

/**
 * Loads a model.
 * @param chosen how; or what tells it, by the model's files
 * @throws RetryInNewWorker when another attempt in a new worker may succeed: a damaged file was downloaded again, or the
 * engine failed on a GPU that the entry does not demand
 * @throws InferenceError `insufficient_resources` when it cannot run here, `unavailable` when files are missing or
 * broken, `cancelled`
 */
export async function loadFromSource<Texts, Loaded>(
  entry: ModelEntry,
  options: LoadOptions,
  chosen: ModelKind<Texts, Loaded> | ((source: ModelSource) => Promise<ModelKind<Texts, Loaded>>),
): Promise<Loaded> {
  const { signal } = options;
  let source: ModelSource | undefined;
  let opening: Promise<PreTrainedModel> | undefined;
  try {
    const usual = await prepareSource(entry, options);
    source = usual;
    const kind = typeof chosen === 'function' ? await chosen(usual) : chosen;
    await usual.fetchFiles();
    opening = openSessions(kind, usual).catch(async (thrown: unknown) => {
      const other = await usual.withOtherName();
      if (!other) throw thrown;
      source = other;
      await other.fetchFiles();
      return openSessions(kind, other);
    });
    const [model, texts] = await Promise.all([opening, kind.read(usual)]);
    options.onProgress({ model: entry.id, loadedBytes: 0, totalBytes: 0, stage: 'initialize' });
    return await kind.assemble(source, model, texts);
  } catch (thrown) {
    // The worker may live on, so the sessions of a failed load are freed.
    void opening?.then((model) => model.dispose()).catch(() => {});
    const failure = await toLoadError(thrown, entry, signal, source);
    // Some drivers fail on single operators, run out of memory or lack what a graph needs.
    const isChoice = (entry.device ?? 'auto') === 'auto' && source?.info.device === 'webgpu';
    const onCpu = isChoice ? new RetryInNewWorker(failure, { ...entry, device: 'wasm' }) : failure;
    if (isInferenceError(thrown) && thrown.param === 'device') throw onCpu;
    if (!source || signal.aborted || !isEngineFailure(thrown) || source.fileFailure(thrown)) throw failure;
    if (await isMended(source, entry, signal)) throw new RetryInNewWorker(failure, entry);
    throw onCpu;
  }
}

/** @throws the engine's error, or that of a file of weights which the engine would wait for */
function openSessions(kind: Pick<ModelKind<unknown, unknown>, 'open'>, source: ModelSource): Promise<PreTrainedModel> {
  return Promise.race([kind.open(source), source.weightsLost]);
}

/** Whether the engine failed on a stored file that was damaged and has been downloaded again. @throws InferenceError */
async function isMended(source: ModelSource, entry: ModelEntry, signal: AbortSignal): Promise<boolean> {
  try {
    return await source.repair();
  } catch (thrown) {
    throw await toLoadError(thrown, entry, signal, source);
  }
}

/** @param source absent: preparing it failed */
async function toLoadError(
  thrown: unknown,
  entry: ModelEntry,
  signal: AbortSignal,
  source: ModelSource | undefined,
): Promise<InferenceError> {
  return loadFailure(thrown, entry, signal, source?.fileFailure(thrown) ?? (await findRuntimeFault(thrown, signal)));
}

/**
 * Whether the engine failed on files that exist, so that another device may run them. Missing, gated or refused files fail
 * on every device.
 */
function isEngineFailure(thrown: unknown): boolean {
  return !isInferenceError(thrown) && !(thrown instanceof ModelFileNotFoundError);
}

/** Fetches the files that a load on this device would need into the store. @throws InferenceError */
export async function fetchFiles(entry: ModelEntry, options: LoadOptions): Promise<void> {
  let chosen: ChosenFiles | undefined;
  try {
    chosen = await chooseFiles(entry, options);
    const { files, device } = chosen;
    if (!files) throw new Error('There is no storage to download files to.');
    const prompts = device === 'wasm' ? await packedPrompts(entry, files) : [];
    const fetchChosen = async (wanted: ChosenFiles): Promise<void> =>
      fetchAll(files, [...(await openedFiles(entry, wanted, files)), ...prompts]);
    const usual = chosen;
    await fetchChosen(usual).catch(async (thrown: unknown) => {
      const other = await filesOfOtherName(entry, usual, options.signal);
      if (!other) throw thrown;
      await fetchChosen(other);
    });
  } catch (thrown) {
    throw loadFailure(thrown, entry, options.signal, chosen?.fileFailure(thrown));
  }
}
