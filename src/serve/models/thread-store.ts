/** What the thread of a model stores files in: folders of the disk as they are, all else in the cache. @module */
import type { MessagePort } from 'node:worker_threads';
import { MemoryStorage } from '../../store/storage/memory-storage.js';
import { defaultEnvironment, type OpenStore, type StoreEnvironment } from '../../store/storage/store-environment.js';
import { diskCacheStore, explainRefusal } from './disk-cache.js';
import { localFolderStore } from './local-folder.js';
import { type LockRequest, ThreadLocks } from './thread-locks.js';

/** What a thread is told of its store. */
export interface ThreadStoreData {
  /** Where locks are asked for. */
  port: MessagePort;
  /** Absolute path of the cache's folder; undefined: nothing is kept. */
  cacheFolder: string | undefined;
  /** See `DiskStorageOptions`. */
  run: string;
}

export function openThreadStore({ port, cacheFolder, run }: ThreadStoreData): OpenStore {
  const onRefused = (error: NodeJS.ErrnoException): void => {
    const told: LockRequest = { type: 'refused', why: explainRefusal(cacheFolder!, error) };
    port.postMessage(told);
  };
  const cache: StoreEnvironment =
    cacheFolder === undefined
      ? { ...defaultEnvironment, storage: new MemoryStorage(), locks: undefined }
      : diskCacheStore(cacheFolder, new ThreadLocks(port), { run, onRefused });
  return (folder) => (folder.startsWith('file:') ? localFolderStore(folder) : cache);
}
