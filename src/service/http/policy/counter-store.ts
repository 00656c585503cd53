/** Where the request counters of callers live: in memory, or in IndexedDB, shared by all tabs of the origin. @module */
import { openDatabase } from '../../../core/platform/open-database.js';

/** Requests of one caller: `[bucket, count]`, oldest first. A minute has second buckets, a day has minute buckets. */
export interface CallerCounters {
  minute: Entries;
  day: Entries;
}

type Entries = [bucket: number, count: number][];

/** What counting made of a caller's counters. */
export interface CounterChange<Result> {
  counters: CallerCounters;
  /** What of them is new. */
  added: CallerCounters;
  /** So little of a limit is left that what other tabs have counted since must be known. */
  isTight: boolean;
  result: Result;
}

type Change<Result> = (counters: CallerCounters) => CounterChange<Result>;

/** Keeps counters. Names are digests, never keys. */
export interface CounterStore {
  /**
   * Reads, changes and writes one caller's counters as one step: no other update of the same store comes between.
   * @param change must not wait for anything; may be called again with other counters: the last call counts
   */
  update: <Result>(caller: string, change: Change<Result>) => Promise<Result>;
}

/** Counters in IndexedDB where there is one, else in memory. */
export function defaultCounterStore(): CounterStore {
  return typeof indexedDB === 'undefined' ? createMemoryCounterStore() : createIndexedDbCounterStore();
}

/** Callers that are counted. Without API keys any text may be a key. */
const MAX_CALLERS = 10_000;

/** Counters of this process, for Node and for browsers without IndexedDB. Those that were silent longest are forgotten. */
export function createMemoryCounterStore(maxCallers: number = MAX_CALLERS): CounterStore {
  /** The one that was heard last comes last. */
  const callers = new Map<string, CallerCounters>();
  return {
    update(caller, change) {
      const { counters, result } = change(callers.get(caller) ?? NONE);
      callers.delete(caller);
      callers.set(caller, counters);
      if (callers.size > maxCallers) callers.delete(callers.keys().next().value!);
      return Promise.resolve(result);
    },
  };
}

const STORE = 'callers';

/** Minute buckets of a day, see `rate-limits.ts`; counters without a younger bucket say nothing any more. */
const DAY_BUCKETS = 1440;

/** Milliseconds between two writes of a caller's counters. */
const WRITE_INTERVAL_MS = 250;

/** Callers whose counters are in memory too. */
const MAX_MIRRORS = 1000;

/** A caller's counters as they were read last, with what was counted here since. */
interface Mirror {
  counters: CallerCounters;
  /** Not in the database yet. */
  unwritten: CallerCounters;
  writtenAt: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Counters in IndexedDB. Where there is none (private windows of some browsers, no storage left) they are kept in
 * memory, so that a request never fails because it could not be counted. A transaction costs more than all else that a short
 * request needs, so requests are counted in memory and written behind the answer, unless little of a limit is left: then
 * each is counted in the database, and tabs together admit no more than the limit. A gateway that ends loses what it counted in
 * its last {@link WRITE_INTERVAL_MS}.
 * @param databaseName one per service, so that two prefixes do not share counters
 */
export function createIndexedDbCounterStore(databaseName = 'inpage-counters'): CounterStore {
  const memory = createMemoryCounterStore();
  const database = open(databaseName).catch(() => undefined);
  const mirrors = new Map<string, Mirror>();

  function write(opened: IDBDatabase, caller: string, mirror: Mirror): void {
    mirror.timer = undefined;
    const counted = (counters: CallerCounters): CounterChange<undefined> => ({
      counters,
      added: NONE,
      isTight: false,
      result: undefined,
    });
    updateRow(opened, { caller, mirrors }, counted).catch(() => {
      mirrors.delete(caller);
      const { unwritten } = mirror;
      return memory.update(caller, (counters) => counted(joined(counters, unwritten)));
    });
  }

  return {
    async update(caller, change) {
      const opened = await database;
      if (!opened) return memory.update(caller, change);
      const mirror = mirrors.get(caller);
      const counted = mirror && change(mirror.counters);
      if (mirror && counted && !counted.isTight) {
        mirror.counters = counted.counters;
        mirror.unwritten = joined(mirror.unwritten, counted.added);
        const wait = Math.max(0, mirror.writtenAt + WRITE_INTERVAL_MS - performance.now());
        mirror.timer ??= setTimeout(() => write(opened, caller, mirror), wait);
        return counted.result;
      }
      try {
        return await updateRow(opened, { caller, mirrors }, change);
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

/** One read-write transaction, which writes what was not written yet: IndexedDB itself keeps others out until it is done. */
function updateRow<Result>(
  database: IDBDatabase,
  { caller, mirrors }: { caller: string; mirrors: Map<string, Mirror> },
  change: Change<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, 'readwrite', { durability: 'relaxed' });
    const rows = transaction.objectStore(STORE);
    const reading = rows.get(caller);
    reading.addEventListener('success', () => {
      const mirror = mirrors.get(caller);
      const known = reading.result as CallerCounters | undefined;
      const row = known ?? NONE;
      const { counters, result } = change(joined(row, mirror?.unwritten ?? NONE));
      rows.put(counters, caller);
      // The next transaction sees this one's numbers anyway, so no answer waits for the disk.
      transaction.commit();
      const read = { counters, unwritten: NONE, writtenAt: performance.now() };
      if (mirror) Object.assign(mirror, read);
      else if (mirrors.size < MAX_MIRRORS) mirrors.set(caller, { ...read, timer: undefined });
      resolve(result);
      if (!known) forgetSilentCallers(database);
    });
    transaction.addEventListener('abort', () =>
      reject(transaction.error ?? new Error('The counters were not written.')),
    );
  });
}

const NONE: CallerCounters = { minute: [], day: [] };

/** Both together, without what no window reaches any more. */
function joined(one: CallerCounters, other: CallerCounters): CallerCounters {
  return { minute: joinedEntries(one.minute, other.minute, 60), day: joinedEntries(one.day, other.day, DAY_BUCKETS) };
}

function joinedEntries(one: Entries, other: Entries, buckets: number): Entries {
  if (other.length === 0) return one;
  const counts = new Map(one);
  for (const [bucket, count] of other) counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  const newest = Math.max(...counts.keys());
  return [...counts].filter(([bucket]) => bucket > newest - buckets).toSorted(([left], [right]) => left - right);
}

/** Makes room for one more, beyond {@link MAX_CALLERS}: a hundredth of them at a time, because all rows are read for it. */
function forgetSilentCallers(database: IDBDatabase): void {
  const rows = database.transaction(STORE, 'readwrite').objectStore(STORE);
  const counting = rows.count();
  counting.addEventListener('success', () => {
    if (counting.result <= MAX_CALLERS) return;
    const [names, all] = [rows.getAllKeys(), rows.getAll() as IDBRequest<CallerCounters[]>];
    all.addEventListener('success', () => {
      const heard = names.result.map((name, index): [IDBValidKey, number] => [name, newestOf(all.result[index]!)]);
      const silent = heard.toSorted(([, left], [, right]) => left - right).slice(0, Math.ceil(MAX_CALLERS / 100));
      for (const [name] of silent) rows.delete(name);
    });
  });
}

/** Minute in which the caller was heard last. */
function newestOf({ day }: CallerCounters): number {
  return day.at(-1)?.[0] ?? 0;
}

/** Without API keys any text may be a key, so rows would pile up. */
function forgetOldCallers(database: IDBDatabase): void {
  const now = Math.floor(Date.now() / 60_000);
  const walking = database.transaction(STORE, 'readwrite').objectStore(STORE).openCursor();
  walking.addEventListener('success', () => {
    const cursor = walking.result;
    if (!cursor) return;
    if (newestOf(cursor.value as CallerCounters) <= now - DAY_BUCKETS) cursor.delete();
    cursor.continue();
  });
}
