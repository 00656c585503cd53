/** The gateway's end of a model worker: a LoadedModel whose work happens in another realm. @module */
import { proxy, type Remote } from 'comlink';
import { InferenceError, throwIfCancelled, toInferenceError } from '../core/errors/inference-error.js';
import type { LoadedModel } from '../core/models/backend.js';
import type { LoadProgress } from '../core/models/model-entry.js';
import { orAborted } from '../core/platform/reject-on-abort.js';
import { settledWithin } from '../core/platform/settled-within.js';
import { hasPart } from '../core/request/generation-request.js';
import { ControlChannel } from '../relay/control/control-channel.js';
import type {
  LoadArgument,
  LoadedFacts,
  ModelCallMessage,
  ModelControl,
  ModelMethod,
  ModelPayload,
  ProgressListener,
} from '../relay/protocol.js';
import { type CallTiming, MODEL_TIMING } from '../relay/stream/call-timing.js';
import { readItems, OpenCall, peerLostError } from '../relay/stream/open-call.js';
import { LearnedTiming } from './learned-timing.js';

/** A running model worker. */
export interface ModelWorkerHandle {
  port: MessagePort;
  lifeline: string | undefined;
  /** Ends the worker: the one sure way to get its memory back. */
  end: () => void;
}

/** How to load. */
export interface RemoteLoadOptions {
  onProgress: (progress: LoadProgress) => void;
  signal: AbortSignal;
  /** Of the calls to the loaded model. */
  timing: CallTiming;
}

/**
 * Loads a model in a worker. When that fails the worker is ended, and the backend's InferenceError thrown, a
 * `RetryInNewWorker` where the load can succeed in another worker.
 */
export async function loadRemoteModel(
  worker: ModelWorkerHandle,
  argument: LoadArgument,
  options: RemoteLoadOptions,
): Promise<LoadedModel> {
  const remote = new RemoteModel(worker, options.timing);
  try {
    return remote.toLoadedModel(
      await watched(remote, argument, options, (model, ...more) => model.load(argument, ...more)),
    );
  } catch (thrown) {
    remote.end();
    throw thrown;
  }
}

/** Brings a model's files into the store, in a worker that ends then. Rejects with the backend's InferenceError. */
export async function fetchFilesRemotely(
  worker: ModelWorkerHandle,
  argument: LoadArgument,
  options: RemoteLoadOptions,
): Promise<void> {
  const remote = new RemoteModel(worker, options.timing);
  try {
    await watched(remote, argument, options, (model, ...more) => model.fetchFiles(argument, ...more));
  } finally {
    remote.end();
  }
}

/** Milliseconds without a sign of life after which a worker that loads is stuck. */
const LOAD_SILENCE = 30_000;

/** Milliseconds more for each byte of the model: 30 s for a gigabyte, whose weights an engine may read in one go. */
const LOAD_SILENCE_PER_BYTE = 30e-6;

/**
 * Calls a worker that loads. It reports every few seconds that it responds, unless its engine computes: files may make
 * that endless, and nothing but the end of the worker stops it.
 * @throws InferenceError `unavailable` when the worker is silent for too long
 */
async function watched<Result>(
  remote: RemoteModel,
  { entry }: LoadArgument,
  { onProgress, signal, timing }: RemoteLoadOptions,
  ask: (model: Remote<ModelControl>, report: ProgressListener, stop: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stuck = new AbortController();
  const sizes = new Map<string | undefined, number>();
  // Beats are counted and not milliseconds, so that a machine that slept has not been silent.
  let silentBeats = 0;
  const beat = setInterval(() => {
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    const limit = LOAD_SILENCE + bytes * LOAD_SILENCE_PER_BYTE;
    silentBeats += 1;
    if (silentBeats * MODEL_TIMING.beat > limit) stuck.abort(stuckLoad(entry.id, limit));
  }, timing.beat);
  // The worker releases it at the end of its call, and so closes the port that belongs to it.
  const report: ProgressListener = proxy((progress?: LoadProgress) => {
    silentBeats = 0;
    if (!progress || signal.aborted) return;
    if (progress.stage === 'download') sizes.set(progress.file, progress.totalBytes);
    onProgress(progress);
  });
  try {
    const call = remote.control.call((model, stop) => ask(model, report, stop), signal);
    return await orAborted(call, stuck.signal);
  } finally {
    clearInterval(beat);
  }
}

function stuckLoad(id: string, limit: number): InferenceError {
  const seconds = Math.round(limit / 1000);
  const reason = `The model's engine computed for ${seconds} seconds without responding. One of its files (tokenizer, chat template or graph) may make it compute forever.`;
  return new InferenceError('unavailable', `The model \`${id}\` could not be loaded. ${reason}`, {
    reason,
    retryAfter: 5,
  });
}

class RemoteModel {
  readonly control: ControlChannel<ModelControl>;
  readonly #worker: ModelWorkerHandle;
  /** Of calls whose passes may be longer than any before them. */
  readonly #timing: CallTiming;
  /** Of text and speech, whose passes are all alike. */
  readonly #learned: LearnedTiming;
  /** Their calls have ended, and the next ones go through them. */
  readonly #freePorts: MessagePort[] = [];
  #isEnded = false;

  constructor(worker: ModelWorkerHandle, timing: CallTiming) {
    this.control = new ControlChannel(worker.port, worker.lifeline);
    this.#worker = worker;
    this.#timing = timing;
    this.#learned = new LearnedTiming(timing);
  }

  toLoadedModel({ info, methods }: LoadedFacts): LoadedModel {
    const single =
      <Result>(method: ModelMethod) =>
      async (argument: unknown, signal: AbortSignal): Promise<Result> => {
        for await (const [result] of this.#call<Result>({ method, argument }, signal)) return result!;
        throw peerLostError();
      };
    return {
      info,
      lost: this.control.call((model) => model.lost()).catch(toInferenceError) as Promise<InferenceError>,
      unload: () => this.#unload(),
      ...(methods.includes('generate') && {
        // Each image is a pass of another model.
        generate: (argument, signal) =>
          this.#call({ method: 'generate', argument }, signal, { isLearned: !hasPart(argument.prompt, 'image') }),
      }),
      ...(methods.includes('countTokens') && { countTokens: single('countTokens') }),
      ...(methods.includes('tokenize') && { tokenize: single('tokenize') }),
      ...(methods.includes('decide') && { decide: single('decide') }),
      ...(methods.includes('embed') && { embed: single('embed') }),
      ...(methods.includes('measure') && { measure: single('measure') }),
      ...(methods.includes('rerank') && { rerank: single('rerank') }),
      ...(methods.includes('transcribe') && {
        transcribe: (argument, signal) =>
          readItems(this.#call({ method: 'transcribe', argument }, signal, { isLearned: true })),
      }),
      ...(methods.includes('speak') && {
        // A sentence may be longer than all before it.
        speak: (argument, signal) => readItems(this.#call({ method: 'speak', argument }, signal)),
      }),
    };
  }

  /**
   * Opens a call.
   * @param isLearned its passes are like those before
   * @throws InferenceError `cancelled` at once when the signal is aborted
   */
  #call<Item>(payload: ModelPayload, signal: AbortSignal, { isLearned = false } = {}): OpenCall<Item> {
    throwIfCancelled(signal);
    const port = this.#freePorts.pop() ?? this.#openPort();
    return new OpenCall<Item>(port, payload, {
      signal,
      ...(isLearned ? { timing: this.#learned, onMessage: this.#learned.received } : { timing: this.#timing }),
      lifeline: this.#worker.lifeline,
      // A worker that says nothing or does not stop when told would block every later request. Of one that is gone each port
      // is closed on its own: the first that tells says it for all, so that each answer is resumed alike.
      onLost: () => this.end(),
      release: () => (this.#isEnded ? port.close() : void this.#freePorts.push(port)),
    });
  }

  #openPort(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const message: ModelCallMessage = { type: 'call' };
    this.#worker.port.postMessage(message, [port2]);
    return port1;
  }

  /** Ends the worker. Pending calls to it fail. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#worker.end();
    this.control.close();
    for (const port of this.#freePorts) port.close();
  }

  async #unload(): Promise<void> {
    // A worker that hangs does not answer. Ending it frees more than any unload.
    await settledWithin(
      this.control.call((model) => model.unload()),
      UNLOAD_TIMEOUT_MS,
    ).catch(() => {});
    this.end();
  }
}

/** Milliseconds that a model gets to end properly (save caches) before its worker ends. */
const UNLOAD_TIMEOUT_MS = 2_000;
