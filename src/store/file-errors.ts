/** What can go wrong with a model's file. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import type { StoreEnvironment } from './store-environment.js';

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

/** The server has another file by now: what is kept of the old one is worth nothing. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
}

/** The server takes no ranges after all, or says not enough of them. */
export class RangeIgnored extends Error {
  override readonly name = 'RangeIgnored';
}

/** `unavailable`, whose details name the URL: the file cannot be had. @param why the end of the sentence */
export function notFetched({ file, url }: { file: string; url: string }, why: string, cause?: unknown): InferenceError {
  const httpStatus = cause instanceof Interrupted ? cause.answer?.httpStatus : undefined;
  const details = { url, ...(httpStatus !== undefined && { httpStatus }) };
  return new InferenceError('unavailable', `The model's file \`${file}\` could not be fetched${why}.`, details, {
    cause,
  });
}

/** `unavailable`: what is served under this name is not what its source states. */
export function wrongContent(file: string): InferenceError {
  return new InferenceError(
    'unavailable',
    `The model's file \`${file}\` does not have the content that its hash stands for, also when fetched again.`,
  );
}

/** A write found no room. */
export function isQuotaError(thrown: unknown): boolean {
  return (thrown as { name?: unknown } | undefined)?.name === 'QuotaExceededError';
}

/**
 * `insufficient_resources` with needed and free bytes, and the other models that are kept, the least recently used first:
 * the app may offer to remove them.
 * @param model the folder that is not offered
 */
export async function noRoom(
  { id, model, neededBytes }: { id: string; model: string; neededBytes: number },
  environment: StoreEnvironment,
): Promise<InferenceError> {
  const freeBytes = Math.max(0, (await environment.freeBytes()) ?? 0);
  const kept = await environment.storage.list().catch(() => []);
  const removable = kept
    .filter(({ note }) => note.model !== model)
    .toSorted((a, b) => a.note.lastUsed - b.note.lastUsed)
    .map(({ note, files }) => ({
      source: note.model,
      bytes: files.reduce((sum, file) => sum + file.bytes, 0),
      lastUsed: note.lastUsed,
    }));
  return new InferenceError(
    'insufficient_resources',
    `There is no room for \`${id}\`: it needs ${megabytes(neededBytes)} MB of storage, and ${megabytes(freeBytes)} MB are free.`,
    { param: 'model', neededBytes, freeBytes, removable },
  );
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}
