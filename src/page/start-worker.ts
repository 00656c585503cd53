/** Starts a worker's script, once more past the browser's cache if need be, and says why one did not start. @module */
import { InferenceError, isInferenceError } from '../core/errors/inference-error.js';
import type { WorkerReady } from '../relay/protocol.js';
// Not imported when it is needed: then the network may be gone, or the files of another deployment be there.
import { explainWorkerFailure, refreshScript } from './explain-worker-failure.js';

/** Milliseconds until a worker's script must run; development servers may build it first. */
const START_DEADLINE = 30_000;

/**
 * Resolves with a worker once its script runs, and with its lifeline. When it does not run, the worker is ended and the
 * promise rejects with InferenceError `unavailable`, with a `reason` when the script itself is the cause.
 * @param take is given the worker at once, and the one that replaces it
 * @param isWanted asked before it is replaced
 */
export async function startWorker(
  make: () => Worker,
  take: (worker: Worker) => void,
  isWanted: () => boolean,
): Promise<{ worker: Worker; lifeline: string | undefined }> {
  for (let isFirst = true; ; isFirst = false) {
    let worker: Worker;
    try {
      worker = make();
    } catch (refusal) {
      // What the browser refuses at once, because the script is of another origin say, it would refuse again.
      if (isInferenceError(refusal)) throw refusal;
      throw await explainWorkerFailure({ make, message: undefined, blocked: undefined, refusal: refusal as Error });
    }
    take(worker);
    try {
      return { worker, lifeline: await workerStarted(worker) };
    } catch (thrown) {
      worker.terminate();
      if (!(thrown instanceof ScriptError)) throw thrown;
      const { message, blocked } = thrown;
      // WebKit replaces the headers of a script that it has by those of a 304, and many servers send few with it.
      const isRefreshed = isFirst && !message && blocked === undefined && (await refreshScript(make));
      if (!isRefreshed || !isWanted())
        throw await explainWorkerFailure({ make, message: message || undefined, blocked });
    }
  }
}

async function workerStarted(worker: Worker): Promise<string | undefined> {
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
      worker.addEventListener('error', ({ message }) => reject(new ScriptError(message, blocked)), { signal });
      worker.addEventListener(
        'message',
        ({ data }: MessageEvent<WorkerReady | undefined>) => {
          if (data?.type === 'ready') resolve(data.lifeline);
        },
        { signal },
      );
    });
  } finally {
    listening.abort();
    clearTimeout(timer);
  }
}

/** The script could not be fetched, or threw. */
class ScriptError extends Error {
  /** What the page's policy blocked meanwhile. */
  readonly blocked: string | undefined;

  constructor(message: string, blocked: string | undefined) {
    super(message);
    this.blocked = blocked;
  }
}
