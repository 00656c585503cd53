/** Waiting until a new worker runs. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import type { WorkerReady } from '../relay/protocol.js';

/** Milliseconds until a worker's script must run; development servers may build it first. */
const START_DEADLINE = 30_000;

/**
 * Resolves with a new worker's lifeline once its script runs. When it does not, the worker is ended and the promise
 * rejects with InferenceError `unavailable`, with a `reason` when the script itself is the cause.
 * @param make made the worker
 */
export async function workerStarted(worker: Worker, make: () => Worker): Promise<string | undefined> {
  const listening = new AbortController();
  const { signal } = listening;
  let blocked: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  globalThis.document?.addEventListener(
    'securitypolicyviolation',
    ({ blockedURI, effectiveDirective }) => {
      if (/^(worker|child|script|default)-src/.test(effectiveDirective)) blocked = blockedURI;
    },
    { signal },
  );
  try {
    return await new Promise((resolve, reject) => {
      timer = setTimeout(
        () => reject(new InferenceError('unavailable', 'A worker script did not start in time.', { retryAfter: 5 })),
        START_DEADLINE,
      );
      worker.addEventListener('error', ({ message }) => reject(new ScriptError(message)), { signal });
      worker.addEventListener(
        'message',
        ({ data }: MessageEvent<WorkerReady | undefined>) => {
          if (data?.type === 'ready') resolve(data.lifeline);
        },
        { signal },
      );
    });
  } catch (thrown) {
    worker.terminate();
    if (!(thrown instanceof ScriptError)) throw thrown;
    const { explainWorkerFailure } = await import('./explain-worker-failure.js');
    throw await explainWorkerFailure({ make, message: thrown.message || undefined, blocked });
  } finally {
    listening.abort();
    clearTimeout(timer);
  }
}

/** The script could not be fetched, or threw. */
class ScriptError extends Error {}
