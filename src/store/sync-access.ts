/** Sync access handles, which TypeScript declares for workers only. @module */

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

/** @throws DOMException `NoModificationAllowedError` while somebody else writes the file */
export function writeAccess(file: FileSystemFileHandle): Promise<SyncAccess> {
  return openAccess(file);
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
    return await (file as unknown as SyncAccessible).createSyncAccessHandle(options);
  } finally {
    opening.delete(file);
  }
}
