/** Files in memory: where nothing else may be written, and in tests. One buffer per file, handed out as it is. @module */
import {
  type ByteStorage,
  type FilePlace,
  type FileRecord,
  type KeptFile,
  lengthOfPart,
  type ModelNote,
  type OpenFile,
} from './byte-storage.js';

interface MemoryFile {
  record: FileRecord | undefined;
  bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of `bytes` in use. */
  length: number;
  kept: number[];
}

export class MemoryStorage implements ByteStorage {
  readonly lasting: boolean = false;
  readonly #files = new Map<string, MemoryFile>();
  readonly #notes = new Map<string, ModelNote>();

  async find(place: FilePlace): Promise<KeptFile | undefined> {
    const file = this.#files.get(keyOf(place));
    return file?.record && keptFile(file.record, file);
  }

  async open(place: FilePlace): Promise<OpenFile> {
    const key = keyOf(place);
    const file = this.#files.get(key) ?? { record: undefined, bytes: new Uint8Array(0), length: 0, kept: [] };
    this.#files.set(key, file);
    return new OpenMemoryFile(file);
  }

  async readAll(place: FilePlace, onBytes: (loaded: number, total: number) => void): Promise<Uint8Array<ArrayBuffer>> {
    const { bytes, length } = this.#files.get(keyOf(place))!;
    onBytes(length, length);
    return bytes.byteLength === length ? bytes : bytes.subarray(0, length);
  }

  async readPart({ record }: KeptFile, part: number): Promise<Uint8Array<ArrayBuffer>> {
    return partOf(this.#files.get(keyOf(record))!, record, part, lengthOfPart(record, part));
  }

  async accept({ record }: KeptFile): Promise<void> {
    this.#files.get(keyOf(record))!.record = record;
  }

  async remove(place: FilePlace): Promise<void> {
    this.#files.delete(keyOf(place));
  }

  async list(): Promise<{ note: ModelNote; files: KeptFile[] }[]> {
    return [...this.#notes.values()].map((note) => ({
      note,
      files: [...this.#files.values()].flatMap((file) =>
        file.record?.model === note.model ? [keptFile(file.record, file)] : [],
      ),
    }));
  }

  async saveNote(note: ModelNote): Promise<void> {
    this.#notes.set(note.model, note);
  }

  async removeModel(model: string): Promise<void> {
    this.#notes.delete(model);
    for (const [key, { record }] of this.#files) if (record?.model === model) this.#files.delete(key);
  }
}

class OpenMemoryFile implements OpenFile {
  readonly #file: MemoryFile;

  constructor(file: MemoryFile) {
    this.#file = file;
  }

  get record(): FileRecord | undefined {
    return this.#file.record;
  }

  get kept(): readonly number[] {
    return this.#file.kept;
  }

  async reset(record: FileRecord): Promise<void> {
    Object.assign(this.#file, { record, bytes: new Uint8Array(0), length: 0, kept: [] });
  }

  async save(record: FileRecord): Promise<void> {
    this.#file.record = record;
  }

  async append(part: number, bytes: Uint8Array): Promise<void> {
    const { kept, record } = this.#file;
    const position = part * record!.partBytes + (kept[part] ?? 0);
    const end = position + bytes.length;
    this.#grow(Math.max(end, record!.size ?? 0));
    this.#file.bytes.set(bytes, position);
    this.#file.length = Math.max(this.#file.length, end);
    kept[part] = (kept[part] ?? 0) + bytes.length;
  }

  async drop(part: number): Promise<void> {
    this.#file.kept[part] = 0;
  }

  async read(part: number): Promise<Uint8Array<ArrayBuffer>> {
    return partOf(this.#file, this.#file.record!, part, this.#file.kept[part] ?? 0);
  }

  async finish(record: FileRecord): Promise<void> {
    this.#file.record = record;
  }

  async close(): Promise<void> {}

  #grow(size: number): void {
    const { bytes } = this.#file;
    if (bytes.length >= size) return;
    // The exact size when it is known; doubling else.
    const larger = new Uint8Array(this.#file.record!.size === undefined ? Math.max(size, 2 * bytes.length) : size);
    larger.set(bytes);
    this.#file.bytes = larger;
  }
}

function partOf(file: MemoryFile, record: FileRecord, part: number, length: number): Uint8Array<ArrayBuffer> {
  const start = part * record.partBytes;
  return file.bytes.subarray(start, start + length);
}

function keptFile(record: FileRecord, { length }: MemoryFile): KeptFile {
  return { record, bytes: length, untouched: record.state === 'complete' && length === record.size };
}

function keyOf({ model, file }: FilePlace): string {
  return `${model} ${file}`;
}
