/** Starts WebLLM's engine with one model. Loading ends at once when it is aborted or the GPU device is lost. @module */
import type { AppConfig, InitProgressReport, ModelRecord } from '@mlc-ai/web-llm';
import {
  cancelled,
  InferenceError,
  type InferenceErrorCode,
  isInferenceError,
} from '../../core/errors/inference-error.js';
import type { LoadProgress } from '../../core/models/model-entry.js';
import { rejectOnAbort } from '../../core/platform/reject-on-abort.js';
import { settledWithin } from '../../core/platform/settled-within.js';
import { DeviceWatch } from './device-watch.js';
import { LogitsCapture, GpuSampler } from './gpu-sampler.js';
import type { WebLlmEngine, WebLlmModule } from './web-llm-environment.js';
import { FileNotDownloaded } from '../../store/download/file-errors.js';
import { loadFailure } from '../common/load-failure.js';

/** WebLLM's sampler runs after every forward pass. These settings are the cheapest where its result is not used. */
const IDLE_SAMPLER = { temperature: 1, top_p: 1, repetition_penalty: 1, frequency_penalty: 0, presence_penalty: 0 };

/** Unloading waits for the GPU, and a lost device never answers. The worker ends afterwards in any case. */
const STOP_TIMEOUT_MS = 2_000;

interface StartOptions {
  /** Catalog id, for progress. */
  id: string;
  record: ModelRecord;
  gpu: GPU;
  /** Size of the weights; 0 when unknown. */
  totalBytes: number;
  onProgress: (progress: LoadProgress) => void;
  signal: AbortSignal;
}

/** A running engine. */
export interface StartedEngine {
  engine: WebLlmEngine;
  /** WebLLM's id of the model. */
  modelId: string;
  capture: LogitsCapture;
  sampler: GpuSampler | undefined;
  watch: DeviceWatch;
  /** Unloads the engine; gives up after a short time. */
  stop: () => Promise<void>;
}

/** The device was lost while the model was loading: the model is too large for the GPU. */
export class DeviceLostDuringLoad extends Error {
  override readonly name = 'DeviceLostDuringLoad';
}

/** @throws DeviceLostDuringLoad, InferenceError `cancelled`, or whatever WebLLM throws */
export async function startEngine(library: WebLlmModule, options: StartOptions): Promise<StartedEngine> {
  const { record, signal } = options;
  const capture = new LogitsCapture();
  const watch = new DeviceWatch();
  const appConfig: AppConfig = { model_list: [record], cacheBackend: 'cache' };
  const engine = new library.MLCEngine({
    appConfig,
    logitProcessorRegistry: new Map([[record.model_id, capture]]),
    initProgressCallback: progressReporter(options.id, options.totalBytes, options.onProgress),
  });
  const stop = async (): Promise<void> => {
    const deadline = watch.isLost ? 0 : STOP_TIMEOUT_MS;
    // Ends a generation that still runs, because its forward pass may never return.
    watch.abort(new InferenceError('unavailable', 'The model was unloaded.'));
    await settledWithin(
      engine.unload().catch(() => {}),
      deadline,
    );
  };
  const detach = watch.attach(options.gpu);
  try {
    // When its device is lost or its loading is aborted, WebLLM may just return, or wait forever.
    const ended = rejectOnAbort(signal).catch((reason: unknown) => Promise.reject(cancelled(reason)));
    await Promise.race([engine.reload(record.model_id, IDLE_SAMPLER), rejectOnLoss(watch), ended]);
    if (watch.isLost) throw new DeviceLostDuringLoad('The device was lost.');
  } catch (error) {
    await stop();
    throw error;
  } finally {
    detach();
  }
  const { model_id: modelId } = record;
  return { engine, modelId, capture, sampler: GpuSampler.of(engine, modelId, capture), watch, stop };
}

async function rejectOnLoss(watch: DeviceWatch): Promise<never> {
  throw new DeviceLostDuringLoad('The device was lost.', { cause: await watch.lost });
}

/** WebLLM's reports about files are left out: the store reports downloads itself. */
const FETCHING = /fetch/i;

/**
 * WebLLM's progress callback: it reports the copy to the GPU and the compilation of shaders.
 * @param totalBytes size of the weights; 0 when unknown
 */
function progressReporter(
  model: string,
  totalBytes: number,
  onProgress: (progress: LoadProgress) => void,
): (report: InitProgressReport) => void {
  return ({ text }) => {
    if (!FETCHING.test(text)) onProgress({ model, stage: 'initialize', loadedBytes: totalBytes, totalBytes });
  };
}

/**
 * WebLLM's error classes, by name because another copy of the package has other classes. Every other failure of loading
 * is a file that could not be read or a library that does not fit: `unavailable`.
 */
const CODES: Readonly<Record<string, InferenceErrorCode>> = {
  WebGPUNotAvailableError: 'insufficient_resources',
  WebGPUNotFoundError: 'insufficient_resources',
  ShaderF16SupportError: 'insufficient_resources',
  FeatureSupportError: 'insufficient_resources',
  // WebLLM allocates everything while loading, so a loss then means too little memory.
  DeviceLostError: 'insufficient_resources',
  QuotaExceededError: 'insufficient_resources',
  ModelNotFoundError: 'model_not_found',
  UnsupportedTokenizerFilesError: 'model_not_supported',
  ArtifactManifestError: 'model_not_supported',
  WindowSizeConfigurationError: 'invalid_request',
  WindowSizeSpecificationError: 'invalid_request',
  AttentionSinkSizeError: 'invalid_request',
  MinValueError: 'invalid_request',
  MissingModelWasmError: 'invalid_request',
};

/** Any failure of loading as an InferenceError. @param thrown what WebLLM's `reload` threw */
export function toLoadError(thrown: unknown, id: string, signal: AbortSignal): InferenceError {
  if (isInferenceError(thrown) && !(thrown instanceof FileNotDownloaded)) return thrown;
  if (signal.aborted) return new InferenceError('cancelled', 'Loading was canceled.', {}, { cause: thrown });
  const name = thrown instanceof Error ? thrown.name : '';
  const code = CODES[name];
  if (code === undefined) return loadFailure(thrown, { id }, signal);
  return new InferenceError(code, messageOf(code, name, id), { param: 'model' }, { cause: thrown });
}

function messageOf(code: InferenceErrorCode, name: string, id: string): string {
  switch (code) {
    case 'insufficient_resources':
      return name === 'QuotaExceededError'
        ? `There is not enough storage for \`${id}\`. Delete other models or use a smaller one.`
        : `This GPU cannot run \`${id}\`. Use a smaller model or a smaller \`contextLength\`.`;
    case 'model_not_found':
      return `WebLLM does not know \`${id}\`.`;
    case 'model_not_supported':
      return `\`${id}\` is packed in a way that this version cannot load.`;
    default:
      return `The settings of \`${id}\` do not fit its model library.`;
  }
}
