/** The files that clients have uploaded. @module */
import { cancelled, isInferenceError, throwIfCancelled } from '../../core/errors/inference-error.js';
import type { Library } from './library.js';
import { readFile } from './read/read-file.js';
import { type Unreadable } from './read/unreadable.js';
import { checksum, type FileRecord, nameOf, prefixOf, read, readAll, type StoredBytes } from './records.js';
import { contentName, dropFile, noteExpiry, textName } from './removal.js';

/** A file as it comes. */
export interface NewFile {
  bytes: Uint8Array<ArrayBuffer>;
  filename: string;
  purpose: string;
  /** Seconds until it expires. */
  expiresAfter?: number | undefined;
}

/** A file that is there. */
interface StoredFile {
  record: FileRecord;
  bytes: Uint8Array<ArrayBuffer>;
}

/** See the module. Ids are a caller's own: those of another caller are unknown. */
export class Files {
  readonly #library: Library;

  constructor(library: Library) {
    this.#library = library;
  }

  /** @throws InferenceError `storage_full`; `cancelled`: nothing of it is kept */
  async add(
    caller: string,
    { bytes, filename, purpose, expiresAfter }: NewFile,
    signal: AbortSignal,
  ): Promise<FileRecord> {
    const { ledger, place } = this.#library;
    const id = this.#library.createId('file-');
    const name = nameOf(this.#library.ownerOf(caller), id);
    const content: StoredBytes = { bytes: bytes.length, checksum: checksum(bytes) };
    return this.#library.writing(async () => {
      const noted = await this.#library.update(async (transaction) => {
        const createdAt = this.#library.now;
        const expiresAt = expiresAfter === undefined ? undefined : createdAt + expiresAfter;
        const order = await ledger.nextOrder(transaction);
        const record = { id, order, createdAt, filename, purpose, content, isWritten: false };
        const whole = { ...record, ...(expiresAt !== undefined && { expiresAt }) };
        await ledger.put(transaction, ['files', name], whole, { beside: bytes.length });
        await noteExpiry(transaction, expiresAt);
        return whole;
      });
      try {
        await place.write(contentName(id), bytes);
        throwIfCancelled(signal);
        const written = await this.#library.update(async (transaction) => {
          const record = await read(transaction, 'files', name);
          if (!record) throw cancelled();
          const whole = { ...noted, isWritten: true };
          await ledger.put(transaction, ['files', name], whole, { beside: bytes.length, isNote: true });
          return { ...whole, size: record.size };
        });
        throwIfCancelled(signal);
        this.#library.options.onStored?.();
        return written;
      } catch (thrown) {
        await this.#drop(name);
        throw thrown;
      }
    });
  }

  /** Undefined: there is none, or its bytes are damaged or gone. */
  async find(caller: string, id: string): Promise<FileRecord | undefined> {
    return (await this.content(caller, id))?.record;
  }

  /** The oldest first. */
  async list(caller: string): Promise<FileRecord[]> {
    const prefix = prefixOf(this.#library.ownerOf(caller));
    const all = await this.#library.update((transaction) => readAll(transaction, 'files', prefix));
    return all.map(([, record]) => record).filter(({ isWritten }) => isWritten);
  }

  /** As it came; undefined: there is none, or its bytes are damaged or gone. */
  content(caller: string, id: string): Promise<StoredFile | undefined> {
    return this.#contentOf(nameOf(this.#library.ownerOf(caller), id));
  }

  /** A file whose bytes are not what was written is removed. */
  async #contentOf(name: string): Promise<StoredFile | undefined> {
    const record = await this.#library.update((transaction) => read(transaction, 'files', name));
    if (!record?.isWritten) return undefined;
    const bytes = await this.#library.place.read(contentName(record.id));
    if (bytes && isWhole(bytes, record.content)) return { record, bytes };
    await this.#drop(name);
    return undefined;
  }

  /** False: there was none. */
  async remove(caller: string, id: string): Promise<boolean> {
    return this.#drop(nameOf(this.#library.ownerOf(caller), id));
  }

  /**
   * What can be read of it, kept after the first time where there is room; undefined: there is no such file.
   */
  text(caller: string, id: string): Promise<string | Unreadable | undefined> {
    return this.textOf(nameOf(this.#library.ownerOf(caller), id));
  }

  /** @param name of the file's record */
  async textOf(name: string): Promise<string | Unreadable | undefined> {
    const id = name.slice(name.lastIndexOf('\n') + 1);
    const record = await this.#library.update((transaction) => read(transaction, 'files', name));
    if (!record?.isWritten) return undefined;
    // A text that is left is not the text of a file that is gone.
    const isThere = (await this.#library.place.sizeOf(contentName(id))) === record.content.bytes;
    const kept = isThere && record.text && (await this.#library.place.read(textName(id)));
    if (kept && isWhole(kept, record.text!)) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(kept);
    const whole = await this.#contentOf(name);
    if (!whole) return undefined;
    const text = await readFile(whole.bytes, record.filename, this.#library.options.readPdf);
    if (typeof text !== 'string') return text;
    const encoded = new TextEncoder().encode(text);
    const isKept = await this.#keepText(name, id, encoded).catch((thrown: unknown) => {
      if (isInferenceError(thrown) && thrown.code === 'storage_full') return true;
      throw thrown;
    });
    if (!isKept) return undefined;
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(encoded);
  }

  /** False: the file was removed meanwhile. */
  async #keepText(name: string, id: string, encoded: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const { ledger, place } = this.#library;
    const text: StoredBytes = { bytes: encoded.length, checksum: checksum(encoded) };
    return this.#library.writing(async () => {
      const isThere = await this.#library.update(async (transaction) => {
        const record = await read(transaction, 'files', name);
        if (!record) return false;
        const beside = record.content.bytes + text.bytes;
        await ledger.put(transaction, ['files', name], { ...record, text }, { beside });
        return true;
      });
      if (!isThere) return false;
      await place.write(textName(id), encoded);
      const isLeft = await this.#library.update(
        async (transaction) => (await read(transaction, 'files', name)) !== undefined,
      );
      if (!isLeft) await place.remove(textName(id));
      return isLeft;
    });
  }

  async #drop(name: string): Promise<boolean> {
    return this.#library.update(async (transaction, unused) => {
      if (!(await read(transaction, 'files', name))) return false;
      unused.push(...(await dropFile(transaction, this.#library.ledger, name)));
      return true;
    });
  }
}

export function isWhole(bytes: Uint8Array, stored: StoredBytes): boolean {
  return bytes.length === stored.bytes && checksum(bytes) === stored.checksum;
}
