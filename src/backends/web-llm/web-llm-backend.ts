/**
 * WebLLM: chat on WebGPU with models that were compiled ahead of time. Only its low-level engine is used; prompts, tools,
 * grammars, sampling and counting are the shared code of `decoding/`, so every model can do all of them.
 * @module
 */
import { createTextModel, type TextModel } from '../../decoding/create-text-model.js';
import type { TextTokenizer } from '../../prompt/text-tokenizer.js';
import type { ModelEntry } from '../../models/model-entry.js';
import { detectReasoningFormat, detectToolFormat } from '../../prompt/detect-formats.js';
import type { Backend, LoadOptions } from '../../models/backend.js';
import { type ChatConfig, contextLengthOf, readChatConfig } from './chat-config.js';
import { checkDevice, checkPrecision, checkStorage, refuse } from './check-model.js';
import { browserEnvironment, type WebLlmEnvironment } from './web-llm-environment.js';
import { findModelRecord } from './find-model-record.js';
import { loadTokenizer } from './load-tokenizer.js';
import { ModelFiles } from './web-llm-files.js';
import { quantizationOf } from './prebuilt-models.js';
import { LostWhileLoading, type StartedEngine, startEngine } from './start-engine.js';
import { toLoadError } from './to-load-error.js';
import { WebLlmTextEngine } from './web-llm-text-engine.js';

/**
 * Tokens of a prompt per pass: several of the GPU's tiles, so that little is lost, and short enough that a cancelled
 * request ends soon.
 */
const CHUNK_LENGTH = 256;

/** The engine as it is in a browser. A realm loads one model: to load another, end the worker. */
export const webLlmBackend: Backend = createWebLlmBackend(browserEnvironment);

/** Makes the backend. @param environment what it runs in */
export function createWebLlmBackend(environment: WebLlmEnvironment): Backend {
  return {
    async load(entry, options) {
      try {
        return await loadModel(entry, options, environment);
      } catch (thrown) {
        throw toLoadError(thrown, entry.id, options.signal);
      }
    },
  };
}

async function loadModel(entry: ModelEntry, options: LoadOptions, environment: WebLlmEnvironment): Promise<TextModel> {
  const { signal, onProgress } = options;
  const library = await environment.importWebLlm();
  const prebuilt = library.prebuiltAppConfig.model_list;
  const { record, folderURL } = findModelRecord(entry, prebuilt, options.pageURL);
  const candidate = { entry, record, prebuilt };
  const facts = await checkDevice(candidate, environment);

  onProgress({ model: entry.id, stage: 'download', loadedBytes: 0, totalBytes: 0 });
  const files = new ModelFiles(folderURL, environment, signal);
  const config = await readChatConfig(files, record.overrides);
  checkPrecision(candidate, facts, config.quantization);
  const totalBytes = await checkStorage(candidate, facts, files, environment);
  const tokenizer = await loadTokenizer(files, config);

  const gpu = environment.gpu!;
  const started = await startEngine(library, { id: entry.id, record, gpu, totalBytes, onProgress, signal }).catch(
    (error: unknown) => {
      throw error instanceof LostWhileLoading
        ? refuse(candidate, facts, 'more GPU memory than there is', { weightBytes: totalBytes })
        : error;
    },
  );
  onProgress({ model: entry.id, stage: 'ready', loadedBytes: totalBytes, totalBytes });
  return assemble(entry, config, tokenizer, started);
}

function assemble(entry: ModelEntry, config: ChatConfig, tokenizer: TextTokenizer, started: StartedEngine): TextModel {
  const { engine, tap, watch, stop } = started;
  const toolFormat = detectToolFormat(tokenizer.toolTemplate ?? tokenizer.chatTemplate, entry.toolFormat);
  const reasoningFormat = detectReasoningFormat(tokenizer.chatTemplate, entry.reasoningFormat);
  const textEngine = new WebLlmTextEngine({
    engine,
    tap,
    tokenizer,
    contextLength: contextLengthOf(config),
    chunkLength: Math.min(CHUNK_LENGTH, config.prefill_chunk_size ?? CHUNK_LENGTH),
    toolFormat,
    reasoningFormat,
    onFailure: (error) => watch.giveUp(error),
  });
  const dtype = config.quantization ?? quantizationOf(entry.source ?? entry.id);
  return createTextModel(textEngine, {
    info: { device: 'webgpu', threads: 1, ...(dtype !== undefined && { dtype }), images: false },
    ...(entry.maxCompletionTokens !== undefined && { maxCompletionTokens: entry.maxCompletionTokens }),
    lost: watch.lost,
    unload: stop,
  });
}
