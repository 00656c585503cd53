/** What can go wrong with a model's file. @module */
import { megabytes } from '../../core/platform/megabytes.js';
import { InferenceError } from '../../core/errors/inference-error.js';
import type { StoreEnvironment } from '../storage/store-environment.js';

/** Another attempt can succeed. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** What the server answered, and the milliseconds that it asks to wait. */
  readonly answer: { httpStatus: number; retryAfter?: number | undefined } | undefined;

  constructor(message: string, answer?: { httpStatus: number; retryAfter?: number | undefined }) {
    super(message);
    this.answer = answer;
  }
}

/** The server has another file by now: what is stored of the old one is worth nothing. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
}

/** The server does not accept ranges after all, or says not enough of them. */
export class RangeIgnored extends Error {
  override readonly name = 'RangeIgnored';
}

/** `unavailable`, whose details name the URL: the file cannot be had. @param why the end of the sentence */
export function notFetched({ file, url }: { file: string; url: string }, why: string): InferenceError {
  return new InferenceError('unavailable', `The model's file \`${file}\` could not be downloaded${why}.`, { url });
}

/** How a file could not be had. */
export interface DownloadFailure {
  url: string;
  /** What the server answered, if it did. */
  httpStatus?: number;
  /** The server sent a web page. */
  isPage?: boolean;
  /** No server was asked: the user picked files. */
  isPicked?: boolean;
}

/** `unavailable`, whose details name the URL: the network or the server did not give the file. */
export class FileNotDownloaded extends InferenceError {
  readonly failure: DownloadFailure;

  constructor(message: string, failure: DownloadFailure, cause?: unknown) {
    const { url, httpStatus } = failure;
    super('unavailable', message, { url, ...(httpStatus !== undefined && { httpStatus }) }, { cause });
    this.failure = failure;
  }
}

/** `unavailable`: what is served under this name is not what its source states. */
export function wrongContent(file: string): InferenceError {
  return new InferenceError(
    'unavailable',
    `The model's file \`${file}\` does not match its hash, even after a second download.`,
  );
}

/** `unavailable`: stored bytes are gone while they are read. */
export function changedFile(file: string, cause?: unknown): InferenceError {
  const message = `The stored file \`${file}\` changed while it was read. Load the model again.`;
  return new InferenceError('unavailable', message, {}, { cause });
}

/** A write found no room. */
export function isQuotaError(thrown: unknown): boolean {
  return (thrown as { name?: unknown } | undefined)?.name === 'QuotaExceededError';
}

/** What storage has no room for. */
export interface StorageShortage {
  /** Catalog id. */
  id: string;
  /** Its folder. */
  model: string;
  neededBytes: number;
  /** The file of which a write failed; absent: the browser said beforehand that there is no room. */
  refused?: { file: string; storedBytes: number };
}

/**
 * `insufficient_resources` with needed and free bytes, and the other models that are stored, the least recently used first:
 * the app may offer to remove them. The browser's estimate can be wrong: after a failed write `freeBytes` is what
 * could be written.
 */
export async function insufficientStorage(
  { id, model, neededBytes, refused }: StorageShortage,
  environment: StoreEnvironment,
): Promise<InferenceError> {
  const reported = await environment.freeBytes();
  // What was written of the file goes, so its place is free as well.
  const writable = refused && (await environment.storage.room?.(neededBytes).catch(() => 0));
  const freeBytes = refused
    ? Math.min(refused.storedBytes + (writable ?? 0), Math.max(refused.storedBytes, neededBytes - 1))
    : Math.max(0, reported ?? 0);
  const stored = await environment.storage.list().catch(() => []);
  const removable = stored
    .filter(({ note }) => note.model !== model)
    .toSorted((a, b) => a.note.lastUsed - b.note.lastUsed)
    .map(({ note, files }) => ({
      source: note.model,
      bytes: files.reduce((sum, { bytes, extent }) => sum + (extent ?? bytes), 0),
      lastUsed: note.lastUsed,
    }));
  return new InferenceError(
    'insufficient_resources',
    `There is not enough storage for \`${id}\`: ${refused ? refusal(refused, neededBytes, reported) : shortage(neededBytes, freeBytes)}.`,
    { param: 'model', neededBytes, freeBytes, removable },
  );
}

function shortage(neededBytes: number, freeBytes: number): string {
  return `it needs ${megabytes(neededBytes)} MB of storage, and ${megabytes(freeBytes)} MB are free`;
}

function refusal(
  { file, storedBytes }: NonNullable<StorageShortage['refused']>,
  neededBytes: number,
  reported: number | undefined,
): string {
  const quotaMismatch =
    reported !== undefined && reported > neededBytes ? `, although it had reported ${megabytes(reported)} MB free` : '';
  const whole = neededBytes > 0 ? `of ${megabytes(neededBytes)} MB ` : '';
  return `the browser stopped after ${megabytes(storedBytes)} MB ${whole}of \`${file}\`${quotaMismatch}`;
}
