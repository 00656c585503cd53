/** Waiting until a new worker runs. @module */
import { InferenceError } from '../errors/inference-error.js';
import type { WorkerReady } from '../relay/protocol.js';

/** Milliseconds until a worker's script must run; development servers may build it first. */
const START_DEADLINE = 30_000;

/**
 * Resolves with a new worker's lifeline once its script runs. When it does not, the worker is ended and the promise
 * rejects with InferenceError `unavailable`.
 */
export function workerStarted(worker: Worker): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const listening = new AbortController();
    const { signal } = listening;
    const fail = (message: string): void => {
      listening.abort();
      clearTimeout(timer);
      worker.terminate();
      reject(new InferenceError('unavailable', message, { retryAfter: 5 }));
    };
    const timer = setTimeout(() => fail('A worker script did not start in time.'), START_DEADLINE);
    worker.addEventListener('error', () => fail('A worker script could not be started.'), { signal });
    worker.addEventListener(
      'message',
      (event: MessageEvent<WorkerReady | undefined>) => {
        if (event.data?.type !== 'ready') return;
        listening.abort();
        clearTimeout(timer);
        resolve(event.data.lifeline);
      },
      { signal },
    );
  });
}
