/** Writes records, and counts what all of them take: the one place where room is given. @module */
import { storageFull } from './byte-places.js';
import { type FilesTransaction, read, type RecordOf, type SizedTable } from './records.js';

/** Without what the ledger says itself. */
export type Unsized<Stored> = Omit<Stored, 'size'>;

/** See the module. */
export class Ledger {
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Bytes of everything. */
  async sum(transaction: FilesTransaction): Promise<number> {
    return Number((await transaction.get('sums', 'bytes')) ?? 0);
  }

  /** The number of the next record. */
  async nextOrder(transaction: FilesTransaction): Promise<number> {
    const order = Number((await transaction.get('sums', 'order')) ?? 0) + 1;
    transaction.put('sums', 'order', order);
    return order;
  }

  /**
   * Writes a record in the place of an earlier one.
   * @param beside bytes that lie beside it
   * @param isNote of how something stands: it is written also where there is no room
   * @throws InferenceError `storage_full` when it is more than before and there is no room for it
   */
  async put<Table extends SizedTable>(
    transaction: FilesTransaction,
    [table, name]: readonly [Table, string],
    record: Unsized<RecordOf[Table]>,
    { beside = 0, isNote = false }: { beside?: number; isNote?: boolean } = {},
  ): Promise<void> {
    const before = (await read(transaction, table, name))?.size ?? 0;
    const size = beside + JSON.stringify(record).length;
    const sum = (await this.sum(transaction)) + size - before;
    if (!isNote && size > before && sum > this.maxBytes) throw storageFull();
    transaction.put(table, name, { ...record, size });
    transaction.put('sums', 'bytes', sum);
  }

  async remove(transaction: FilesTransaction, table: SizedTable, name: string): Promise<void> {
    const before = await read(transaction, table, name);
    if (!before) return;
    transaction.delete(table, name);
    transaction.put('sums', 'bytes', (await this.sum(transaction)) - before.size);
  }
}
