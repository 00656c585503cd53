/**
 * One file in the origin private file system: its bytes, its record, and while it is written how much of each part is there.
 * Sync access handles write every chunk to its place at once, and it stays when the tab is killed.
 * @module
 */
import { countParts, type FileRecord, type KeptFile, type OpenFile, parseRecord } from './byte-storage.js';
import { fileOf, openHandle, readFramed, readText, type SyncAccess, writeFramed, writeText } from './opfs-access.js';

/** Endings of a file's name: its bytes, its record, and how much of each part is there. */
export const BYTES = '.bytes';
export const RECORD = '.record';
export const PARTS = '.parts';

/** What a record says beside {@link FileRecord}. */
type OpfsRecord = FileRecord & {
  /** Time of the last change to a complete file's bytes: another one means that somebody else wrote them. */
  writtenAt?: number;
};

export class OpenOpfsFile implements OpenFile {
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
    const text = readFramed(this.#recordFile);
    this.record = text === undefined ? undefined : parseRecord(text);
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
    writeFramed(this.#recordFile, JSON.stringify(record));
    this.record = record;
  }

  async append(part: number, bytes: Uint8Array): Promise<void> {
    const kept = this.kept[part] ?? 0;
    const written = this.#bytes.write(bytes as Uint8Array<ArrayBuffer>, {
      at: part * this.record!.partBytes + kept,
    });
    if (written < bytes.length)
      throw new DOMException('There is not enough storage for the file.', 'QuotaExceededError');
    this.#keep(part, kept + bytes.length);
  }

  async drop(part: number): Promise<void> {
    this.#keep(part, 0);
  }

  async read(part: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(this.kept[part] ?? 0);
    const count = this.#bytes.read(bytes, { at: part * this.record!.partBytes });
    if (count < bytes.length) throw lostBytes();
    return bytes;
  }

  async finish(record: FileRecord): Promise<void> {
    // Nothing from before a restart may hang over.
    this.#bytes.truncate(record.size ?? 0);
    this.#bytes.flush();
    if (this.#bytes.getSize() !== record.size) throw lostBytes();
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

/** Private windows keep files in memory, and have taken more than they hold. */
function lostBytes(): DOMException {
  return new DOMException('The browser stored fewer bytes than were written.', 'QuotaExceededError');
}

function bytesOf(words: Uint32Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(words.buffer);
}

/** Saves the record of a complete file, with the time of the last change to its bytes. */
export async function saveWritten(folder: FileSystemDirectoryHandle, name: string, record: FileRecord): Promise<void> {
  const { lastModified } = await (await folder.getFileHandle(name + BYTES)).getFile();
  const written: OpfsRecord = { ...record, writtenAt: lastModified };
  await writeText(folder, name + RECORD, JSON.stringify(written));
}

/** A file as it is kept; undefined when there is no record of it. */
export async function findFile(folder: FileSystemDirectoryHandle, name: string): Promise<KeptFile | undefined> {
  const [text, bytes] = await Promise.all([readText(folder, name + RECORD), fileOf(folder, name + BYTES)]);
  const record: OpfsRecord | undefined = text === undefined ? undefined : parseRecord(text);
  if (!record) return undefined;
  const size = bytes?.size ?? 0;
  const untouched = record.state === 'complete' && size === record.size && bytes?.lastModified === record.writtenAt;
  return { record, bytes: size, untouched };
}
