/** Starts WebLLM's engine with one model, so that neither an abort nor a lost device leaves the caller waiting. @module */
import type { AppConfig, ModelRecord } from '@mlc-ai/web-llm';
import { cancelled, InferenceError } from '../../../core/errors/inference-error.js';
import type { LoadProgress } from '../../../core/models/model-entry.js';
import { rejectOnAbort } from '../../../core/platform/reject-on-abort.js';
import { settledWithin } from '../../../core/platform/settled-within.js';
import { DeviceWatch } from './device-watch.js';
import { progressReporter } from './load-progress.js';
import { LogitsTap } from './logits-tap.js';
import { OwnSampler } from './own-sampler.js';
import type { WebLlmEngine, WebLlmModule } from './web-llm-module.js';

/** WebLLM's sampler runs after every pass. Where it is ignored, these settings keep it from doing more than it must. */
const IDLE_SAMPLER = { temperature: 1, top_p: 1, repetition_penalty: 1, frequency_penalty: 0, presence_penalty: 0 };

/** Ending the engine waits for the GPU; a lost one never answers. The worker ends afterwards in any case. */
const STOP_DEADLINE_MS = 2_000;

export interface StartOptions {
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
  /** The engine's name of its model. */
  modelId: string;
  tap: LogitsTap;
  sampler: OwnSampler | undefined;
  watch: DeviceWatch;
  /** Ends the engine as far as it still answers. */
  stop: () => Promise<void>;
}

/** The device went away while the model was loading, which means that it was too large. */
export class LostWhileLoading extends Error {
  override readonly name = 'LostWhileLoading';
}

/** @throws LostWhileLoading, InferenceError `cancelled`, or whatever WebLLM throws */
export async function startEngine(library: WebLlmModule, options: StartOptions): Promise<StartedEngine> {
  const { record, signal } = options;
  const tap = new LogitsTap();
  const watch = new DeviceWatch();
  const appConfig: AppConfig = { model_list: [record], cacheBackend: 'cache' };
  const engine = new library.MLCEngine({
    appConfig,
    logitProcessorRegistry: new Map([[record.model_id, tap]]),
    initProgressCallback: progressReporter(options.id, options.totalBytes, options.onProgress),
  });
  const stop = async (): Promise<void> => {
    const deadline = watch.isLost ? 0 : STOP_DEADLINE_MS;
    // A generation that still runs gets its end from here: its pass may never come back.
    watch.giveUp(new InferenceError('unavailable', 'The model was unloaded.'));
    await settledWithin(
      engine.unload().catch(() => {}),
      deadline,
    );
  };
  const detach = watch.attach(options.gpu);
  try {
    // When its device is lost or its loading aborted, WebLLM may just return, or wait for ever.
    const ended = rejectOnAbort(signal).catch((reason: unknown) => Promise.reject(cancelled(reason)));
    await Promise.race([engine.reload(record.model_id, IDLE_SAMPLER), rejectOnLoss(watch), ended]);
    if (watch.isLost) throw new LostWhileLoading('The device was lost.');
  } catch (error) {
    await stop();
    throw error;
  } finally {
    detach();
  }
  const { model_id: modelId } = record;
  return { engine, modelId, tap, sampler: OwnSampler.of(engine, modelId, tap), watch, stop };
}

async function rejectOnLoss(watch: DeviceWatch): Promise<never> {
  throw new LostWhileLoading('The device was lost.', { cause: await watch.lost });
}
