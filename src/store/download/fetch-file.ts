/** Brings a file into storage under its lock, so that one tab at a time fetches it and the others hear how far it is. @module */
import { cancelled, type InferenceError } from '../../core/errors/inference-error.js';
import { hold } from '../../core/platform/hold-lock.js';
import { Connections } from './connections.js';
import { compareStated, decideLocked, isRequired } from './decide-file.js';
import { hearProgress, type LoadReport, shareProgress } from './download-progress.js';
import { canResume } from './download-plan.js';
import { type DownloadContext, recover } from './connection.js';
import { downloadFile, MAX_CHANGES, startOver } from './file-download.js';
import { FileChanged, isQuotaError, notFetched } from './file-errors.js';
import { FileAbsent, FileHead } from './file-head.js';
import type {
  ExpectedFile,
  FileLocation,
  FileMetadata,
  FileStatus,
  OpenFile,
  WantedFile,
} from '../storage/byte-storage.js';
import type { StoreEnvironment } from '../storage/store-environment.js';
import { isIntact, dropDamagedParts, wholeSha256 } from './verify-content.js';

export interface FetcherOptions {
  environment: StoreEnvironment;
  /** See `ModelFilesOptions`. */
  isLocal: boolean;
  /** The progress of this load. */
  report: LoadReport;
  signal: AbortSignal;
  /** The error for a file of which storage took some and no more. @param size bytes of the whole, if they are known */
  insufficientStorage: (
    size: number | undefined,
    refused: { file: string; storedBytes: number },
  ) => Promise<InferenceError>;
}

/** Fetches the files of one load. */
export class FileFetcher {
  readonly #options: FetcherOptions;
  readonly #connections: Connections;
  #hasReceived = false;
  /** Files of which a server said something, and those of which none did and no source states that they exist. */
  readonly #answered = new Set<string>();
  readonly #unanswered = new Set<string>();

  constructor(options: FetcherOptions) {
    this.#options = options;
    this.#connections = new Connections(options.environment.locks);
  }

  /**
   * Fetches what is missing of a file, unless another tab does so meanwhile.
   * @param before what cannot be used of it
   * @returns its metadata: complete, or of a file that does not exist
   * @throws InferenceError `unavailable`, `insufficient_resources` or `cancelled`
   */
  async fetch(wanted: WantedFile, before: FileStatus | undefined): Promise<FileMetadata> {
    const { environment, signal, insufficientStorage } = this.#options;
    const { storage } = environment;
    const release = await this.#lock(wanted);
    try {
      return await this.#fetchLocked(wanted, before);
    } catch (thrown) {
      if (signal.aborted) throw cancelled(thrown);
      if (!isQuotaError(thrown)) {
        await this.#noteUnanswered(wanted);
        throw thrown;
      }
      const stored = await storage.find(wanted);
      const size = stored?.metadata.size ?? wanted.expected?.bytes;
      const error = await insufficientStorage(size, { file: wanted.file, storedBytes: stored?.bytes ?? 0 });
      // Half a file would only take the room that others need.
      await storage.remove(wanted);
      throw error;
    } finally {
      release();
    }
  }

  /** What `ask` returns, asked again as often as a download tries. @throws InferenceError `unavailable`, `cancelled` */
  async retried<Answer>(wanted: WantedFile, ask: () => Promise<Answer>): Promise<Answer> {
    const { report, signal } = this.#options;
    const state = { loaded: 0, total: undefined };
    // What waits has no bytes that count for the time that is left.
    const onBytes: DownloadContext['onBytes'] = (_, told) => void report.tell(wanted.file, told);
    const context = { ...this.#contextOf(wanted), onBytes };
    for (let failures = 1; ; failures++) {
      try {
        return await ask();
      } catch (thrown) {
        if (signal.aborted) throw cancelled(thrown);
        await recover(thrown, context, { wanted, failures, state, signal });
      }
    }
  }

  /** The last attempt to fetch a file brought no answer, and no source states that there is such a file. */
  isUnanswered(file: string): boolean {
    return this.#unanswered.has(file);
  }

  async #noteUnanswered(wanted: WantedFile): Promise<void> {
    if (wanted.expected || this.#answered.has(wanted.file)) return;
    this.#unanswered.add(wanted.file);
    const { storage } = this.#options.environment;
    const stored = await storage.find(wanted);
    // Nothing is known of it that were worth a place in the list of files.
    if (stored?.metadata.state === 'partial' && stored.bytes === 0) await storage.remove(wanted);
  }

  /**
   * Reads the beginning of a file of which nothing or a part is stored, unless another tab fetches it meanwhile.
   * @param parse reads what it needs; it may be called again when the file changed on the server
   * @returns undefined when the file is complete by now or does not exist
   * @throws what `parse` throws, InferenceError `unavailable` or `cancelled`; DOMException `QuotaExceededError`
   */
  async readHead<T>(wanted: WantedFile, parse: (head: FileHead) => Promise<T>): Promise<{ parsed: T } | undefined> {
    const { environment, signal } = this.#options;
    const release = await this.#lock(wanted);
    try {
      const now = await environment.storage.find(wanted);
      if (now && now.metadata.state !== 'partial') return undefined;
      const file = await environment.storage.open(wanted);
      try {
        if (!canResume(file.metadata, wanted)) await startOver(file, wanted);
        return { parsed: await this.#parseHead(wanted, file, parse) };
      } finally {
        await file.close();
      }
    } catch (thrown) {
      if (signal.aborted) throw cancelled(thrown);
      if (thrown instanceof FileAbsent) return undefined;
      throw thrown;
    } finally {
      release();
    }
  }

  async #parseHead<T>(wanted: WantedFile, file: OpenFile, parse: (head: FileHead) => Promise<T>): Promise<T> {
    for (let changes = 0; ; changes++) {
      const head = new FileHead(wanted, file, this.#contextOf(wanted));
      try {
        const parsed = await parse(head);
        await head.close({ isWanted: true });
        return parsed;
      } catch (thrown) {
        await head.close({ isWanted: false });
        // What is refused is not worth its storage, and another attempt must see what the server has by then.
        if (!head.isReading) await startOver(file, wanted);
        if (!(thrown instanceof FileChanged)) throw thrown;
        if (changes === MAX_CHANGES) throw notFetched(wanted, ', because it keeps changing on the server');
        await startOver(file, wanted);
      }
    }
  }

  /** A complete file is what its source states, or nothing is stated. Reads it if need be, and notes its hash. */
  async isStated(stored: FileStatus, stated: ExpectedFile | undefined): Promise<boolean> {
    const comparison = compareStated(stored.metadata, stated);
    if (comparison !== 'unknown') return comparison === 'same';
    const { storage } = this.#options.environment;
    const sha256 = await wholeSha256(stored, storage);
    const isRight = sha256 === stated!.sha256;
    if (isRight) await storage.accept({ ...stored, metadata: { ...stored.metadata, sha256, verified: true } });
    return isRight;
  }

  async #fetchLocked(wanted: WantedFile, before: FileStatus | undefined): Promise<FileMetadata> {
    const { storage } = this.#options.environment;
    const now = await storage.find(wanted);
    const decision = decideLocked(before, now);
    if (decision === 'compare' && (await this.isStated(now!, wanted.expected))) return now!.metadata;
    if (decision === 'verify' && (await isIntact(now!, storage)) && (await this.isStated(now!, wanted.expected))) {
      await storage.accept(now!);
      return now!.metadata;
    }
    const file = await storage.open(wanted);
    try {
      if (decision === 'verify' && file.metadata?.state === 'complete') await dropDamagedParts(file, file.metadata);
      return await downloadFile(wanted, file, this.#contextOf(wanted));
    } finally {
      await file.close();
    }
  }

  #contextOf({ model, file }: FileLocation): DownloadContext {
    const { environment, isLocal, signal, report } = this.#options;
    return {
      environment: {
        ...environment,
        fetch: async (url, init) => {
          const response = await environment.fetch(url, init);
          this.#answered.add(file);
          this.#unanswered.delete(file);
          return response;
        },
      },
      isLocal,
      connections: this.#connections,
      signal,
      // A file that may not exist is not waited for while the device is offline.
      hasReceived: () =>
        this.#hasReceived && (isRequired(file) || this.#answered.has(file) || !environment.isOffline()),
      onBytes: (count, state) => {
        if (count > 0) this.#hasReceived = true;
        report.count(file, count, state);
        if (report.tell(file, state)) shareProgress({ model, file, ...state });
      },
    };
  }

  async #lock(location: FileLocation): Promise<() => void> {
    const { environment, report, signal } = this.#options;
    const { locks } = environment;
    if (!locks) return () => {};
    const name = fileLock(location);
    const free = await hold(locks, name, { ifAvailable: true });
    if (free) return free;
    const waited = new AbortController();
    const onProgress = ({ loaded, total }: { loaded: number; total: number | undefined }): void => {
      report.tell(location.file, { loaded, total, waiting: 'other-tab' });
    };
    hearProgress(location, onProgress, waited.signal);
    try {
      return (await hold(locks, name, { signal }))!;
    } finally {
      waited.abort();
    }
  }
}

/** Name of the lock whose holder writes a file. */
export function fileLock({ model, file }: FileLocation): string {
  return `inpage:file:${model} ${file}`;
}
