/** Where the bytes of files lie: in the origin private file system, or in memory where there is none. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { hasSyncAccess, ifFound, openFile, openHandle } from '../../store/storage/opfs-access.js';

/** Bytes by names that the service has made. */
export interface BytePlace {
  /** They outlive this realm. */
  readonly isLasting: boolean;
  /** @throws InferenceError `storage_full` where there is no room; nothing of it is there then */
  write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Undefined: there are none. */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** How many there are; undefined: none. */
  sizeOf(name: string): Promise<number | undefined>;
  remove(name: string): Promise<void>;
  names(): Promise<string[]>;
  clear(): Promise<void>;
}

/** The folder, which `uninstallInference` knows too. */
const FILES_FOLDER = 'inpage-files';

/** The place of this realm. */
export async function openBytePlace(): Promise<BytePlace> {
  const { storage } = (globalThis.navigator ?? {}) as { storage?: StorageManager };
  if (!hasSyncAccess()) return createMemoryPlace();
  const root = await storage?.getDirectory?.().catch(() => undefined);
  const folder = await root?.getDirectoryHandle(FILES_FOLDER, { create: true }).catch(() => undefined);
  return root && folder ? createDiskPlace(root, folder) : createMemoryPlace();
}

/** Ends with this realm. */
export function createMemoryPlace(): BytePlace {
  const all = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    isLasting: false,
    write: async (name, bytes) => void all.set(name, bytes),
    read: async (name) => all.get(name),
    sizeOf: async (name) => all.get(name)?.length,
    remove: async (name) => void all.delete(name),
    names: async () => [...all.keys()],
    clear: async () => all.clear(),
  };
}

function createDiskPlace(root: FileSystemDirectoryHandle, opened: FileSystemDirectoryHandle): BytePlace {
  let folder = opened;
  /** Once more where the folder was removed meanwhile. */
  const inFolder = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (thrown) {
      if ((thrown as Error).name !== 'NotFoundError') throw thrown;
      folder = await root.getDirectoryHandle(FILES_FOLDER, { create: true });
      return work();
    }
  };
  const remove = async (name: string): Promise<void> => ifFound(folder.removeEntry(name));
  return {
    isLasting: true,
    async write(name, bytes) {
      try {
        await inFolder(() => writeAll(folder, name, bytes));
      } catch (thrown) {
        await remove(name).catch(() => {});
        throw (thrown as Error).name === 'QuotaExceededError' ? storageFull(thrown) : thrown;
      }
    },
    async read(name) {
      const file = await openFile(folder, name);
      return file && new Uint8Array(await file.arrayBuffer());
    },
    sizeOf: async (name) => (await openFile(folder, name))?.size,
    remove,
    async names() {
      const names: string[] = [];
      for await (const name of (folder as unknown as { keys(): AsyncIterable<string> }).keys()) names.push(name);
      return names;
    },
    async clear() {
      await ifFound(root.removeEntry(FILES_FOLDER, { recursive: true }));
      folder = await root.getDirectoryHandle(FILES_FOLDER, { create: true });
    },
  };
}

async function writeAll(
  folder: FileSystemDirectoryHandle,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const handle = await openHandle(folder, name);
  try {
    handle.truncate(0);
    const written = handle.write(bytes, { at: 0 });
    if (written < bytes.length) throw new DOMException('There is not enough storage.', 'QuotaExceededError');
    handle.flush();
  } finally {
    handle.close();
  }
}

/** There is no room for what is to be stored. */
export function storageFull(cause?: unknown): InferenceError {
  const message = 'There is no room left for files: remove some, or see the option `files.maxBytes`.';
  return new InferenceError('storage_full', message, { headers: { 'x-should-retry': 'false' } }, { cause });
}
