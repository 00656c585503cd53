/** Questions to a server that a load can do without an answer to. @module */
import { absenceOf } from './file-response.js';
import type { StoreEnvironment } from './store-environment.js';

/** Milliseconds until whoever has not answered counts as one who does not say. */
const DEADLINE = 15_000;

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
    const patience = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE)]);
    return await read(await environment.fetch(url, { ...init, signal: patience }));
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
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
  const read = ({ ok, headers }: Response): number => (ok ? Number(headers.get('content-length') ?? 0) : 0);
  return (await askServer(environment, { url, init: { method: 'HEAD' }, signal, read })) ?? 0;
}
