/** Files on a disk while a pack is made: what was received stays, also when the process is killed. @module */
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  type ByteStorage,
  clampPartLengths,
  countParts,
  type FileLocation,
  type FileMetadata,
  type FileStatus,
  lengthOfPart,
  type ModelNote,
  type OpenFile,
  parseMetadata,
  partialStatus,
} from '../../../store/storage/byte-storage.js';

/** The bytes, how much of each part is there, and the metadata. */
const BYTES = '.bytes';
const PARTS = '.parts';
const RECORD = '.record';

export class DiskStorage implements ByteStorage {
  readonly lasting = true;
  readonly #folder: string;

  /** @param folder is made when it is missing */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Absolute path of a file's bytes. */
  pathOf(location: FileLocation): string {
    return this.#base(location) + BYTES;
  }

  async find(location: FileLocation): Promise<FileStatus | undefined> {
    return this.#found(this.#base(location));
  }

  async open(location: FileLocation): Promise<OpenFile> {
    return new OpenDiskFile(this.#base(location));
  }

  async readAll(
    location: FileLocation,
    onBytes: (loaded: number, total: number) => void,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(readFileSync(this.pathOf(location)));
    onBytes(bytes.length, bytes.length);
    return bytes;
  }

  async readPart({ metadata }: FileStatus, part: number): Promise<Uint8Array<ArrayBuffer>> {
    const file = openSync(this.pathOf(metadata), 'r');
    try {
      return readAt(file, part * metadata.partBytes, lengthOfPart(metadata, part));
    } finally {
      closeSync(file);
    }
  }

  async accept({ metadata }: FileStatus): Promise<void> {
    saveMetadata(this.#base(metadata), metadata);
  }

  async remove(location: FileLocation): Promise<void> {
    for (const ending of [BYTES, PARTS, RECORD]) rmSync(this.#base(location) + ending, { force: true });
  }

  /** A pack is of one model, and no other is in its way. */
  async list(): Promise<{ note: ModelNote; files: FileStatus[] }[]> {
    const names = readdirSync(this.#folder).filter((name) => name.endsWith(RECORD));
    const files = names.flatMap((name) => this.#found(join(this.#folder, name.slice(0, -RECORD.length))) ?? []);
    const model = files[0]?.metadata.model;
    return model === undefined ? [] : [{ note: { model, wanted: [], lastUsed: 0 }, files }];
  }

  async saveNote(): Promise<void> {}

  async removeModel(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #base({ model, file }: FileLocation): string {
    return join(this.#folder, createHash('sha256').update(`${model} ${file}`).digest('hex').slice(0, 32));
  }

  #found(base: string): FileStatus | undefined {
    const metadata = readMetadata(base);
    if (!metadata) return undefined;
    const bytes = statSync(base + BYTES, { throwIfNoEntry: false })?.size ?? 0;
    if (metadata.state !== 'complete') return partialStatus(metadata, readPartLengths(base, metadata), bytes);
    return { metadata, bytes, untouched: bytes === metadata.size };
  }
}

class OpenDiskFile implements OpenFile {
  readonly #base: string;
  readonly #bytes: number;
  readonly #parts: number;
  metadata: FileMetadata | undefined;
  partLengths: number[];

  constructor(base: string) {
    this.#base = base;
    this.#bytes = openToWrite(base + BYTES);
    this.#parts = openToWrite(base + PARTS);
    this.metadata = readMetadata(base);
    this.partLengths = readPartLengths(base, this.metadata);
  }

  async reset(metadata: FileMetadata): Promise<void> {
    ftruncateSync(this.#parts);
    ftruncateSync(this.#bytes);
    this.partLengths = [];
    await this.save(metadata);
  }

  async save(metadata: FileMetadata): Promise<void> {
    saveMetadata(this.#base, metadata);
    this.metadata = metadata;
  }

  async append(part: number, bytes: Uint8Array): Promise<void> {
    const offset = this.partLengths[part] ?? 0;
    const position = part * this.metadata!.partBytes + offset;
    try {
      for (let start = 0; start < bytes.length;) {
        start += writeSync(this.#bytes, bytes, start, bytes.length - start, position + start);
      }
    } catch (error) {
      const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
      throw isFull ? new DOMException('There is not enough storage for the file.', 'QuotaExceededError') : error;
    }
    this.#setPartLength(part, offset + bytes.length);
  }

  async drop(part: number): Promise<void> {
    this.#setPartLength(part, 0);
  }

  async read(part: number): Promise<Uint8Array<ArrayBuffer>> {
    return readAt(this.#bytes, part * this.metadata!.partBytes, this.partLengths[part] ?? 0);
  }

  async finish(metadata: FileMetadata): Promise<void> {
    ftruncateSync(this.#bytes, metadata.size ?? 0);
    await this.save(metadata);
  }

  async close(): Promise<void> {
    closeSync(this.#bytes);
    closeSync(this.#parts);
  }

  #setPartLength(part: number, length: number): void {
    this.partLengths[part] = length;
    writeSync(this.#parts, Buffer.from(new Uint32Array([length]).buffer), 0, 4, 4 * part);
  }
}

function readPartLengths(base: string, metadata: FileMetadata | undefined): number[] {
  if (metadata?.state === 'complete')
    return Array.from({ length: countParts(metadata) }, (_, part) => lengthOfPart(metadata, part));
  if (!existsSync(base + PARTS)) return [];
  const noted = new Uint8Array(readFileSync(base + PARTS));
  const words = new Uint32Array(noted.buffer, 0, noted.length >> 2);
  const size = statSync(base + BYTES, { throwIfNoEntry: false })?.size ?? 0;
  return clampPartLengths(words, metadata?.partBytes ?? 0, size);
}

/** What was there stays. */
function openToWrite(path: string): number {
  closeSync(openSync(path, 'a'));
  return openSync(path, 'r+');
}

function readAt(file: number, position: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let read = 0;
  while (read < length) {
    const count = readSync(file, bytes, read, length - read, position + read);
    if (count === 0) return bytes.slice(0, read);
    read += count;
  }
  return bytes;
}

function readMetadata(base: string): FileMetadata | undefined {
  try {
    return parseMetadata(readFileSync(base + RECORD, 'utf8'));
  } catch {
    return undefined;
  }
}

/** As a whole or not at all. */
function saveMetadata(base: string, metadata: FileMetadata): void {
  writeFileSync(`${base}${RECORD}.new`, JSON.stringify(metadata));
  renameSync(`${base}${RECORD}.new`, base + RECORD);
}
