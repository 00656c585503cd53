/** Failures and delays of a script. @module */
import { InferenceError, throwIfCancelled } from '../../core/errors/inference-error.js';
import type { Script } from '../../core/models/script.js';
import { pause } from '../../core/platform/pause.js';

/** Does nothing without `failWith`; else throws, or (for `timeout`) waits until `signal` aborts. */
export async function failAsScripted({ failWith }: Script, signal: AbortSignal): Promise<void> {
  switch (failWith) {
    case undefined:
      return;
    case 'internal':
      // A plain error, as a bug would throw; the caller must turn it into `internal`.
      throw new Error('This scripted model fails.');
    case 'unavailable':
      throw new InferenceError('unavailable', 'The model is not available now.');
    case 'timeout':
      return rest(Infinity, signal);
  }
}

/** Waits; rejects with `cancelled` as soon as the signal aborts. @param milliseconds Infinity: until it aborts */
export async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, signal);
  throwIfCancelled(signal);
}
