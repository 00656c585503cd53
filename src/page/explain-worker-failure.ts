/** Why a worker's script did not start. @module */
import { InferenceError } from '../core/errors/inference-error.js';

/** Milliseconds for the script's server to answer. */
const FETCH_TIMEOUT_MS = 10_000;

/** What is known of a worker that did not start. */
export interface WorkerFailure {
  /** Makes the worker again. */
  make: () => Worker;
  /** What the browser said, if it ran at all. */
  message: string | undefined;
  /** What the page's policy blocked meanwhile. */
  blocked: string | undefined;
  /** What its constructor threw. */
  refusal?: Error;
}

/** @returns InferenceError `unavailable`, whose message and details name the script's URL as far as it can be found */
export async function explainWorkerFailure({
  make,
  message,
  blocked,
  refusal,
}: WorkerFailure): Promise<InferenceError> {
  if (blocked !== undefined) {
    return failure(`The page's Content Security Policy blocks the worker ${blocked}. Allow it in \`worker-src\`.`, {
      url: blocked,
    });
  }
  const url = captureWorkerURL(make);
  if (isElsewhere(url)) {
    return failure(
      `The worker script ${url} is of another origin than this page, and browsers start workers of the page's own origin only. Serve the files of Inpage from ${globalThis.origin}.`,
      { url },
    );
  }
  if (refusal) return failure(`The browser refused to start the worker script ${url}: ${String(refusal)}`, { url });
  if (message) return failure(`The worker script ${url} threw while it started: ${message}`, { url });
  const response = await ask(url, 'no-store');
  if (!response) return failure(`The worker script ${url} could not be downloaded.`, { url });
  const { status: httpStatus } = response;
  if (!response.ok) {
    return failure(`The worker script ${url} returned status ${httpStatus}. Is it deployed?`, {
      url,
      httpStatus,
    });
  }
  if (globalThis.crossOriginIsolated && !response.headers.has('cross-origin-embedder-policy')) {
    return failure(
      `The worker script ${url} was served without the header cross-origin-embedder-policy, which this page has.`,
      { url, httpStatus },
    );
  }
  // What the browser has of it, after the server has said that it is still right.
  const revalidated = globalThis.crossOriginIsolated ? await ask(url, 'no-cache') : undefined;
  if (revalidated && !revalidated.headers.has('cross-origin-embedder-policy')) {
    return failure(
      `The server answers 304 for the worker script ${url} without the header cross-origin-embedder-policy. Send the header with every response.`,
      { url, httpStatus },
    );
  }
  const type = response.headers.get('content-type') ?? 'no content type';
  const reason = /javascript|ecmascript/.test(type)
    ? 'was fetched but did not start. A file that it imports may be missing'
    : `was served as ${type} instead of JavaScript. The server has no such file, or its content type is wrong`;
  return failure(`The worker script ${url} ${reason}.`, { url, httpStatus });
}

/** Scripts of blobs and data have no address of their own. */
function isElsewhere(url: string): boolean {
  const { protocol, origin } = new URL(url);
  return /^https?:$/.test(protocol) && globalThis.origin !== undefined && origin !== globalThis.origin;
}

/** Fetches the script past the browser's cache, and so into it. @returns the server has it */
export async function refreshScript(make: () => Worker): Promise<boolean> {
  return (await ask(captureWorkerURL(make), 'reload'))?.ok === true;
}

/** Undefined: the server did not answer. */
function ask(url: string, cache: RequestCache): Promise<Response | undefined> {
  return fetch(url, { cache, signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) }).catch(() => undefined);
}

/**
 * Only the bundler of the app knows the script's URL, and it writes it into `new Worker(…)` and nowhere else. So that line
 * runs once more, at once, with a constructor that notes the URL and starts nothing.
 */
function captureWorkerURL(make: () => Worker): string {
  const { Worker } = globalThis;
  let url = '';
  try {
    globalThis.Worker = function noteURL(script: string | URL) {
      url = new URL(script, document.baseURI).href;
    } as unknown as typeof Worker;
    make();
  } finally {
    globalThis.Worker = Worker;
  }
  return url;
}

function failure(reason: string, details: { url?: string; httpStatus?: number }): InferenceError {
  return new InferenceError('unavailable', reason, { ...details, reason });
}
