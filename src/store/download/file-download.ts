/**
 * Brings one file into storage. Goes on where the last attempt stopped, uses several connections where the server sends
 * parts, tries again after failures that can pass, and checks the stored bytes. `download-plan.ts` decides what is asked.
 * @module
 */
import { cancelled } from '../../core/errors/inference-error.js';
import {
  countParts,
  type ExpectedFile,
  type FileMetadata,
  newMetadata,
  type OpenFile,
  PART_BYTES,
  partFileOf,
  statesContent,
  type WantedFile,
} from '../storage/byte-storage.js';
import { type DownloadConnection, type DownloadContext, recover, watchSilence } from './connection.js';
import { MAX_CONNECTIONS } from './connections.js';
import { canResume, countFailures, DownloadPlan, type PartRange } from './download-plan.js';
import { FileChanged, Interrupted, notFetched, RangeIgnored, wrongContent } from './file-errors.js';
import { requirePlausibleSize } from './file-limits.js';
import { absenceOf, checkSame, type FilePiece, readHead } from './file-response.js';
import { PartHashes } from './verify-content.js';

/** Times that a file may change on the server while it is fetched. */
export const MAX_CHANGES = 3;
/**
 * Fetches what is missing of a file. The caller holds the file's lock.
 * @returns the metadata of the complete file, or of one that is not there
 * @throws InferenceError `unavailable`, `cancelled`; DOMException `QuotaExceededError`
 */
export async function downloadFile(
  wanted: WantedFile,
  file: OpenFile,
  context: DownloadContext,
): Promise<FileMetadata> {
  if (!canResume(file.metadata, wanted)) await startOver(file, wanted);
  let wrong = 0;
  for (let changes = 0; ;) {
    try {
      const metadata = await new FileDownload(wanted, file, context).run();
      if (metadata) return metadata;
      wrong++;
    } catch (thrown) {
      if (!(thrown instanceof FileChanged)) throw thrown;
      changes++;
    }
    await startOver(file, wanted);
    if (wrong === 2) throw wrongContent(wanted.file);
    if (changes > MAX_CHANGES) throw notFetched(wanted, ', because it keeps changing on the server');
  }
}

/** Nothing of what is there is used. */
export async function startOver(file: OpenFile, wanted: WantedFile): Promise<void> {
  await file.reset(newMetadata(wanted, wanted.url, wanted.expected?.partBytes ?? PART_BYTES));
}

class FileDownload {
  readonly #wanted: WantedFile;
  readonly #file: OpenFile;
  readonly #context: DownloadContext;
  readonly #expected: ExpectedFile;
  readonly #plan: DownloadPlan;
  readonly #hashes: PartHashes;
  readonly #broken = new AbortController();
  readonly #signal: AbortSignal;
  #onAnswer: () => void = () => {};
  readonly #answered: Promise<void>;
  /** The server said that there is no such file. */
  #absence: FileMetadata['absence'];

  constructor(wanted: WantedFile, file: OpenFile, context: DownloadContext) {
    this.#wanted = wanted;
    this.#file = file;
    this.#context = context;
    this.#expected = { ...wanted.expected };
    this.#plan = new DownloadPlan(file, { file: wanted.file, expected: this.#expected });
    this.#hashes = new PartHashes(file, this.#expected);
    this.#signal = AbortSignal.any([context.signal, this.#broken.signal]);
    this.#answered = new Promise((resolve) => (this.#onAnswer = resolve));
    // Parts that are files of their own need no ranges, and their sizes are stated.
    if (this.#expected.split) this.#onAnswer();
  }

  get #metadata(): FileMetadata {
    return this.#file.metadata!;
  }

  /** Undefined when the whole is not what it should be. */
  async run(): Promise<FileMetadata | undefined> {
    const { expected } = this.#wanted;
    if (this.#metadata.size === undefined && expected?.bytes !== undefined) {
      await this.#file.save({ ...this.#metadata, size: expected.bytes });
    }
    if (this.#plan.isTooLong) throw new FileChanged();
    this.#file.partLengths.forEach((_, part) => this.#plan.isWhole(part) && this.#hashes.add(part));
    await this.#hashes.settled();
    while (!this.#plan.isComplete) {
      await this.#fetchMissing();
      if (this.#absence) return this.#saveAbsent(this.#absence);
      // A part that came in wrong is missing again.
      await this.#hashes.settled();
    }
    return this.#finish();
  }

  async #finish(): Promise<FileMetadata | undefined> {
    const { right, sha256 } = await this.#hashes.check(this.#metadata);
    if (!right) return undefined;
    const metadata: FileMetadata = {
      ...this.#metadata,
      state: 'complete',
      hashes: [...this.#hashes.hashes],
      verified: statesContent(this.#expected),
      ...(sha256 !== undefined && { sha256 }),
      ...(this.#context.isLocal && { picked: true }),
    };
    await this.#file.finish(metadata);
    return metadata;
  }

  async #saveAbsent(absence: NonNullable<FileMetadata['absence']>): Promise<FileMetadata> {
    const absentSince = this.#context.isLocal ? undefined : Date.now();
    const metadata: FileMetadata = { ...this.#metadata, state: 'absent', absence, absentSince };
    // A file that needs a login may be there tomorrow.
    if (absence.httpStatus !== 401 && absence.httpStatus !== 403) await this.#file.save(metadata);
    return metadata;
  }

  /** The first connection finds out what the server can do; the others follow when it sends parts. */
  async #fetchMissing(): Promise<void> {
    const lanes = Array.from({ length: MAX_CONNECTIONS }, async (_, lane) => {
      if (lane > 0) await this.#answered;
      if (lane > 0 && !this.#plan.canShare) return;
      await this.#lane();
    });
    const [first] = lanes;
    void first!.catch(() => {}).finally(() => this.#onAnswer());
    for (const lane of lanes) lane.catch(() => this.#broken.abort());
    const failed = (await Promise.allSettled(lanes)).filter((result) => result.status === 'rejected');
    if (this.#context.signal.aborted) throw cancelled();
    // What was aborted because of another failure says nothing.
    const causes = failed.map(({ reason }) => reason as Error);
    const cause = causes.find((error) => error.name !== 'AbortError') ?? causes[0];
    if (cause) throw cause;
  }

  async #lane(): Promise<void> {
    const plan = this.#plan;
    let failures = 0;
    for (;;) {
      const run = plan.claim();
      if (!run) return;
      const before = plan.storedBytes(run);
      try {
        await this.#fetchRun(run);
        if (this.#absence) return;
        if (plan.storedBytes(run) === before && !plan.isFetched(run)) throw new Interrupted('The server sent nothing.');
        failures = 0;
      } catch (thrown) {
        if (thrown instanceof RangeIgnored && plan.ranges !== false) plan.ranges = false;
        else {
          failures = countFailures(failures, plan.storedBytes(run) - before);
          const { loaded, total } = plan;
          const failure = { wanted: this.#wanted, failures, state: { loaded, total }, signal: this.#signal };
          await recover(thrown, this.#context, failure);
        }
      } finally {
        plan.release(run);
      }
    }
  }

  async #fetchRun(run: PartRange): Promise<void> {
    const { url, file } = this.#wanted;
    const { split } = this.#expected;
    const range = this.#plan.rangeOf(run);
    const release = await this.#context.connections.take(url, this.#signal);
    const connection: DownloadConnection = { connectionAbort: new AbortController(), arrived: 0 };
    const { connectionAbort } = connection;
    watchSilence(this.#context, connection).catch(() => {});
    try {
      const response = await this.#context.environment.fetch(split ? partFileOf(url, run.first) : url, {
        signal: AbortSignal.any([this.#signal, connectionAbort.signal]),
        // The file is stored once, in the store.
        cache: 'no-store',
        ...(range && { headers: { range: `bytes=${range.from}-${range.to}` } }),
      });
      this.#absence = absenceOf(response, file);
      if (this.#absence) return;
      const piece = readHead(response, range?.from);
      if (!split) await this.#learn(piece, range !== undefined);
      const start = this.#plan.baseOf(run) + piece.start;
      await this.#take(response, connection, { start, end: this.#plan.endOf(run, range, piece.ranges) });
    } finally {
      connectionAbort.abort();
      release();
    }
  }

  /** Takes in what the server says of the file; the other connections start when it sends parts. */
  async #learn(piece: FilePiece, askedForRange: boolean): Promise<void> {
    if (askedForRange) this.#plan.ranges = piece.ranges;
    if (piece.linkedSha256 !== undefined) this.#expected.sha256 ??= piece.linkedSha256;
    checkSame(this.#metadata, piece);
    requirePlausibleSize(this.#wanted.file, piece.size ?? 0);
    const { size, etag, modified, contentType } = this.#metadata;
    if (size === undefined || (etag === undefined && piece.etag !== undefined)) {
      await this.#file.save({
        ...this.#metadata,
        size: size ?? piece.size,
        etag: etag ?? piece.etag,
        modified: modified ?? piece.modified,
        contentType: contentType ?? piece.contentType,
      });
    }
    if (this.#plan.isTooLong) throw new FileChanged();
    if (this.#metadata.size !== undefined) this.#onAnswer();
  }

  /** Writes the body's bytes where they belong, as far as they are not there yet. */
  async #take(
    response: Response,
    connection: DownloadConnection,
    { start, end }: { start: number; end: number },
  ): Promise<void> {
    const reader = (response.body ?? new Blob([]).stream()).getReader();
    let position = start;
    while (position < end) {
      const { done, value } = await reader.read();
      if (done) break;
      const bytes = value.subarray(0, end - position);
      connection.arrived += bytes.length;
      requirePlausibleSize(this.#wanted.file, position + bytes.length);
      await this.#write(position, bytes);
      position += bytes.length;
    }
    if (this.#metadata.size === undefined && end === Infinity) await this.#endAt(position);
    else if (position < end) throw new Interrupted('The connection ended early.');
  }

  /** The size of a file that came without one. */
  async #endAt(size: number): Promise<void> {
    await this.#file.save({ ...this.#metadata, size });
    const last = countParts(this.#metadata) - 1;
    if (last >= 0 && this.#hashes.hashes[last] === undefined) this.#hashes.add(last);
    this.#context.onBytes(0, { loaded: size, total: size });
  }

  async #write(start: number, bytes: Uint8Array): Promise<void> {
    const plan = this.#plan;
    for (const { part, bytes: fresh } of plan.missingSpans(start, bytes)) {
      await this.#file.append(part, fresh);
      if (plan.isWhole(part)) this.#hashes.add(part);
      this.#context.onBytes(fresh.length, { loaded: plan.loaded, total: plan.total });
    }
    if (this.#signal.aborted) throw this.#signal.reason as Error;
  }
}
