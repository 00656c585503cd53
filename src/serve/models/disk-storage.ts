/**
 * Files on a disk: what was received stays, also when the process is killed, and a file has its name only when it is whole.
 * Each model has a folder, whose part `.inpage` holds what is known of its files and the bytes of those that are not whole.
 * @module
 */
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, existsSync, ftruncateSync, renameSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isIntact } from '../../store/download/verify-content.js';
import {
  type ByteStorage,
  type FileLocation,
  type FileMetadata,
  type FileStatus,
  lengthOfPart,
  type ModelNote,
  type OpenFile,
  partialStatus,
  type ReadStored,
} from '../../store/storage/byte-storage.js';
import {
  makeFolder,
  namesIn,
  openToWrite,
  openUnchanged,
  readAt,
  readJson,
  readRange,
  readWhole,
  writeWhole,
} from './disk-files.js';
import { BYTES, PARTS, type Place, readPartLengths, readRecord, RECORD, saveRecord, whenWhole } from './file-record.js';

/** Folder of a model's folder, with what is not a file of the model. */
export const KNOWN = '.inpage';
const NOTE = 'note.json';

/** Larger files are read to be compared only where their time or size is another. */
const MAX_BYTES_TO_CHECK = 1e9;

/** How a storage is used. */
export interface DiskStorageOptions {
  /** What loads of one process have in common: a file is compared with its hashes once in it. */
  run?: string;
  /** Told why something cannot be written. */
  onRefused?: (error: NodeJS.ErrnoException) => void;
}

/** See the module. */
export class DiskStorage implements ByteStorage {
  readonly lasting = true;
  readonly #folder: string;
  readonly #run: string;
  readonly #onRefused: (error: NodeJS.ErrnoException) => void;
  /** Whether files of an earlier run are what they were, by their paths. */
  readonly #checks = new Map<string, Promise<boolean>>();

  /** @param folder absolute; made when something is written to it */
  constructor(folder: string, { run = randomUUID(), onRefused = () => {} }: DiskStorageOptions = {}) {
    this.#folder = folder;
    this.#run = run;
    this.#onRefused = onRefused;
  }

  /** Absolute path of a file that is whole. */
  pathOf(location: FileLocation): string {
    return this.#placeOf(location).whole;
  }

  async find(location: FileLocation): Promise<FileStatus | undefined> {
    const place = this.#placeOf(location);
    const found = this.#found(place);
    if (!found?.untouched || found.bytes > MAX_BYTES_TO_CHECK) return found;
    if (readRecord(place.known + RECORD)?.checkedBy === this.#run) return found;
    // A change that keeps size and time is found when the bytes are read, once in each run.
    const check = this.#checks.get(place.whole) ?? isIntact(found, this);
    this.#checks.set(place.whole, check);
    if (!(await check)) {
      this.#checks.delete(place.whole);
      return { ...found, untouched: false };
    }
    await this.accept(found);
    return found;
  }

  async open(location: FileLocation): Promise<OpenFile> {
    return this.#writing(() => new OpenDiskFile(this.#placeOf(location), this.#run, (work) => this.#writing(work)));
  }

  async readAll(
    location: FileLocation,
    onBytes: (loaded: number, total: number) => void,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = readWhole(this.pathOf(location));
    onBytes(bytes.length, bytes.length);
    return bytes;
  }

  async readPart({ metadata }: FileStatus, part: number): Promise<Uint8Array<ArrayBuffer>> {
    return readRange(this.pathOf(metadata), part * metadata.partBytes, lengthOfPart(metadata, part));
  }

  async openRange({ metadata }: FileStatus): Promise<ReadStored> {
    return openUnchanged(this.pathOf(metadata));
  }

  async accept({ metadata }: FileStatus): Promise<void> {
    const place = this.#placeOf(metadata);
    // What was found out can be found out again.
    await this.#writing(() => saveRecord(place, { metadata, ...whenWhole(place), checkedBy: this.#run })).catch(
      () => {},
    );
  }

  async remove(location: FileLocation): Promise<void> {
    const { whole, known } = this.#placeOf(location);
    for (const path of [known + RECORD, whole, known + BYTES, known + PARTS])
      await this.#writing(() => rmSync(path, { force: true })).catch(() => {});
  }

  async list(): Promise<{ note: ModelNote; files: FileStatus[] }[]> {
    return namesIn(this.#folder).flatMap((name) => {
      const folder = join(this.#folder, name);
      const note = readJson(join(folder, KNOWN, NOTE)) as ModelNote | undefined;
      const records = namesIn(join(folder, KNOWN)).filter((each) => each.endsWith(RECORD));
      const files = records.flatMap((each) => {
        const { metadata } = readRecord(join(folder, KNOWN, each)) ?? {};
        return (metadata && this.#found(this.#placeOf(metadata))) ?? [];
      });
      const model = note?.model ?? files[0]?.metadata.model;
      return model === undefined ? [] : [{ note: { wanted: [], lastUsed: 0, ...note, model }, files }];
    });
  }

  async saveNote(note: ModelNote): Promise<void> {
    const folder = join(this.#folderOf(note.model), KNOWN);
    await this.#writing(() => {
      makeFolder(folder);
      writeWhole(join(folder, NOTE), JSON.stringify(note));
    });
  }

  async removeModel(model: string): Promise<void> {
    rmSync(this.#folderOf(model), { recursive: true, force: true });
  }

  #found(place: Place): FileStatus | undefined {
    const record = readRecord(place.known + RECORD);
    if (!record) return undefined;
    const { metadata, modifiedMs } = record;
    const stat =
      statSync(place.whole, { throwIfNoEntry: false }) ?? statSync(place.known + BYTES, { throwIfNoEntry: false });
    const bytes = stat?.size ?? 0;
    if (metadata.state !== 'complete') return partialStatus(metadata, readPartLengths(place, metadata), bytes);
    return {
      metadata,
      bytes,
      untouched: bytes === metadata.size && stat !== undefined && Math.round(stat.mtimeMs) === modifiedMs,
    };
  }

  #folderOf(model: string): string {
    return join(this.#folder, `${readableName(model)}-${hashOf(model, 16)}`);
  }

  #placeOf({ model, file }: FileLocation): Place {
    const folder = this.#folderOf(model);
    return {
      whole: join(folder, isPlainName(file) ? file : `${hashOf(file, 16)}-${readableName(file)}`),
      known: join(folder, KNOWN, hashOf(file, 32)),
    };
  }

  /** A folder that may not be written, and a disk that is full, are storage without room. */
  async #writing<Result>(work: () => Result): Promise<Result> {
    try {
      return work();
    } catch (thrown) {
      const error = thrown as NodeJS.ErrnoException;
      if (!REFUSALS.includes(error.code ?? '')) throw thrown;
      this.#onRefused(error);
      throw new DOMException(`There is no room for the file (${error.code}).`, 'QuotaExceededError');
    }
  }
}

/**
 * No room, no right, or a limit of the process. A name that is a file where a folder is needed cannot be written, too, nor a folder
 * that somebody has removed.
 */
const REFUSALS = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES', 'EPERM', 'ENOTDIR', 'EEXIST', 'ENOENT'];

class OpenDiskFile implements OpenFile {
  readonly #place: Place;
  readonly #run: string;
  readonly #writing: <Result>(work: () => Result) => Promise<Result>;
  readonly #bytes: number;
  readonly #parts: number;
  metadata: FileMetadata | undefined;
  partLengths: number[];

  constructor(place: Place, run: string, writing: <Result>(work: () => Result) => Promise<Result>) {
    this.#place = place;
    this.#run = run;
    this.#writing = writing;
    makeFolder(dirname(place.known));
    this.metadata = readRecord(place.known + RECORD)?.metadata;
    this.partLengths = readPartLengths(place, this.metadata);
    // It is written to: from now on it is not whole.
    if (this.metadata?.state === 'complete') saveRecord(place, { metadata: { ...this.metadata, state: 'partial' } });
    if (existsSync(place.whole)) renameSync(place.whole, place.known + BYTES);
    this.#bytes = openToWrite(place.known + BYTES);
    this.#parts = openToWrite(place.known + PARTS);
    writeSync(this.#parts, new Uint8Array(Uint32Array.from(this.partLengths).buffer), 0, undefined, 0);
  }

  reset(metadata: FileMetadata): Promise<void> {
    return this.#writing(() => {
      ftruncateSync(this.#parts);
      ftruncateSync(this.#bytes);
      this.partLengths = [];
      this.#save(metadata);
    });
  }

  save(metadata: FileMetadata): Promise<void> {
    return this.#writing(() => {
      this.#checkRoom(metadata);
      this.#save(metadata);
    });
  }

  append(part: number, bytes: Uint8Array): Promise<void> {
    return this.#writing(() => {
      const offset = this.partLengths[part] ?? 0;
      const position = part * this.metadata!.partBytes + offset;
      for (let start = 0; start < bytes.length;)
        start += writeSync(this.#bytes, bytes, start, bytes.length - start, position + start);
      this.#setPartLength(part, offset + bytes.length);
    });
  }

  drop(part: number): Promise<void> {
    return this.#writing(() => this.#setPartLength(part, 0));
  }

  async read(part: number): Promise<Uint8Array<ArrayBuffer>> {
    return readAt(this.#bytes, part * this.metadata!.partBytes, this.partLengths[part] ?? 0);
  }

  finish(metadata: FileMetadata): Promise<void> {
    return this.#writing(() => {
      const { whole, known } = this.#place;
      ftruncateSync(this.#bytes, metadata.size ?? 0);
      makeFolder(dirname(whole));
      renameSync(known + BYTES, whole);
      saveRecord(this.#place, { metadata, ...whenWhole(this.#place), checkedBy: this.#run });
      rmSync(known + PARTS, { force: true });
      this.metadata = metadata;
    });
  }

  async close(): Promise<void> {
    closeSync(this.#bytes);
    closeSync(this.#parts);
    // Nothing was received, or there is no such file.
    const { known } = this.#place;
    if (this.metadata?.state === 'absent') for (const ending of [BYTES, PARTS]) rmSync(known + ending, { force: true });
  }

  #save(metadata: FileMetadata): void {
    saveRecord(this.#place, { metadata });
    this.metadata = metadata;
  }

  /** A file that surely does not fit is not begun. */
  #checkRoom({ size, state }: FileMetadata): void {
    if (state !== 'partial' || size === undefined || this.metadata?.size === size) return;
    const { bavail, bsize } = statfsSync(dirname(this.#place.known));
    const there = this.partLengths.reduce((sum, bytes) => sum + bytes, 0);
    if (size - there > bavail * bsize) throw Object.assign(new Error('The disk is full.'), { code: 'ENOSPC' });
  }

  #setPartLength(part: number, length: number): void {
    this.partLengths[part] = length;
    writeSync(this.#parts, new Uint8Array(Uint32Array.of(length).buffer), 0, 4, 4 * part);
  }
}

function hashOf(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/** A name that stays in its folder, whatever a hub answers. */
function isPlainName(file: string): boolean {
  const parts = file.split('/');
  return /^[\w.\-/+ ]{1,200}$/.test(file) && parts.every((part) => part !== '' && !part.startsWith('.'));
}

/** Letters of an address, for people who look at the disk. */
function readableName(address: string): string {
  const [, text = ''] = /^(?:https?:\/\/[^/]+\/)?(.*?)(?:\/resolve\/.*)?\/?$/.exec(address) ?? [];
  return (
    text
      .replace(/[^\w.-]+/g, '-')
      .replace(/^[.-]+/, '')
      .slice(-60) || 'model'
  );
}
