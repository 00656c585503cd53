/** Files in memory: where nothing else may be written, and in tests. One buffer per file, handed out as it is. @module */
import {
  type ByteStorage,
  type FileLocation,
  type FileMetadata,
  type FileStatus,
  lengthOfPart,
  type ModelNote,
  type OpenFile,
  partialStatus,
} from './byte-storage.js';

interface MemoryFile {
  metadata: FileMetadata | undefined;
  bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of `bytes` in use. */
  length: number;
  partLengths: number[];
}

export class MemoryStorage implements ByteStorage {
  readonly lasting: boolean = false;
  readonly #files = new Map<string, MemoryFile>();
  readonly #notes = new Map<string, ModelNote>();

  async find(location: FileLocation): Promise<FileStatus | undefined> {
    const file = this.#files.get(keyOf(location));
    return file?.metadata && statusOf(file.metadata, file);
  }

  async open(location: FileLocation): Promise<OpenFile> {
    const key = keyOf(location);
    const file = this.#files.get(key) ?? { metadata: undefined, bytes: new Uint8Array(0), length: 0, partLengths: [] };
    this.#files.set(key, file);
    return new OpenMemoryFile(file);
  }

  async readAll(
    location: FileLocation,
    onBytes: (loaded: number, total: number) => void,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { bytes, length } = this.#files.get(keyOf(location))!;
    onBytes(length, length);
    return bytes.byteLength === length ? bytes : bytes.subarray(0, length);
  }

  async readPart({ metadata }: FileStatus, part: number): Promise<Uint8Array<ArrayBuffer>> {
    return partOf(this.#files.get(keyOf(metadata))!, metadata, part, lengthOfPart(metadata, part));
  }

  async accept({ metadata }: FileStatus): Promise<void> {
    this.#files.get(keyOf(metadata))!.metadata = metadata;
  }

  async remove(location: FileLocation): Promise<void> {
    this.#files.delete(keyOf(location));
  }

  async list(): Promise<{ note: ModelNote; files: FileStatus[] }[]> {
    return [...this.#notes.values()].map((note) => ({
      note,
      files: [...this.#files.values()].flatMap((file) =>
        file.metadata?.model === note.model ? [statusOf(file.metadata, file)] : [],
      ),
    }));
  }

  async saveNote(note: ModelNote): Promise<void> {
    this.#notes.set(note.model, note);
  }

  async removeModel(model: string): Promise<void> {
    this.#notes.delete(model);
    for (const [key, { metadata }] of this.#files) if (metadata?.model === model) this.#files.delete(key);
  }
}

/** A file whose head alone was read, because it is too large to be used, does not occupy memory for all of it. */
const HEAD_BYTES = 16 * 2 ** 20;

class OpenMemoryFile implements OpenFile {
  readonly #file: MemoryFile;

  constructor(file: MemoryFile) {
    this.#file = file;
  }

  get metadata(): FileMetadata | undefined {
    return this.#file.metadata;
  }

  get partLengths(): readonly number[] {
    return this.#file.partLengths;
  }

  async reset(metadata: FileMetadata): Promise<void> {
    Object.assign(this.#file, { metadata, bytes: new Uint8Array(0), length: 0, partLengths: [] });
  }

  async save(metadata: FileMetadata): Promise<void> {
    this.#file.metadata = metadata;
  }

  async append(part: number, bytes: Uint8Array): Promise<void> {
    const { partLengths, metadata } = this.#file;
    const position = part * metadata!.partBytes + (partLengths[part] ?? 0);
    const end = position + bytes.length;
    this.#grow(end);
    this.#file.bytes.set(bytes, position);
    this.#file.length = Math.max(this.#file.length, end);
    partLengths[part] = (partLengths[part] ?? 0) + bytes.length;
  }

  async drop(part: number): Promise<void> {
    this.#file.partLengths[part] = 0;
  }

  async read(part: number): Promise<Uint8Array<ArrayBuffer>> {
    return partOf(this.#file, this.#file.metadata!, part, this.#file.partLengths[part] ?? 0);
  }

  async finish(metadata: FileMetadata): Promise<void> {
    this.#file.metadata = metadata;
  }

  async close(): Promise<void> {}

  /** @param end of what is in it then */
  #grow(end: number): void {
    const { bytes, metadata } = this.#file;
    if (bytes.length >= end) return;
    const size = metadata!.size ?? Infinity;
    // The whole of it once more than its head is wanted: no second copy while it comes in. Doubling else.
    const isWhole = end > HEAD_BYTES && size < Infinity;
    const larger = new Uint8Array(Math.max(end, isWhole ? size : Math.min(2 * bytes.length, size)));
    larger.set(bytes);
    this.#file.bytes = larger;
  }
}

function partOf(file: MemoryFile, metadata: FileMetadata, part: number, length: number): Uint8Array<ArrayBuffer> {
  const start = part * metadata.partBytes;
  return file.bytes.subarray(start, start + length);
}

function statusOf(metadata: FileMetadata, { length, partLengths }: MemoryFile): FileStatus {
  if (metadata.state !== 'complete') return partialStatus(metadata, partLengths, length);
  return { metadata, bytes: length, untouched: length === metadata.size };
}

function keyOf({ model, file }: FileLocation): string {
  return `${model} ${file}`;
}
