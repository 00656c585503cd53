/** Where state is stored: records by name in a few tables, in memory or in IndexedDB. @module */

/** Responses; chains of responses that follow each other; conversations, and their items; and the sum of all bytes. */
export const TABLE_NAMES = ['responses', 'chains', 'conversations', 'conversationItems', 'sums'] as const;
export type TableName = (typeof TABLE_NAMES)[number];

/** Tables whose records are found by the items in them, too. */
export const ITEM_TABLES = ['responses', 'conversationItems'] as const;
type ItemTable = (typeof ITEM_TABLES)[number];

/** A record of such a table. */
export interface WithItems {
  itemNames: readonly string[];
}

/** Reads and writes of one step. */
export interface Transaction {
  /** Undefined: there is none of this name. */
  get(table: TableName, name: string): Promise<unknown>;
  /** Every record with its name. */
  all(table: TableName): Promise<[name: string, record: unknown][]>;
  /** Names of the records that have the item. */
  holders(table: ItemTable, item: string): Promise<string[]>;
  put(table: TableName, name: string, record: unknown): void;
  delete(table: TableName, name: string): void;
}

/** A place for records, which are plain data. */
export interface Tables {
  /**
   * Runs the work as one step: no other step comes between, from no tab. It must wait for nothing but the transaction's own
   * promises.
   */
  update<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** Removes everything. */
  clear(): Promise<void>;
}

/**
 * Tables that end with their engine.
 * @param below tables that take no more: what they have is still read, and removed from them
 */
export function createMemoryTables(below?: Tables): Tables {
  /** Undefined: what is below was removed. */
  const tables = new Map<TableName, Map<string, unknown>>(TABLE_NAMES.map((name) => [name, new Map()]));
  const of = (table: TableName): Map<string, unknown> => tables.get(table)!;
  const removeBelow = async (lower: Tables, table: TableName, name: string): Promise<void> => {
    await lower.update(async (each) => each.delete(table, name));
    // Asked in a step of its own, because the one above can still be lost.
    const isGone = (await lower.update((each) => each.get(table, name))) === undefined;
    if (isGone && of(table).get(name) === undefined) of(table).delete(name);
  };
  const transaction: Transaction = {
    get: (table, name) => {
      const isBelow = below && !of(table).has(name);
      return isBelow
        ? below.update((lower) => lower.get(table, name)).catch(() => undefined)
        : Promise.resolve(of(table).get(name));
    },
    all: async (table) => {
      const lower = (await below?.update((each) => each.all(table)).catch(() => undefined)) ?? [];
      return [...new Map([...lower, ...of(table)])].filter(([, record]) => record !== undefined);
    },
    holders: async (table, item) => {
      const records = of(table) as Map<string, WithItems | undefined>;
      const lower = (await below?.update((each) => each.holders(table, item)).catch(() => undefined)) ?? [];
      const own = [...records].filter(([, record]) => record?.itemNames.includes(item)).map(([name]) => name);
      return [...lower.filter((name) => !records.has(name)), ...own];
    },
    put: (table, name, record) => void of(table).set(name, record),
    delete: (table, name) => {
      const records = of(table);
      if (!below) return void records.delete(name);
      // It is being removed below, or could not be: to try again could go on forever.
      const isHidden = records.has(name) && records.get(name) === undefined;
      if (isHidden) return;
      records.set(name, undefined);
      removeBelow(below, table, name).catch(() => {});
    },
  };
  let last: Promise<unknown> = Promise.resolve();
  const update: Tables['update'] = (work) => {
    const result = last.then(() => work(transaction));
    last = result.catch(() => {});
    return result;
  };
  return {
    update,
    clear: () =>
      update(async () => {
        for (const table of tables.values()) table.clear();
      }),
  };
}
