/** Sync access handles, which TypeScript declares for workers only. @module */

import { InferenceError } from '../core/errors/inference-error.js';
import { pause } from '../core/platform/pause.js';
import { settledWithin } from '../core/platform/settled-within.js';

/** Reads and writes a file in place. */
export interface SyncAccess {
  read(buffer: Uint8Array<ArrayBuffer>, options: { at: number }): number;
  write(buffer: Uint8Array<ArrayBuffer>, options: { at: number }): number;
  truncate(size: number): void;
  getSize(): number;
  flush(): void;
  close(): void;
}

interface SyncAccessible {
  createSyncAccessHandle(options?: { mode: 'read-only' }): Promise<SyncAccess>;
}

/** This realm can read and write files in place: a dedicated worker, in most browsers. */
export function hasSyncAccess(): boolean {
  return typeof FileSystemFileHandle !== 'undefined' && 'createSyncAccessHandle' in FileSystemFileHandle.prototype;
}

/** Milliseconds in which others must be done with a file: tabs that read it, and a worker that was just ended. */
const IN_USE = 10_000;
/** Milliseconds between two attempts. */
const LOOK_AGAIN = 100;

/** @throws InferenceError `unavailable` while somebody else has the file open for long */
export async function writeAccess(file: FileSystemFileHandle): Promise<SyncAccess> {
  const begin = performance.now();
  for (;;) {
    try {
      return await openAccess(file);
    } catch (thrown) {
      if ((thrown as Error).name !== 'NoModificationAllowedError') throw thrown;
      if (performance.now() - begin >= IN_USE) throw inUse(thrown);
    }
    await pause(LOOK_AGAIN);
  }
}

/** Another tab or worker has a kept file open. */
export function inUse(cause: unknown): InferenceError {
  const message = 'A kept file of the model is in use by another tab.';
  return new InferenceError('unavailable', message, { retryAfter: 5 }, { cause });
}

/** Several workers may read a file at a time where the browser knows this mode. Undefined when it cannot be had now. */
export async function readAccess(file: FileSystemFileHandle): Promise<SyncAccess | undefined> {
  if (!hasSyncAccess()) return undefined;
  return openAccess(file, { mode: 'read-only' }).catch(() => undefined);
}

/** Chromium (seen in 156) never answers for a handle that is collected as garbage meanwhile: these are not. */
const opening = new Set<FileSystemFileHandle>();

async function openAccess(file: FileSystemFileHandle, options?: { mode: 'read-only' }): Promise<SyncAccess> {
  opening.add(file);
  try {
    const asked = (file as unknown as SyncAccessible).createSyncAccessHandle(options);
    const access = await settledWithin(asked, IN_USE);
    if (access) return access;
    asked.then((late) => late.close()).catch(() => {});
    throw new DOMException('The file was not opened in time.', 'NoModificationAllowedError');
  } finally {
    opening.delete(file);
  }
}
