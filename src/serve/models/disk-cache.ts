/** The cache of this machine as the store of what is fetched from servers. @module */
import { join } from 'node:path';
import { defaultEnvironment, type StoreEnvironment } from '../../store/storage/store-environment.js';
import { type Locks, lockManagerOf } from './file-locks.js';
import { DiskStorage, type DiskStorageOptions } from './disk-storage.js';

/** Folder of the locks, below that of the cache. */
const LOCKS = '.locks';

export function locksFolder(cache: string): string {
  return join(cache, LOCKS);
}

/** @param locks of all that use the folder */
export function diskCacheStore(folder: string, locks: Locks, options: DiskStorageOptions): StoreEnvironment {
  return {
    ...defaultEnvironment,
    storage: new DiskStorage(folder, options),
    locks: lockManagerOf(locks),
    // Storage says itself when it has no room, and then files go through memory.
    freeBytes: async () => undefined,
  };
}

/** Why the cache cannot be used, for the line that says so. */
export function explainRefusal(folder: string, { code = '' }: NodeJS.ErrnoException): string {
  const why: Record<string, string> = {
    ENOSPC: 'the disk is full',
    EDQUOT: 'the quota of the disk is used up',
    EFBIG: 'files of this process must not be larger',
    EROFS: 'its file system cannot be written to',
    ENOTDIR: 'a part of its path is a file',
    EEXIST: 'a part of its path is a file',
    ENOENT: 'it cannot be made, or was removed',
  };
  return `files of models are not kept in ${folder}, because ${why[code] ?? 'it may not be written to'}`;
}
