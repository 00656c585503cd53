/**
 * The files of one model: stored ones from storage, others fetched into it first. Whatever is handed out is complete and is
 * what its source states.
 * @module
 */
import { cancelled, type InferenceError } from '../core/errors/inference-error.js';
import { deviceMemory } from '../core/platform/device-memory.js';
import { Revalidator, isOnServer } from './sources/ask-server.js';
import { decideFile, type FileDecision } from './download/decide-file.js';
import { LoadReport } from './download/download-progress.js';
import { FileFetcher } from './download/fetch-file.js';
import { FileContents } from './download/file-contents.js';
import { isQuotaError, type StorageShortage, insufficientStorage, notFetched } from './download/file-errors.js';
import type { DownloadFailure } from './download/file-errors.js';
import {
  type ByteStorage,
  type ExpectedFile,
  type FileLocation,
  fileURLOf,
  type FileMetadata,
  type FileStatus,
  type ReadStored,
  type WantedFile,
} from './storage/byte-storage.js';
import { parseHubFolder } from './sources/hub.js';
import { PACK_MANIFEST } from './sources/pack-manifest.js';
import type { ModelFilesOptions } from './model-files-options.js';
import { SourceStatements } from './sources/source-statements.js';
import { completeFiles, findFact, keepFact } from './storage/file-facts.js';
import type { StoreEnvironment } from './storage/store-environment.js';
import { StoredResponse } from './stored-response.js';
import type { FileBeginning } from './download/file-head.js';
import { findOrDoWithout } from './download/optional-file.js';
import { missingBytes } from './download/missing-bytes.js';
import { hashContents, isIntact } from './download/verify-content.js';

/** A manifest names all files of its folder: the server need not be asked for others. */
const NOT_LISTED = { httpStatus: 404, isPage: false };

/** What files are brought for: to be kept, or to be used once in any case. */
export type Purpose = 'store' | 'load';

/** Of the device's memory: the files of a model that is not stored may take so much. */
const MEMORY_SHARE = 0.5;

export class ModelFiles {
  readonly #options: ModelFilesOptions;
  readonly #environment: StoreEnvironment;
  readonly #statements: SourceStatements;
  readonly #fetcher: FileFetcher;
  readonly #contents: FileContents;
  readonly #revalidator: Revalidator;
  readonly #report: LoadReport;
  readonly #found = new Map<string, Promise<FileStatus | undefined>>();
  readonly #absences = new Map<string, FileMetadata['absence']>();

  constructor(options: ModelFilesOptions) {
    const { environment, id, isLocal = false, onProgress, signal } = options;
    this.#options = options;
    this.#environment = environment;
    this.#revalidator = new Revalidator(environment);
    this.#report = new LoadReport(id, environment, onProgress);
    this.#statements = new SourceStatements({
      ...options,
      readManifest: async () => (await this.read(PACK_MANIFEST))?.text(),
    });
    const fetcherInto = (storage: ByteStorage): FileFetcher =>
      new FileFetcher({
        environment: { ...environment, storage },
        isLocal,
        report: this.#report,
        signal,
        // Storage may have refused even what the server said of the size.
        insufficientStorage: async (size, refused) =>
          this.#insufficientStorage({ neededBytes: await this.#statements.sizeOf(refused.file, size), refused }),
      });
    this.#fetcher = fetcherInto(environment.storage);
    this.#contents = new FileContents({
      storage: environment.storage,
      report: this.#report,
      signal,
      fetch: (file, before, into) =>
        this.#fetch(file, before, into === environment.storage ? this.#fetcher : fetcherInto(into)),
      onTaken: (file) => this.#found.delete(file),
      notFetched: (file) => notFetched({ file, url: this.#urlOf(file) }, ', because it was removed'),
    });
  }

  /**
   * Begins to fetch all that a model needs, several files at once, when there is room for it.
   * @param files names in the model's folder, or URLs. Those that are not there are no error here.
   * @param purpose `load`: what storage cannot hold goes through memory, if that has room for it
   * @throws InferenceError `insufficient_resources` before the first byte; other failures come when a file is read
   */
  async prepare(files: readonly string[], purpose: Purpose = 'store'): Promise<void> {
    const wanted = await this.#statements.listed(files.map((file) => this.#nameOf(file)));
    await this.#checkRoom(wanted, purpose);
    const note = { model: this.#options.folder, wanted, lastUsed: Date.now() };
    // With a full disk, stored files are still used.
    await this.#environment.storage.saveNote(note).catch(() => {});
    for (const file of wanted) this.find(file).catch(() => {});
  }

  /** Bytes of files, stored or not, without fetching any; unknown sizes count as 0. */
  async bytesOf(files: readonly string[]): Promise<number> {
    const { storage } = this.#environment;
    const sizes = files.map(async (file) => {
      return this.#statements.sizeOf(file, (await storage.find(this.#locationOf(file)))?.metadata.size);
    });
    return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
  }

  /**
   * A file as a response; undefined when the server says that it does not exist.
   * @throws InferenceError `unavailable`, `insufficient_resources` or `cancelled`
   */
  async read(nameOrURL: string): Promise<StoredResponse | undefined> {
    const file = this.#nameOf(nameOrURL);
    const found = await this.#contents.find(file, () => this.find(file));
    if (!found) return undefined;
    return new StoredResponse(this.#contents.contentOf(found.metadata));
  }

  /**
   * The file in storage, after it was fetched where it was missing; undefined when there is none.
   * @throws InferenceError like {@link read}
   */
  find(nameOrURL: string): Promise<FileStatus | undefined> {
    const file = this.#nameOf(nameOrURL);
    const known = this.#found.get(file);
    if (known) return known;
    const asked = { file, find: () => this.#find(file), fetcher: this.#fetcher, others: this.#found };
    const found = findOrDoWithout(asked);
    this.#found.set(file, found);
    // Another attempt may succeed.
    found.catch(() => this.#found.delete(file));
    return found;
  }

  /** As {@link find}; a file that storage cannot hold is taken into memory. */
  findForLoad(nameOrURL: string): Promise<FileStatus | undefined> {
    const file = this.#nameOf(nameOrURL);
    return this.#contents.find(file, () => this.find(file));
  }

  /**
   * Reads the beginning of a file before the rest of it is fetched. What comes in is stored, so that fetching the whole goes
   * on from there. A file that is there already is read from storage.
   * @param parse gets what reads a range in order, and the bytes of the file where they are known; may be called again
   * @returns what `parse` returns; undefined when there is no such file
   * @throws what `parse` throws; InferenceError like {@link read}
   */
  async readHead<T>(file: string, parse: (head: FileBeginning) => Promise<T>): Promise<T | undefined> {
    if (!(await this.#isComplete(file))) {
      const head = await this.#fetcher.readHead(await this.#wanted(file), parse).catch((thrown: unknown) => {
        // Where nothing can be stored, the whole goes through memory.
        if (!isQuotaError(thrown)) throw thrown;
        return undefined;
      });
      if (head) return head.parsed;
    }
    const found = await this.#contents.find(file, () => this.find(file));
    if (!found) return undefined;
    return parse({
      size: found.metadata.size,
      read: async (from, to) => this.#contents.range(found.metadata, from, to),
    });
  }

  /**
   * The bytes of a file from `from` on, in pieces of a megabyte. A file is fetched as a
   * whole first.
   * @throws InferenceError like {@link read}; `unavailable` when the stored bytes have changed, after which another attempt
   * fetches them again
   */
  async *stream(file: string, from = 0): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    const found = await this.#contents.find(file, () => this.find(file));
    if (!found) throw notFetched({ file, url: this.#urlOf(file) }, ': it does not exist');
    yield* this.#contents.stream(found.metadata, from);
  }

  /** Whether stored files can be read at any place. */
  get readsRanges(): boolean {
    return this.#environment.storage.openRange !== undefined;
  }

  /**
   * Reads a stored file at any place, as long as it is as it is now; undefined where there is none, or storage cannot.
   * @returns rejects once it is another
   */
  async openRange(file: string): Promise<ReadStored | undefined> {
    const { storage } = this.#environment;
    const stored = await storage.find(this.#locationOf(file));
    return stored?.untouched ? storage.openRange?.(stored) : undefined;
  }

  /** A file that is stored as a whole and is the source's file as far as is known. */
  async #isComplete(file: string): Promise<boolean> {
    const stored = await this.#environment.storage.find(this.#locationOf(file));
    if (!stored || stored.metadata.state !== 'complete') return false;
    const decision = this.#decide(stored, await this.#statedOf(file, stored));
    const isOther =
      decision === 'ask' ? await this.#revalidator.isStale(stored.metadata) : decision === 'fetch' && stored.untouched;
    if (!isOther) return true;
    await this.#environment.storage.remove(this.#locationOf(file)).catch(() => {}); // Another tab uses it.
    return false;
  }

  /** The file is in storage and can be used without a network. */
  async isStored(nameOrURL: string): Promise<boolean> {
    const stored = await this.#environment.storage.find(this.#locationOf(this.#nameOf(nameOrURL)));
    return stored?.untouched === true;
  }

  /** Whether there is such a file, without fetching it. */
  async exists(file: string): Promise<boolean> {
    if (await this.isStored(file)) return true;
    const isListed = (await this.#statements.of(file)) !== undefined;
    if (isListed || (await this.#statements.all()).size > 0) return isListed;
    return isOnServer(this.#environment, this.#urlOf(file), this.#options.signal);
  }

  /** Names of all files, as the source lists them; none when it does not. @param isRequired a hub must: else `unavailable` */
  async listed(isRequired = false): Promise<readonly string[]> {
    if (isRequired) await this.#statements.require((...asked) => this.#fetcher.retried(...asked));
    return [...(await this.#statements.all()).keys()];
  }

  /** Names of the files that are stored as a whole. */
  stored(): Promise<string[]> {
    return completeFiles(this.#options.folder, this.#environment.storage);
  }

  /** What was found out about the content of a stored file; undefined: nothing yet. */
  fact(file: string, question: string): Promise<boolean | undefined> {
    return findFact(this.#locationOf(file), question, this.#environment.storage);
  }

  /** Stores what was found out about a stored file with it: it is forgotten when the file is removed or fetched again. */
  keepFact(file: string, question: string, answer: boolean): Promise<void> {
    return keepFact(this.#locationOf(file), question, answer, this.#environment.storage);
  }

  /** One hash for the content of complete files, without those that do not exist; undefined when any was changed since. */
  async contentHash(files: readonly string[]): Promise<string | undefined> {
    const locations = files.map((file) => this.#locationOf(this.#nameOf(file)));
    return hashContents(locations, this.#environment.storage);
  }

  /** What is known of a file that is not there. */
  absence(file: string): DownloadFailure {
    return { url: this.#urlOf(file), isPicked: this.#options.isLocal ?? false, ...this.#absences.get(file) };
  }

  /**
   * Reads all files that were asked for again and fetches the damaged ones again.
   * @returns whether one was damaged
   */
  async repair(): Promise<boolean> {
    const { storage } = this.#environment;
    let damaged = false;
    for (const file of this.#found.keys()) {
      const stored = await storage.find(this.#locationOf(file));
      if (stored?.metadata.state !== 'complete' || (await isIntact(stored, storage))) continue;
      damaged = true;
      const mended = this.#fetch(file, { ...stored, untouched: false });
      this.#found.set(file, mended);
      await mended;
    }
    return damaged;
  }

  async #find(file: string): Promise<FileStatus | undefined> {
    if (this.#options.signal.aborted) throw cancelled();
    const stored = await this.#environment.storage.find(this.#locationOf(file));
    const stated = await this.#statedOf(file, stored);
    switch (this.#decide(stored, stated)) {
      case 'missing':
        this.#absences.set(file, NOT_LISTED);
        return undefined;
      case 'use':
        return this.#present(stored!);
      case 'hash':
        return (await this.#fetcher.isStated(stored!, stated)) ? stored : this.#fetch(file, stored);
      case 'ask':
        return (await this.#revalidator.isStale(stored!.metadata)) ? this.#fetch(file, stored) : this.#present(stored!);
      case 'fetch':
        return this.#fetch(file, stored);
    }
  }

  /** By what a stored file is judged. What a hub states costs a request, which stored files do without. */
  async #statedOf(file: string, stored: FileStatus | undefined): Promise<ExpectedFile | undefined> {
    if (this.#options.integrity === undefined) return undefined;
    const own = stored?.metadata.state === 'complete' ? this.#statements.own(file) : undefined;
    return own ?? this.#statements.of(file);
  }

  #decide(stored: FileStatus | undefined, stated: ExpectedFile | undefined): FileDecision {
    const { folder, isLocal = false } = this.#options;
    const isPinned = !isLocal && parseHubFolder(folder) !== undefined;
    const { hasManifest: listsAll } = this.#statements;
    return decideFile({ stored, stated, listsAll, isPinned, isPicking: isLocal, now: Date.now() });
  }

  #present(stored: FileStatus): FileStatus | undefined {
    if (stored.metadata.state !== 'absent') return stored;
    this.#absences.set(stored.metadata.file, stored.metadata.absence);
    return undefined;
  }

  /** @param before what cannot be used of it */
  async #fetch(
    file: string,
    before: FileStatus | undefined,
    fetcher: FileFetcher = this.#fetcher,
  ): Promise<FileStatus | undefined> {
    const metadata = await fetcher.fetch(await this.#wanted(file), before);
    return this.#present({ metadata, bytes: metadata.size ?? 0, untouched: true });
  }

  async #wanted(file: string): Promise<WantedFile> {
    return { ...this.#locationOf(file), url: this.#urlOf(file), expected: await this.#statements.of(file) };
  }

  async #checkRoom(files: readonly string[], purpose: Purpose): Promise<void> {
    const { storage } = this.#environment;
    const free = storage.lasting ? await this.#environment.freeBytes() : undefined;
    if (free === undefined) return;
    const locations = files.map((file) => this.#locationOf(file));
    const sizeOf = (file: string, stored: number | undefined): Promise<number> => this.#statements.sizeOf(file, stored);
    const neededBytes = await missingBytes(locations, { storage, sizeOf, free });
    const isInMemory = purpose === 'load' && neededBytes <= MEMORY_SHARE * deviceMemory() * 2 ** 30;
    if (neededBytes > free && !isInMemory) throw await this.#insufficientStorage({ neededBytes });
  }

  #insufficientStorage(missing: Pick<StorageShortage, 'neededBytes' | 'refused'>): Promise<InferenceError> {
    const { id, folder } = this.#options;
    return insufficientStorage({ id, model: folder, ...missing }, this.#environment);
  }

  /** A file below the folder has one name, also when it is asked for by its URL. */
  #nameOf(nameOrURL: string): string {
    const { folder } = this.#options;
    return nameOrURL.startsWith(folder) ? nameOrURL.slice(folder.length) : nameOrURL;
  }

  #locationOf(file: string): FileLocation {
    return { model: this.#options.folder, file };
  }

  #urlOf(file: string): string {
    return fileURLOf(file, this.#options);
  }
}
