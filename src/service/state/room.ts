/**
 * How much is stored, and what goes when that is too much or too old: chains of responses and conversations, each as one. Where
 * there are keys each has its share: what one stores does not push out what another has within its own.
 * @module
 */
import { type Chain, type ConversationRecord, type Evictable, nameOf, read } from './records.js';
import type { Transaction } from './tables.js';

/** What was not used for so long is forgotten. */
const MAX_AGE_MS = 30 * 24 * 3600 * 1000;

/** Milliseconds between two looks for what is too old. */
const SWEEP_MS = 3600 * 1000;

type EvictableTable = 'chains' | 'conversations';

/** See the module. */
export class Room {
  /** Most bytes of everything together, as JSON in UTF-16. */
  readonly maxBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Bytes that each owner has for itself. */
  readonly #share: number;
  #swept = -Infinity;

  /** @param shares owners that each have one, e.g. keys */
  constructor({ maxBytes, now, shares = 1 }: { maxBytes: number; now: () => number; shares?: number | undefined }) {
    this.maxBytes = maxBytes;
    this.now = now;
    this.#share = shares > 1 ? maxBytes / shares : 0;
  }

  /** Whether it was not used for too long: it counts as unknown. */
  isOld({ used }: Evictable): boolean {
    return used < this.now() - MAX_AGE_MS;
  }

  /** Bytes of everything together. */
  async sum(transaction: Transaction): Promise<number> {
    return Number((await transaction.get('sums', 'bytes')) ?? 0);
  }

  /**
   * Notes that so many bytes came, and makes room for them: the least recently used goes first.
   * @param stays name of what they came to: it goes only where nothing else of its owner makes room enough
   * @param before the bytes until now, where they were read
   * @returns whether it has stayed
   */
  async take(
    transaction: Transaction,
    bytes: number,
    stays: { table: EvictableTable; name: string },
    before?: number,
  ): Promise<boolean> {
    const sum = (before ?? (await this.sum(transaction))) + bytes;
    const isDue = this.now() - this.#swept > SWEEP_MS;
    if (sum > this.maxBytes || isDue) return this.tidy(transaction, stays);
    transaction.put('sums', 'bytes', sum);
    return true;
  }

  /**
   * Removes what was not used for too long, and as much more as is over the bound: of those who have more than their share.
   * @param stays see {@link take}
   * @returns see {@link take}
   */
  async tidy(transaction: Transaction, stays?: { table: EvictableTable; name: string }): Promise<boolean> {
    this.#swept = this.now();
    const all = await readAll(transaction);
    let left = all.reduce((total, { record }) => total + record.bytes, 0);
    const owned = new Map<string, number>();
    for (const { name, record } of all) add(owned, ownerOf(name), record.bytes);
    for (const { table, name, record } of all.toSorted((a, b) => a.record.used - b.record.used)) {
      const isStaying = table === stays?.table && name === stays.name;
      const isOver = left > this.maxBytes && (owned.get(ownerOf(name)) ?? 0) > this.#share;
      if (isStaying || (!isOver && !this.isOld(record))) continue;
      left -= record.bytes;
      add(owned, ownerOf(name), -record.bytes);
      await forget(transaction, table, name);
    }
    const staying = stays && all.find(({ table, name }) => table === stays.table && name === stays.name);
    const isStaying = left <= this.maxBytes || !staying;
    if (!isStaying) await forget(transaction, staying.table, staying.name);
    transaction.put('sums', 'bytes', isStaying ? left : left - staying.record.bytes);
    return isStaying;
  }

  /** Notes that so many bytes were removed. */
  async giveBack(transaction: Transaction, bytes: number): Promise<void> {
    transaction.put('sums', 'bytes', (await this.sum(transaction)) - bytes);
  }
}

/** Ids have no blanks. */
const ownerOf = (name: string): string => name.slice(0, name.lastIndexOf(' '));

function add(sums: Map<string, number>, owner: string, bytes: number): void {
  sums.set(owner, (sums.get(owner) ?? 0) + bytes);
}

interface Named {
  table: EvictableTable;
  name: string;
  record: Evictable;
}

async function readAll(transaction: Transaction): Promise<Named[]> {
  const of = async (table: EvictableTable): Promise<Named[]> =>
    ((await transaction.all(table)) as [string, Evictable][]).map(([name, record]) => ({ table, name, record }));
  return [...(await of('chains')), ...(await of('conversations'))];
}

/** Removes a chain, or a conversation, with all that is in it. The sum of bytes is not changed. */
export async function forget(transaction: Transaction, table: EvictableTable, name: string): Promise<void> {
  if (table === 'chains') {
    const owner = ownerOf(name);
    const chain = await read<Chain>(transaction, table, name);
    for (const id of Object.keys(chain?.members ?? {})) transaction.delete('responses', nameOf(owner, id));
  } else {
    const record = await read<ConversationRecord>(transaction, table, name);
    for (const { id } of record?.items ?? []) transaction.delete('conversationItems', nameOf(name, id));
  }
  transaction.delete(table, name);
}
