/**
 * The WebLLM backend: chat on WebGPU with models that were compiled ahead of time. Only WebLLM's low-level engine is used;
 * prompts, tools, grammars, sampling and usage are the shared code of `decoding/`.
 * @module
 */
import { createTextModel, type TextModel } from '../../decoding/create-text-model.js';
import type { TextTokenizer } from '../../prompt/text-tokenizer.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { RetryInNewWorker } from '../../../core/models/retry-in-new-worker.js';
import { checkTemplates } from '../../prompt/template-traits.js';
import { detectReasoningFormat, detectToolFormat } from '../../prompt/detect-formats.js';
import { isInferenceError } from '../../../core/errors/inference-error.js';
import type { Backend, LoadOptions } from '../../../core/models/backend.js';
import type { ModelFiles } from '../../../store/model-files.js';
import { fetchAll, openModelFiles } from '../../../store/open-model-files.js';
import {
  type ChatConfig,
  contextLengthOf,
  modelFileNames,
  readChatConfig,
  readWeightsManifest,
} from './model-folder.js';
import type { DeviceFacts } from './check-device.js';
import { type Candidate, checkDevice, checkPrecision, checkStorage, refuse } from './check-model.js';
import { ImageInput } from './image-input.js';
import { browserEnvironment, type WebLlmEnvironment, type WebLlmModule } from './web-llm-environment.js';
import { findModelRecord, quantizationOf } from './model-record.js';
import { loadTokenizer } from './load-tokenizer.js';
import { provideFiles } from './provide-files.js';
import { LostWhileLoading, type StartedEngine, startEngine, toLoadError } from './start-engine.js';
import { WebLlmTextEngine } from './web-llm-text-engine.js';

/** Tokens of a prompt per forward pass: enough to use the GPU well, and few enough that a cancelled request ends soon. */
const CHUNK_LENGTH = 256;

/** The backend in a browser. A worker loads one model; to load another, end the worker. */
export const webLlmBackend: Backend = createWebLlmBackend(browserEnvironment);

/** Makes the backend. @param environment what it runs in */
export function createWebLlmBackend(environment: WebLlmEnvironment): Backend {
  return {
    async load(entry, options) {
      return loadModel(entry, options, environment);
    },
    async fetchFiles(entry, options) {
      try {
        const { prebuiltAppConfig } = await environment.importWebLlm();
        const { record, folderURL } = findModelRecord(entry, prebuiltAppConfig.model_list, options);
        const files = await openModelFiles(entry, folderURL, options, await environment.openStore());
        const { shards } = (await readWeightsManifest(files)) ?? { shards: [] };
        await fetchAll(files, modelFileNames(shards, record.model_lib));
      } catch (thrown) {
        throw toLoadError(thrown, entry.id, options.signal);
      }
    },
  };
}

async function loadModel(entry: ModelEntry, options: LoadOptions, environment: WebLlmEnvironment): Promise<TextModel> {
  let files: ModelFiles | undefined;
  try {
    const library = await environment.importWebLlm();
    const prebuilt = library.prebuiltAppConfig.model_list;
    const { record, folderURL } = findModelRecord(entry, prebuilt, options);
    const candidate = { entry, record, prebuilt };
    const facts = await checkDevice(candidate, environment);
    files = await openModelFiles(entry, folderURL, options, await environment.openStore());
    return await loadFiles({ candidate, facts, files, library }, options, environment);
  } catch (thrown) {
    const failure = toLoadError(thrown, entry.id, options.signal);
    const isEngineFailure = !isInferenceError(thrown) && !options.signal.aborted;
    // The engine failed on a stored file that was damaged and has been downloaded again.
    if (files && isEngineFailure && (await isMended(files, entry, options))) throw new RetryInNewWorker(failure, entry);
    throw failure;
  }
}

/** @throws InferenceError when a damaged file cannot be downloaded again */
async function isMended(files: ModelFiles, { id }: ModelEntry, { signal }: LoadOptions): Promise<boolean> {
  try {
    return await files.repair();
  } catch (thrown) {
    throw toLoadError(thrown, id, signal);
  }
}

interface FoundFiles {
  candidate: Candidate;
  facts: DeviceFacts;
  files: ModelFiles;
  library: WebLlmModule;
}

async function loadFiles(
  { candidate, facts, files, library }: FoundFiles,
  { onProgress, signal }: LoadOptions,
  environment: WebLlmEnvironment,
): Promise<TextModel> {
  const { entry, record } = candidate;
  onProgress({ model: entry.id, stage: 'download', loadedBytes: 0, totalBytes: 0 });
  const config = await readChatConfig(files, record.overrides);
  checkPrecision(candidate, facts, config.quantization);
  const { bytes: totalBytes, shards } = await checkStorage(candidate, facts, files, environment);
  const tokenizer = await loadTokenizer(files, config);
  checkTemplates(tokenizer);
  await files.prepare(modelFileNames(shards, record.model_lib));
  const withdrawFiles = provideFiles(files);
  const gpu = environment.gpu!;
  const started = await startEngine(library, { id: entry.id, record, gpu, totalBytes, onProgress, signal })
    .catch((error: unknown) => {
      throw error instanceof LostWhileLoading
        ? refuse(candidate, facts, 'more GPU memory than there is', { weightBytes: totalBytes })
        : error;
    })
    .finally(withdrawFiles);
  return assemble(entry, config, tokenizer, started);
}

function assemble(entry: ModelEntry, config: ChatConfig, tokenizer: TextTokenizer, started: StartedEngine): TextModel {
  const { engine, modelId, capture, sampler, watch, stop } = started;
  const toolFormat = detectToolFormat(tokenizer.toolTemplate ?? tokenizer.chatTemplate, entry.toolFormat);
  const reasoningFormat = detectReasoningFormat(tokenizer.chatTemplate, entry.reasoningFormat);
  const textEngine = new WebLlmTextEngine({
    engine,
    capture,
    sampler,
    images: ImageInput.of(engine, modelId, tokenizer),
    tokenizer,
    contextLength: contextLengthOf(config),
    chunkLength: Math.min(CHUNK_LENGTH, config.prefill_chunk_size ?? CHUNK_LENGTH),
    toolFormat,
    reasoningFormat,
    onFailure: (error) => watch.giveUp(error),
  });
  const dtype = config.quantization ?? quantizationOf(entry.source ?? entry.id);
  return createTextModel(textEngine, {
    info: { device: 'webgpu', threads: 1, ...(dtype !== undefined && { dtype }) },
    ...(entry.maxCompletionTokens !== undefined && { maxCompletionTokens: entry.maxCompletionTokens }),
    lost: watch.lost,
    unload: stop,
  });
}
