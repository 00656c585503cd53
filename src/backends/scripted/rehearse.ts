/** Bad days and slow ones, as a script asks for them. @module */
import { cancelled, InferenceError } from '../../errors/inference-error.js';
import type { Script } from '../../models/model-entry.js';

/** Does nothing without `failWith`; else throws, or (for `timeout`) waits until `signal` aborts. */
export async function failAsScripted({ failWith }: Script, signal: AbortSignal): Promise<void> {
  switch (failWith) {
    case undefined:
      return;
    case 'internal':
      // A plain error, as a defect would throw it: the house must turn it into `internal` by itself.
      throw new Error('This scripted model fails.');
    case 'unavailable':
      throw new InferenceError('unavailable', 'The model is not available now.');
    case 'timeout':
      return pause(Infinity, signal);
  }
}

/** Waits; rejects with `cancelled` as soon as the signal aborts. @param milliseconds Infinity: until it aborts */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(cancelled());
  if (milliseconds <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(cancelled());
    };
    const done = (): void => {
      signal.removeEventListener('abort', stop);
      resolve();
    };
    // A timer of more than 31 bits would fire at once.
    const timer = Number.isFinite(milliseconds) ? setTimeout(done, milliseconds) : undefined;
    signal.addEventListener('abort', stop, { once: true });
  });
}
