/** Writes that are made together or not at all, also where the tables cannot take any back. @module */
import type { Transaction } from '../state/tables.js';

/** A transaction that sees what is written, and what makes the writes. */
export interface BufferedTransaction<Name extends string> {
  transaction: Transaction<Name>;
  apply: () => void;
}

export function bufferTransaction<Name extends string>(below: Transaction<Name>): BufferedTransaction<Name> {
  /** By table and name; undefined: removed. */
  const writes = new Map<Name, Map<string, unknown>>();
  const of = (table: Name): Map<string, unknown> => {
    const known = writes.get(table) ?? new Map<string, unknown>();
    writes.set(table, known);
    return known;
  };
  return {
    transaction: {
      get: async (table, name) => (of(table).has(name) ? of(table).get(name) : below.get(table, name)),
      async all(table, prefix = '') {
        const own = [...of(table)].filter(([name]) => name.startsWith(prefix));
        const merged = new Map([...(await below.all(table, prefix)), ...own]);
        return [...merged].filter(([, record]) => record !== undefined);
      },
      holders: (table, item) => below.holders(table, item),
      put: (table, name, record) => void of(table).set(name, record),
      delete: (table, name) => void of(table).set(name, undefined),
    },
    apply: () => {
      for (const [table, records] of writes)
        for (const [name, record] of records)
          if (record === undefined) below.delete(table, name);
          else below.put(table, name, record);
    },
  };
}
