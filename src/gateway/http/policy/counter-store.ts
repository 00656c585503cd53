/** Where the request counters of callers live: in memory, or in IndexedDB, shared by all tabs of the origin. @module */
import { openDatabase } from '../../../core/platform/open-database.js';

/** Requests of one caller: `[bucket, count]`, oldest first. A minute has second buckets, a day has minute buckets. */
export interface CallerCounters {
  minute: [bucket: number, count: number][];
  day: [bucket: number, count: number][];
}

/** Keeps counters. Names are digests, never keys. */
export interface CounterStore {
  /**
   * Reads, changes and writes one caller's counters as one step: no other update of the same store comes between.
   * @param change must not wait for anything; gives the new counters and the result
   */
  update: <Result>(
    caller: string,
    change: (counters: CallerCounters) => { counters: CallerCounters; result: Result },
  ) => Promise<Result>;
}

/** Counters of this process, for Node and for browsers without IndexedDB. */
export function createMemoryCounterStore(): CounterStore {
  const callers = new Map<string, CallerCounters>();
  return {
    update(caller, change) {
      const { counters, result } = change(callers.get(caller) ?? { minute: [], day: [] });
      callers.set(caller, counters);
      return Promise.resolve(result);
    },
  };
}

const STORE = 'callers';

/** Minute buckets of a day, see `rate-limits.ts`; counters without a younger bucket say nothing any more. */
const DAY_BUCKETS = 1440;

/**
 * Counters in IndexedDB. Where there is none (private windows of some browsers, no storage left) they are kept in
 * memory, so that a request never fails because it could not be counted.
 * @param databaseName one per service, so that two prefixes do not share counters
 */
export function createIndexedDbCounterStore(databaseName = 'inpage-counters'): CounterStore {
  const memory = createMemoryCounterStore();
  const database = open(databaseName).catch(() => undefined);
  return {
    async update(caller, change) {
      const opened = await database;
      if (!opened) return memory.update(caller, change);
      try {
        return await updateRow(opened, caller, change);
      } catch {
        return memory.update(caller, change);
      }
    },
  };
}

async function open(name: string): Promise<IDBDatabase> {
  const database = await openDatabase(name, 1, (made) => made.createObjectStore(STORE));
  forgetOldCallers(database);
  return database;
}

/** One read-write transaction: IndexedDB itself keeps others out until it is done. */
function updateRow<Result>(
  database: IDBDatabase,
  caller: string,
  change: (counters: CallerCounters) => { counters: CallerCounters; result: Result },
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, 'readwrite', { durability: 'relaxed' });
    const rows = transaction.objectStore(STORE);
    const reading = rows.get(caller);
    reading.addEventListener('success', () => {
      const { counters, result } = change((reading.result as CallerCounters | undefined) ?? { minute: [], day: [] });
      rows.put(counters, caller);
      // The next transaction sees this one's numbers anyway, so no answer waits for the disk.
      resolve(result);
    });
    transaction.addEventListener('abort', () =>
      reject(transaction.error ?? new Error('The counters were not written.')),
    );
  });
}

/** Without API keys any text may be a key, so rows would pile up. */
function forgetOldCallers(database: IDBDatabase): void {
  const now = Math.floor(Date.now() / 60_000);
  const walking = database.transaction(STORE, 'readwrite').objectStore(STORE).openCursor();
  walking.addEventListener('success', () => {
    const cursor = walking.result;
    if (!cursor) return;
    const newest = (cursor.value as CallerCounters).day.at(-1)?.[0] ?? 0;
    if (newest <= now - DAY_BUCKETS) cursor.delete();
    cursor.continue();
  });
}
