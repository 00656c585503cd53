/** Tables in IndexedDB, shared by all tabs of the origin. @module */
import { openDatabase } from '../../core/platform/open-database.js';
import { RESPONSE_TABLES, type TableLayout, type Tables, type Transaction, type WithItems } from './tables.js';

/** Index of the names of items. */
const BY_ITEM = 'items';

/** What was written; without a record: removed. */
export type Write = [table: string, name: string, record?: unknown];

/**
 * @param onLost told what a step had written that did not reach the disk, because there was no room for it, say
 * @throws what IndexedDB throws where it is refused
 */
export function openIndexedDbTables(onLost: (writes: readonly Write[]) => void, name?: string): Promise<Tables>;
export function openIndexedDbTables<Name extends string>(
  onLost: (writes: readonly Write[]) => void,
  name: string | undefined,
  layout: TableLayout<Name>,
): Promise<Tables<Name>>;
export async function openIndexedDbTables(
  onLost: (writes: readonly Write[]) => void,
  name?: string,
  layout: TableLayout<string> = RESPONSE_TABLES,
): Promise<Tables<string>> {
  const database = await openDatabase(name ?? layout.database, layout.version, (made) => makeTables(made, layout));
  return {
    update: (work) => runTransaction(database, onLost, work),
    clear: () => clear(database),
  };
}

/** Resolves when the disk has removed it: then nothing brings it back. */
function clear(database: IDBDatabase): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(database.objectStoreNames, 'readwrite');
    transaction.addEventListener('complete', () => resolve());
    transaction.addEventListener('abort', () => reject(abortReason(transaction)));
    for (const table of database.objectStoreNames) transaction.objectStore(table).clear();
  });
}

const abortReason = (transaction: IDBTransaction): Error =>
  transaction.error ?? new Error('The transaction was aborted.');

/** Whether there is a database, found out without leaving one. */
export function hasDatabase(name = RESPONSE_TABLES.database): Promise<boolean> {
  if (typeof indexedDB === 'undefined') return Promise.resolve(false);
  return new Promise((resolve) => {
    const request = indexedDB.open(name);
    // It is being made: what is taken back leaves nothing.
    request.addEventListener('upgradeneeded', () => request.transaction?.abort());
    request.addEventListener('error', () => resolve(false));
    request.addEventListener('blocked', () => resolve(true));
    request.addEventListener('success', () => {
      request.result.close();
      resolve(true);
    });
  });
}

function makeTables(database: IDBDatabase, { names, withItems }: TableLayout<string>): void {
  for (const table of database.objectStoreNames) database.deleteObjectStore(table);
  const stores = new Map(names.map((table) => [table, database.createObjectStore(table)]));
  for (const table of withItems)
    stores.get(table)!.createIndex(BY_ITEM, 'itemNames' satisfies keyof WithItems, { multiEntry: true });
}

/** Resolves with the result as soon as the work is done: every later transaction sees it, so no one waits for the disk. */
function runTransaction<Result>(
  database: IDBDatabase,
  onLost: (writes: readonly Write[]) => void,
  work: (transaction: Transaction<string>) => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const opened = database.transaction(database.objectStoreNames, 'readwrite', { durability: 'relaxed' });
    const writes: Write[] = [];
    let isDone = false;
    opened.addEventListener('abort', () => {
      if (isDone) onLost(writes);
      else reject(abortReason(opened));
    });
    const transaction: Transaction<string> = {
      get: (table, name) => resultOf(opened.objectStore(table).get(name)),
      async all(table, prefix = '') {
        const store = opened.objectStore(table);
        const range = IDBKeyRange.bound(prefix, `${prefix}\u{ffff}`);
        const [names, records] = await Promise.all([
          resultOf(store.getAllKeys(range) as IDBRequest<string[]>),
          resultOf<unknown[]>(store.getAll(range)),
        ]);
        return names.map((name, index) => [name, records[index]]);
      },
      holders: (table, item) =>
        resultOf(opened.objectStore(table).index(BY_ITEM).getAllKeys(item) as IDBRequest<string[]>),
      put: (table, name, record) => {
        opened.objectStore(table).put(record, name);
        writes.push([table, name, record]);
      },
      delete: (table, name) => {
        opened.objectStore(table).delete(name);
        writes.push([table, name]);
      },
    };
    work(transaction).then(
      (result) => {
        isDone = true;
        resolve(result);
        // Else the browser asks first whether more is to come. It may have ended by itself.
        try {
          opened.commit();
        } catch {}
      },
      (thrown: Error) => {
        reject(thrown);
        // It may have ended by itself.
        try {
          opened.abort();
        } catch {}
      },
    );
  });
}

function resultOf<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB failed.')));
  });
}
