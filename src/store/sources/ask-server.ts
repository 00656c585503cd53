/** Questions to a server whose answer a load can do without. @module */
import { isRequired } from '../download/decide-file.js';
import { isPlausible } from '../download/file-limits.js';
import { absenceOf, etagOf, sizeOf } from '../download/file-response.js';
import type { FileMetadata } from '../storage/byte-storage.js';
import type { StoreEnvironment } from '../storage/store-environment.js';

/** Milliseconds to wait for a server's answer; then it counts as unknown. */
const REQUEST_TIMEOUT_MS = 15_000;

/** What is asked. */
export interface Question<Answer> {
  url: string;
  init: Omit<RequestInit, 'signal'>;
  signal: AbortSignal;
  /** Reads the answer, within the same time. */
  read: (response: Response) => Answer | Promise<Answer>;
}

/** @returns undefined when no answer came, or none in time. Rejects only with the reason of the question's signal. */
export async function askServer<Answer>(
  environment: StoreEnvironment,
  { url, init, signal, read }: Question<Answer>,
): Promise<Answer | undefined> {
  try {
    return await read(await environment.fetch(url, { ...init, signal: withTimeout(signal) }));
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** A signal that also aborts when a server takes too long to answer. */
export function withTimeout(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
}

/** Whether the server has a file, as far as it says. */
export async function isOnServer(environment: StoreEnvironment, url: string, signal: AbortSignal): Promise<boolean> {
  const read = (response: Response): boolean => {
    void response.body?.cancel().catch(() => {});
    return response.ok && !absenceOf(response, url);
  };
  // Some stores sign their URLs for GET and refuse HEAD.
  const init = { headers: { range: 'bytes=0-0' } };
  return (await askServer(environment, { url, init, signal, read })) ?? false;
}

/** Bytes of a file; 0 when the server does not say. */
export async function sizeOnServer(environment: StoreEnvironment, url: string, signal: AbortSignal): Promise<number> {
  const read = ({ ok, headers }: Response): number => {
    const length = Number(headers.get('content-length') ?? 0);
    return ok && isPlausible(length) ? length : 0;
  };
  const told = (await askServer(environment, { url, init: { method: 'HEAD' }, signal, read })) ?? 0;
  // Some servers send no length with the answer to HEAD.
  return told > 0 ? told : ((await askServer(environment, { url, init: ONE_BYTE, signal, read: wholeSize })) ?? 0);
}

const ONE_BYTE = { headers: { range: 'bytes=0-0' } };

/** Bytes of the file of whose first byte was asked. */
function wholeSize(response: Response): number {
  void response.body?.cancel().catch(() => {});
  const [, ranged] = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
  const size = ranged === undefined ? sizeOf(response) : Number(ranged);
  return response.ok && size !== undefined && isPlausible(size) ? size : 0;
}

/** Milliseconds that the checks of one model may take together. A server that does not answer counts as unreachable. */
const CHECK_TIMEOUT_MS = 1_000;

/** Asks about the files of one model, all at once. When the server does not answer, what is stored is used. */
export class Revalidator {
  readonly #environment: StoreEnvironment;
  /** By what is stored: who opens a file again in the same load has the same answer. */
  readonly #answers = new Map<string, Promise<boolean>>();
  #deadline: AbortSignal | undefined;
  #isOutOfReach = false;

  constructor(environment: StoreEnvironment) {
    this.#environment = environment;
  }

  /**
   * The server says that it has another file, or none where one is stored, or one where none was. A file that no model runs
   * without and that was absent is stale without an answer too: only a download tells then whether it is there by now.
   */
  isStale(metadata: FileMetadata): Promise<boolean> {
    const { url, state, etag, modified, size } = metadata;
    const record = JSON.stringify([url, state, etag, modified, size]);
    const answer = this.#answers.get(record) ?? this.#ask(metadata);
    this.#answers.set(record, answer);
    return answer;
  }

  async #ask(metadata: FileMetadata): Promise<boolean> {
    this.#deadline ??= AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const withoutAnswer = metadata.state === 'absent' && isRequired(metadata.file);
    if (this.#isOutOfReach || this.#deadline.aborted) return withoutAnswer;
    try {
      if (metadata.state === 'absent')
        return !isAbsent(await this.#askForByte(metadata, this.#deadline), metadata.file);
      const init: RequestInit = { method: 'HEAD', cache: 'no-cache', signal: this.#deadline };
      const now = await this.#environment.fetch(metadata.url, init);
      // A server that answers no HEAD at all says the same of a file that it has.
      if (isGone(now)) return isGone(await this.#askForByte(metadata, this.#deadline));
      return now.ok && isOther(metadata, now);
    } catch {
      this.#isOutOfReach = true;
      return withoutAnswer;
    }
  }

  /** Some stores sign their URLs for GET and refuse HEAD, as if the file were missing. */
  async #askForByte({ url }: FileMetadata, signal: AbortSignal): Promise<Response> {
    const init: RequestInit = { headers: { range: 'bytes=0-0' }, cache: 'no-cache', signal };
    const now = await this.#environment.fetch(url, init);
    void now.body?.cancel().catch(() => {});
    return now;
  }
}

function isAbsent(now: Response, file: string): boolean {
  // A range of an empty file cannot be sent.
  return !(now.ok || now.status === 416) || absenceOf(now, file) !== undefined;
}

/** Not for lack of a login, which says nothing of the file. */
function isGone({ status }: Response): boolean {
  return status === 404 || status === 410;
}

function isOther({ etag, modified, size }: FileMetadata, now: Response): boolean {
  const nowEtag = etagOf(now);
  if (etag !== undefined && nowEtag !== undefined) return etag !== nowEtag;
  const nowModified = now.headers.get('last-modified');
  if (modified !== undefined && nowModified !== null) return modified !== nowModified;
  // An empty file whose size no source states is fetched again: that costs no more than a check.
  const nowSize = sizeOf(now);
  return nowSize === undefined ? size === 0 : size !== nowSize;
}
