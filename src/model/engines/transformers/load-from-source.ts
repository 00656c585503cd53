/** The one way in which all kinds of models load: files, engine, and what becomes of a failure. @module */
import type { PreTrainedModel } from '@huggingface/transformers';
import type { InferenceError } from '../../../core/errors/inference-error.js';
import type { LoadOptions } from '../../../core/models/backend.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { RetryInNewWorker } from '../../../core/models/retry-in-new-worker.js';
import { loadFailure } from '../load-failure.js';
import { isEngineFailure } from './engine-failure.js';
import { type ModelSource, prepareSource } from './model-source.js';

/** How a kind of model loads. */
export interface ModelKind<Texts, Loaded> {
  /** Makes the sessions. */
  open(source: ModelSource): Promise<PreTrainedModel>;
  /** Reads the small files, meanwhile. */
  read(source: ModelSource): Promise<Texts>;
  /** Makes an engine of both. */
  assemble(source: ModelSource, model: PreTrainedModel, texts: Texts): Loaded | Promise<Loaded>;
}

/**
 * Loads a model.
 * @throws RetryInNewWorker when another attempt in a new worker makes sense: a damaged file is whole again, or the engine
 * broke on a GPU that nobody asked for
 * @throws InferenceError `insufficient_resources` when it cannot run here, `unavailable` when files are missing or
 * broken, `cancelled`
 */
export async function loadFromSource<Texts, Loaded>(
  entry: ModelEntry,
  options: LoadOptions,
  kind: ModelKind<Texts, Loaded>,
): Promise<Loaded> {
  const { signal } = options;
  let source: ModelSource | undefined;
  let opening: Promise<PreTrainedModel> | undefined;
  try {
    source = await prepareSource(entry, options);
    await source.fetchFiles();
    opening = kind.open(source);
    const [model, texts] = await Promise.all([opening, kind.read(source)]);
    options.onProgress({ model: entry.id, loadedBytes: 0, totalBytes: 0, stage: 'initialize' });
    return await kind.assemble(source, model, texts);
  } catch (thrown) {
    // Where this worker lives on, the other half of a failed load must not stay.
    void opening?.then((model) => model.dispose()).catch(() => {});
    const failure = toLoadError(thrown, entry, signal, source);
    if (!source || signal.aborted || !isEngineFailure(thrown) || source.fileFailure(thrown)) throw failure;
    if (await isMended(source, entry, signal)) throw new RetryInNewWorker(failure, entry);
    // An adapter is no promise: drivers fail on single operators or run out of memory.
    const isChoice = (entry.device ?? 'auto') === 'auto' && source.info.device === 'webgpu';
    throw isChoice ? new RetryInNewWorker(failure, { ...entry, device: 'wasm' }) : failure;
  }
}

/** The engine broke on a file that was damaged while it was kept and is whole again now. @throws InferenceError */
async function isMended(source: ModelSource, entry: ModelEntry, signal: AbortSignal): Promise<boolean> {
  try {
    return await source.repair();
  } catch (thrown) {
    throw toLoadError(thrown, entry, signal, source);
  }
}

/** @param source absent: not even that was ready */
function toLoadError(
  thrown: unknown,
  entry: ModelEntry,
  signal: AbortSignal,
  source: ModelSource | undefined,
): InferenceError {
  return loadFailure(thrown, entry, signal, source?.fileFailure(thrown));
}
