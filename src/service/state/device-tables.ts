/** Tables in IndexedDB, or in memory as far as IndexedDB takes nothing. @module */
import { openIndexedDbTables, type Write } from './indexed-db-tables.js';
import { createMemoryTables, RESPONSE_TABLES, type TableLayout, type Tables, type Transaction } from './tables.js';

/** Where IndexedDB is missing or refused, or where it has no room any more, no request fails: from then on memory serves. */
export function openDeviceTables(name?: string): Promise<Tables>;
export function openDeviceTables<Name extends string>(
  name: string | undefined,
  layout: TableLayout<Name>,
): Promise<Tables<Name>>;
export async function openDeviceTables(
  name?: string,
  layout: TableLayout<string> = RESPONSE_TABLES,
): Promise<Tables<string>> {
  if (typeof indexedDB === 'undefined') return createMemoryTables(undefined, layout);
  let memory: Tables<string> | undefined;
  let disk: Tables<string> | undefined;
  const leaveDisk = (): Tables<string> => (memory ??= createMemoryTables(disk, layout));
  const onLost = (writes: readonly Write[]): void =>
    void leaveDisk().update(async (transaction) => {
      for (const [table, id, record] of writes)
        if (record === undefined) transaction.delete(table, id);
        else transaction.put(table, id, record);
    });
  disk = await openIndexedDbTables(onLost, name, layout).catch(() => undefined);
  if (!disk) return createMemoryTables(undefined, layout);
  const onDisk = disk;
  return {
    isOnDevice: true,
    async update(work) {
      if (memory) return memory.update(work);
      try {
        return await onDisk.update((transaction) => work(whileOnDisk(transaction, () => memory === undefined)));
      } catch {
        return leaveDisk().update(work);
      }
    },
    async clear() {
      await memory?.clear();
      await onDisk.clear();
    },
  };
}

/** A step that began before the disk lost what an earlier one wrote must not go on without it. */
function whileOnDisk(transaction: Transaction<string>, isOnDisk: () => boolean): Transaction<string> {
  const checked = async <Value>(read: Promise<Value>): Promise<Value> => {
    const value = await read;
    if (!isOnDisk()) throw new Error('Memory has what the disk has lost.');
    return value;
  };
  return {
    ...transaction,
    get: (table, name) => checked(transaction.get(table, name)),
    all: (table, prefix) => checked(transaction.all(table, prefix)),
    holders: (table, item) => checked(transaction.holders(table, item)),
  };
}
