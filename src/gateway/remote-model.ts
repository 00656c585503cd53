/** The gateway's end of a model worker: a LoadedModel whose work happens in another realm. @module */
import type { LoadedModel, ModelInfo } from '../core/models/backend.js';
import { deserializeInferenceError, type InferenceError, throwIfCancelled } from '../core/errors/inference-error.js';
import type { TokenEvent } from '../core/events/token-event.js';
import type { LoadProgress } from '../core/models/model-entry.js';
import { RetryInNewWorker } from '../core/models/retry-in-new-worker.js';
import { type CallTiming, LOADING_TIMING } from '../relay/stream/call-timing.js';
import { rejectOnAbort } from '../core/platform/reject-on-abort.js';
import { watchLifeline } from '../relay/lifeline.js';
import { type Batches, type CallOptions, openBatches, openCall, peerGone } from '../relay/stream/open-call.js';
import type { GenerationRequest } from '../core/request/generation-request.js';
import type {
  LoadArgument,
  LoadItem,
  ModelCallMessage,
  ModelLostMessage,
  ModelMethod,
  ModelPayload,
} from '../relay/protocol.js';

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
 * {@link RetryInNewWorker} where the load can succeed in another worker.
 */
export async function loadRemoteModel(
  worker: ModelWorkerHandle,
  argument: LoadArgument,
  options: RemoteLoadOptions,
): Promise<LoadedModel> {
  const remote = new RemoteModel(worker, options.timing);
  try {
    for await (const item of remote.call<LoadItem>({ method: 'load', argument }, options.signal)) {
      if (item.type === 'loaded') return remote.toLoadedModel(item.info, item.methods);
      if (item.type === 'spent') throw new RetryInNewWorker(deserializeInferenceError(item.error), item.entry);
      options.onProgress(item.progress);
    }
    throw peerGone();
  } catch (thrown) {
    remote.end();
    throw thrown;
  }
}

/** Brings a model's files into the store, in a worker that ends then. Rejects with the backend's InferenceError. */
export async function fetchFilesRemotely(
  worker: ModelWorkerHandle,
  argument: LoadArgument,
  { onProgress, signal, timing }: RemoteLoadOptions,
): Promise<void> {
  const remote = new RemoteModel(worker, timing);
  try {
    for await (const item of remote.call<LoadItem>({ method: 'fetchFiles', argument }, signal)) {
      if (item.type === 'progress') onProgress(item.progress);
    }
  } finally {
    remote.end();
  }
}

class RemoteModel {
  readonly #worker: ModelWorkerHandle;
  readonly #timing: CallTiming;
  readonly #over = new AbortController();
  readonly #lost: Promise<InferenceError>;
  #lose: (error: InferenceError) => void = () => {};

  constructor(worker: ModelWorkerHandle, timing: CallTiming) {
    this.#worker = worker;
    this.#timing = timing;
    this.#lost = new Promise((resolve) => (this.#lose = resolve));
    worker.port.onmessage = (event: MessageEvent<ModelLostMessage>) =>
      this.#lose(deserializeInferenceError(event.data.error));
    watchLifeline(worker.lifeline, () => this.#lose(peerGone()), this.#over.signal);
  }

  /** Opens a call. @throws InferenceError `cancelled` at once when the signal is aborted */
  call<Item>(payload: ModelPayload, signal: AbortSignal): AsyncIterable<Item> {
    return openCall<Item>(this.#dial(signal), payload, this.#callOptions(payload, signal));
  }

  #generate(argument: GenerationRequest, signal: AbortSignal): Batches<TokenEvent> {
    const payload: ModelPayload = { method: 'generate', argument };
    return openBatches<TokenEvent>(this.#dial(signal), payload, this.#callOptions(payload, signal));
  }

  #dial(signal: AbortSignal): MessagePort {
    throwIfCancelled(signal);
    const { port1, port2 } = new MessageChannel();
    const message: ModelCallMessage = { type: 'call' };
    this.#worker.port.postMessage(message, [port2]);
    return port1;
  }

  #callOptions({ method }: ModelPayload, signal: AbortSignal): CallOptions {
    return {
      signal,
      timing: method === 'load' || method === 'fetchFiles' ? LOADING_TIMING : this.#timing,
      lifeline: this.#worker.lifeline,
      // A worker that says nothing or does not stop when told would block every later request.
      onStuck: () => this.end(),
    };
  }

  toLoadedModel(info: ModelInfo, methods: readonly ModelMethod[]): LoadedModel {
    const single =
      <Result>(method: ModelMethod) =>
      async (argument: unknown, signal: AbortSignal): Promise<Result> => {
        for await (const result of this.call<Result>({ method, argument }, signal)) return result;
        throw peerGone();
      };
    return {
      info,
      lost: this.#lost,
      unload: () => this.#unload(),
      ...(methods.includes('generate') && { generate: (argument, signal) => this.#generate(argument, signal) }),
      ...(methods.includes('countTokens') && { countTokens: single('countTokens') }),
      ...(methods.includes('embed') && { embed: single('embed') }),
      ...(methods.includes('transcribe') && {
        transcribe: (argument, signal) => this.call({ method: 'transcribe', argument }, signal),
      }),
    };
  }

  /** Ends the worker; whoever still waits for it learns so. */
  end(): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#worker.end();
    this.#worker.port.close();
    this.#lose(peerGone());
  }

  async #unload(): Promise<void> {
    const deadline = AbortSignal.timeout(UNLOAD_DEADLINE);
    // A call that is aborted waits for the worker to stop, and one that hangs does not. Ending it frees more than any unload.
    await Promise.race([this.#sayGoodbye(deadline), rejectOnAbort(deadline)]).catch(() => {});
    this.end();
  }

  async #sayGoodbye(signal: AbortSignal): Promise<void> {
    for await (const _ of this.call({ method: 'unload' }, signal)) break;
  }
}

/** Milliseconds that a model gets to say goodbye (save caches) before its worker ends. */
const UNLOAD_DEADLINE = 2_000;
