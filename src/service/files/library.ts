/** What files and vector stores are kept in: records in tables, bytes beside them. @module */
import { type InferenceError, isInferenceError } from '../../core/errors/inference-error.js';
import { hold, type Release } from '../../core/platform/hold-lock.js';
import { availableLocks } from '../../core/platform/web-locks.js';
import { pause } from '../../core/platform/pause.js';
import { bufferTransaction } from './buffered-transaction.js';
import type { BytePlace } from './byte-places.js';
import { Ledger } from './ledger.js';
import type { PdfReader } from './read/read-file.js';
import { type FilesTables, type FilesTransaction, readAll } from './records.js';
import { contentName, dropExpired, dropFile, textName } from './removal.js';

/** What one gateway keeps files with. */
export interface LibraryOptions {
  /** Of everything together. */
  maxBytes: number;
  /** Milliseconds since 1970. */
  now: () => number;
  /** A new uuid. */
  createId: () => string;
  /** Services of other names have files of their own. */
  service: string;
  readPdf: PdfReader;
  /** Called when a file was stored: losing it is worth a question to the browser. */
  onStored?: (() => void) | undefined;
}

/** Held while bytes are written whose record is not there yet: what no record names may be swept else. */
const WRITING = 'inpage:files:writing';

/** Of one step. */
type Outcome<Result> = { result: Result; unused: string[] } | { thrown: InferenceError };

/** See the module. */
export class Library {
  readonly tables: FilesTables;
  readonly place: BytePlace;
  readonly ledger: Ledger;
  readonly options: LibraryOptions;

  constructor(tables: FilesTables, place: BytePlace, options: LibraryOptions) {
    this.tables = tables;
    this.place = place;
    this.options = options;
    this.ledger = new Ledger(options.maxBytes);
  }

  /** Unix seconds. */
  get now(): number {
    return Math.floor(this.options.now() / 1000);
  }

  /** What the records of a caller are below. */
  ownerOf(caller: string): string {
    return `${this.options.service} ${caller}`;
  }

  createId(prefix: string): string {
    return prefix + this.options.createId().replaceAll('-', '');
  }

  /**
   * One step, after which nothing that has expired is there. Bytes that it leaves unused are removed.
   * @throws what the work throws; then nothing is changed
   */
  async update<Result>(work: (transaction: FilesTransaction, unused: string[]) => Promise<Result>): Promise<Result> {
    const outcome = await this.tables.update(async (below): Promise<Outcome<Result>> => {
      const unused: string[] = [];
      const { transaction, apply } = bufferTransaction(below);
      try {
        unused.push(...(await dropExpired(transaction, this.ledger, this.now)));
        const result = await work(transaction, unused);
        apply();
        return { result, unused };
      } catch (thrown) {
        // Tables of the device take every other error for one of theirs.
        if (isInferenceError(thrown)) return { thrown };
        throw thrown;
      }
    });
    if ('thrown' in outcome) throw outcome.thrown;
    for (const name of outcome.unused) await this.#removeBytes(name);
    return outcome.result;
  }

  /** While the work runs, nothing that it writes is swept. */
  async writing<Result>(work: () => Promise<Result>): Promise<Result> {
    const locks = this.place.isLasting ? availableLocks() : undefined;
    const release = await (locks && hold(locks, WRITING, { mode: 'shared' }));
    try {
      return await work();
    } finally {
      release?.();
    }
  }

  /** Removes what an end has left: bytes without a record, records that were being written, and files whose bytes are gone. */
  async sweep(): Promise<void> {
    const locks = this.place.isLasting ? availableLocks() : undefined;
    let release: Release | undefined;
    if (locks) {
      release = await hold(locks, WRITING, { ifAvailable: true });
      if (!release) return;
    }
    try {
      const there = new Set(await this.place.names());
      const named = await this.update(async (transaction, unused) => {
        const files = await readAll(transaction, 'files');
        for (const [name, { id, isWritten }] of files)
          if (!isWritten || !there.has(contentName(id)))
            unused.push(...(await dropFile(transaction, this.ledger, name)));
        const members = await readAll(transaction, 'members');
        return new Set([
          ...files.flatMap(([, { id, isWritten, text }]) =>
            isWritten ? [contentName(id), ...(text ? [textName(id)] : [])] : [],
          ),
          ...members.flatMap(([, { index }]) => (index ? [index.name] : [])),
        ]);
      });
      // Where no record is known, the tables may have been lost: then no bytes are removed for it.
      if (named.size === 0) return;
      for (const name of there) if (!named.has(name)) await this.#removeBytes(name);
    } finally {
      release?.();
    }
  }

  async clear(): Promise<void> {
    await this.tables.clear();
    await this.place.clear();
  }

  /** Another tab may just be reading them. */
  async #removeBytes(name: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.place.remove(name);
      } catch (thrown) {
        if (attempt === 20) throw thrown;
        await pause(50);
      }
    }
  }
}
