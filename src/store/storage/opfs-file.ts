/**
 * One file in the origin private file system: its bytes, its metadata, and while it is written how much of each part is there.
 * Sync access handles write every chunk to its place at once, and it stays when the tab is killed.
 * @module
 */
import {
  clampPartLengths,
  countParts,
  type FileMetadata,
  type FileStatus,
  type OpenFile,
  parseMetadata,
  partialStatus,
} from './byte-storage.js';
import {
  openFile,
  openHandle,
  readBytes,
  readFramed,
  readText,
  type SyncAccess,
  writeFramed,
  writeText,
} from './opfs-access.js';

/** Endings of a file's name: its bytes, its metadata, and how much of each part is there. */
export const BYTES = '.bytes';
export const RECORD = '.record';
export const PARTS = '.parts';

/** What a metadata says beside {@link FileMetadata}. */
type OpfsMetadata = FileMetadata & {
  /** Time of the last change to a complete file's bytes: another one means that someone else wrote them. */
  writtenAt?: number;
};

export class OpenOpfsFile implements OpenFile {
  readonly #folder: FileSystemDirectoryHandle;
  readonly #name: string;
  readonly #bytes: SyncAccess;
  readonly #parts: SyncAccess;
  readonly #recordFile: SyncAccess;
  metadata: FileMetadata | undefined;
  partLengths: number[];

  private constructor(folder: FileSystemDirectoryHandle, name: string, handles: SyncAccess[]) {
    this.#folder = folder;
    this.#name = name;
    [this.#bytes, this.#parts, this.#recordFile] = handles as [SyncAccess, SyncAccess, SyncAccess];
    const text = readFramed(this.#recordFile);
    this.metadata = text === undefined ? undefined : parseMetadata(text);
    if (this.metadata?.state === 'complete') this.#noteAll(countParts(this.metadata), this.metadata.partBytes);
    this.partLengths = this.#readPartLengths();
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

  async reset(metadata: FileMetadata): Promise<void> {
    this.#parts.truncate(0);
    this.#bytes.truncate(0);
    this.partLengths = [];
    await this.save(metadata);
  }

  async save(metadata: FileMetadata): Promise<void> {
    writeFramed(this.#recordFile, JSON.stringify(metadata));
    this.metadata = metadata;
  }

  async append(part: number, bytes: Uint8Array): Promise<void> {
    const offset = this.partLengths[part] ?? 0;
    const written = this.#bytes.write(bytes as Uint8Array<ArrayBuffer>, {
      at: part * this.metadata!.partBytes + offset,
    });
    if (written < bytes.length)
      throw new DOMException('There is not enough storage for the file.', 'QuotaExceededError');
    this.#setPartLength(part, offset + bytes.length);
  }

  async drop(part: number): Promise<void> {
    this.#setPartLength(part, 0);
  }

  async read(part: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(this.partLengths[part] ?? 0);
    const count = this.#bytes.read(bytes, { at: part * this.metadata!.partBytes });
    if (count < bytes.length) throw lostBytes();
    return bytes;
  }

  async finish(metadata: FileMetadata): Promise<void> {
    // Nothing from before a restart may hang over.
    this.#bytes.truncate(metadata.size ?? 0);
    this.#bytes.flush();
    if (this.#bytes.getSize() !== metadata.size) throw lostBytes();
    await this.close();
    await saveWritten(this.#folder, this.#name, metadata);
    this.metadata = metadata;
    await this.#folder.removeEntry(this.#name + PARTS).catch(() => {});
  }

  async close(): Promise<void> {
    for (const handle of [this.#bytes, this.#parts, this.#recordFile]) handle.close();
  }

  #setPartLength(part: number, length: number): void {
    this.partLengths[part] = length;
    this.#parts.write(bytesOf(new Uint32Array([length])), { at: 4 * part });
  }

  #readPartLengths(): number[] {
    const words = new Uint32Array(Math.floor(this.#parts.getSize() / 4));
    this.#parts.read(bytesOf(words), { at: 0 });
    return clampPartLengths(words, this.metadata?.partBytes ?? 0, this.#bytes.getSize());
  }
}

/** Private windows hold files in memory, and have taken more than they hold. */
function lostBytes(): DOMException {
  return new DOMException('The browser stored fewer bytes than were written.', 'QuotaExceededError');
}

function bytesOf(words: Uint32Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(words.buffer);
}

/** Saves the metadata of a complete file, with the time of the last change to its bytes. */
export async function saveWritten(
  folder: FileSystemDirectoryHandle,
  name: string,
  metadata: FileMetadata,
): Promise<void> {
  const { lastModified } = await (await folder.getFileHandle(name + BYTES)).getFile();
  const written: OpfsMetadata = { ...metadata, writtenAt: lastModified };
  await writeText(folder, name + RECORD, JSON.stringify(written));
}

/** A file as it is stored; undefined when there is no metadata of it. */
export async function findFile(folder: FileSystemDirectoryHandle, name: string): Promise<FileStatus | undefined> {
  const [text, bytes] = await Promise.all([readText(folder, name + RECORD), openFile(folder, name + BYTES)]);
  const metadata: OpfsMetadata | undefined = text === undefined ? undefined : parseMetadata(text);
  if (!metadata) return undefined;
  const size = bytes?.size ?? 0;
  if (metadata.state !== 'complete') {
    const noted = (await readBytes(folder, name + PARTS)) ?? new Uint8Array(0);
    const words = new Uint32Array(noted.buffer, 0, Math.floor(noted.length / 4));
    return partialStatus(metadata, clampPartLengths(words, metadata.partBytes, size), size);
  }
  return { metadata, bytes: size, untouched: size === metadata.size && bytes?.lastModified === metadata.writtenAt };
}
