/**
 * Files in the origin private file system. A model is a folder, a file is up to three of them: its bytes, its record, and
 * while it is written how much of each part is there. A worker writes through sync access handles: every chunk is at its
 * place at once, and stays when the tab is killed.
 * @module
 */
import type { ByteStorage, OpenFile } from './byte-storage.js';
import {
  countParts,
  type FilePlace,
  type FileRecord,
  type KeptFile,
  lengthOfPart,
  type ModelNote,
  parseRecord,
} from './file-record.js';
import { storedName } from './stored-name.js';
import { hasSyncAccess, readAccess, type SyncAccess, writeAccess } from './sync-access.js';

/** Folder of the store in the file system's root. */
const FOLDER = 'inpage-models';

const BYTES = '.bytes';
const RECORD = '.record';
const PARTS = '.parts';
const NOTE = 'model.json';

/** Bytes that are read at a time, so that progress is seen and a cancelled load ends soon. */
const READ_BYTES = 16 * 2 ** 20;

/** Attempts to read a small file that others write meanwhile. */
const MOST_READS = 20;

/** What a record says beside {@link FileRecord}. */
type OpfsRecord = FileRecord & {
  /** Time of the last change to a complete file's bytes: another one means that somebody else wrote them. */
  writtenAt?: number;
};

export class OpfsStorage implements ByteStorage {
  readonly lasting: boolean = true;
  readonly #folder: FileSystemDirectoryHandle;

  private constructor(folder: FileSystemDirectoryHandle) {
    this.#folder = folder;
  }

  /** Undefined where this realm has no such file system. Outside dedicated workers it can be read, not written. */
  static async create(): Promise<OpfsStorage | undefined> {
    try {
      const root = await navigator.storage.getDirectory();
      return new OpfsStorage(await root.getDirectoryHandle(FOLDER, { create: true }));
    } catch {
      return undefined;
    }
  }

  /** This realm can write files in place. */
  static get isWritable(): boolean {
    return hasSyncAccess();
  }

  /** By the time of a file's last change, as disks note it. */
  async tellsChanges(): Promise<boolean> {
    return true;
  }

  async find(place: FilePlace): Promise<KeptFile | undefined> {
    const folder = await this.#modelFolder(place.model, false);
    return folder && findFile(folder, await storedName(place.file));
  }

  async open(place: FilePlace): Promise<OpenFile> {
    const folder = (await this.#modelFolder(place.model, true))!;
    return OpenOpfsFile.open(folder, await storedName(place.file));
  }

  async readAll(place: FilePlace, onBytes: (loaded: number, total: number) => void): Promise<Uint8Array<ArrayBuffer>> {
    const folder = await this.#modelFolder(place.model, false);
    const handle = await folder!.getFileHandle((await storedName(place.file)) + BYTES);
    return (await readThroughHandle(handle, onBytes)) ?? readBlob(await handle.getFile(), onBytes);
  }

  async readPart({ record }: KeptFile, part: number): Promise<Uint8Array<ArrayBuffer>> {
    const folder = await this.#modelFolder(record.model, false);
    const handle = await folder!.getFileHandle((await storedName(record.file)) + BYTES);
    const start = part * record.partBytes;
    const slice = (await handle.getFile()).slice(start, start + lengthOfPart(record, part));
    return new Uint8Array(await slice.arrayBuffer());
  }

  async accept({ record }: KeptFile): Promise<void> {
    const folder = (await this.#modelFolder(record.model, true))!;
    await saveWritten(folder, await storedName(record.file), record);
  }

  async remove(place: FilePlace): Promise<void> {
    const folder = await this.#modelFolder(place.model, false);
    const name = await storedName(place.file);
    // The record last: what is left of an interrupted removal is no file.
    for (const ending of [BYTES, PARTS, RECORD]) await folder?.removeEntry(name + ending).catch(() => {});
  }

  async list(): Promise<{ note: ModelNote; files: KeptFile[] }[]> {
    const models = [];
    for await (const folder of this.#folder.values()) {
      if (folder.kind !== 'directory') continue;
      const note = await readNote(folder);
      if (note) models.push({ note, files: await listFiles(folder) });
    }
    return models;
  }

  async note(model: string): Promise<ModelNote | undefined> {
    const folder = await this.#modelFolder(model, false);
    return folder && readNote(folder);
  }

  async saveNote(note: ModelNote): Promise<void> {
    const folder = (await this.#modelFolder(note.model, true))!;
    await writeText(folder, NOTE, JSON.stringify(note));
  }

  async removeModel(model: string): Promise<void> {
    await this.#folder.removeEntry(await storedName(model), { recursive: true }).catch((error: unknown) => {
      if ((error as Error).name !== 'NotFoundError') throw error;
    });
  }

  async #modelFolder(model: string, create: boolean): Promise<FileSystemDirectoryHandle | undefined> {
    return ifFound(this.#folder.getDirectoryHandle(await storedName(model), { create }));
  }
}

class OpenOpfsFile implements OpenFile {
  readonly #folder: FileSystemDirectoryHandle;
  readonly #name: string;
  readonly #bytes: SyncAccess;
  readonly #parts: SyncAccess;
  readonly #recordFile: SyncAccess;
  record: FileRecord | undefined;
  kept: number[];

  private constructor(folder: FileSystemDirectoryHandle, name: string, handles: SyncAccess[]) {
    this.#folder = folder;
    this.#name = name;
    [this.#bytes, this.#parts, this.#recordFile] = handles as [SyncAccess, SyncAccess, SyncAccess];
    this.record = readRecord(this.#recordFile);
    if (this.record?.state === 'complete') this.#noteAll(countParts(this.record), this.record.partBytes);
    this.kept = this.#readKept();
  }

  /** A complete file has no note of its parts. */
  #noteAll(count: number, partBytes: number): void {
    this.#parts.write(bytesOf(new Uint32Array(count).fill(partBytes)), { at: 0 });
  }

  static async open(folder: FileSystemDirectoryHandle, name: string): Promise<OpenOpfsFile> {
    const handles: SyncAccess[] = [];
    try {
      for (const ending of [BYTES, PARTS, RECORD]) handles.push(await openHandle(folder, name + ending));
      return new OpenOpfsFile(folder, name, handles);
    } catch (error) {
      for (const handle of handles) handle.close();
      throw error;
    }
  }

  async reset(record: FileRecord): Promise<void> {
    this.#parts.truncate(0);
    this.#bytes.truncate(0);
    this.kept = [];
    await this.save(record);
  }

  async save(record: FileRecord): Promise<void> {
    writeRecord(this.#recordFile, record);
    this.record = record;
  }

  async append(part: number, bytes: Uint8Array): Promise<void> {
    const kept = this.kept[part] ?? 0;
    const written = this.#bytes.write(bytes as Uint8Array<ArrayBuffer>, {
      at: part * this.record!.partBytes + kept,
    });
    if (written < bytes.length) throw new DOMException('There is no room for the file.', 'QuotaExceededError');
    this.#keep(part, kept + bytes.length);
  }

  async drop(part: number): Promise<void> {
    this.#keep(part, 0);
  }

  async read(part: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(this.kept[part] ?? 0);
    this.#bytes.read(bytes, { at: part * this.record!.partBytes });
    return bytes;
  }

  async finish(record: FileRecord): Promise<void> {
    // Nothing from before a restart may hang over.
    this.#bytes.truncate(record.size ?? 0);
    this.#bytes.flush();
    await this.close();
    await saveWritten(this.#folder, this.#name, record);
    this.record = record;
    await this.#folder.removeEntry(this.#name + PARTS).catch(() => {});
  }

  async close(): Promise<void> {
    for (const handle of [this.#bytes, this.#parts, this.#recordFile]) handle.close();
  }

  #keep(part: number, length: number): void {
    this.kept[part] = length;
    this.#parts.write(bytesOf(new Uint32Array([length])), { at: 4 * part });
  }

  /** What is noted is written after the bytes, so more than the bytes is somebody else's. */
  #readKept(): number[] {
    const words = new Uint32Array(Math.floor(this.#parts.getSize() / 4));
    this.#parts.read(bytesOf(words), { at: 0 });
    const size = this.#bytes.getSize();
    const partBytes = this.record?.partBytes ?? 0;
    return Array.from(words, (length, part) => Math.max(0, Math.min(length, partBytes, size - part * partBytes)));
  }
}

function bytesOf(words: Uint32Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(words.buffer);
}

async function openHandle(folder: FileSystemDirectoryHandle, name: string): Promise<SyncAccess> {
  return writeAccess(await folder.getFileHandle(name, { create: true }));
}

async function saveWritten(folder: FileSystemDirectoryHandle, name: string, record: FileRecord): Promise<void> {
  const { lastModified } = await (await folder.getFileHandle(name + BYTES)).getFile();
  const written: OpfsRecord = { ...record, writtenAt: lastModified };
  await writeText(folder, name + RECORD, JSON.stringify(written));
}

async function findFile(folder: FileSystemDirectoryHandle, name: string): Promise<KeptFile | undefined> {
  const [text, bytes] = await Promise.all([readText(folder, name + RECORD), fileOf(folder, name + BYTES)]);
  const record: OpfsRecord | undefined = text === undefined ? undefined : parseRecord(text);
  if (!record) return undefined;
  const size = bytes?.size ?? 0;
  const untouched = record.state === 'complete' && size === record.size && bytes?.lastModified === record.writtenAt;
  return { record, bytes: size, untouched };
}

async function listFiles(folder: FileSystemDirectoryHandle): Promise<KeptFile[]> {
  const files: KeptFile[] = [];
  for await (const name of folder.keys()) {
    if (!name.endsWith(RECORD)) continue;
    const file = await findFile(folder, name.slice(0, -RECORD.length));
    if (file) files.push(file);
  }
  return files;
}

async function readNote(folder: FileSystemDirectoryHandle): Promise<ModelNote | undefined> {
  try {
    return JSON.parse((await readText(folder, NOTE)) ?? '') as ModelNote;
  } catch {
    return undefined;
  }
}

/** As it is, or undefined when nobody else may read it now. */
async function readThroughHandle(
  file: FileSystemFileHandle,
  onBytes: (loaded: number, total: number) => void,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const handle = await readAccess(file);
  if (!handle) return undefined;
  try {
    const bytes = new Uint8Array(handle.getSize());
    for (let start = 0; start < bytes.length; start += READ_BYTES) {
      handle.read(bytes.subarray(start, start + READ_BYTES), { at: start });
      onBytes(Math.min(start + READ_BYTES, bytes.length), bytes.length);
    }
    return bytes;
  } finally {
    handle.close();
  }
}

async function readBlob(
  blob: Blob,
  onBytes: (loaded: number, total: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  onBytes(bytes.length, bytes.length);
  return bytes;
}

/** The text and its length in one write: a reader never takes half a record for a whole one. */
function writeRecord(handle: SyncAccess, record: FileRecord): void {
  const bytes = new TextEncoder().encode(JSON.stringify(record));
  handle.write(framed(bytes), { at: 0 });
}

function readRecord(handle: SyncAccess): FileRecord | undefined {
  const bytes = new Uint8Array(handle.getSize());
  handle.read(bytes, { at: 0 });
  const text = unframed(bytes);
  return text === undefined ? undefined : parseRecord(text);
}

async function writeText(folder: FileSystemDirectoryHandle, name: string, text: string): Promise<void> {
  const handle = await openHandle(folder, name);
  try {
    handle.write(framed(new TextEncoder().encode(text)), { at: 0 });
    handle.flush();
  } finally {
    handle.close();
  }
}

async function readText(folder: FileSystemDirectoryHandle, name: string): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const file = await fileOf(folder, name);
    try {
      return file && unframed(new Uint8Array(await file.arrayBuffer()));
    } catch (error) {
      // Another tab has written it since it was looked up.
      if ((error as Error).name !== 'NotReadableError' || attempt === MOST_READS) throw error;
    }
  }
}

function framed(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(4 + bytes.length);
  new DataView(frame.buffer).setUint32(0, bytes.length);
  frame.set(bytes, 4);
  return frame;
}

function unframed(frame: Uint8Array<ArrayBuffer>): string | undefined {
  if (frame.length < 4) return undefined;
  const length = new DataView(frame.buffer).getUint32(0);
  return new TextDecoder().decode(frame.subarray(4, 4 + length));
}

async function fileOf(folder: FileSystemDirectoryHandle, name: string): Promise<File | undefined> {
  return (await ifFound(folder.getFileHandle(name)))?.getFile();
}

async function ifFound<Handle>(handle: Promise<Handle>): Promise<Handle | undefined> {
  return handle.catch((error: unknown) => {
    if ((error as Error).name === 'NotFoundError') return undefined;
    throw error;
  });
}
