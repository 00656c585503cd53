/** One request's way through a slot: load, queue, run, and let go whatever happens. @module */
import type { LoadedModel } from '../../core/models/backend.js';
import { InferenceError, isInferenceError, toInferenceError } from '../../core/errors/inference-error.js';
import { Interruptible } from '../../core/platform/interruptible.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';
import type { Deadline } from './deadline.js';
import type { ModelSlot } from './model-slot.js';

/** How long a cancelled engine may take to stop before its worker is ended. A long WASM call cannot be interrupted. */
const STOP_GRACE_MS = 15_000;

/** A request whose engine dies before it answered anything is tried so many times in all. */
const ATTEMPTS = 2;

export interface SlotRun<T> {
  /** Starts the work on the loaded engine, when it is this request's turn. */
  start: (model: LoadedModel, signal: AbortSignal) => AsyncIterable<T>;
  /** False: the engine takes several of these at once (embeddings), so they do not queue. */
  exclusive: boolean;
  /** The first item is what the deadline waits for; else the end is. */
  meetsDeadlineAtFirst?: boolean;
}

/**
 * Runs work on a slot's engine. Ends by throwing an InferenceError: the engine's own, `cancelled`, `timeout`, or
 * `unavailable` when the engine died after the first item. The slot is free again when the engine has really stopped.
 */
export async function* runOnSlot<T>(slot: ModelSlot, run: SlotRun<T>, deadline: Deadline): AsyncGenerator<T, void> {
  for (let attempt = 1; ; attempt++) {
    const model = await orAborted(slot.ready(), deadline.signal);
    deadline.start();
    const release = run.exclusive
      ? await slot.queue.acquire(deadline.signal, model.info.concurrency)
      : slot.queue.join();
    if (slot.model !== model) {
      // The engine was replaced while this request queued.
      release();
      attempt--;
      continue;
    }
    let answered = false;
    try {
      for await (const item of guarded(slot, model, run, deadline.signal, release)) {
        if (!answered && run.meetsDeadlineAtFirst) deadline.meet();
        answered = true;
        yield item;
      }
      return;
    } catch (error) {
      if (answered || attempt === ATTEMPTS || !(await diedUnder(model, slot, error))) throw toInferenceError(error);
    }
  }
}

/** Whether the engine's death (not the request) is why the run failed. */
async function diedUnder(model: LoadedModel, slot: ModelSlot, error: unknown): Promise<boolean> {
  if (!isInferenceError(error) || error.code !== 'unavailable') return false;
  const lost = await Promise.race([model.lost.then(() => true), Promise.resolve(false)]);
  return lost || slot.model !== model;
}

/** The engine's items, never waiting longer than the signal or the engine lives; stops the engine in the end. */
async function* guarded<T>(
  slot: ModelSlot,
  model: LoadedModel,
  run: SlotRun<T>,
  signal: AbortSignal,
  release: () => void,
): AsyncGenerator<T, void> {
  slot.lastUsed = performance.now();
  // Not a race against `model.lost`: a promise that outlives the requests would remember all their items.
  const { gone } = slot;
  const alive = new Interruptible(AbortSignal.any([signal, gone]));
  let iterator: AsyncIterator<T> | undefined;
  let ended = false;
  let stopped = false;
  const stop = (): void => {
    if (stopped) return;
    stopped = true;
    if (ended || !iterator) release();
    else void stopEngine(slot, model, { iterator, gone }).finally(release);
  };
  // A caller that left may never ask for the next item, nor say that it wants none.
  signal.addEventListener('abort', stop, { once: true });
  try {
    iterator = run.start(model, signal)[Symbol.asyncIterator]();
    for (;;) {
      const next = await alive.wait(iterator.next());
      if (next.done) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } catch (error) {
    // An engine that threw by itself has stopped; one that was left behind has not.
    ended = !signal.aborted;
    throw error;
  } finally {
    slot.lastUsed = performance.now();
    alive.dispose();
    signal.removeEventListener('abort', stop);
    stop();
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
  const outcome = await orAborted(Promise.race([stopped, late]), gone).catch(() => 'stopped' as const);
  clearTimeout(timer);
  if (outcome === 'late') await slot.restart(model).catch(() => {});
}

/** A single result as an iterable of one, so that it can run on a slot. */
export async function* once<T>(work: Promise<T>): AsyncGenerator<T, void> {
  yield await work;
}

/** An operation of a loaded model, ready to call; `model_not_supported` when its engine does not have it. */
export function operationOf<Name extends 'generate' | 'countTokens' | 'embed' | 'transcribe'>(
  model: LoadedModel,
  name: Name,
): NonNullable<LoadedModel[Name]> {
  const operation = model[name];
  if (!operation) throw new InferenceError('model_not_supported', 'The model cannot do this.', { param: 'model' });
  return operation.bind(model) as NonNullable<LoadedModel[Name]>;
}
