/** Threads of the GGUF engine, where the page is cross-origin isolated. @module */
import { withTrustedWorkers } from '../../core/errors/trusted-types.js';
import { settledWithin } from '../../core/platform/settled-within.js';
import type { ThreadStart } from './gguf-worker.js';

/** More threads do not make these models faster. */
const MAX_THREADS = 4;

/** Milliseconds in which threads must run. */
const START_DEADLINE = 10_000;

/** 1 without cross-origin isolation, else half the cores: threads spin while they wait, so they would slow down the page. */
export function threadCount(): number {
  if (!globalThis.crossOriginIsolated || typeof Worker === 'undefined') return 1;
  return Math.max(1, Math.min(MAX_THREADS, Math.ceil((navigator.hardwareConcurrency || 1) / 2)));
}

/**
 * Starts threads, which serve jobs from then on.
 * @returns ends them
 * @throws Error when one does not start in time
 */
export async function startThreads(starts: readonly ThreadStart[]): Promise<() => void> {
  // Bundlers know `new Worker(new URL(…))` by its letters.
  const make = (): Worker =>
    withTrustedWorkers(
      () => new Worker(new URL('./gguf-worker.ts', import.meta.url), { type: 'module', name: 'inpage-gguf' }),
    );
  const workers: Worker[] = [];
  const end = (): void => {
    for (const worker of workers) worker.terminate();
  };
  try {
    const ready = starts.map((start) => {
      const worker = make();
      workers.push(worker);
      return new Promise((resolve, reject) => {
        worker.addEventListener('message', resolve, { once: true });
        worker.addEventListener('error', ({ message }) => reject(new Error(message)), { once: true });
        worker.postMessage(start);
      });
    });
    if (!(await settledWithin(Promise.all(ready), START_DEADLINE))) throw new Error('A thread did not start.');
    return end;
  } catch (thrown) {
    end();
    throw thrown;
  }
}
