/** The store that an app asked for, opened with the first request that needs it. @module */
import type { Keeping } from './keeping.js';
import { hasDatabase, openIndexedDbTables } from './indexed-db-tables.js';
import { ResponseStore, type ResponseStoreOptions } from './response-store.js';
import { createMemoryTables, type Tables } from './tables.js';

/** See {@link ResponseStoreOptions}. */
export async function openResponseStore(
  { where, maxBytes }: Keeping,
  options: Pick<ResponseStoreOptions, 'now' | 'service'>,
): Promise<ResponseStore> {
  return new ResponseStore(where === 'memory' ? createMemoryTables() : await deviceTables(), { maxBytes, ...options });
}

async function deviceTables(): Promise<Tables> {
  if (typeof indexedDB === 'undefined') return createMemoryTables();
  const disk = await openIndexedDbTables().catch(() => undefined);
  if (!disk) return createMemoryTables();
  let tables = disk;
  return {
    // Where IndexedDB fails, as without room, a request must not: from then on memory serves.
    async update(work) {
      try {
        return await tables.update(work);
      } catch {
        if (tables === disk) tables = createMemoryTables();
        return tables.update(work);
      }
    },
    async clear() {
      if (tables !== disk) await tables.clear();
      await disk.clear();
    },
  };
}

/** What earlier visits have left on the device; makes no database: undefined where there is none. */
export async function storeOnDevice(): Promise<ResponseStore | undefined> {
  if (!(await hasDatabase())) return undefined;
  const anyService = { now: Date.now, service: '' };
  return openResponseStore({ where: 'device', maxBytes: Number.POSITIVE_INFINITY }, anyService);
}
