/** Conversations that clients add items to, and that responses are made in. Items are JSON that nothing here looks into. @module */
import {
  bytesOf,
  type ConversationItemRecord,
  type ConversationRecord,
  nameOf,
  read,
  readConversationItem,
  readConversationItems,
  type StoredItem,
} from './records.js';
import { forget, type Room } from './room.js';
import type { Tables, Transaction } from './tables.js';

/** What a client is told of a conversation. */
export interface ConversationFacts {
  id: string;
  /** Unix seconds. */
  createdAt: number;
  metadata: Readonly<Record<string, string>>;
}

/** What a response that is made in a conversation reads. */
export interface ConversationItems {
  items: StoredItem[];
  /** Another number: other items. */
  revision: number;
}

/** Items that are added, and by whom. */
export interface Addition {
  items: readonly StoredItem[];
  /** The response that they are of: they are added once. */
  response?: string;
  /** Makes another id for an item whose id the conversation has. */
  createId: () => string;
}

/** See the module. Ids are a caller's own: those of another caller are unknown. */
export class ConversationStore {
  readonly #tables: Tables;
  readonly #room: Room;
  readonly #ownerOf: (caller: string) => string;

  /** @param ownerOf what the records of a caller are called by */
  constructor(tables: Tables, room: Room, ownerOf: (caller: string) => string) {
    this.#tables = tables;
    this.#room = room;
    this.#ownerOf = ownerOf;
  }

  /** @returns false: it is larger than everything may be together */
  create(caller: string, { id, createdAt, metadata }: ConversationFacts, addition: Addition): Promise<boolean> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const bytes = bytesOf(metadata);
      const record: ConversationRecord = { used: 0, bytes, createdAt, metadata, revision: 0, items: [] };
      return (await this.#add(transaction, { owner, id, record, news: bytes }, addition)) !== undefined;
    });
  }

  /** Undefined: there is none, as in all that follows. */
  find(caller: string, id: string): Promise<ConversationFacts | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const record = await this.#use(transaction, owner, id);
      return record && { id, createdAt: record.createdAt, metadata: record.metadata };
    });
  }

  /** @returns 'too-large': other than undefined nothing is changed */
  describe(
    caller: string,
    id: string,
    metadata: ConversationFacts['metadata'],
  ): Promise<ConversationFacts | 'too-large' | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const record = await this.#use(transaction, owner, id);
      if (!record) return undefined;
      const news = bytesOf(metadata) - bytesOf(record.metadata);
      const bytes = record.bytes + news;
      if (bytes > this.#room.maxBytes) return 'too-large';
      const name = nameOf(owner, id);
      transaction.put('conversations', name, { ...record, bytes, metadata } satisfies ConversationRecord);
      if (!(await this.#room.take(transaction, news, { table: 'conversations', name }))) return 'too-large';
      return { id, createdAt: record.createdAt, metadata };
    });
  }

  /** @returns ids of its items */
  remove(caller: string, id: string): Promise<string[] | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const record = await this.#use(transaction, owner, id);
      if (!record) return undefined;
      await forget(transaction, 'conversations', nameOf(owner, id));
      await this.#room.giveBack(transaction, record.bytes);
      return record.items.map((item) => item.id);
    });
  }

  /** @param before id of a response: only what was there before it added its items */
  itemsOf(caller: string, id: string, before?: string): Promise<ConversationItems | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const record = await this.#use(transaction, owner, id);
      if (!record) return undefined;
      const end = before === undefined ? -1 : record.items.findIndex(({ response }) => response === before);
      const ids = (end < 0 ? record.items : record.items.slice(0, end)).map((item) => item.id);
      const items = await readConversationItems(transaction, owner, { conversation: id, ids });
      // What is left out was added in its last change.
      return { items, revision: end < 0 ? record.revision : -1 };
    });
  }

  findItem(caller: string, id: string, item: string): Promise<StoredItem | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const record = await this.#use(transaction, owner, id);
      return record && readConversationItem(transaction, nameOf(owner, id, item));
    });
  }

  /** @returns the items with the ids that they have there; 'too-large': nothing was added */
  add(caller: string, id: string, addition: Addition): Promise<StoredItem[] | 'too-large' | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const record = await this.#use(transaction, owner, id);
      if (!record) return undefined;
      const added = record.items.filter(({ response }) => response !== undefined && response === addition.response);
      if (added.length > 0) {
        const ids = added.map((item) => item.id);
        return readConversationItems(transaction, owner, { conversation: id, ids });
      }
      return (await this.#add(transaction, { owner, id, record, news: 0 }, addition)) ?? 'too-large';
    });
  }

  /** @returns the conversation; undefined: there is none, or no such item */
  removeItem(caller: string, id: string, item: string): Promise<ConversationFacts | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const record = await this.#use(transaction, owner, id);
      const removed = record?.items.find((each) => each.id === item);
      if (!record || !removed) return undefined;
      transaction.delete('conversationItems', nameOf(owner, id, item));
      const left = {
        ...record,
        bytes: record.bytes - removed.bytes,
        revision: record.revision + 1,
        items: record.items.filter((each) => each !== removed),
      };
      transaction.put('conversations', nameOf(owner, id), left satisfies ConversationRecord);
      await this.#room.giveBack(transaction, removed.bytes);
      return { id, createdAt: record.createdAt, metadata: record.metadata };
    });
  }

  /** @param news bytes of the record that are not counted yet @returns undefined: too large, and nothing was put */
  async #add(
    transaction: Transaction,
    { owner, id, record, news }: { owner: string; id: string; record: ConversationRecord; news: number },
    { items, response, createId }: Addition,
  ): Promise<StoredItem[] | undefined> {
    const known = new Set(record.items.map((item) => item.id));
    const added = items.map((item) => {
      const own = known.has(item.id) ? { ...item, id: createId() } : item;
      known.add(own.id);
      return { item: own, bytes: bytesOf(own) };
    });
    const bytes = added.reduce((sum, each) => sum + each.bytes, 0);
    if (record.bytes + bytes > this.#room.maxBytes) return undefined;
    for (const { item } of added) {
      const itemRecord: ConversationItemRecord = { item, itemNames: [nameOf(owner, item.id)] };
      transaction.put('conversationItems', nameOf(owner, id, item.id), itemRecord);
    }
    const name = nameOf(owner, id);
    const grown: ConversationRecord = {
      ...record,
      used: this.#room.now(),
      bytes: record.bytes + bytes,
      revision: record.revision + 1,
      items: [...record.items, ...added.map((each) => ({ id: each.item.id, bytes: each.bytes, response }))],
    };
    transaction.put('conversations', name, grown);
    if (!(await this.#room.take(transaction, bytes + news, { table: 'conversations', name }))) return undefined;
    return added.map(({ item }) => item);
  }

  /** Undefined: unknown, or not used for too long. */
  async #use(transaction: Transaction, owner: string, id: string): Promise<ConversationRecord | undefined> {
    const record = await read<ConversationRecord>(transaction, 'conversations', nameOf(owner, id));
    if (!record || this.#room.isOld(record)) return undefined;
    const used = { ...record, used: this.#room.now() };
    transaction.put('conversations', nameOf(owner, id), used);
    return used;
  }
}
