/** The model worker's end: one backend, one loaded model, calls over a port. @module */
import type { Backend, LoadedModel, LoadOptions } from '../core/models/backend.js';
import { InferenceError, toInferenceError } from '../core/errors/inference-error.js';
import type { ModelEntry } from '../core/models/model-entry.js';
import { RetryInNewWorker } from '../core/models/retry-in-new-worker.js';
import { answerCall } from '../relay/stream/answer-call.js';
import { MODEL_TIMING } from '../relay/stream/call-timing.js';
import type {
  LoadArgument,
  LoadItem,
  ModelCallMessage,
  ModelLostMessage,
  ModelMethod,
  ModelPayload,
} from '../relay/protocol.js';

const METHODS: readonly ModelMethod[] = ['generate', 'countTokens', 'embed', 'transcribe'];

/** Serves the calls that arrive on a model worker's own port. `backendOf` finds the engine of an entry. */
export function serveModel(port: MessagePort, backendOf: (entry: ModelEntry) => Promise<Backend>): void {
  let model: LoadedModel | undefined;

  async function* load(argument: LoadArgument, signal: AbortSignal): AsyncGenerator<LoadItem> {
    const backend = await backendOf(argument.entry);
    const outcome = yield* reported(argument, signal, (options) => backend.load(argument.entry, options).catch(spent));
    if (outcome instanceof RetryInNewWorker) {
      return yield { type: 'spent', entry: outcome.entry, error: outcome.serialize() };
    }
    const loaded = (model = outcome);
    void loaded.lost.then((error) => {
      const message: ModelLostMessage = { type: 'lost', error: error.serialize() };
      port.postMessage(message);
    });
    yield { type: 'loaded', info: loaded.info, methods: METHODS.filter((method) => loaded[method] !== undefined) };
  }

  async function* fetchFiles(argument: LoadArgument, signal: AbortSignal): AsyncGenerator<LoadItem> {
    const backend = await backendOf(argument.entry);
    yield* reported(argument, signal, async (options) => backend.fetchFiles?.(argument.entry, options));
  }

  function answer(payload: ModelPayload, signal: AbortSignal): AsyncIterable<readonly unknown[]> {
    if (payload.method === 'load') return inBatches(load(payload.argument, signal));
    if (payload.method === 'fetchFiles') return inBatches(fetchFiles(payload.argument, signal));
    if (!model) throw new InferenceError('unavailable', 'The model is not loaded.');
    if (payload.method === 'unload') return resultOf(model.unload());
    return runMethod(model, payload.method, payload.argument, signal);
  }

  port.onmessage = (event: MessageEvent<ModelCallMessage>) => {
    const [callPort] = event.ports;
    if (callPort) void answerCall<ModelPayload, unknown>(callPort, answer, MODEL_TIMING);
  };
}

/** The progress of some work as items, then its result. */
async function* reported<Result>(
  { options }: LoadArgument,
  signal: AbortSignal,
  work: (options: LoadOptions) => Promise<Result>,
): AsyncGenerator<LoadItem, Result> {
  const progress = new ProgressQueue();
  const done = work({
    ...options,
    onProgress: (event) => progress.push({ type: 'progress', progress: event }),
    signal,
  });
  done.then(
    () => progress.end(),
    () => progress.end(),
  );
  yield* progress.items();
  return done;
}

/** The engine's own batches where it gives them: nothing stands between its tokens and the port. */
function runMethod(
  model: LoadedModel,
  method: ModelMethod,
  argument: unknown,
  signal: AbortSignal,
): AsyncIterable<readonly unknown[]> {
  // The gateway sends each method its own argument type; the port cannot carry that knowledge.
  const call = model[method]?.bind(model) as ((argument: unknown, signal: AbortSignal) => unknown) | undefined;
  if (!call) throw new InferenceError('model_not_supported', 'The model cannot do this.', { param: 'model' });
  const result = call(argument, signal);
  if (!isAsyncIterable(result)) return resultOf(result);
  return method === 'generate' ? (result as AsyncIterable<readonly unknown[]>) : inBatches(result);
}

async function* resultOf(result: unknown): AsyncGenerator<unknown[]> {
  yield [await result];
}

async function* inBatches(items: AsyncIterable<unknown>): AsyncGenerator<unknown[]> {
  for await (const item of items) yield [item];
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Turns progress callbacks into items. */
class ProgressQueue {
  #items: LoadItem[] = [];
  #ended = false;
  #wake: () => void = () => {};

  push(item: LoadItem): void {
    this.#items.push(item);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *items(): AsyncGenerator<LoadItem> {
    for (;;) {
      const item = this.#items.shift();
      if (item) yield item;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

function spent(thrown: unknown): RetryInNewWorker {
  if (thrown instanceof RetryInNewWorker) return thrown;
  throw thrown;
}

/** A backend that cannot even be fetched, as an error for the caller. */
export function engineMissing(thrown: unknown): InferenceError {
  const error = toInferenceError(thrown);
  if (error.code !== 'internal') return error;
  // Browsers name the file that is missing here.
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new InferenceError(
    'unavailable',
    `The engine of this model could not be loaded. ${reason}`,
    { retryAfter: 5, reason },
    { cause: thrown },
  );
}
