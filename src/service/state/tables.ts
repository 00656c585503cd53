/** Where state is stored: records by name in a few tables, in memory or in IndexedDB. @module */

/** Tables that are stored together. */
export interface TableLayout<Name extends string> {
  /** Of the database, which `uninstallInference` knows too. */
  database: string;
  /** Another version has other tables: what it stored is dropped. */
  version: number;
  names: readonly Name[];
  /** Tables whose records are found by the items in them, too. */
  withItems: readonly Name[];
}

/** Responses; chains of responses that follow each other; conversations, and their items; and the sum of all bytes. */
export type TableName = 'responses' | 'chains' | 'conversations' | 'conversationItems' | 'sums';

export const RESPONSE_TABLES: TableLayout<TableName> = {
  database: 'inpage-responses',
  version: 3,
  names: ['responses', 'chains', 'conversations', 'conversationItems', 'sums'],
  withItems: ['responses', 'conversationItems'],
};

/** A record of such a table. */
export interface WithItems {
  itemNames: readonly string[];
}

/** Reads and writes of one step. */
export interface Transaction<Name extends string = TableName> {
  /** Undefined: there is none of this name. */
  get(table: Name, name: string): Promise<unknown>;
  /** Every record with its name, in the order of names; only those whose names begin so. */
  all(table: Name, prefix?: string): Promise<[name: string, record: unknown][]>;
  /** Names of the records that have the item. */
  holders(table: Name, item: string): Promise<string[]>;
  put(table: Name, name: string, record: unknown): void;
  delete(table: Name, name: string): void;
}

/** A place for records, which are plain data. */
export interface Tables<Name extends string = TableName> {
  /** What is put there outlives this realm, as long as the device has room for it. */
  readonly isOnDevice?: true;
  /**
   * Runs the work as one step: no other step comes between, from no tab. It must wait for nothing but the transaction's own
   * promises.
   */
  update<Result>(work: (transaction: Transaction<Name>) => Promise<Result>): Promise<Result>;
  /** Removes everything. */
  clear(): Promise<void>;
}

/**
 * Tables that end with their engine.
 * @param below tables that take no more: what they have is still read, and removed from them
 */
export function createMemoryTables(below?: Tables): Tables;
export function createMemoryTables<Name extends string>(
  below: Tables<Name> | undefined,
  layout: Pick<TableLayout<Name>, 'names'>,
): Tables<Name>;
export function createMemoryTables(
  below?: Tables<string>,
  layout: Pick<TableLayout<string>, 'names'> = RESPONSE_TABLES,
): Tables<string> {
  /** Undefined: what is below was removed. */
  const tables = new Map<string, Map<string, unknown>>(layout.names.map((name) => [name, new Map()]));
  const of = (table: string): Map<string, unknown> => tables.get(table)!;
  const removeBelow = async (lower: Tables<string>, table: string, name: string): Promise<void> => {
    await lower.update(async (each) => each.delete(table, name));
    // Asked in a step of its own, because the one above can still be lost.
    const isGone = (await lower.update((each) => each.get(table, name))) === undefined;
    if (isGone && of(table).get(name) === undefined) of(table).delete(name);
  };
  const transaction: Transaction<string> = {
    get: (table, name) => {
      const isBelow = below && !of(table).has(name);
      return isBelow
        ? below.update((lower) => lower.get(table, name)).catch(() => undefined)
        : Promise.resolve(of(table).get(name));
    },
    all: async (table, prefix = '') => {
      const lower = (await below?.update((each) => each.all(table, prefix)).catch(() => undefined)) ?? [];
      const own = [...of(table)].filter(([name]) => name.startsWith(prefix));
      return [...new Map([...lower, ...own])].filter(([, record]) => record !== undefined);
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
  const update: Tables<string>['update'] = (work) => {
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
