/** Errors of loading a model, with the reason and what to change in its entry. @module */
import { InferenceError, isInferenceError } from '../../core/errors/inference-error.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { type DownloadFailure, FileNotDownloaded } from '../../store/download/file-errors.js';
import { readableReason, runFailure } from './run-failure.js';

/** A file that could not be loaded. The server may have sent a web page instead, as development servers do for missing files. */
export interface FileFailure extends DownloadFailure {
  /** What `fetch` threw. */
  cause?: unknown;
  /** What is wrong with it and what to change in the app, if that is known. */
  problem?: string;
  /** The store's own error: no room, or a wrong hash. */
  refusal?: InferenceError;
}

/** What messages need of an entry. */
type FailedEntry = Pick<ModelEntry, 'id' | 'dtype' | 'source' | 'file'>;

/** Where apps serve the models that come with the package. */
const BUNDLED = /\/models\/tiny-(chat|embed|whisper)\//;
const BUNDLED_ADVICE =
  'Run `npx inpage init public` to copy the bundled models to a public folder. If your app is not at the root of its origin, set `source` to their place below the app';

/** How hubs name the files of repositories, and the list of them. */
const HUB_FILE = /\/resolve\/|\/api\/models\//;
const HUB_ADVICE =
  ' If a firewall or proxy blocks the hub, set the option `hub` to a mirror, or copy the model into your app with `npx inpage pack`.';

/** Maximum length of an engine's message in ours. */
const MAX_REASON_LENGTH = 300;

/**
 * Any failure of loading as an InferenceError: `cancelled` for an abort, `insufficient_resources` for too little memory,
 * `model_not_supported` for a graph that fails while it is tried, else `unavailable`. Message and details name file and reason; they are for the page, not for the bodies of answers.
 * @param file the file that could not be loaded, if that is the reason
 */
export function loadFailure(
  thrown: unknown,
  entry: FailedEntry,
  signal: AbortSignal,
  file: FileFailure | undefined = failedDownload(thrown),
): InferenceError {
  if (signal.aborted && !isInferenceError(thrown)) {
    return new InferenceError('cancelled', 'Loading was canceled.', {}, { cause: thrown });
  }
  if (file?.refusal) return file.refusal;
  if (isInferenceError(thrown) && (!file || thrown.details.url === undefined))
    return runFailure(thrown, entry) as InferenceError;
  if (isOutOfMemory(thrown) || isOutOfMemory(file?.cause)) return outOfMemory(thrown, entry);
  // Graphs are tried while they load. A session that cannot be made may be a file that was damaged on its way.
  const failure = file || isUnopened(thrown) ? undefined : runFailure(thrown, entry);
  if (isInferenceError(failure)) return failure;
  const reason = file ? fileReason(file, entry) : engineReason(thrown);
  const details = {
    reason,
    ...((file?.isPage || file?.problem || (!file && MISTAKES.test(reason))) && { permanent: true }),
    ...(file && { url: file.url, ...(file.httpStatus !== undefined && { httpStatus: file.httpStatus }) }),
  };
  return new InferenceError('unavailable', `The model \`${entry.id}\` could not be loaded. ${reason}`, details, {
    cause: thrown,
  });
}

/** The file that the store could not get. */
function failedDownload(thrown: unknown): FileFailure | undefined {
  return thrown instanceof FileNotDownloaded ? { ...thrown.failure, cause: thrown.cause } : undefined;
}

/** Messages of engines and browsers for too little memory, which has no error class of its own. */
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
    `Not enough memory for \`${id}\`. Use a smaller \`dtype\` or a smaller model.`,
    { param: 'model', reason: firstLine(cause) },
    { cause },
  );
}

/** All precisions of an entry, by device or by graph. */
function precisions(dtype: NonNullable<ModelEntry['dtype']> | undefined): string[] {
  if (dtype === undefined) return [];
  return typeof dtype === 'string' ? [dtype] : Object.values(dtype).flatMap((each) => precisions(each));
}

/** A name without a slash is a folder next to the page, which is seldom what its author meant. */
export function checkSource(source: string | undefined, file?: string): string {
  return source === undefined || /[/.]/.test(source)
    ? `Check \`source\`${file === undefined ? '' : ' and `file`'}`
    : `Check \`source\`: \`${source}\` names a folder next to the page, and a hub model is \`owner/${source}\``;
}

/** Scripts of a page come from a server; those of a thread of Node from the disk. */
function isInPage(): boolean {
  return (globalThis as { location?: Location }).location?.protocol !== 'file:';
}

/** Node says no more than "fetch failed" at first. */
function reasonOf(thrown: unknown): string {
  return thrown instanceof Error && thrown.cause instanceof Error && !isInPage()
    ? reasonOf(thrown.cause)
    : firstLine(thrown);
}

function fileReason(
  { url, httpStatus, isPage, isPicked, problem, cause }: FileFailure,
  { id, dtype, source, file }: FailedEntry,
): string {
  if (problem !== undefined) return problem;
  if (url.startsWith('file:')) return `There is no file at ${pathOf(url)}.`;
  if (isPicked) return `The picked files do not include \`${url.slice(url.lastIndexOf('/') + 1)}\`.`;
  // Graphs are asked for when other files of the folder were found.
  const isGraph = url.endsWith('.onnx');
  const named = HUB_FILE.test(url) ? undefined : (source ?? (isGraph ? undefined : id));
  const where = BUNDLED.test(url) && !isGraph ? BUNDLED_ADVICE : checkSource(named, file);
  if (isPage)
    return `${url} returned an HTML page instead of a model file, so the file is probably missing on the server. ${where}.`;
  if (httpStatus === undefined) {
    const isReachable = isInPage()
      ? "Is the server reachable, and does the page's `connect-src` allow it?"
      : 'Is the server reachable?';
    return `${url} could not be downloaded (${reasonOf(cause)}). ${isReachable}${HUB_FILE.test(url) ? HUB_ADVICE : ''}`;
  }
  const wanted = typeof dtype === 'object' ? [...new Set(precisions(dtype))].join('` or `') : dtype;
  // Without a wish all were looked for before this one was asked for.
  const searched =
    wanted === undefined || wanted === 'auto' ? '. The graph has no file in a precision that this device can run' : '';
  const hint = searched || ` and whether it has files of dtype \`${wanted}\``;
  const part = url.includes('.onnx_data') ? '. A part of the weights is missing' : '';
  const precision = isGraph ? hint : part;
  const advice: Record<number, string> = {
    401: 'Check the hub id. If the model is private or gated, host a copy of its files yourself.',
    403: 'Check the hub id. If the model is private or gated, host a copy of its files yourself.',
    404: `${where}${precision}.`,
    429: 'This server limits how often files may be requested. Try again later.',
  };
  return `${url} returned status ${httpStatus}. ${advice[httpStatus] ?? 'Try again later.'}`;
}

/** As it is written on its machine. */
function pathOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname).replace(/^\/(?=[a-z]:)/i, '');
}

const BLOCKED = /unsafe-eval|Content Security Policy/i;
const ONNX_RUNTIME = /no available backend found/;
/** Messages of browsers for a missing module, or one that is not WebAssembly. */
const MISSING_FILE = /import|magic|wasm-function|MIME|404/i;

/** Reasons of {@link engineReason} that last until the app is changed. */
const MISTAKES = /^(The page's Content Security Policy|An ONNX Runtime file is missing on the server)/;

/** The engine could not open a graph; else it ran. */
function isUnopened(thrown: unknown): thrown is Error {
  return thrown instanceof Error && /can't create a session/i.test(thrown.message);
}

/** The browser could not load a file of ONNX Runtime. */
export function isMissingRuntime(thrown: unknown): boolean {
  const text = firstLine(thrown);
  return ONNX_RUNTIME.test(text) && MISSING_FILE.test(text) && !BLOCKED.test(text);
}

function engineReason(thrown: unknown): string {
  if (isUnopened(thrown) && !BLOCKED.test(thrown.message))
    return `ONNX Runtime cannot open its graph. ${readableReason(thrown.message)}`;
  const text = firstLine(thrown);
  if (BLOCKED.test(text)) {
    return `The page's Content Security Policy must allow 'wasm-unsafe-eval' in \`script-src\`. ${text}`;
  }
  if (isMissingRuntime(thrown)) {
    return `An ONNX Runtime file is missing on the server. Run \`npx inpage init public\` to copy the files into \`inpage/\`, next to the Service Worker script. ${text}`;
  }
  return text;
}

function firstLine(thrown: unknown): string {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  const line = text.split('\n', 1)[0]!;
  return line.length > MAX_REASON_LENGTH ? `${line.slice(0, MAX_REASON_LENGTH)}…` : line;
}
