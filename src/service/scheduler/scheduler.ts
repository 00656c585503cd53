/** The scheduler: models, queues, deadlines and memory for all requests. @module */
import { fetchPart } from '../../core/errors/fetch-part.js';
import type { VendorMetadata } from '../../core/models/model-description.js';
import type { LoadedModel } from '../../core/models/backend.js';
import type { GenerationEvent } from '../answer/generation-event.js';
import { AnswerEvents, createToolCallId } from '../answer/answer-events.js';
import { ResumeState } from '../answer/resume-state.js';
import { InferenceError, toInferenceError } from '../../core/errors/inference-error.js';
import type { TokenEvent } from '../../core/events/token-event.js';
import type { Catalog } from '../../core/models/catalog.js';
import type { LoadProgress, ModelEntry } from '../../core/models/model-entry.js';
import type { DecisionAnswer, DecisionRequest } from '../../core/request/decision-request.js';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../core/request/embedding-request.js';
import { type GenerationRequest, hasPart, type SamplingDefaults } from '../../core/request/generation-request.js';
import type { RankingAnswer, RankingRequest } from '../../core/request/ranking-request.js';
import type { SpeechEvent, SpeechRequest, Voice } from '../../core/request/speech-request.js';
import type { Tokenization, TokenizationRequest } from '../../core/request/tokenization-request.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../core/request/transcription-request.js';
import { preciseClock } from '../../core/platform/precise-clock.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';
import { noImages, requireImages, takesSound } from './check-inputs.js';
import { canThink, withThinking } from './wish-to-think.js';
import type { ControlledInference, Residence, RunOptions } from './inference.js';
import { defaultMemoryBudget, evictToBudget } from './memory-budget.js';
import { fetchFiles } from './fetch-files.js';
import type { FetchOptions } from './model-host.js';
import { ModelSlot } from './model-slot.js';
import type { ModelStatus } from '../../core/models/model-status.js';
import type { SchedulerSettings } from './scheduler-settings.js';
import { RemoteOutages } from './remote-outages.js';
import { ItemReader, yieldOnce, operationOf, type PreparedRun, runOnSlot } from './run-on-slot.js';

/** Runs the models of a catalog, on whatever runs models. */
export class Scheduler implements ControlledInference {
  readonly catalog: Catalog;
  readonly #settings: SchedulerSettings;
  readonly #slots = new Map<ModelEntry, ModelSlot>();
  readonly #toldFailures = new WeakSet<InferenceError>();
  readonly #listeners = new Set<(progress?: LoadProgress) => void>();
  readonly #outages: RemoteOutages;
  readonly #clock: () => number;
  readonly #createId: () => string;

  constructor(settings: SchedulerSettings) {
    this.catalog = settings.catalog;
    this.#settings = settings;
    this.#outages = new RemoteOutages(settings.requestTimeout);
    this.#clock = settings.clock ?? preciseClock;
    this.#createId = settings.createId ?? createToolCallId;
    for (const entry of settings.catalog.entries) this.#slotOf(entry);
  }

  contextLength(model: string): number | undefined {
    const entry = this.catalog.require(model);
    return this.#known(model)?.contextLength ?? entry.contextLength;
  }

  isContextLengthKnown(model: string): boolean {
    const entry = this.catalog.require(model);
    // What `upstream` says without the entry's word is an assumption, also once it is loaded.
    if (entry.backend === 'upstream') return entry.contextLength !== undefined;
    return this.#known(model)?.contextLength !== undefined;
  }

  takesImages(model: string): boolean | undefined {
    return this.#known(model)?.images;
  }

  thinks(model: string): boolean | undefined {
    return canThink(this.catalog.require(model), this.#known(model)?.reasoningFormat);
  }

  residence(model: string): Residence | undefined {
    return this.#known(model)?.residence;
  }

  description(model: string): VendorMetadata | undefined {
    return this.#known(model)?.description;
  }

  samplingDefaults(model: string): SamplingDefaults | undefined {
    return this.#known(model)?.sampling;
  }

  generate(request: GenerationRequest, options: RunOptions): AsyncGenerator<GenerationEvent[], void> {
    const asked = this.#slotFor(request.model, 'chat');
    return this.#outages.run(asked, options, (signal) => this.#prepareGeneration(request, options, signal));
  }

  async #prepareGeneration(
    request: GenerationRequest,
    options: RunOptions,
    signal: AbortSignal,
  ): Promise<PreparedRun<readonly TokenEvent[], GenerationEvent[], AnswerEvents>> {
    const slot = await this.#runnable(this.#slotFor(request.model, 'chat'), signal);
    let { prompt } = request;
    if (hasPart(prompt, 'audio') && !(await takesSound(slot, signal))) {
      const { transcribeAudioParts } = await fetchPart(() => import('./transcribe-audio-parts.js'));
      prompt = await transcribeAudioParts(prompt, slot.entry, this.catalog, (transcription) =>
        this.transcribe(transcription, { signal, deadline: 'result' }),
      );
    }
    const canonical: GenerationRequest = {
      ...request,
      ...this.#named(request.model, slot),
      prompt,
      ...askedBy(options),
    };
    const { resumeState = new ResumeState() } = options;
    const chosen = resumeState.beginGeneration(request.n);
    if (resumeState.replay('model', () => canonical.model) !== canonical.model)
      throw new InferenceError('unavailable', 'The model that started the answer cannot run on this device.');
    const start = (
      model: LoadedModel,
      stop: AbortSignal,
      answer: AnswerEvents,
    ): AsyncIterable<readonly TokenEvent[]> => {
      requireImages(canonical, model);
      const begun = answer.begin();
      const asked = begun ? { ...canonical, begun } : canonical;
      return operationOf(model, 'generate')(withThinking(asked, slot.entry, model.info), stop);
    };
    // Time in the queue does not count as time of the engine, so the clock starts with the attempt.
    const createReader = (): AnswerEvents => {
      const clock = this.#clock;
      return new AnswerEvents(canonical, { clock, createId: this.#createId, startTime: clock(), resumeState, chosen });
    };
    return { slot, run: { exclusive: true, start, createReader } };
  }

  async countTokens(request: GenerationRequest, options: RunOptions): Promise<number> {
    return this.#single(this.#slotFor(request.model, 'chat'), options, 'alone', (model, slot, signal) => {
      const asked = { ...request, ...this.#named(request.model, slot), ...askedBy(options) };
      return operationOf(model, 'countTokens')(withThinking(asked, slot.entry, model.info), signal);
    });
  }

  async tokenize(request: TokenizationRequest, options: RunOptions): Promise<Tokenization> {
    return this.#single(this.#slotFor(request.model, 'chat'), options, 'alone', (model, slot, signal) => {
      const asked = { ...request, ...this.#named(request.model, slot), ...askedBy(options) };
      return operationOf(model, 'tokenize')(asked, signal);
    });
  }

  async decide(request: DecisionRequest, options: RunOptions): Promise<DecisionAnswer> {
    return this.#single(this.#slotFor(request.model, 'chat'), options, 'alone', async (model, slot, signal) => {
      const named = this.#named(request.model, slot);
      if (!model.info.images && request.imageParam !== undefined) throw noImages(named.model, request.imageParam);
      const asked = { ...request, ...named, ...askedBy(options) };
      return { ...(await operationOf(model, 'decide')(asked, signal)), model: named.model };
    });
  }

  async embed(request: EmbeddingRequest, options: RunOptions): Promise<EmbeddingAnswer> {
    // Not exclusive: the model itself batches concurrent requests.
    return this.#single(this.#slotFor(request.model, 'embeddings'), options, 'shared', async (model, slot, signal) => {
      const { requestId } = options;
      const asked = { ...request, model: slot.entry.id, requestId };
      const { warning, ...result } = await operationOf(model, 'embed')(asked, signal);
      slot.warn(warning);
      return { ...result, model: slot.entry.id };
    });
  }

  readonly measure: ControlledInference['measure'] = async (request, options) =>
    this.#single(this.#slotFor(request.model, 'embeddings'), options, 'shared', (model, slot, signal) =>
      operationOf(model, 'measure')({ ...request, model: slot.entry.id }, signal),
    );

  async rerank(request: RankingRequest, options: RunOptions): Promise<RankingAnswer> {
    const asked = this.#slotFor(request.model, 'rerank');
    return this.#single(asked, options, 'shared', async (model, { entry: { id } }, signal) => {
      const ranked = await operationOf(model, 'rerank')({ ...request, model: id, ...askedBy(options) }, signal);
      return { ...ranked, model: id };
    });
  }

  transcribe(request: TranscriptionRequest, options: RunOptions): AsyncGenerator<TranscriptEvent, void> {
    return this.#streamed(this.#slotFor(request.model, 'speech-to-text'), options, (model, id, stop) =>
      operationOf(model, 'transcribe')({ ...request, model: id, requestId: options.requestId }, stop),
    );
  }

  speak(request: SpeechRequest, options: RunOptions): AsyncGenerator<SpeechEvent, void> {
    return this.#streamed(this.#slotFor(request.model, 'text-to-speech'), options, (model, id, stop) =>
      operationOf(model, 'speak')({ ...request, model: id, requestId: options.requestId }, stop),
    );
  }

  async voices(model: string, options: RunOptions): Promise<readonly Voice[]> {
    const asked = this.#slotFor(model, 'text-to-speech');
    return this.#single(asked, options, 'shared', async ({ info }) => info.voices ?? []);
  }

  async load(model: string, { keepAlive }: Pick<RunOptions, 'keepAlive'> = {}): Promise<void> {
    const entry = this.catalog.require(model);
    const asked = this.#slotFor(entry.id, entry.task);
    if (asked.refused) await asked.unload();
    const slot = await this.#runnable(asked, new AbortController().signal, { waitsForDownload: true });
    await slot.ready();
    if (keepAlive !== undefined) slot.keepFor(keepAlive);
  }

  async unload(model: string): Promise<void> {
    await this.#known(model)?.unload();
  }

  async release(model: string): Promise<void> {
    await this.#known(model)?.release();
  }

  async fetchFiles(model: string, options: Omit<FetchOptions, 'onProgress'>): Promise<void> {
    const slot = this.#slotOf(this.catalog.require(model));
    try {
      await fetchFiles(this.#settings.host, slot.entry, { ...options, onProgress: slot.downloaded });
    } finally {
      slot.downloaded(undefined);
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

  /** What an engine gives one request at a time. */
  #streamed<T>(
    asked: ModelSlot,
    options: RunOptions,
    work: (model: LoadedModel, id: string, signal: AbortSignal) => AsyncIterable<T>,
  ): AsyncGenerator<T, void> {
    return runOnSlot<T>(this.#settings.requestTimeout, options, async (signal) => {
      const slot = await this.#runnable(asked, signal);
      const start = (model: LoadedModel, stop: AbortSignal): AsyncIterable<T> => work(model, slot.entry.id, stop);
      return { slot, run: { exclusive: true, start, createReader: () => new ItemReader<T>() } };
    });
  }

  async #single<T>(
    asked: ModelSlot,
    options: RunOptions,
    company: 'alone' | 'shared',
    work: (model: LoadedModel, slot: ModelSlot, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const results = this.#outages.run<T>(asked, options, async (signal) => {
      const slot = await this.#runnable(asked, signal);
      const start = (model: LoadedModel, stop: AbortSignal): AsyncIterable<T> => yieldOnce(work(model, slot, stop));
      return { slot, run: { exclusive: company === 'alone', start, createReader: () => new ItemReader<T>() } };
    });
    for await (const result of results) return result;
    throw new InferenceError('internal', 'The model returned no result.');
  }

  #slotFor(model: string, task: ModelEntry['task']): ModelSlot {
    const entry = this.catalog.require(model, task);
    if (entry.task !== task) {
      throw new InferenceError('model_not_supported', `The model \`${model}\` does not support this operation.`, {
        param: 'model',
      });
    }
    return this.#slotOf(entry);
  }

  /** The slot of a name, where it has one. */
  #known(model: string): ModelSlot | undefined {
    return this.#slots.get(this.catalog.loadedFor(this.catalog.require(model)).entry);
  }

  /** What a request for a model asks of the slot that answers it. */
  #named(name: string, slot: ModelSlot): Pick<GenerationRequest, 'model' | 'adapter'> {
    const asked = this.catalog.require(name);
    const { entry, adapter } = this.catalog.loadedFor(asked);
    return entry === slot.entry ? { model: asked.id, adapter } : { model: slot.entry.id };
  }

  /** Made when it is first asked for: a catalog may grow. */
  #slotOf(asked: ModelEntry): ModelSlot {
    const { entry } = this.catalog.loadedFor(asked);
    const known = this.#slots.get(entry);
    if (known) return known;
    const slot = new ModelSlot(entry, this.#settings.host, (progress) => this.#changed(slot, progress));
    this.#slots.set(entry, slot);
    return slot;
  }

  /** The slot itself, or where its model cannot run on this device (or not yet) the one that its entry names instead. */
  async #runnable(
    slot: ModelSlot,
    signal: AbortSignal,
    { waitsForDownload = false, tried = [] }: { waitsForDownload?: boolean; tried?: readonly ModelSlot[] } = {},
  ): Promise<ModelSlot> {
    const { fallback, device = 'auto', task, backend } = slot.entry;
    if (fallback === undefined || device !== 'auto' || tried.includes(slot)) return slot;
    const instead = (): Promise<ModelSlot> =>
      this.#runnable(this.#slotFor(fallback, task), signal, { waitsForDownload, tried: [...tried, slot] });
    // Asking again would start a worker, and perhaps load for minutes, before each answer of the fallback.
    if (slot.refused || this.#outages.holdsFor(slot)) return instead();
    const there = [slot.ready().then(() => true)];
    // The browser may have to download gigabytes: with a fallback the request does not wait for that.
    if (backend === 'built-in' && !waitsForDownload) there.push(slot.downloading().then(() => false));
    try {
      if (await orAborted(Promise.race(there), signal)) return slot;
    } catch (thrown) {
      const { code, details } = toInferenceError(thrown);
      if (code !== 'insufficient_resources' && !details.needsGesture) throw thrown;
    }
    return instead();
  }

  #changed(slot: ModelSlot, progress?: LoadProgress): void {
    const { failure } = slot;
    if (failure && failure.code !== 'cancelled' && !this.#toldFailures.has(failure)) {
      this.#toldFailures.add(failure);
      this.#settings.onFailure?.(slot.entry.id, failure);
    }
    for (const listener of this.#listeners) listener(progress);
    if (progress?.stage === 'ready') {
      void evictToBudget(this.#settings.memoryBudget ?? defaultMemoryBudget(), this.#slots.values(), slot);
    }
  }
}

/** What a request to a model says of its caller. */
function askedBy({ caller, requestId }: RunOptions): Pick<RunOptions, 'caller' | 'requestId'> {
  return { caller, requestId };
}
