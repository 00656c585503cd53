/**
 * The bytes of a load's files, as engines get them: from storage, compared with what came in; through memory where storage
 * cannot hold a file.
 * @module
 */
import { cancelled, isInferenceError } from '../../core/errors/inference-error.js';
import type { ByteStorage, FileMetadata, FileStatus, ReadStored } from '../storage/byte-storage.js';
import { changedFile } from './file-errors.js';
import type { LoadReport } from './download-progress.js';
import { MemoryStorage } from '../storage/memory-storage.js';

/** A file's content, for a response. */
export interface StoredContent {
  size: number;
  contentType: string | undefined;
  /** The whole content, in one buffer that belongs to the caller. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  /** Told that it is not what its name says, and so perhaps not what its server has. */
  onUnreadable?: () => Promise<void>;
}

export interface ContentsOptions {
  storage: ByteStorage;
  /** The progress of this load. */
  report: LoadReport;
  signal: AbortSignal;
  /** Fetches a file into a storage. @param before what cannot be used of it */
  fetch: (file: string, before: FileStatus | undefined, into: ByteStorage) => Promise<FileStatus | undefined>;
  /** A file was handed out and is in memory no longer. */
  onTaken: (file: string) => void;
  /** The error for a file that a server had and has no longer. */
  notFetched: (file: string) => Error;
}

/** Bytes of a piece: what is in memory beside an engine's own, and is garbage soon. */
const PIECE_BYTES = 2 ** 20;

/** Larger files are not cached in memory once they were handed out. */
const SMALL_FILE = 2 ** 20;

export class FileContents {
  readonly #options: ContentsOptions;
  readonly #memory = new MemoryStorage();
  /** Files that storage cannot hold: an engine gets them all the same, and nothing is stored. */
  readonly #tooLarge = new Set<string>();
  readonly #inMemory = new Map<string, Promise<FileStatus | undefined>>();

  constructor(options: ContentsOptions) {
    this.#options = options;
  }

  /** The file, whose bytes may come through memory; undefined when there is none. @param find finds it in storage */
  async find(file: string, find: () => Promise<FileStatus | undefined>): Promise<FileStatus | undefined> {
    if (!this.#tooLarge.has(file)) {
      const found = await find().catch((thrown: unknown) => this.#passBy(file, thrown));
      if (!this.#tooLarge.has(file)) return found;
    }
    return this.#findInMemory(file);
  }

  /** A file that was found, for a response. A text that cannot be read is fetched anew by the next load: it may have been cut. */
  contentOf(metadata: FileMetadata): StoredContent {
    const { size = 0, contentType, verified } = metadata;
    const { storage, onTaken } = this.#options;
    const onUnreadable = async (): Promise<void> => {
      // It is what its source says that it is.
      if (verified) return;
      onTaken(metadata.file);
      await storage.remove(metadata).catch(() => {}); // Another tab uses it.
    };
    return { size, contentType, bytes: () => this.bytes(metadata), onUnreadable };
  }

  /** All bytes of a file that was found, in one buffer that belongs to the caller. */
  async bytes(metadata: FileMetadata): Promise<Uint8Array<ArrayBuffer>> {
    const { file } = metadata;
    const { storage, fetch, onTaken, notFetched } = this.#options;
    if (!storage.lasting) return this.#take(storage, metadata, () => onTaken(file));
    if (!this.#tooLarge.has(file)) {
      const bytes = await this.#readAll(storage, metadata);
      // Private windows have lost some.
      if (bytes.length === metadata.size) return bytes;
      const before = { metadata, bytes: bytes.length, untouched: false };
      await fetch(file, before, storage).catch((thrown: unknown) => this.#passBy(file, thrown));
      const mended = this.#tooLarge.has(file) ? undefined : await this.#readAll(storage, metadata);
      if (mended?.length === metadata.size) return mended!;
      this.#tooLarge.add(file);
    }
    const found = await this.#findInMemory(file);
    if (!found) throw notFetched(file);
    return this.#take(this.#memory, found.metadata, () => this.#inMemory.delete(file));
  }

  /** Bytes of a file that was found, from `from` to before `to`; fewer where it ends. */
  async range(metadata: FileMetadata, from: number, to: number): Promise<Uint8Array> {
    const end = Math.max(from, Math.min(to, metadata.size ?? 0));
    return end === from ? new Uint8Array(0) : (await this.#reader(metadata))(from, end);
  }

  /**
   * The bytes of a file that was found, piece by piece. What memory holds of it is free afterwards.
   * @throws InferenceError `unavailable` when stored bytes are gone
   */
  async *stream(metadata: FileMetadata, from: number): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    const { storage, report, signal, onTaken } = this.#options;
    const isStored = storage.lasting && !this.#tooLarge.has(metadata.file);
    const isTold = report.knows(metadata.file);
    const { size = 0 } = metadata;
    const read = await this.#reader(metadata);
    for (let at = from; at < size; at += PIECE_BYTES) {
      if (signal.aborted) throw cancelled();
      const end = Math.min(at + PIECE_BYTES, size);
      const bytes = await read(at, end);
      if (!isTold) report.tell(metadata.file, { loaded: end, total: size });
      yield bytes;
    }
    if (isStored) return;
    await this.#storageOf(metadata).remove(metadata);
    this.#inMemory.delete(metadata.file);
    onTaken(metadata.file);
  }

  #storageOf({ file }: FileMetadata): ByteStorage {
    return this.#tooLarge.has(file) ? this.#memory : this.#options.storage;
  }

  /** Reads at any place. Rejects with `unavailable` when bytes are gone. */
  async #reader(metadata: FileMetadata): Promise<ReadStored> {
    const storage = this.#storageOf(metadata);
    const found = { metadata, bytes: metadata.size ?? 0, untouched: true };
    const read = (await storage.openRange?.(found)) ?? partReader(storage, found);
    return async (from, to) => {
      const bytes = await read(from, to).catch((cause: unknown) => {
        throw changedFile(metadata.file, cause);
      });
      if (bytes.length !== to - from) throw changedFile(metadata.file);
      return bytes;
    };
  }

  /** Storage has no room for a file. @throws what was thrown for another reason */
  #passBy(file: string, thrown: unknown): undefined {
    const isFull = isInferenceError(thrown) && thrown.code === 'insufficient_resources';
    if (!isFull || !this.#options.storage.lasting) throw thrown;
    this.#tooLarge.add(file);
  }

  #findInMemory(file: string): Promise<FileStatus | undefined> {
    const found = this.#inMemory.get(file) ?? this.#options.fetch(file, undefined, this.#memory);
    this.#inMemory.set(file, found);
    found.catch(() => this.#inMemory.delete(file));
    return found;
  }

  /** What memory holds is not the caller's; what is large is not held beside the engine's own. */
  async #take(storage: ByteStorage, metadata: FileMetadata, onTaken: () => void): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await this.#readAll(storage, metadata);
    if (bytes.length <= SMALL_FILE) return bytes.slice();
    await storage.remove(metadata);
    onTaken();
    return bytes;
  }

  #readAll(storage: ByteStorage, metadata: FileMetadata): Promise<Uint8Array<ArrayBuffer>> {
    const { report, signal } = this.#options;
    const isTold = report.knows(metadata.file);
    return storage.readAll(metadata, (loaded, total) => {
      if (signal.aborted) throw cancelled();
      if (!isTold) report.tell(metadata.file, { loaded, total });
    });
  }
}

/** Of what is in memory, where a part is no copy. */
function partReader(storage: ByteStorage, file: FileStatus): ReadStored {
  const { partBytes } = file.metadata;
  return async (from, to) => {
    const first = Math.floor(from / partBytes);
    const begin = first * partBytes;
    const whole = await storage.readPart(file, first);
    if (to - begin <= partBytes) return whole.subarray(from - begin, to - begin);
    const bytes = new Uint8Array(to - from);
    for (let part = first, at = from; at < to; part++) {
      const piece = (await storage.readPart(file, part)).subarray(at - part * partBytes, to - part * partBytes);
      bytes.set(piece, at - from);
      at = Math.min(to, (part + 1) * partBytes);
    }
    return bytes;
  };
}
