/** Vector stores: which files they have, and what is said of them. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { Embedding } from './embedding.js';
import {
  type NewMember,
  readFacts,
  requireBatch,
  requireMember,
  requireStore,
  type StoreFacts,
  type StoreFields,
  unknownStore,
} from './store-records.js';
import { unknownFile } from './unknown-file.js';
import type { Library } from './library.js';
import {
  type Attributes,
  type BatchRecord,
  type Chunking,
  type FilesTransaction,
  type MemberRecord,
  nameOf,
  prefixOf,
  read,
  readAll,
} from './records.js';
import { dropMember, dropStore, expiryOf, noteExpiry, noteInBatch } from './removal.js';

/** Milliseconds in which a model may say how much it reads, before a client is answered. */
const SOON_MS = 1500;

/** See the module. Ids are a caller's own: those of another caller are unknown. */
export class VectorStores {
  readonly #library: Library;
  readonly #embedding: Embedding;
  readonly #onWork: (members: readonly string[]) => void;

  /** @param onWork told the names of members that are to be indexed */
  constructor(library: Library, embedding: Embedding, onWork: (members: readonly string[]) => void) {
    this.#library = library;
    this.#embedding = embedding;
    this.#onWork = onWork;
  }

  /** @throws InferenceError `not_found` for a file */
  async create(caller: string, fields: StoreFields, files: readonly NewMember[]): Promise<StoreFacts> {
    const { ledger } = this.#library;
    const owner = this.#library.ownerOf(caller);
    const id = this.#library.createId('vs_');
    const soon = await this.#usual(files);
    const news = await this.#library.update(async (transaction) => {
      const { now } = this.#library;
      await this.#requireFiles(transaction, owner, files);
      const record = {
        id,
        order: await ledger.nextOrder(transaction),
        createdAt: now,
        name: fields.name ?? '',
        description: fields.description ?? null,
        metadata: fields.metadata ?? {},
        lastActiveAt: now,
        isExpired: false,
        ...(fields.expiresAfterDays != null && { expiresAfterDays: fields.expiresAfterDays }),
      };
      await ledger.put(transaction, ['stores', nameOf(owner, id)], record);
      await noteExpiry(transaction, expiryOf({ ...record, size: 0 }));
      return this.#addAll(transaction, nameOf(owner, id), files, { soon });
    });
    this.#onWork(news);
    return this.require(caller, id);
  }

  /** @throws InferenceError `not_found` */
  async require(caller: string, id: string, param = 'vector_store_id'): Promise<StoreFacts> {
    const name = nameOf(this.#library.ownerOf(caller), id);
    const facts = await this.#library.update((transaction) => readFacts(transaction, name));
    if (!facts) throw unknownStore(id, param);
    return facts;
  }

  /** Those of the ids that are there. */
  known(caller: string, ids: readonly string[]): Promise<string[]> {
    const owner = this.#library.ownerOf(caller);
    return this.#library.update(async (transaction) => {
      const known: string[] = [];
      for (const id of ids) if (await read(transaction, 'stores', nameOf(owner, id))) known.push(id);
      return known;
    });
  }

  /** The oldest first. */
  list(caller: string): Promise<StoreFacts[]> {
    const prefix = prefixOf(this.#library.ownerOf(caller));
    return this.#library.update(async (transaction) => {
      const all: StoreFacts[] = [];
      for (const [name] of await readAll(transaction, 'stores', prefix)) {
        const facts = await readFacts(transaction, name);
        if (facts) all.push(facts);
      }
      return all;
    });
  }

  /** @throws InferenceError `not_found` */
  async change(caller: string, id: string, fields: StoreFields): Promise<StoreFacts> {
    const name = nameOf(this.#library.ownerOf(caller), id);
    await this.#library.update(async (transaction) => {
      const store = await requireStore(transaction, name);
      const { expiresAfterDays: days, ...rest } = store;
      const wanted = fields.expiresAfterDays === undefined ? days : (fields.expiresAfterDays ?? undefined);
      const changed = {
        ...rest,
        name: fields.name ?? store.name,
        description: fields.description ?? store.description,
        metadata: fields.metadata ?? store.metadata,
        ...(wanted !== undefined && { expiresAfterDays: wanted }),
      };
      await this.#library.ledger.put(transaction, ['stores', name], changed);
      if (!store.isExpired) await noteExpiry(transaction, expiryOf(changed));
    });
    return this.require(caller, id);
  }

  /** @throws InferenceError `not_found` */
  async remove(caller: string, id: string): Promise<void> {
    const name = nameOf(this.#library.ownerOf(caller), id);
    await this.#library.update(async (transaction, unused) => {
      await requireStore(transaction, name);
      unused.push(...(await dropStore(transaction, this.#library.ledger, name)));
    });
  }

  /** A file that is there already is indexed anew. @throws InferenceError `not_found`, and about an expired store */
  async add(caller: string, store: string, file: NewMember): Promise<MemberRecord> {
    const name = nameOf(this.#library.ownerOf(caller), store);
    await this.#addTo(caller, store, [file]);
    return this.#library.update(async (transaction) => requireMember(transaction, nameOf(name, file.file)));
  }

  async #addTo(caller: string, store: string, files: readonly NewMember[], batch?: string): Promise<void> {
    const owner = this.#library.ownerOf(caller);
    const name = nameOf(owner, store);
    const soon = await this.#usual(files);
    const news = await this.#library.update(async (transaction) => {
      await this.touch(transaction, name);
      await this.#requireFiles(transaction, owner, files);
      if (batch !== undefined) {
        const { ledger, now: createdAt } = this.#library;
        const members = Object.fromEntries(files.map(({ file }) => [file, 'in_progress'] as const));
        const order = await ledger.nextOrder(transaction);
        const record = { id: batch, order, createdAt, members, isCancelled: false };
        await ledger.put(transaction, ['batches', nameOf(name, batch)], record);
      }
      return this.#addAll(transaction, name, files, { soon, batch });
    });
    this.#onWork(news);
  }

  /** @throws InferenceError `not_found` */
  async member(caller: string, store: string, file: string): Promise<MemberRecord> {
    const name = nameOf(this.#library.ownerOf(caller), store);
    return this.#library.update(async (transaction) => {
      await requireStore(transaction, name);
      return requireMember(transaction, nameOf(name, file));
    });
  }

  /** The oldest first. @throws InferenceError `not_found` */
  async members(caller: string, store: string): Promise<MemberRecord[]> {
    const name = nameOf(this.#library.ownerOf(caller), store);
    return this.#library.update(async (transaction) => {
      await requireStore(transaction, name);
      return (await readAll(transaction, 'members', `${name}\n`)).map(([, record]) => record);
    });
  }

  /** @throws InferenceError `not_found` */
  async describe(caller: string, store: string, file: string, attributes: Attributes): Promise<MemberRecord> {
    const name = nameOf(this.#library.ownerOf(caller), store);
    return this.#library.update(async (transaction) => {
      await requireStore(transaction, name);
      const member = await requireMember(transaction, nameOf(name, file));
      const beside = member.index?.bytes ?? 0;
      await this.#library.ledger.put(
        transaction,
        ['members', nameOf(name, file)],
        { ...member, attributes },
        { beside },
      );
      return { ...member, attributes };
    });
  }

  /** @throws InferenceError `not_found` */
  async removeMember(caller: string, store: string, file: string): Promise<void> {
    const name = nameOf(this.#library.ownerOf(caller), store);
    await this.#library.update(async (transaction, unused) => {
      await requireStore(transaction, name);
      await requireMember(transaction, nameOf(name, file));
      unused.push(...(await dropMember(transaction, this.#library.ledger, nameOf(name, file))));
    });
  }

  /** @throws InferenceError `not_found`, and about an expired store */
  async addBatch(caller: string, store: string, files: readonly NewMember[]): Promise<BatchRecord> {
    const id = this.#library.createId('vsfb_');
    await this.#addTo(caller, store, files, id);
    return this.batch(caller, store, id);
  }

  /** @throws InferenceError `not_found` */
  async batch(caller: string, store: string, id: string): Promise<BatchRecord> {
    const name = nameOf(this.#library.ownerOf(caller), store);
    return this.#library.update(async (transaction) => {
      await requireStore(transaction, name);
      return requireBatch(transaction, nameOf(name, id));
    });
  }

  /** Its files that are still in the store, the oldest first. @throws InferenceError `not_found` */
  async batchMembers(caller: string, store: string, id: string): Promise<MemberRecord[]> {
    const batch = await this.batch(caller, store, id);
    return (await this.members(caller, store)).filter(({ id: file }) => Object.hasOwn(batch.members, file));
  }

  /** What has not begun is not indexed. @throws InferenceError `not_found` */
  async cancelBatch(caller: string, store: string, id: string): Promise<BatchRecord> {
    const name = nameOf(this.#library.ownerOf(caller), store);
    const { ledger } = this.#library;
    return this.#library.update(async (transaction, unused) => {
      await requireStore(transaction, name);
      const batch = await requireBatch(transaction, nameOf(name, id));
      if (!Object.values(batch.members).includes('in_progress')) return batch;
      const members = { ...batch.members };
      for (const file of Object.keys(members)) {
        const member = await read(transaction, 'members', nameOf(name, file));
        if (member?.batch !== id || member.status !== 'in_progress' || member.hasBegun) continue;
        members[file] = 'cancelled';
        const { index, ...rest } = member;
        if (index) unused.push(index.name);
        await ledger.put(
          transaction,
          ['members', nameOf(name, file)],
          { ...rest, status: 'cancelled' },
          { isNote: true },
        );
      }
      const cancelled = { ...batch, members, isCancelled: true };
      await ledger.put(transaction, ['batches', nameOf(name, id)], cancelled, { isNote: true });
      return cancelled;
    });
  }

  /** The store is used. @throws InferenceError `not_found`; `invalid_request` for one that has expired */
  async touch(transaction: FilesTransaction, name: string, param = 'vector_store_id'): Promise<void> {
    const store = await requireStore(transaction, name, param);
    if (store.isExpired) {
      const message = `The vector store \`${store.id}\` has expired: its files are still there, its index is not.`;
      throw new InferenceError('invalid_request', message, { param });
    }
    const used = { ...store, lastActiveAt: this.#library.now };
    await this.#library.ledger.put(transaction, ['stores', name], used, { isNote: true });
  }

  /** What `auto` is, where a file wants it. */
  async #usual(files: readonly NewMember[]): Promise<Chunking> {
    const isWanted = files.some(({ chunking }) => !chunking);
    return this.#embedding.usualSoon(isWanted ? SOON_MS : 0);
  }

  async #requireFiles(transaction: FilesTransaction, owner: string, files: readonly NewMember[]): Promise<void> {
    for (const { file, param } of files) {
      const record = await read(transaction, 'files', nameOf(owner, file));
      if (!record?.isWritten) throw unknownFile(file, param);
    }
  }

  /** @returns names of the members */
  async #addAll(
    transaction: FilesTransaction,
    store: string,
    files: readonly NewMember[],
    { soon, batch }: { soon: Chunking; batch?: string | undefined },
  ): Promise<string[]> {
    const { ledger, now: createdAt } = this.#library;
    const names: string[] = [];
    for (const { file, attributes, chunking } of files) {
      const name = nameOf(store, file);
      const before = await read(transaction, 'members', name);
      if (before?.status === 'in_progress' && before.batch !== undefined && before.batch !== batch)
        await noteInBatch(transaction, ledger, { batch: nameOf(store, before.batch), file, status: 'cancelled' });
      const record = {
        id: file,
        order: before?.order ?? (await ledger.nextOrder(transaction)),
        createdAt: before?.createdAt ?? createdAt,
        status: 'in_progress' as const,
        hasBegun: false,
        job: this.#library.createId(''),
        error: null,
        attributes,
        chunking,
        chunks: chunking ?? soon,
        ...(batch !== undefined && { batch }),
        // What is there of it takes its room until the new one is.
        ...(before?.index && { index: before.index }),
      };
      await ledger.put(transaction, ['members', name], record, { beside: before?.index?.bytes ?? 0 });
      names.push(name);
    }
    return names;
  }
}
