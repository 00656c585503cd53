/** The store that an app asked for, opened with the first request that needs it. @module */
import type { StoragePolicy } from './storage-policy.js';
import { openDeviceTables } from './device-tables.js';
import { hasDatabase } from './indexed-db-tables.js';
import { ResponseStore, type ResponseStoreOptions } from './response-store.js';
import { createMemoryTables } from './tables.js';

/** See {@link ResponseStoreOptions}. */
export async function openResponseStore(
  { where, maxBytes }: StoragePolicy,
  options: Pick<ResponseStoreOptions, 'now' | 'service' | 'shares'>,
): Promise<ResponseStore> {
  return new ResponseStore(where === 'memory' ? createMemoryTables() : await openDeviceTables(), {
    maxBytes,
    ...options,
  });
}

/** What earlier visits have left on the device; makes no database: undefined where there is none. */
export async function storeOnDevice(): Promise<ResponseStore | undefined> {
  if (!(await hasDatabase())) return undefined;
  const anyService = { now: Date.now, service: '' };
  return openResponseStore({ where: 'device', maxBytes: Number.POSITIVE_INFINITY }, anyService);
}
