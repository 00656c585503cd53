/** One model of the catalog and its state: absent -> loading -> ready -> (lost ->) absent. @module */
import type { LoadedModel, ModelInfo } from '../../core/models/backend.js';
import { InferenceError, serializeInferenceError, toInferenceError } from '../../core/errors/inference-error.js';
import type { LoadProgress, ModelEntry } from '../../core/models/model-entry.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';
import { settledWithin } from '../../core/platform/settled-within.js';
import { contextWarning } from './context-warning.js';
import { GpuLosses } from './gpu-losses.js';
import type { ModelHost } from './model-host.js';
import type { ModelStatus } from '../../core/models/model-status.js';
import type { SamplingDefaults } from '../../core/request/generation-request.js';
import type { Residence } from './inference.js';
import { KeepAlive } from './keep-alive.js';
import { RunQueue } from './run-queue.js';
import { StallWatch } from './stall-watch.js';

/** A load that reports nothing for so long is abandoned. Compiling the shaders of a large model takes a minute or two. */
export const LOAD_STALL_MS = 300_000;

/** An engine that is ended gets so long until the next one may begin. Its host ends it by force in less. */
const STOP_TIMEOUT_MS = 5_000;

/** Milliseconds for which a model must be busy until that is told. */
const SHORT_MS = 20;

interface Loading {
  promise: Promise<LoadedModel>;
  controller: AbortController;
  /** Resolves when bytes must come from somewhere first. */
  downloading: Promise<void>;
}

/** Loads its model on demand, once for all waiting requests, and drops it when its engine fails. */
export class ModelSlot {
  readonly entry: ModelEntry;
  readonly queue: RunQueue;
  /** Bytes of the loaded files, as reported while loading. */
  bytes = 0;
  /** `performance.now()`-like time of the last use, for eviction. */
  lastUsed = 0;
  /** Tokens, as the engine said when it was loaded last. */
  contextLength: number | undefined;
  /** The engine that was loaded last takes images; undefined: none was. */
  images: boolean | undefined;
  /** How the engine that was loaded last tells its thoughts from its answer. */
  reasoningFormat: ModelInfo['reasoningFormat'] | undefined;
  /** What the files of the model that was loaded last say of it. */
  description: ModelInfo['description'];
  /** What the files of the model that was loaded last say about sampling. */
  sampling: SamplingDefaults | undefined;

  readonly #host: ModelHost;
  readonly #changed: (progress?: LoadProgress) => void;
  readonly #fileBytes = new Map<string, number>();
  #model: LoadedModel | undefined;
  #gone = new AbortController();
  #loading: Loading | undefined;
  #progress: LoadProgress | undefined;
  #download: LoadProgress | undefined;
  /** Why the engine is not there, when it failed. */
  #failure: InferenceError | undefined;
  #refused = false;
  /** What its load and requests showed since. */
  readonly #warnings = new Set<string>();
  readonly #gpuLosses = new GpuLosses();
  /** Engines that were ended on request, not by a failure. */
  readonly #unloaded = new WeakSet<LoadedModel>();
  /** Runs while its queue has changed and nobody was told. */
  #untold: ReturnType<typeof setTimeout> | undefined;
  #isToldBusy = false;
  readonly #keepAlive = new KeepAlive(() => void this.release());
  /** Settles when nothing of earlier loads and engines is left: memory is for one. */
  #ending: Promise<unknown> = Promise.resolve();

  /** @param changed called after every change of {@link status} */
  constructor(entry: ModelEntry, host: ModelHost, changed: (progress?: LoadProgress) => void) {
    this.entry = entry;
    this.#host = host;
    this.#changed = changed;
    this.queue = new RunQueue(() => {
      this.#keepAlive.used(this.idle);
      this.#queueChanged();
    });
    this.#report = (progress): void => {
      this.#progress = progress;
      if (progress.totalBytes > 0 && progress.stage === 'download')
        this.#fileBytes.set(progress.file ?? '', progress.totalBytes);
      changed(progress);
    };
  }

  readonly #report: (progress: LoadProgress) => void;

  /** Tells how far a download without a load is. @param progress undefined: it has ended */
  readonly downloaded = (progress: LoadProgress | undefined): void => {
    this.#download = progress;
    this.#changed(progress);
  };

  /** The engine that is loaded now. */
  get model(): LoadedModel | undefined {
    return this.#model;
  }

  /** Aborts with the engine's own error when the engine that is loaded now is lost. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** The last load found that this device cannot run the model. Holds until {@link unload} or a load that succeeds. */
  get refused(): boolean {
    return this.#refused;
  }

  /** Why the last load or the last engine failed; undefined once it is loaded again. */
  get failure(): InferenceError | undefined {
    return this.#failure;
  }

  get idle(): boolean {
    return this.#model !== undefined && !this.queue.busy && this.queue.length === 0;
  }

  /** Undefined while it is not loaded. */
  get residence(): Residence | undefined {
    return this.#model && { bytes: this.bytes, expiresAt: this.#keepAlive.expiresAt };
  }

  /** @param milliseconds see `RunOptions.keepAlive` */
  keepFor(milliseconds: number): void {
    this.#keepAlive.set(milliseconds, this.idle);
  }

  /** Unloads it now, or as soon as no request uses it. */
  async release(): Promise<void> {
    if (this.idle) await this.unload();
    else this.keepFor(0);
  }

  /** The loaded engine; loads it when needed. A failed load is reported to all who wait and tried again by the next. */
  async ready(): Promise<LoadedModel> {
    if (this.#model) return this.#model;
    this.#loading ??= this.#load();
    return this.#loading.promise;
  }

  /** Resolves as soon as the load that runs has to download; stays pending when there is none, or need not. */
  downloading(): Promise<void> {
    return this.#loading?.downloading ?? new Promise(() => {});
  }

  /**
   * Ends the engine, or its loading, for which requests may wait: `unavailable` to them. The next `ready` loads again,
   * once nothing of it is left.
   */
  async unload(): Promise<void> {
    this.#loading?.controller.abort(new InferenceError('unavailable', 'The model was unloaded while it was loading.'));
    const model = this.#model;
    this.#forget();
    this.#refused = false;
    if (model) {
      this.#unloaded.add(model);
      this.#end(model.unload());
    }
    await this.#ending;
  }

  /** This engine was not lost: it was told to end. */
  wasUnloaded(model: LoadedModel): boolean {
    return this.#unloaded.has(model);
  }

  /** The engine does not react any more: ends it by force and lets the next request load a fresh one. */
  async restart(
    model: LoadedModel,
    reason = new InferenceError('unavailable', 'The engine did not stop when it was told to.'),
  ): Promise<void> {
    if (this.#model !== model) return;
    this.#forget(reason);
    this.#end(model.unload());
    await this.#ending;
  }

  /** Says in its status, while it is loaded, and once in the console what its load or a request showed. @param warning begins small */
  warn(warning: string | undefined): void {
    if (warning === undefined || this.#warnings.has(warning)) return;
    this.#warnings.add(warning);
    console.warn(`inpage: the model \`${this.entry.id}\`: ${warning}`);
    this.#changed();
  }

  /** A request that is over at once is not told: each change of the status is a message to every tab, and its answer. */
  #queueChanged(): void {
    if (this.queue.busy || this.queue.length > 0) {
      this.#untold ??= setTimeout(() => {
        this.#untold = undefined;
        this.#isToldBusy = true;
        this.#changed();
      }, SHORT_MS);
      return;
    }
    clearTimeout(this.#untold);
    this.#untold = undefined;
    if (this.#isToldBusy) this.#changed();
    this.#isToldBusy = false;
  }

  status(): ModelStatus {
    const { id, task, backend } = this.entry;
    const status: ModelStatus = { id, task, backend, state: this.#state(), queued: this.queue.length };
    // Whoever sees it at work learns the end.
    if (this.queue.busy || status.queued > 0) this.#isToldBusy = true;
    const progress = (this.#loading && this.#progress) ?? this.#download;
    if (progress) status.progress = progress;
    if (this.#failure) status.error = serializeInferenceError(this.#failure);
    if (this.#model) {
      const { device, threads, contextLength, images, dtype, sampling, warning: ofLoad = '' } = this.#model.info;
      const { deviceReason = this.#gpuLosses.reason, kvTokenBytes } = this.#model.info;
      const warning = [ofLoad, ...this.#warnings].filter(Boolean).join(' ');
      Object.assign(
        status,
        { device, threads, contextLength, images },
        deviceReason === undefined ? {} : { deviceReason },
        dtype === undefined ? {} : { dtype },
        kvTokenBytes === undefined ? {} : { kvTokenBytes },
        warning === '' ? {} : { warning },
        sampling && { sampling },
      );
    }
    return status;
  }

  #state(): ModelStatus['state'] {
    if (this.#model) return this.queue.busy ? 'busy' : 'ready';
    if (this.#loading) return 'loading';
    return this.#failure ? 'failed' : 'absent';
  }

  #load(): Loading {
    const controller = new AbortController();
    const { signal } = controller;
    this.#fileBytes.clear();
    const stall = new StallWatch(LOAD_STALL_MS, () =>
      controller.abort(new InferenceError('unavailable', `Loading \`${this.entry.id}\` made no progress.`)),
    );
    let tellDownload = (): void => {};
    const downloading = new Promise<void>((resolve) => (tellDownload = resolve));
    const onProgress = (progress: LoadProgress): void => {
      if (signal.aborted) return;
      stall.received();
      if (progress.stage === 'download') tellDownload();
      this.#report(progress);
    };
    const started = this.#ending.then(() => {
      signal.throwIfAborted();
      return this.#host.start(this.#gpuLosses.entryFor(this.entry), { onProgress, signal });
    });
    // A model that comes after it was abandoned must not stay.
    const over = started.then((model) => (signal.aborted ? model.unload() : undefined));
    over.catch(() => {});
    signal.addEventListener('abort', () => this.#end(over));
    const promise = orAborted(started, controller.signal)
      .then((model) => this.#loaded(model))
      .catch((thrown: unknown) => {
        const error = this.#named(toInferenceError(thrown));
        if (this.#loading?.controller === controller) {
          this.#refused = error.code === 'insufficient_resources';
          this.#forget(error);
        }
        throw error;
      })
      .finally(() => stall.end());
    queueMicrotask(this.#changed);
    return { promise, controller, downloading };
  }

  /** The failure with the name of its model, for the headers of the answer. */
  #named(error: InferenceError): InferenceError {
    if (error.code !== 'unavailable' && error.code !== 'insufficient_resources') return error;
    const details = { ...error.details, model: this.entry.id };
    return new InferenceError(error.code, error.message, details, { cause: error.cause });
  }

  #end(rest: Promise<unknown>): void {
    const ended = settledWithin(rest, STOP_TIMEOUT_MS).catch(() => {});
    this.#ending = Promise.all([this.#ending, ended]);
  }

  #loaded(model: LoadedModel): LoadedModel {
    this.#warnings.clear();
    this.#model = model;
    this.contextLength = model.info.contextLength;
    this.images = model.info.images;
    this.reasoningFormat = model.info.reasoningFormat;
    this.sampling = model.info.sampling;
    this.description = model.info.description;
    this.#loading = undefined;
    this.#failure = undefined;
    this.#refused = false;
    this.bytes = [...this.#fileBytes.values()].reduce((sum, bytes) => sum + bytes, 0);
    const gone = new AbortController();
    this.#gone = gone;
    void model.lost.then((lost) => {
      const error = this.#named(lost);
      this.#gpuLosses.note(this.entry, model.info);
      gone.abort(error);
      return this.restart(model, error);
    });
    this.warn(contextWarning(this.entry, model.info.contextLength));
    this.#report({ model: this.entry.id, loadedBytes: this.bytes, totalBytes: this.bytes, stage: 'ready' });
    return model;
  }

  #forget(failure?: InferenceError): void {
    this.#model = undefined;
    this.#loading = undefined;
    this.#failure = failure;
    this.bytes = 0;
    this.#keepAlive.forget();
    this.#changed();
  }
}
