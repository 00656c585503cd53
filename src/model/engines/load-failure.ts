/** Why a model did not load, told so that whoever wrote the entry can mend it. @module */
import { InferenceError, isInferenceError } from '../../core/errors/inference-error.js';
import type { ModelEntry } from '../../core/models/model-entry.js';

/** A file that did not come. */
export interface FileFailure {
  /** Absolute. */
  url: string;
  /** What the server answered; absent: nothing. */
  httpStatus?: number;
  /** The server sent a page in place of the file, as development servers do for what they do not have. */
  isPage?: boolean;
  /** What `fetch` threw. */
  cause?: unknown;
  /** The store's own reason: no room for it, or another content than its hash stands for. */
  refusal?: InferenceError;
}

/** Where apps serve the models that come with the package. */
const BUNDLED = /\/models\/tiny-(chat|embed|whisper)\//;
const BUNDLED_ADVICE = '`npx inpage init public` copies the bundled models to a public folder; or check `source`';

/** Characters of an engine's own message that are passed on. */
const LONGEST_REASON = 300;

/**
 * Any failure of loading as an InferenceError: what is one already stays, an abort is `cancelled`, memory that ran out
 * `insufficient_resources`, everything else `unavailable`, whose message and details name the file and the reason. They are for the page; no answer's body has them.
 * @param file the file whose absence is the reason, if that is known
 */
export function loadFailure(
  thrown: unknown,
  entry: Pick<ModelEntry, 'id' | 'dtype'>,
  signal: AbortSignal,
  file?: FileFailure,
): InferenceError {
  if (signal.aborted && !isInferenceError(thrown)) {
    return new InferenceError('cancelled', 'Loading was cancelled.', {}, { cause: thrown });
  }
  if (file?.refusal) return file.refusal;
  if (isInferenceError(thrown) && (!file || thrown.details.url === undefined)) return thrown;
  if (isOutOfMemory(thrown) || isOutOfMemory(file?.cause)) return outOfMemory(thrown, entry);
  const reason = file ? fileReason(file, entry) : engineReason(thrown);
  const details = {
    reason,
    ...(file && { url: file.url, ...(file.httpStatus !== undefined && { httpStatus: file.httpStatus }) }),
  };
  return new InferenceError('unavailable', `The model \`${entry.id}\` could not be loaded. ${reason}`, details, {
    cause: thrown,
  });
}

/** How engines and browsers say that memory ran out. It is no error of its own anywhere. */
const OUT_OF_MEMORY =
  /out of memory|\bOOM\b|bad[_ ]alloc|(not|failed to|cannot) (allocate|enlarge)|allocation (failed|size overflow)|invalid (typed )?array (buffer )?length/i;

function isOutOfMemory(thrown: unknown): boolean {
  return (
    thrown instanceof Error && !isInferenceError(thrown) && OUT_OF_MEMORY.test(`${thrown.name}: ${thrown.message}`)
  );
}

function outOfMemory(cause: unknown, { id }: Pick<ModelEntry, 'id'>): InferenceError {
  return new InferenceError(
    'insufficient_resources',
    `There is not enough memory for \`${id}\`: take a smaller \`dtype\` or model.`,
    { param: 'model', reason: firstLine(cause) },
    { cause },
  );
}

/** All that a choice of precision names, by device or by part. */
function precisions(dtype: NonNullable<ModelEntry['dtype']> | undefined): string[] {
  if (dtype === undefined) return [];
  return typeof dtype === 'string' ? [dtype] : Object.values(dtype).flatMap((each) => precisions(each));
}

function fileReason({ url, httpStatus, isPage, cause }: FileFailure, { dtype }: Pick<ModelEntry, 'dtype'>): string {
  const place = BUNDLED.test(url) ? BUNDLED_ADVICE : 'Check `source`';
  if (isPage) return `${url} is a web page, not a file of a model: the server has no such file. ${place}.`;
  if (httpStatus === undefined) {
    return `${url} could not be fetched (${firstLine(cause)}). Is the server reachable, and does the page's \`connect-src\` allow it?`;
  }
  const wanted = typeof dtype === 'object' ? [...new Set(precisions(dtype))].join('` or `') : dtype;
  const precision = /\.onnx/.test(url) && wanted ? ` and whether it has files of dtype \`${wanted}\`` : '';
  const advice: Record<number, string> = {
    401: 'Check the hub id; a private or gated model needs a copy of your own.',
    403: 'Check the hub id; a private or gated model needs a copy of your own.',
    404: `${place}${precision}.`,
  };
  return `${url} was answered with status ${httpStatus}. ${advice[httpStatus] ?? 'Try again later.'}`;
}

const ONNX_RUNTIME = /no available backend found/;
/** A module that does not come, and what does not begin as WebAssembly does, as each browser says it. */
const MISSING_FILE = /import|magic|wasm-function|MIME|404/i;

function engineReason(thrown: unknown): string {
  const text = firstLine(thrown);
  if (/unsafe-eval|Content Security Policy/i.test(text)) {
    return `The page's Content Security Policy must allow 'wasm-unsafe-eval' in \`script-src\`. ${text}`;
  }
  if (ONNX_RUNTIME.test(text) && MISSING_FILE.test(text)) {
    return `A file of ONNX Runtime is not served: \`npx inpage init public\` copies them into \`inpage/\`, beside the Service Worker's script. ${text}`;
  }
  return text;
}

function firstLine(thrown: unknown): string {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  const line = text.split('\n', 1)[0]!;
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON)}…` : line;
}
