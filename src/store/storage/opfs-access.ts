/** Files of the origin private file system: sync access handles, which TypeScript declares for workers only, and small texts. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { pause } from '../../core/platform/pause.js';
import { settledWithin } from '../../core/platform/settled-within.js';

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

/** @throws InferenceError `unavailable` while someone else has the file open for long */
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

/** Another tab or worker has a stored file open. */
export function inUse(cause: unknown): InferenceError {
  const message = 'A stored file of the model is in use by another tab.';
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

/** Opens a file for writing and makes it when there is none. @throws InferenceError like {@link writeAccess} */
export async function openHandle(folder: FileSystemDirectoryHandle, name: string): Promise<SyncAccess> {
  return writeAccess(await folder.getFileHandle(name, { create: true }));
}

/** Attempts to read a small file that others write meanwhile. */
const MAX_READS = 20;

/** Writes a text and its length at once: a reader never takes half a text for a whole one. */
export function writeFramed(handle: SyncAccess, text: string): void {
  const bytes = new TextEncoder().encode(text);
  const frame = new Uint8Array(4 + bytes.length);
  new DataView(frame.buffer).setUint32(0, bytes.length);
  frame.set(bytes, 4);
  handle.write(frame, { at: 0 });
}

/** The text that {@link writeFramed} wrote; undefined when there is none. */
export function readFramed(handle: SyncAccess): string | undefined {
  const bytes = new Uint8Array(handle.getSize());
  handle.read(bytes, { at: 0 });
  return unframed(bytes);
}

function unframed(frame: Uint8Array<ArrayBuffer>): string | undefined {
  if (frame.length < 4) return undefined;
  const length = new DataView(frame.buffer).getUint32(0);
  return new TextDecoder().decode(frame.subarray(4, 4 + length));
}

export async function writeText(folder: FileSystemDirectoryHandle, name: string, text: string): Promise<void> {
  const handle = await openHandle(folder, name);
  try {
    writeFramed(handle, text);
    handle.flush();
  } finally {
    handle.close();
  }
}

export async function readText(folder: FileSystemDirectoryHandle, name: string): Promise<string | undefined> {
  const frame = await readBytes(folder, name);
  return frame && unframed(frame);
}

/** The content of a small file; undefined when there is none. */
export async function readBytes(
  folder: FileSystemDirectoryHandle,
  name: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  for (let attempt = 1; ; attempt++) {
    const file = await openFile(folder, name);
    try {
      return file && new Uint8Array(await file.arrayBuffer());
    } catch (error) {
      // Another tab has written it since it was looked up.
      if ((error as Error).name !== 'NotReadableError' || attempt === MAX_READS) throw error;
    }
  }
}

export async function openFile(folder: FileSystemDirectoryHandle, name: string): Promise<File | undefined> {
  return (await ifFound(folder.getFileHandle(name)))?.getFile();
}

export async function ifFound<Handle>(handle: Promise<Handle>): Promise<Handle | undefined> {
  return handle.catch((error: unknown) => {
    if ((error as Error).name === 'NotFoundError') return undefined;
    throw error;
  });
}
