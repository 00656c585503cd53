/**
 * The files of one model: kept ones from storage, others fetched into it first. Whatever is handed out is complete and is
 * what its source states.
 * @module
 */
import { cancelled, InferenceError } from '../core/errors/inference-error.js';
import type { LoadProgress } from '../core/models/model-entry.js';
import { isOnServer, sizeOnServer } from './ask-server.js';
import { isIntact, isSameContent, keepGoodParts, wholeSha256 } from './check-kept.js';
import { Connections, hold } from './connections.js';
import { type CrossOriginStorage, offerToOthers, takeFromOthers } from './cross-origin-storage.js';
import { parseSha256 } from './sha256-text.js';
import { type DownloadContext, downloadFile } from './file-download.js';
import { isQuotaError } from './file-errors.js';
import type { FilePlace, FileRecord, KeptFile } from './file-record.js';
import { Freshness } from './freshness.js';
import { hubModelOf, listHubFiles } from './hub.js';
import { LoadReport } from './load-report.js';
import { PACK_MANIFEST, readManifest } from './pack-manifest.js';
import { noRoom } from './room.js';
import { hearProgress, shareProgress } from './shared-progress.js';
import type { StoreEnvironment } from './store-environment.js';
import { StoredResponse } from './stored-response.js';
import { type ExpectedFile, isSmallName, statesContent, type WantedFile } from './wanted-file.js';

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
  onProgress: (progress: LoadProgress) => void;
  signal: AbortSignal;
}

/** A manifest names all files of its folder: the server need not be asked for others. */
const NOT_LISTED = { httpStatus: 404, isPage: false };

/** Larger files are not kept in memory once they were handed out. */
const SMALL_FILE = 2 ** 20;

export class ModelFiles {
  readonly #options: ModelFilesOptions;
  readonly #environment: StoreEnvironment;
  readonly #connections: Connections;
  readonly #freshness: Freshness;
  readonly #report: LoadReport;
  readonly #found = new Map<string, Promise<KeptFile | undefined>>();
  readonly #absences = new Map<string, FileRecord['absence']>();
  /** Sizes that the server was asked for. */
  readonly #asked = new Map<string, Promise<number>>();
  #statements: Promise<Map<string, ExpectedFile>> | undefined;
  #hasReceived = false;

  constructor(options: ModelFilesOptions) {
    const { environment, id, onProgress } = options;
    this.#options = options;
    this.#environment = environment;
    this.#connections = new Connections(environment.locks);
    this.#freshness = new Freshness(environment);
    this.#report = new LoadReport(id, environment, onProgress);
  }

  /**
   * Begins to fetch all that a model needs, several files at once, when there is room for it.
   * @param files names in the model's folder, or URLs. Those that are not there are no error here.
   * @throws InferenceError `insufficient_resources` before the first byte; other failures come when a file is read
   */
  async prepare(files: readonly string[]): Promise<void> {
    const wanted = await this.#listed(files.map((file) => this.#nameOf(file)));
    await this.#checkRoom(wanted);
    const note = { model: this.#options.folder, wanted, lastUsed: Date.now() };
    // A full disk is no reason not to use what is there.
    await this.#environment.storage.saveNote(note).catch(() => {});
    for (const file of wanted) this.find(file).catch(() => {});
  }

  /** Those that the manifest names, where there is one. */
  async #listed(files: string[]): Promise<string[]> {
    if (typeof this.#options.integrity !== 'string') return files;
    const stated = await Promise.all(files.map((file) => this.#expected(file)));
    return files.filter((_, index) => stated[index]);
  }

  /** Bytes of files, kept or not, without fetching any; what nobody knows counts as nothing. */
  async bytesOf(files: readonly string[]): Promise<number> {
    const sizes = files.map(async (file) => this.#size(file, await this.#environment.storage.find(this.#place(file))));
    return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
  }

  /**
   * A file as a response; undefined when the server says that it does not exist.
   * @throws InferenceError `unavailable`, `insufficient_resources` or `cancelled`
   */
  async read(file: string): Promise<StoredResponse | undefined> {
    const kept = await this.find(file);
    if (!kept) return undefined;
    const { size = 0, contentType } = kept.record;
    return new StoredResponse({ size, contentType, bytes: () => this.#bytes(kept.record) });
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
    const isListed = (await this.#expected(file)) !== undefined;
    if (isListed || (await this.#statements)!.size > 0) return isListed;
    return isOnServer(this.#environment, this.#urlOf(file), this.#options.signal);
  }

  /** The beginning of a kept file, at most a part of it; undefined when it is not kept. */
  async start(file: string, length: number): Promise<Uint8Array | undefined> {
    const kept = await this.#environment.storage.find(this.#place(file));
    if (!kept?.untouched || kept.bytes === 0) return undefined;
    return (await this.#environment.storage.readPart(kept, 0)).subarray(0, length);
  }

  /** What the server said of a file that is not there. */
  absence(file: string): FileRecord['absence'] {
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
      if (kept?.record.state !== 'complete' || (await isIntact(kept, storage))) continue;
      damaged = true;
      const mended = this.#fetch(file, { ...kept, untouched: false });
      this.#found.set(file, mended);
      await mended;
    }
    return damaged;
  }

  async #find(file: string): Promise<KeptFile | undefined> {
    const { signal, integrity } = this.#options;
    if (signal.aborted) throw cancelled();
    // What a hub states costs a request, which kept files do without.
    const stated = integrity === undefined ? undefined : await this.#expected(file);
    if (typeof integrity === 'string' && !stated) {
      this.#absences.set(file, NOT_LISTED);
      return undefined;
    }
    const kept = await this.#environment.storage.find(this.#place(file));
    if (kept && (await this.#isUsable(kept, stated))) return this.#present(kept);
    return this.#fetch(file, kept);
  }

  #present(kept: KeptFile): KeptFile | undefined {
    if (kept.record.state !== 'absent') return kept;
    this.#absences.set(kept.record.file, kept.record.absence);
    return undefined;
  }

  async #isUsable(kept: KeptFile, stated: ExpectedFile | undefined): Promise<boolean> {
    const { record } = kept;
    if (record.state === 'partial') return false;
    if (record.state === 'complete' && !(kept.untouched && (await this.#isStated(kept, stated)))) return false;
    // A hub's files are named by revision, stated ones by their hashes.
    if (statesContent(stated) || hubModelOf(this.#options.folder)) return true;
    return !(await this.#freshness.isStale(record));
  }

  /** A complete file is what its source states, or nothing is stated. */
  async #isStated(kept: KeptFile, expected: ExpectedFile | undefined): Promise<boolean> {
    const { record } = kept;
    if (!expected || !statesContent(expected)) return true;
    if (expected.bytes !== undefined && expected.bytes !== record.size) return false;
    if (expected.parts && expected.partBytes === record.partBytes) {
      return expected.parts.every((hash, part) => hash === record.hashes[part]);
    }
    // By git's name: it was compared when it was fetched.
    if (expected.sha256 === undefined) return record.verified;
    if (record.sha256 !== undefined) return record.sha256 === expected.sha256;
    const sha256 = await wholeSha256(kept, this.#environment.storage);
    const isRight = sha256 === expected.sha256;
    if (isRight) await this.#environment.storage.accept({ ...kept, record: { ...record, sha256, verified: true } });
    return isRight;
  }

  /** Fetches under the file's lock, unless another tab has done so meanwhile. @param before what cannot be used of it */
  async #fetch(file: string, before: KeptFile | undefined): Promise<KeptFile | undefined> {
    const place = this.#place(file);
    const expected = await this.#expected(file);
    const { storage } = this.#environment;
    const release = await this.#lock(place);
    try {
      const now = await storage.find(place);
      const isOld = now !== undefined && before !== undefined && isSame(now.record, before.record);
      if (now?.untouched && !isOld && (await this.#isStated(now, expected))) return now;
      const isDoubtful = isOld && !before.untouched;
      const record = await this.#bring({ ...place, url: this.#urlOf(file), expected }, now, isDoubtful);
      return this.#present({ record, bytes: record.size ?? 0, untouched: true });
    } catch (thrown) {
      if (this.#options.signal.aborted) throw cancelled(thrown);
      if (!isQuotaError(thrown)) throw thrown;
      const size = (await storage.find(place))?.record.size ?? expected?.bytes ?? 0;
      // Half a file would only take the room that others need.
      await storage.remove(place);
      throw await this.#noRoom(size);
    } finally {
      release();
    }
  }

  async #bring(wanted: WantedFile, kept: KeptFile | undefined, isDoubtful: boolean): Promise<FileRecord> {
    const { storage } = this.#environment;
    const { crossOrigin } = this.#options;
    if (kept && isDoubtful && (await isIntact(kept, storage)) && (await this.#isStated(kept, wanted.expected))) {
      await storage.accept(kept);
      return kept.record;
    }
    const file = await storage.open(wanted);
    try {
      if (isDoubtful && file.record?.state === 'complete') await keepGoodParts(file, file.record);
      const context = this.#downloadContext(wanted);
      const found = crossOrigin && (await takeFromOthers(crossOrigin, wanted, file, context));
      const record = found ?? (await downloadFile(wanted, file, context));
      if (crossOrigin && !found && record.state === 'complete') await offerToOthers(crossOrigin, record, storage);
      return record;
    } finally {
      await file.close();
    }
  }

  #downloadContext({ model, file }: FilePlace): DownloadContext {
    return {
      environment: this.#environment,
      connections: this.#connections,
      signal: this.#options.signal,
      hasReceived: () => this.#hasReceived,
      onBytes: (count, state) => {
        if (count > 0) this.#hasReceived = true;
        this.#report.count(file, count, state);
        if (this.#report.tell(file, state)) shareProgress({ model, file, ...state });
      },
    };
  }

  async #lock(place: FilePlace): Promise<() => void> {
    const { locks } = this.#environment;
    if (!locks) return () => {};
    const name = fileLock(place);
    const free = await hold(locks, name, { ifAvailable: true });
    if (free) return free;
    const waited = new AbortController();
    const onProgress = ({ loaded, total }: { loaded: number; total: number | undefined }): void => {
      this.#report.tell(place.file, { loaded, total, waiting: 'other-tab' });
    };
    hearProgress(place, onProgress, waited.signal);
    try {
      return (await hold(locks, name, { signal: this.#options.signal }))!;
    } finally {
      waited.abort();
    }
  }

  async #bytes(record: FileRecord): Promise<Uint8Array<ArrayBuffer>> {
    const { storage } = this.#environment;
    const isTold = this.#report.knows(record.file);
    const readAll = (): Promise<Uint8Array<ArrayBuffer>> =>
      storage.readAll(record, (loaded, total) => {
        if (this.#options.signal.aborted) throw cancelled();
        if (!isTold) this.#report.tell(record.file, { loaded, total });
      });
    let bytes = await readAll();
    if (!(await storage.tellsChanges()) && !(await isSameContent(bytes, record))) {
      await this.#fetch(record.file, { record, bytes: bytes.length, untouched: false });
      bytes = await readAll();
    }
    if (storage.lasting) return bytes;
    // What memory keeps is not the caller's; what is large is not kept beside the engine's own.
    if (bytes.length <= SMALL_FILE) return bytes.slice();
    await storage.remove(record);
    this.#found.delete(record.file);
    return bytes;
  }

  async #checkRoom(files: readonly string[]): Promise<void> {
    const { storage } = this.#environment;
    const free = storage.lasting ? await this.#environment.freeBytes() : undefined;
    if (free === undefined) return;
    const missing = await Promise.all(files.map((file) => this.#missingBytes(file)));
    const neededBytes = missing.reduce((sum, bytes) => sum + bytes, 0);
    if (neededBytes > free) throw await this.#noRoom(neededBytes);
  }

  #noRoom(neededBytes: number): Promise<InferenceError> {
    const { id, folder } = this.#options;
    return noRoom({ id, model: folder, neededBytes }, this.#environment);
  }

  /** 0 when nobody says. */
  async #missingBytes(file: string): Promise<number> {
    const kept = await this.#environment.storage.find(this.#place(file));
    if (kept && kept.record.state !== 'partial') return 0;
    return Math.max(0, (await this.#size(file, kept)) - (kept?.bytes ?? 0));
  }

  async #size(file: string, kept: KeptFile | undefined): Promise<number> {
    const known = (await this.#expected(file))?.bytes ?? kept?.record.size;
    if (known !== undefined) return known;
    const asked = this.#asked.get(file) ?? this.#askForSize(file);
    this.#asked.set(file, asked);
    return asked;
  }

  async #askForSize(file: string): Promise<number> {
    if (isSmallName(file) || this.#environment.isOffline()) return 0;
    return sizeOnServer(this.#environment, this.#urlOf(file), this.#options.signal);
  }

  /** What the source states of a file. */
  async #expected(file: string): Promise<ExpectedFile | undefined> {
    const { integrity } = this.#options;
    if (typeof integrity === 'string' && file === PACK_MANIFEST) return { sha256: parseSha256(integrity) };
    this.#statements ??= this.#readStatements();
    const stated = (await this.#statements).get(file);
    const own = typeof integrity === 'object' ? integrity[file] : undefined;
    if (own === undefined) return stated;
    return { ...(stated?.bytes !== undefined && { bytes: stated.bytes }), sha256: parseSha256(own) };
  }

  async #readStatements(): Promise<Map<string, ExpectedFile>> {
    const { integrity, folder, signal, id } = this.#options;
    if (typeof integrity === 'string') {
      const manifest = await this.read(PACK_MANIFEST);
      if (manifest) return readManifest(await manifest.text());
      throw new InferenceError('unavailable', `The folder of \`${id}\` holds no \`${PACK_MANIFEST}\`.`);
    }
    const hub = hubModelOf(folder);
    const isAsked = hub !== undefined && !this.#environment.isOffline();
    return (
      (isAsked ? await listHubFiles(hub, this.#environment, signal) : undefined) ?? new Map<string, ExpectedFile>()
    );
  }

  /** A file below the folder has one name, also when it is asked for by its URL. */
  #nameOf(nameOrURL: string): string {
    const { folder } = this.#options;
    return nameOrURL.startsWith(folder) ? nameOrURL.slice(folder.length) : nameOrURL;
  }

  #place(file: string): FilePlace {
    return { model: this.#options.folder, file };
  }

  #urlOf(file: string): string {
    return new URL(file, this.#options.folder).href;
  }
}

/** Name of the lock whose holder writes a file. */
export function fileLock({ model, file }: FilePlace): string {
  return `inpage:file:${model} ${file}`;
}

/** Two records of the same bytes. */
function isSame(a: FileRecord, b: FileRecord): boolean {
  return a.state === b.state && a.etag === b.etag && a.modified === b.modified && a.hashes.join() === b.hashes.join();
}
