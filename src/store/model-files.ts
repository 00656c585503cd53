/**
 * The files of one model: kept ones from storage, others fetched into it first. Whatever is handed out is complete and is
 * what its source states.
 * @module
 */
import { cancelled, type InferenceError } from '../core/errors/inference-error.js';
import type { LoadProgress } from '../core/models/model-entry.js';
import { Revalidator, isOnServer } from './sources/ask-server.js';
import type { CrossOriginStorage } from './download/cross-origin-storage.js';
import { decideFile } from './download/decide-file.js';
import { LoadReport } from './download/download-progress.js';
import { FileFetcher } from './download/fetch-file.js';
import { FileContents } from './download/file-contents.js';
import { type StorageShortage, insufficientStorage, notFetched } from './download/file-errors.js';
import {
  type ByteStorage,
  countParts,
  type FileLocation,
  type FileMetadata,
  type KeptFile,
} from './storage/byte-storage.js';
import { sha256 } from './storage/digest.js';
import { hubModelOf } from './sources/hub.js';
import { PACK_MANIFEST } from './sources/pack-manifest.js';
import { SourceStatements } from './sources/source-statements.js';
import type { StoreEnvironment } from './storage/store-environment.js';
import { StoredResponse } from './stored-response.js';
import { isIntact, wholeSha256 } from './download/verify-content.js';

export interface ModelFilesOptions {
  /** Catalog id, for progress and errors. */
  id: string;
  /** Absolute URL of the files' folder; ends with `/`. */
  folder: string;
  /** See `ModelEntry`. */
  integrity: string | Record<string, string> | undefined;
  environment: StoreEnvironment;
  /** Looked into and offered to, where the app wants it. */
  crossOrigin?: CrossOriginStorage | undefined;
  /** The files come from a folder that a person picked, which may lack some that the source has. */
  isLocal?: boolean;
  onProgress: (progress: LoadProgress) => void;
  signal: AbortSignal;
}

/** A manifest names all files of its folder: the server need not be asked for others. */
const NOT_LISTED = { httpStatus: 404, isPage: false };

export class ModelFiles {
  readonly #options: ModelFilesOptions;
  readonly #environment: StoreEnvironment;
  readonly #statements: SourceStatements;
  readonly #fetcher: FileFetcher;
  readonly #contents: FileContents;
  readonly #freshness: Revalidator;
  readonly #report: LoadReport;
  readonly #found = new Map<string, Promise<KeptFile | undefined>>();
  readonly #absences = new Map<string, FileMetadata['absence']>();

  constructor(options: ModelFilesOptions) {
    const { environment, id, crossOrigin, isLocal = false, onProgress, signal } = options;
    this.#options = options;
    this.#environment = environment;
    this.#freshness = new Revalidator(environment);
    this.#report = new LoadReport(id, environment, onProgress);
    this.#statements = new SourceStatements({
      ...options,
      readManifest: async () => (await this.read(PACK_MANIFEST))?.text(),
    });
    const fetcherInto = (storage: ByteStorage): FileFetcher =>
      new FileFetcher({
        environment: { ...environment, storage },
        crossOrigin,
        isLocal,
        report: this.#report,
        signal,
        insufficientStorage: (neededBytes, refused) => this.#insufficientStorage({ neededBytes, refused }),
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
   * @throws InferenceError `insufficient_resources` before the first byte; other failures come when a file is read
   */
  async prepare(files: readonly string[]): Promise<void> {
    const wanted = await this.#statements.listed(files.map((file) => this.#nameOf(file)));
    await this.#checkRoom(wanted);
    const note = { model: this.#options.folder, wanted, lastUsed: Date.now() };
    // With a full disk, stored files are still used.
    await this.#environment.storage.saveNote(note).catch(() => {});
    for (const file of wanted) this.find(file).catch(() => {});
  }

  /** Bytes of files, kept or not, without fetching any; unknown sizes count as 0. */
  async bytesOf(files: readonly string[]): Promise<number> {
    const { storage } = this.#environment;
    const sizes = files.map(async (file) => {
      return this.#statements.sizeOf(file, (await storage.find(this.#place(file)))?.metadata.size);
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
    const { size = 0, contentType } = found.metadata;
    return new StoredResponse({ size, contentType, bytes: () => this.#contents.bytes(found.metadata) });
  }

  /**
   * The file in storage, after it was fetched where it was missing; undefined when there is none.
   * @throws InferenceError like {@link read}
   */
  find(nameOrURL: string): Promise<KeptFile | undefined> {
    const file = this.#nameOf(nameOrURL);
    const known = this.#found.get(file);
    if (known) return known;
    const found = this.#find(file);
    this.#found.set(file, found);
    // Another attempt may succeed.
    found.catch(() => this.#found.delete(file));
    return found;
  }

  /** The file is in storage and can be used without a network. */
  async isKept(nameOrURL: string): Promise<boolean> {
    const kept = await this.#environment.storage.find(this.#place(this.#nameOf(nameOrURL)));
    return kept?.untouched === true;
  }

  /** Whether there is such a file, without fetching it. */
  async exists(file: string): Promise<boolean> {
    if (await this.isKept(file)) return true;
    const isListed = (await this.#statements.of(file)) !== undefined;
    if (isListed || (await this.#statements.all()).size > 0) return isListed;
    return isOnServer(this.#environment, this.#urlOf(file), this.#options.signal);
  }

  /** Names of all files, as the source lists them; none when it does not. */
  async listed(): Promise<readonly string[]> {
    return [...(await this.#statements.all()).keys()];
  }

  /** What was found out about the content of a kept file; undefined: nothing yet. */
  async fact(file: string, question: string): Promise<boolean | undefined> {
    const kept = await this.#environment.storage.find(this.#place(file));
    return kept?.untouched ? kept.metadata.facts?.[question] : undefined;
  }

  /** Keeps what was found out about a kept file with it: it is forgotten when the file is removed or fetched anew. */
  async keepFact(file: string, question: string, answer: boolean): Promise<void> {
    const { storage } = this.#environment;
    const kept = await storage.find(this.#place(file));
    if (kept?.metadata.state !== 'complete' || !kept.untouched) return;
    const facts = { ...kept.metadata.facts, [question]: answer };
    await storage.accept({ ...kept, metadata: { ...kept.metadata, facts } });
  }

  /** One hash for the content of complete files, without those that do not exist; undefined when any was changed since. */
  async contentHash(files: readonly string[]): Promise<string | undefined> {
    const { storage } = this.#environment;
    const hashes: string[] = [];
    for (const file of files.map((each) => this.#nameOf(each)).toSorted()) {
      const kept = await storage.find(this.#place(file));
      if (!kept || kept.metadata.state === 'absent') continue;
      if (!kept.untouched) return undefined;
      const { sha256: whole, hashes: parts } = kept.metadata;
      const isKnown = parts.length === countParts(kept.metadata) && !parts.includes(null);
      hashes.push(`${file} ${whole ?? (isKnown ? parts.join(' ') : await wholeSha256(kept, storage))}`);
    }
    return hashes.length === 0 ? undefined : sha256(new TextEncoder().encode(hashes.join('\n')));
  }

  /** What the server said of a file that is not there. */
  absence(file: string): FileMetadata['absence'] {
    return this.#absences.get(file);
  }

  /**
   * Reads all files that were asked for again and fetches the damaged ones anew.
   * @returns whether one was damaged
   */
  async repair(): Promise<boolean> {
    const { storage } = this.#environment;
    let damaged = false;
    for (const file of this.#found.keys()) {
      const kept = await storage.find(this.#place(file));
      if (kept?.metadata.state !== 'complete' || (await isIntact(kept, storage))) continue;
      damaged = true;
      const mended = this.#fetch(file, { ...kept, untouched: false });
      this.#found.set(file, mended);
      await mended;
    }
    return damaged;
  }

  async #find(file: string): Promise<KeptFile | undefined> {
    const { signal, integrity, folder, isLocal = false } = this.#options;
    if (signal.aborted) throw cancelled();
    // What a hub states costs a request, which kept files do without.
    const stated = integrity === undefined ? undefined : await this.#statements.of(file);
    const kept = await this.#environment.storage.find(this.#place(file));
    const listsAll = this.#statements.hasManifest;
    const isPinned = !isLocal && hubModelOf(folder) !== undefined;
    switch (decideFile({ kept, stated, listsAll, isPinned, now: Date.now() })) {
      case 'missing':
        this.#absences.set(file, NOT_LISTED);
        return undefined;
      case 'use':
        return this.#present(kept!);
      case 'hash':
        return (await this.#fetcher.isStated(kept!, stated)) ? kept : this.#fetch(file, kept);
      case 'ask':
        return (await this.#freshness.isStale(kept!.metadata)) ? this.#fetch(file, kept) : this.#present(kept!);
      case 'fetch':
        return this.#fetch(file, kept);
    }
  }

  #present(kept: KeptFile): KeptFile | undefined {
    if (kept.metadata.state !== 'absent') return kept;
    this.#absences.set(kept.metadata.file, kept.metadata.absence);
    return undefined;
  }

  /** @param before what cannot be used of it */
  async #fetch(
    file: string,
    before: KeptFile | undefined,
    fetcher: FileFetcher = this.#fetcher,
  ): Promise<KeptFile | undefined> {
    const wanted = { ...this.#place(file), url: this.#urlOf(file), expected: await this.#statements.of(file) };
    const metadata = await fetcher.fetch(wanted, before);
    return this.#present({ metadata, bytes: metadata.size ?? 0, untouched: true });
  }

  async #checkRoom(files: readonly string[]): Promise<void> {
    const { storage } = this.#environment;
    const free = storage.lasting ? await this.#environment.freeBytes() : undefined;
    if (free === undefined) return;
    const missing = await Promise.all(files.map((file) => this.#missingBytes(file)));
    const neededBytes = missing.reduce((sum, bytes) => sum + bytes, 0);
    if (neededBytes > free) throw await this.#insufficientStorage({ neededBytes });
  }

  #insufficientStorage(missing: Pick<StorageShortage, 'neededBytes' | 'refused'>): Promise<InferenceError> {
    const { id, folder } = this.#options;
    return insufficientStorage({ id, model: folder, ...missing }, this.#environment);
  }

  /** 0 when unknown. */
  async #missingBytes(file: string): Promise<number> {
    const kept = await this.#environment.storage.find(this.#place(file));
    if (kept && kept.metadata.state !== 'partial') return 0;
    return Math.max(0, (await this.#statements.sizeOf(file, kept?.metadata.size)) - (kept?.bytes ?? 0));
  }

  /** A file below the folder has one name, also when it is asked for by its URL. */
  #nameOf(nameOrURL: string): string {
    const { folder } = this.#options;
    return nameOrURL.startsWith(folder) ? nameOrURL.slice(folder.length) : nameOrURL;
  }

  #place(file: string): FileLocation {
    return { model: this.#options.folder, file };
  }

  #urlOf(file: string): string {
    return new URL(file, this.#options.folder).href;
  }
}
