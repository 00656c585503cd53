/** The scheduler: models, queues, deadlines and memory for all requests. @module */
import type { LoadedModel } from '../../core/models/backend.js';
import type { GenerationEvent } from '../answer/generation-event.js';
import { AnswerEvents, createToolCallId } from '../answer/answer-events.js';
import { InferenceError, toInferenceError } from '../../core/errors/inference-error.js';
import type { TokenEvent } from '../../core/events/token-event.js';
import type { Catalog } from '../../core/models/catalog.js';
import type { LoadProgress, ModelEntry } from '../../core/models/model-entry.js';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../core/request/embedding-request.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../core/request/transcription-request.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';
import { Deadline } from './deadline.js';
import { transcribeAudioParts } from './transcribe-audio-parts.js';
import type { Inference, RunOptions } from './inference.js';
import { defaultMemoryBudget, evictOver } from './memory-budget.js';
import type { FetchOptions, ModelHost } from './model-host.js';
import { LOAD_STALL_MS, ModelSlot } from './model-slot.js';
import { StallWatch } from './stall-watch.js';
import type { ModelStatus } from '../../core/models/model-status.js';
import { once, operationOf, type PreparedRun, runOnSlot, runPrepared } from './run-on-slot.js';

export interface SchedulerSettings {
  catalog: Catalog;
  host: ModelHost;
  /** Seconds, see {@link RunOptions.deadline}. */
  requestTimeout: number;
  /** Bytes of weights that may stay loaded. @default half of the device's memory */
  memoryBudget?: number;
  /** Unix milliseconds, with fraction where the platform has it. @default from `performance` */
  clock?: () => number;
  /** Told once of every load that failed and every engine that was lost. */
  onFailure?: (model: string, error: InferenceError) => void;
  /** Unique ids of tool calls. @default createToolCallId */
  createId?: () => string;
}

/** {@link Inference} with the controls that the page API offers. */
export interface ControlledInference extends Inference {
  /** Loads a model before its first request; one that this device refused is tried again. @throws InferenceError */
  load(model: string): Promise<void>;
  /** Ends the model's engine; a running request fails with `unavailable`. */
  unload(model: string): Promise<void>;
  /** Brings a model's files into the store without loading it. @throws InferenceError */
  fetchFiles(model: string, options: Omit<FetchOptions, 'onProgress'>): Promise<void>;
  status(): ModelStatus[];
  /** Called after every change of status and for every load progress. Returns the way to stop listening. */
  onChange(listener: (progress?: LoadProgress) => void): () => void;
  /** Unloads everything. */
  stop(): Promise<void>;
}

/** Runs the models of a catalog on a place to run models in. */
export class Scheduler implements ControlledInference {
  readonly catalog: Catalog;
  readonly #settings: SchedulerSettings;
  readonly #slots = new Map<string, ModelSlot>();
  readonly #toldFailures = new WeakSet<InferenceError>();
  readonly #listeners = new Set<(progress?: LoadProgress) => void>();
  readonly #clock: () => number;
  readonly #createId: () => string;

  constructor(settings: SchedulerSettings) {
    this.catalog = settings.catalog;
    this.#settings = settings;
    this.#clock = settings.clock ?? preciseClock;
    this.#createId = settings.createId ?? createToolCallId;
    for (const entry of settings.catalog.entries) {
      const slot = new ModelSlot(entry, settings.host, (progress) => this.#changed(slot, progress));
      this.#slots.set(entry.id, slot);
    }
  }

  contextLength(model: string): number | undefined {
    const entry = this.catalog.require(model);
    return this.#slots.get(entry.id)?.contextLength ?? entry.contextLength;
  }

  takesImages(model: string): boolean | undefined {
    return this.#slots.get(this.catalog.require(model).id)?.images;
  }

  generate(request: GenerationRequest, options: RunOptions): AsyncGenerator<GenerationEvent[], void> {
    return runPrepared(
      (signal) => this.#prepareGeneration(request, options, signal),
      () => this.#deadline(options),
    );
  }

  async #prepareGeneration(
    request: GenerationRequest,
    options: RunOptions,
    signal: AbortSignal,
  ): Promise<PreparedRun<readonly TokenEvent[], GenerationEvent[]>> {
    const slot = await this.#runnable(this.#slotFor(request.model, 'chat'), signal);
    const prompt = await transcribeAudioParts(request.prompt, slot.entry, this.catalog, (heard) =>
      this.transcribe(heard, { signal, deadline: 'result' }),
    );
    const canonical: GenerationRequest = { ...request, model: slot.entry.id, prompt };
    let answer: AnswerEvents;
    const start = (model: LoadedModel, stop: AbortSignal): AsyncIterable<readonly TokenEvent[]> => {
      requireImages(canonical, model);
      options.onBegin?.();
      // Here, not above: time in the queue is no time of the engine, and a second attempt begins anew.
      answer = new AnswerEvents(canonical, {
        clock: this.#clock,
        createId: this.#createId,
        startTime: this.#clock(),
      });
      return operationOf(model, 'generate')(canonical, stop);
    };
    return {
      slot,
      run: {
        exclusive: true,
        start,
        meetsDeadlineAtFirst: options.deadline === 'first-token',
        take: (batch) => answer.take(batch),
        finish: () => [answer.finish()],
      },
    };
  }

  async countTokens(request: GenerationRequest, options: RunOptions): Promise<number> {
    const asked = this.#slotFor(request.model, 'chat');
    return this.#single(asked, options, true, (model, slot, signal) =>
      operationOf(model, 'countTokens')({ ...request, model: slot.entry.id }, signal),
    );
  }

  async embed(request: EmbeddingRequest, options: RunOptions): Promise<EmbeddingAnswer> {
    const asked = this.#slotFor(request.model, 'embeddings');
    // Not exclusive: the model itself batches concurrent requests.
    return this.#single(asked, options, false, async (model, slot, signal) => {
      const { id } = slot.entry;
      return { ...(await operationOf(model, 'embed')({ ...request, model: id }, signal)), model: id };
    });
  }

  transcribe(request: TranscriptionRequest, options: RunOptions): AsyncGenerator<TranscriptEvent, void> {
    const prepare = async (signal: AbortSignal): Promise<PreparedRun<TranscriptEvent, TranscriptEvent>> => {
      const slot = await this.#runnable(this.#slotFor(request.model, 'speech'), signal);
      return {
        slot,
        run: {
          exclusive: true,
          start: (model, stop) => {
            options.onBegin?.();
            return operationOf(model, 'transcribe')({ ...request, model: slot.entry.id }, stop);
          },
          meetsDeadlineAtFirst: options.deadline === 'first-token',
        },
      };
    };
    return runPrepared(prepare, () => this.#deadline(options));
  }

  async load(model: string): Promise<void> {
    const entry = this.catalog.require(model);
    const asked = this.#slotFor(entry.id, entry.task);
    if (asked.refused) await asked.unload();
    const slot = await this.#runnable(asked, new AbortController().signal);
    await slot.ready();
  }

  async unload(model: string): Promise<void> {
    const entry = this.catalog.require(model);
    await this.#slots.get(entry.id)?.unload();
  }

  async fetchFiles(model: string, options: Omit<FetchOptions, 'onProgress'>): Promise<void> {
    const entry = this.catalog.require(model);
    const stalled = new AbortController();
    const stall = new StallWatch(LOAD_STALL_MS, () =>
      stalled.abort(new InferenceError('unavailable', `Fetching \`${entry.id}\` made no progress.`)),
    );
    const onProgress = (progress: LoadProgress): void => {
      stall.heard();
      for (const listener of this.#listeners) listener(progress);
    };
    const signal = AbortSignal.any([options.signal, stalled.signal]);
    try {
      const fetching = this.#settings.host.fetchFiles?.(entry, { ...options, onProgress, signal });
      // Whoever leaves waits for the end, so that the next attempt finds all locks free; whoever is stuck is not waited for.
      await orAborted(Promise.resolve(fetching), stalled.signal);
    } finally {
      stall.end();
    }
  }

  status(): ModelStatus[] {
    return [...this.#slots.values()].map((slot) => slot.status());
  }

  onChange(listener: (progress?: LoadProgress) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#slots.values()].map((slot) => slot.unload()));
  }

  async #single<T>(
    asked: ModelSlot,
    options: RunOptions,
    exclusive: boolean,
    work: (model: LoadedModel, slot: ModelSlot, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const deadline = this.#deadline(options);
    try {
      const slot = await this.#runnable(asked, deadline.signal);
      const start = (model: LoadedModel, signal: AbortSignal): AsyncIterable<T> => {
        options.onBegin?.();
        return once(work(model, slot, signal));
      };
      const run = { exclusive, start };
      for await (const result of runOnSlot<T>(slot, run, deadline)) return result;
      throw new InferenceError('internal', 'The model gave no result.');
    } finally {
      deadline.dispose();
    }
  }

  #deadline(options: RunOptions): Deadline {
    return new Deadline(this.#settings.requestTimeout, options.signal);
  }

  #slotFor(model: string, task: ModelEntry['task']): ModelSlot {
    const entry = this.catalog.require(model);
    const slot = this.#slots.get(entry.id);
    if (entry.task !== task || !slot) {
      throw new InferenceError('model_not_supported', `The model \`${model}\` does not support this operation.`, {
        param: 'model',
      });
    }
    return slot;
  }

  /** The slot itself, or where its model cannot run on this device the one that its entry names instead. */
  async #runnable(slot: ModelSlot, signal: AbortSignal, tried: readonly ModelSlot[] = []): Promise<ModelSlot> {
    const { fallback, device = 'auto', task } = slot.entry;
    if (fallback === undefined || device !== 'auto' || tried.includes(slot)) return slot;
    // Asking again would start a worker, and perhaps load for minutes, before each answer of the fallback.
    if (slot.refused) return this.#runnable(this.#slotFor(fallback, task), signal, [...tried, slot]);
    try {
      await orAborted(slot.ready(), signal);
      return slot;
    } catch (thrown) {
      if (toInferenceError(thrown).code !== 'insufficient_resources') throw thrown;
      return this.#runnable(this.#slotFor(fallback, task), signal, [...tried, slot]);
    }
  }

  #changed(slot: ModelSlot, progress?: LoadProgress): void {
    const { failure } = slot;
    if (failure && failure.code !== 'cancelled' && !this.#toldFailures.has(failure)) {
      this.#toldFailures.add(failure);
      this.#settings.onFailure?.(slot.entry.id, failure);
    }
    for (const listener of this.#listeners) listener(progress);
    if (progress?.stage === 'ready') {
      void evictOver(this.#settings.memoryBudget ?? defaultMemoryBudget(), this.#slots.values(), slot);
    }
  }
}

/** Unix milliseconds like `Date.now`, but finer and never running backwards. */
const preciseClock = (): number => performance.timeOrigin + performance.now();

function requireImages(request: GenerationRequest, model: LoadedModel): void {
  if (model.info.images || request.prompt.type !== 'chat') return;
  const hasImage = request.prompt.messages.some((message) => message.content.some((part) => part.type === 'image'));
  if (hasImage) {
    throw new InferenceError('unsupported_content', `The model \`${request.model}\` does not take images.`, {
      param: 'messages',
    });
  }
}
