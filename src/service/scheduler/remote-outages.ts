/** Remote services that cannot be reached: the models that their entries name instead answer meanwhile. @module */
import { toInferenceError } from '../../core/errors/inference-error.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { RunOptions } from './inference.js';
import type { ModelSlot } from './model-slot.js';
import { type PreparedRun, runOnSlot, type RunReader } from './run-on-slot.js';

/** Milliseconds for which a service is left alone, so that the next requests do not wait for it. */
const PAUSE_MS = 10_000;

/** Finds a slot, and what is done there. */
type Prepare<T, Output, Reader extends RunReader<T, Output>> = (
  signal: AbortSignal,
) => Promise<PreparedRun<T, Output, Reader>>;

/** Whether another model can answer for this one when its service is away. */
function hasSubstitute({ backend, fallback }: ModelEntry): boolean {
  return backend === 'upstream' && fallback !== undefined;
}

/** See the module. */
export class RemoteOutages {
  /** When a service may be asked again. */
  readonly #until = new WeakMap<ModelSlot, number>();
  readonly #seconds: number;

  /** @param seconds see `runOnSlot` */
  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /** Whether the service of a slot is not asked now: it was away a moment ago, or the device knows that it has no network. */
  holdsFor(slot: ModelSlot): boolean {
    if (!hasSubstitute(slot.entry)) return false;
    const isOffline = (globalThis.navigator as { onLine?: boolean } | undefined)?.onLine === false;
    return isOffline || performance.now() < (this.#until.get(slot) ?? 0);
  }

  /** Runs work as `runOnSlot` does, on the slot that was asked for or in its place. */
  run<T, Output = T, Reader extends RunReader<T, Output> = RunReader<T, Output>>(
    asked: ModelSlot,
    options: RunOptions,
    prepare: Prepare<T, Output, Reader>,
  ): AsyncGenerator<Output, void> {
    // One generator more costs some turns of the event loop per token.
    const hasOther = hasSubstitute(asked.entry);
    return hasOther ? this.#runOrSubstitute(options, prepare) : runOnSlot(this.#seconds, options, prepare);
  }

  /** When the service of a slot is away and nothing was given yet, prepares again, which then finds another slot. */
  async *#runOrSubstitute<T, Output, Reader extends RunReader<T, Output>>(
    options: RunOptions,
    prepare: Prepare<T, Output, Reader>,
  ): AsyncGenerator<Output, void> {
    const { resumeState } = options;
    const tried = new Set<ModelSlot>();
    for (;;) {
      let slot: ModelSlot | undefined;
      let isAnswered = false;
      const noting = async (signal: AbortSignal): Promise<PreparedRun<T, Output, Reader>> => {
        const prepared = await prepare(signal);
        slot = prepared.slot;
        return prepared;
      };
      try {
        for await (const output of runOnSlot(this.#seconds, options, noting)) {
          isAnswered = true;
          yield output;
        }
        return;
      } catch (thrown) {
        const isAway = toInferenceError(thrown).details.unreachable === true;
        if (!isAway || !slot || !hasSubstitute(slot.entry) || tried.has(slot)) throw thrown;
        if (isAnswered || resumeState?.isContinued) throw thrown;
        tried.add(slot);
        this.#until.set(slot, performance.now() + PAUSE_MS);
        resumeState?.takeBack();
      }
    }
  }
}
