/** Remote services that cannot be reached: the models that their entries name instead answer meanwhile. @module */
import { toInferenceError } from '../../core/errors/inference-error.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { RunOptions } from './inference.js';
import type { ModelSlot } from './model-slot.js';
import type { PreparedRun, RunReader } from './run-on-slot.js';

/** Milliseconds for which a service is left alone, so that the next requests do not wait for it. */
const PAUSE_MS = 10_000;

/** Whether another model can answer for this one when its service is away. */
export function hasSubstitute({ backend, fallback }: ModelEntry): boolean {
  return backend === 'upstream' && fallback !== undefined;
}

/** See the module. */
export class RemoteOutages {
  /** When a service may be asked again. */
  readonly #until = new WeakMap<ModelSlot, number>();

  /** Whether the service of a slot is not asked now: it was away a moment ago, or the device knows that it has no network. */
  holdsFor(slot: ModelSlot): boolean {
    if (!hasSubstitute(slot.entry)) return false;
    const isOffline = (globalThis.navigator as { onLine?: boolean } | undefined)?.onLine === false;
    return isOffline || performance.now() < (this.#until.get(slot) ?? 0);
  }

  /**
   * Runs work; when the service of its slot is away and nothing was given yet, prepares it again, which then finds another slot.
   * @param run runs what is prepared
   */
  async *run<T, Output, Reader extends RunReader<T, Output>>(
    { resumeState }: Pick<RunOptions, 'resumeState'>,
    prepare: (signal: AbortSignal) => Promise<PreparedRun<T, Output, Reader>>,
    run: (prepare: (signal: AbortSignal) => Promise<PreparedRun<T, Output, Reader>>) => AsyncGenerator<Output, void>,
  ): AsyncGenerator<Output, void> {
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
        for await (const output of run(noting)) {
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
