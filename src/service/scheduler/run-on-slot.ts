/** Runs one request on a model: load, wait in the queue, run, release. @module */
import { hearDefect } from '../../core/errors/hear-defect.js';
import { InferenceError, isInferenceError } from '../../core/errors/inference-error.js';
import type { LoadedModel } from '../../core/models/backend.js';
import { Interruptible, orAborted } from '../../core/platform/reject-on-abort.js';
import { settledWithin } from '../../core/platform/settled-within.js';
import { Deadline } from './deadline.js';
import type { RunOptions } from './inference.js';
import type { ModelSlot } from './model-slot.js';

/** How long a canceled engine may take to stop before its worker is ended. A long WASM call cannot be interrupted. */
const STOP_GRACE_MS = 15_000;

/** How often a request is tried in all when its engine fails: before the first token, or where the answer can be continued. */
const MAX_ATTEMPTS = 2;
const MAX_RESUME_ATTEMPTS = 4;

export interface SlotRun<T, Output = T, Reader extends RunReader<T, Output> = RunReader<T, Output>> {
  /** Starts the work on the loaded engine, when it is this request's turn. `reader`: what {@link createReader} gave. */
  start: (model: LoadedModel, signal: AbortSignal, reader: Reader) => AsyncIterable<T>;
  /** False: the engine takes several of these at once (embeddings), so they do not queue. */
  exclusive: boolean;
  /** Called when an attempt begins the answer from its start. */
  createReader: () => Reader;
}

/** Turns an engine's items into what the caller gets. */
export interface RunReader<T, Output> {
  /** Undefined: the item gives nothing. */
  push(item: T): Output | undefined;
  /** What comes last, when the engine is free again; undefined: nothing. */
  finish(): Output | undefined;
  /** Another engine can go on where one was lost: it is started with the same reader. @default false */
  readonly isResumable?: boolean;
}

/** Gives the caller the engine's items themselves. */
export class ItemReader<T> implements RunReader<T, T> {
  push(item: T): T {
    return item;
  }

  finish(): undefined {}
}

/** A run that knows its slot. */
export interface PreparedRun<T, Output, Reader extends RunReader<T, Output> = RunReader<T, Output>> {
  slot: ModelSlot;
  run: SlotRun<T, Output, Reader>;
}

/**
 * Runs work on a slot's engine. Ends by throwing an InferenceError: the engine's own, `cancelled`, `timeout`, or
 * `unavailable` when the engine died after the first item and no other can go on. The slot is free again when the engine has really stopped.
 * One generator from the engine to the caller, because each costs some turns of the event loop per token.
 * @param seconds see {@link Deadline}
 * @param prepare finds the slot, and does what must be done before its queue is entered
 */
export async function* runOnSlot<T, Output = T, Reader extends RunReader<T, Output> = RunReader<T, Output>>(
  seconds: number,
  options: RunOptions,
  prepare: (signal: AbortSignal) => Promise<PreparedRun<T, Output, Reader>>,
): AsyncGenerator<Output, void> {
  const deadline = new Deadline(seconds, options.signal);
  const { signal } = deadline;
  try {
    const { slot, run } = await prepare(signal);
    const attempts = new Attempts(slot, run, deadline, options);
    for (;;) {
      const model = await orAborted(slot.ready(), signal);
      deadline.start();
      const release = run.exclusive ? await slot.queue.acquire(signal, model.info.concurrency) : slot.queue.join();
      if (slot.model !== model) {
        // The engine was replaced while this request queued.
        release();
        continue;
      }
      const engine = new EngineRun<T>(slot, model, signal, release);
      try {
        const reader = attempts.begin();
        if (options.keepAlive !== undefined) slot.keepFor(options.keepAlive);
        options.onBegin?.();
        engine.start(run.start(model, signal, reader));
        for (;;) {
          const { done, value } = await engine.next();
          engine.isWaiting = false;
          if (done) break;
          attempts.itemCame();
          const given = reader.push(value);
          if (given !== undefined) yield given;
        }
        engine.end({ hasStopped: true });
        const last = reader.finish();
        if (last !== undefined) yield last;
        return;
      } catch (error) {
        // An engine that threw by itself has stopped; one that was left behind has not.
        engine.end({ hasStopped: engine.isWaiting && !signal.aborted });
        const { requestId } = options;
        if (!(await attempts.canRetry(model, error))) throw hearDefect(error, { model: slot.entry.id, requestId });
      } finally {
        engine.end({ hasStopped: false });
      }
    }
  } finally {
    deadline.dispose();
  }
}

/**
 * The engines that work on one request, one after the other is lost. Before the first item of any engine the next one
 * begins the answer from its start; afterwards it resumes the answer, if the reader can.
 */
class Attempts<T, Output, Reader extends RunReader<T, Output>> {
  readonly #slot: ModelSlot;
  readonly #createReader: () => Reader;
  readonly #deadline: Deadline;
  readonly #endsAtFirstItem: boolean;
  #reader: Reader | undefined;
  #count = 0;
  /** `new`: no engine has given an item; `answering`: the current one has; `resuming`: only an earlier one has. */
  #state: 'new' | 'answering' | 'resuming' = 'new';

  constructor(slot: ModelSlot, run: SlotRun<T, Output, Reader>, deadline: Deadline, options: RunOptions) {
    this.#slot = slot;
    this.#createReader = run.createReader;
    this.#deadline = deadline;
    this.#endsAtFirstItem = options.deadline === 'first-token';
  }

  /** An engine begins. @returns what reads its items */
  begin(): Reader {
    this.#count += 1;
    if (this.#state === 'new' || !this.#reader) return (this.#reader = this.#createReader());
    this.#state = 'resuming';
    return this.#reader;
  }

  /** The current engine gave an item. */
  itemCame(): void {
    if (this.#state === 'answering') return;
    this.#state = 'answering';
    if (this.#endsAtFirstItem) this.#deadline.satisfy();
  }

  /** The current engine failed: whether another one is to be asked. The deadline then runs again. */
  async canRetry(model: LoadedModel, error: unknown): Promise<boolean> {
    const isAnswered = this.#state !== 'new';
    if (this.#count >= (isAnswered ? MAX_RESUME_ATTEMPTS : MAX_ATTEMPTS)) return false;
    if (isAnswered && (!this.#reader?.isResumable || this.#slot.wasUnloaded(model))) return false;
    if (!(await diedUnder(model, this.#slot, error))) return false;
    if (this.#state === 'answering' && this.#endsAtFirstItem) this.#deadline.renew();
    return true;
  }
}

/** Whether the engine's death (not the request) is why the run failed. */
async function diedUnder(model: LoadedModel, slot: ModelSlot, error: unknown): Promise<boolean> {
  if (!isInferenceError(error) || error.code !== 'unavailable') return false;
  // A turn of the event loop: what ends a call and what says that its engine is lost come one after the other.
  const lost = await settledWithin(
    model.lost.then(() => true),
    0,
  );
  return lost === true || slot.model !== model;
}

/** The engine's items. Ends when the signal aborts or the engine fails, and always stops the engine. */
class EngineRun<T> {
  /** The engine was asked for an item and has not answered. */
  isWaiting = false;
  readonly #slot: ModelSlot;
  readonly #model: LoadedModel;
  readonly #signal: AbortSignal;
  readonly #release: () => void;
  /** Not a race against `model.lost`: a promise that outlives the requests would remember all their items. */
  readonly #gone: AbortSignal;
  readonly #alive: Interruptible;
  #iterator: AsyncIterator<T> | undefined;
  #isStopped = false;

  constructor(slot: ModelSlot, model: LoadedModel, signal: AbortSignal, release: () => void) {
    this.#slot = slot;
    this.#model = model;
    this.#signal = signal;
    this.#release = release;
    this.#gone = slot.gone;
    this.#alive = new Interruptible(AbortSignal.any([signal, this.#gone]));
    slot.lastUsed = performance.now();
    // A caller that left may never ask for the next item, nor say that it wants none.
    signal.addEventListener('abort', this.#leave, { once: true });
  }

  start(items: AsyncIterable<T>): void {
    this.#iterator = items[Symbol.asyncIterator]();
  }

  next(): Promise<IteratorResult<T>> {
    this.isWaiting = true;
    return this.#alive.wait(this.#iterator!.next());
  }

  /** Lets go of the engine. @param hasStopped it has come to its end. Safe to call twice: the first call counts */
  end({ hasStopped }: { hasStopped: boolean }): void {
    this.#slot.lastUsed = performance.now();
    this.#alive.dispose();
    this.#signal.removeEventListener('abort', this.#leave);
    this.#stop({ hasStopped });
  }

  readonly #leave = (): void => this.#stop({ hasStopped: false });

  #stop({ hasStopped }: { hasStopped: boolean }): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const iterator = this.#iterator;
    if (hasStopped || !iterator) this.#release();
    else void stopEngine(this.#slot, this.#model, { iterator, gone: this.#gone }).finally(this.#release);
  }
}

/** Waits for a left engine to stop; ends its worker when it does not. */
async function stopEngine<T>(
  slot: ModelSlot,
  model: LoadedModel,
  { iterator, gone }: { iterator: AsyncIterator<T>; gone: AbortSignal },
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), STOP_GRACE_MS);
  });
  const stopped = Promise.resolve(iterator.return?.()).then(
    () => 'stopped' as const,
    () => 'stopped' as const,
  );
  // All requests of a model may be left at once, and Node warns of many listeners on one signal.
  const own = AbortSignal.any([gone]);
  const outcome = await orAborted(Promise.race([stopped, late]), own).catch(() => 'stopped' as const);
  clearTimeout(timer);
  if (outcome === 'late') await slot.restart(model).catch(() => {});
}

/** A single result as an iterable of one, so that it can run on a slot. */
export async function* yieldOnce<T>(work: Promise<T>): AsyncGenerator<T, void> {
  yield await work;
}

/** An operation of a loaded model, ready to call; `model_not_supported` when its engine does not have it. */
export function operationOf<
  Name extends
    | 'generate'
    | 'countTokens'
    | 'tokenize'
    | 'decide'
    | 'embed'
    | 'measure'
    | 'rerank'
    | 'transcribe'
    | 'speak',
>(model: LoadedModel, name: Name): NonNullable<LoadedModel[Name]> {
  const operation = model[name];
  if (!operation) throw new InferenceError('model_not_supported', 'The model cannot do this.', { param: 'model' });
  return operation.bind(model) as NonNullable<LoadedModel[Name]>;
}
