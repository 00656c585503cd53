/**
 * The WebLLM backend: chat on WebGPU with models that were compiled ahead of time. Only WebLLM's low-level engine is used;
 * prompts, tools, grammars, sampling and usage are the shared code of `decoding/`.
 * @module
 */
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceError, isInferenceError } from '../../core/errors/inference-error.js';
import type { Backend, LoadOptions } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { RetryInNewWorker } from '../../core/models/retry-in-new-worker.js';
import type { ModelFiles } from '../../store/model-files.js';
import { fetchAll, openModelFiles } from '../../store/open-model-files.js';
import { createTextModel, type TextModel } from '../../language/decoding/create-text-model.js';
import { detectReasoningFormat, detectToolFormat } from '../../language/prompt/detect-formats.js';
import { checkTemplates } from '../../language/prompt/template-traits.js';
import {
  type ChatTemplateField,
  chatTemplatesOf,
  createTextTokenizer,
  specialTokensOf,
  type TextTokenizer,
  type TokenizerJson,
} from '../../language/prompt/text-tokenizer.js';
import { mendTokenizer } from '../../language/prompt/tokenizer/mend-tokenizer.js';
import type { DeviceFacts } from './check-device.js';
import { type Candidate, checkDevice, checkPrecision, checkStorage, refuse } from './check-model.js';
import { toChatTemplate } from './conversation-template.js';
import { ImageInput } from './image-input.js';
import {
  type ChatConfig,
  contextLengthOf,
  endTokensOf,
  modelFileNames,
  readChatConfig,
  readJson,
  readText,
  readWeightsManifest,
} from './model-folder.js';
import { findModelRecord, quantizationOf } from './model-record.js';
import { DeviceLostDuringLoad, type StartedEngine, startEngine, toLoadError } from './start-engine.js';
import { browserEnvironment, type WebLlmEnvironment, type WebLlmModule } from './web-llm-environment.js';
import { WebLlmTextEngine } from './web-llm-text-engine.js';

/** Tokens of a prompt per forward pass: enough to use the GPU well, and few enough that a canceled request ends soon. */
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
  await files.prepare(modelFileNames(shards, record.model_lib), 'load');
  const withdrawFiles = provideFiles(files);
  const gpu = environment.gpu!;
  const { context_window_size: context } = config;
  const overrides = {
    ...record.overrides,
    ...(record.overrides?.context_window_size !== undefined &&
      context !== undefined && { context_window_size: context }),
  };
  const started = await startEngine(library, {
    id: entry.id,
    record: { ...record, overrides },
    gpu,
    totalBytes,
    onProgress,
    signal,
  })
    .catch((error: unknown) => {
      throw error instanceof DeviceLostDuringLoad
        ? refuse(candidate, facts, 'more GPU memory than the device has', { weightBytes: totalBytes })
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
    onFailure: (error) => watch.abort(error),
  });
  const dtype = config.quantization ?? quantizationOf(entry.source ?? entry.id);
  return createTextModel(textEngine, {
    info: { device: 'webgpu', threads: 1, ...(dtype !== undefined && { dtype }) },
    ...(entry.maxCompletionTokens !== undefined && { maxCompletionTokens: entry.maxCompletionTokens }),
    lost: watch.lost,
    unload: stop,
  });
}

/** The fields of `tokenizer.json` that are used. */
interface TokenizerFile extends TokenizerJson {
  added_tokens?: { id: number; content: string }[];
}

type TokenizerConfig = Record<string, unknown> & { chat_template?: ChatTemplateField };

/**
 * Reads `tokenizer.json` and `tokenizer_config.json`. The chat template is the model's own, which newer folders hold in
 * `chat_template.jinja`, or built from `conv_template` where the folder has none.
 * @throws InferenceError `model_not_supported` for models that only come with a SentencePiece file
 */
async function loadTokenizer(files: ModelFiles, config: ChatConfig): Promise<TextTokenizer> {
  const json = (await readJson(files, 'tokenizer.json')) as TokenizerFile | undefined;
  if (!json) {
    throw new InferenceError('model_not_supported', 'The model folder holds no `tokenizer.json`.', { param: 'model' });
  }
  const own = ((await readJson(files, 'tokenizer_config.json')) ?? {}) as TokenizerConfig;
  const templates = chatTemplatesOf(own.chat_template ?? (await readText(files, 'chat_template.jinja')));
  return createTextTokenizer({
    ...templates,
    tokenizer: mendTokenizer(new Tokenizer(json, own)),
    json,
    specialTokens: specialTokensOf(own),
    endTokens: endTokensOf(config),
    chatTemplate: templates.chatTemplate ?? builtTemplate(config, json),
  });
}

function builtTemplate({ conv_template: format }: ChatConfig, json: TokenizerFile): string | undefined {
  if (!format || format.seps.length === 0) return undefined;
  const textOf = (id: number): string => json.added_tokens?.find((token) => token.id === id)?.content ?? '';
  return toChatTemplate(format, { prefix: (format.system_prefix_token_ids ?? []).map(textOf).join('') });
}

/** Prefix of the names of WebLLM's caches. */
const SCOPE = 'webllm/';

/**
 * WebLLM reads every file through the Cache API (`webllm/config`, `webllm/model`, `webllm/wasm`). In its worker those
 * caches are replaced by the model store: its files are complete and checked, and WebLLM keeps no second copy. Other
 * caches stay as they are.
 * @returns restores `caches`
 */
function provideFiles(files: ModelFiles): () => void {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'caches');
  const original = (globalThis as { caches?: CacheStorage }).caches;
  const provided = new StoreCache(files);
  const storage = {
    open: async (name: string): Promise<unknown> => (name.startsWith(SCOPE) ? provided : original?.open(name)),
  };
  Object.defineProperty(globalThis, 'caches', { value: storage, configurable: true, writable: true });
  return () => {
    if (own) Object.defineProperty(globalThis, 'caches', own);
    else delete (globalThis as { caches?: unknown }).caches;
  };
}

/** The methods of a Cache that WebLLM uses. */
class StoreCache {
  readonly #files: ModelFiles;

  constructor(files: ModelFiles) {
    this.#files = files;
  }

  async match(request: Request | string): Promise<Response | undefined> {
    return this.#files.read(typeof request === 'string' ? request : request.url);
  }

  /** All files have been downloaded before, so one that is missing here does not exist. */
  async add(request: Request | string): Promise<never> {
    const url = typeof request === 'string' ? request : request.url;
    throw new InferenceError('unavailable', `The model's file \`${url.slice(url.lastIndexOf('/') + 1)}\` is missing.`, {
      url,
    });
  }

  /** WebLLM asks whether it must download. It then looks up file by file, which is cheap here. */
  async keys(): Promise<readonly Request[]> {
    return [];
  }
}
