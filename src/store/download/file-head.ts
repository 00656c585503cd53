/**
 * The beginning of a file, range by range, before it is known whether the rest is wanted. What comes in is stored, and a
 * download goes on from there.
 * @module
 */
import {
  type ExpectedFile,
  type FileMetadata,
  type OpenFile,
  partFileOf,
  type WantedFile,
} from '../storage/byte-storage.js';
import { countFailures, DownloadPlan } from './download-plan.js';
import { type DownloadConnection, type DownloadContext, recover, watchSilence } from './connection.js';
import { Interrupted, isQuotaError, RangeIgnored } from './file-errors.js';
import { absenceOf, checkSame, type FilePiece, readHead } from './file-response.js';

/** The server says that there is no such file. */
export class FileAbsent extends Error {
  override readonly name = 'FileAbsent';
  readonly absence: NonNullable<FileMetadata['absence']>;

  constructor(absence: NonNullable<FileMetadata['absence']>) {
    super();
    this.absence = absence;
  }
}

/** The beginning of a file, as far as it is asked for. */
export interface FileBeginning {
  /** Bytes of the whole file; undefined while the server has not told. */
  readonly size: number | undefined;
  /** Bytes from `from` to before `to`; fewer where the file ends. */
  read(from: number, to: number): Promise<Uint8Array>;
}

/** A response that is being read. */
interface OpenBody {
  reader: ReadableStreamDefaultReader<Uint8Array>;
  connection: DownloadConnection;
  /** Of the next byte. */
  position: number;
  /** Where it ends. */
  last: number;
  stop: () => void;
}

export class FileHead implements FileBeginning {
  readonly #wanted: WantedFile;
  readonly #file: OpenFile;
  readonly #context: DownloadContext;
  readonly #expected: ExpectedFile;
  readonly #plan: DownloadPlan;
  /** The server sends no ranges: each request brings the file from its beginning. */
  #isWhole = false;
  #isReading = false;
  /** Of a server without ranges, where more may be read. */
  #body: OpenBody | undefined;

  /** @param file open for writing, of which a beginning may be there */
  constructor(wanted: WantedFile, file: OpenFile, context: DownloadContext) {
    this.#wanted = wanted;
    this.#file = file;
    this.#context = context;
    this.#expected = { ...wanted.expected };
    this.#plan = new DownloadPlan(file, { file: wanted.file, expected: this.#expected });
  }

  get size(): number | undefined {
    return this.#plan.total;
  }

  /**
   * @throws InferenceError `unavailable` or `cancelled`; FileChanged, FileAbsent; DOMException `QuotaExceededError`
   */
  async read(from: number, to: number): Promise<Uint8Array> {
    this.#isReading = true;
    const bytes = await this.#read(from, to);
    this.#isReading = false;
    return bytes;
  }

  /** A read is under way, or failed: what was thrown says nothing about the content. */
  get isReading(): boolean {
    return this.#isReading;
  }

  async #read(from: number, to: number): Promise<Uint8Array> {
    for (let failures = 0; this.#storedBytes < Math.min(to, this.size ?? Infinity);) {
      const before = this.#storedBytes;
      try {
        await this.#fetchTo(Math.min(to, this.size ?? Infinity));
        if (this.#storedBytes === before && this.size !== before) throw new Interrupted('The server sent nothing.');
        failures = 0;
      } catch (thrown) {
        if (thrown instanceof FileAbsent) throw thrown;
        if (thrown instanceof RangeIgnored && !this.#isWhole) {
          this.#isWhole = true;
          continue;
        }
        failures = countFailures(failures, this.#storedBytes - before);
        const state = { loaded: this.#plan.loaded, total: this.size };
        await recover(thrown, this.#context, { wanted: this.#wanted, failures, state, signal: this.#context.signal });
      }
    }
    return this.#readStored(from, Math.min(to, this.#storedBytes));
  }

  /** Bytes from the beginning that are there without a gap. */
  get #storedBytes(): number {
    const { partBytes } = this.#file.metadata!;
    let there = 0;
    for (const length of this.#file.partLengths) {
      there += length ?? 0;
      if (length !== partBytes) break;
    }
    return there;
  }

  async #readStored(from: number, to: number): Promise<Uint8Array> {
    const { partBytes } = this.#file.metadata!;
    const bytes = new Uint8Array(Math.max(0, to - from));
    for (let at = from; at < to;) {
      const part = Math.floor(at / partBytes);
      const begin = part * partBytes;
      const piece = (await this.#file.read(part)).subarray(at - begin, to - begin);
      bytes.set(piece, at - from);
      at += piece.length;
    }
    return bytes;
  }

  async #fetchTo(end: number): Promise<void> {
    const body = this.#body ?? (await this.#request(end));
    this.#body = undefined;
    let isOpen = false;
    try {
      isOpen = await this.#take(body, Math.min(end, body.last));
    } finally {
      if (isOpen && this.#isWhole) this.#body = body;
      else body.stop();
    }
  }

  /**
   * Nothing more is read. A server that sends no ranges is sending the whole file: what is left of it comes in first.
   * @param isWanted the rest of the file
   */
  async close({ isWanted }: { isWanted: boolean }): Promise<void> {
    const body = this.#body;
    this.#body = undefined;
    try {
      if (isWanted && body) await this.#take(body, Infinity);
    } catch (thrown) {
      if (isQuotaError(thrown)) throw thrown;
      // Fetching the file goes on from here, or says what is wrong.
    } finally {
      body?.stop();
    }
  }

  async #request(end: number): Promise<OpenBody> {
    const { url, file } = this.#wanted;
    const { environment, connections, signal } = this.#context;
    const from = this.#isWhole ? 0 : this.#storedBytes;
    const part = Math.floor(from / this.#file.metadata!.partBytes);
    const base = this.#expected.split ? part * this.#file.metadata!.partBytes : 0;
    const last = this.#expected.split ? Math.min(end, base + this.#file.metadata!.partBytes) : end;
    const release = await connections.take(url, signal);
    const connection: DownloadConnection = { connectionAbort: new AbortController(), arrived: 0 };
    const { connectionAbort } = connection;
    watchSilence(this.#context, connection).catch(() => {});
    const stop = (): void => {
      connectionAbort.abort();
      release();
    };
    try {
      const response = await environment.fetch(this.#expected.split ? partFileOf(url, part) : url, {
        signal: AbortSignal.any([signal, connectionAbort.signal]),
        cache: 'no-store',
        ...(!this.#isWhole && { headers: { range: `bytes=${from - base}-${last - base - 1}` } }),
      });
      const absence = absenceOf(response, file);
      if (absence) throw new FileAbsent(absence);
      const piece = readHead(response, this.#isWhole ? undefined : from - base);
      if (!this.#expected.split) await this.#learn(piece);
      if (piece.start !== from - base || response.status === 200) this.#isWhole = true;
      const reader = (response.body ?? new Blob([]).stream()).getReader();
      return { reader, connection, position: base + piece.start, last: this.#isWhole ? Infinity : last, stop };
    } catch (thrown) {
      stop();
      throw thrown;
    }
  }

  async #learn(piece: FilePiece): Promise<void> {
    const metadata = this.#file.metadata!;
    checkSame(metadata, piece);
    const { size, etag, modified, contentType } = metadata;
    if ((size !== undefined || piece.size === undefined) && (etag !== undefined || piece.etag === undefined)) return;
    await this.#file.save({
      ...metadata,
      size: size ?? piece.size,
      etag: etag ?? piece.etag,
      modified: modified ?? piece.modified,
      contentType: contentType ?? piece.contentType,
    });
  }

  /** Stores what is not there yet of a body, up to a place. @returns whether there is more of it */
  async #take(body: OpenBody, end: number): Promise<boolean> {
    while (body.position < end) {
      const { done, value } = await body.reader.read();
      if (done) return false;
      body.connection.arrived += value.length;
      for (const { part, bytes: fresh } of this.#plan.missingSpans(body.position, value)) {
        await this.#file.append(part, fresh);
        this.#context.onBytes(fresh.length, { loaded: this.#plan.loaded, total: this.size });
      }
      body.position += value.length;
    }
    return true;
  }
}
