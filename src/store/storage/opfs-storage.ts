/**
 * Files in the origin private file system. A model is a folder, a file is up to three of them: its bytes, its metadata, and
 * while it is written how much of each part is there.
 * @module
 */
import {
  type ByteStorage,
  type FileLocation,
  type FileStatus,
  lengthOfPart,
  type ModelNote,
  type OpenFile,
} from './byte-storage.js';
import { sha256 } from './digest.js';
import { MODEL_FOLDER } from './model-folder.js';
import { hasSyncAccess, ifFound, openHandle, readAccess, readText, writeText } from './opfs-access.js';
import { BYTES, findFile, OpenOpfsFile, PARTS, RECORD, saveWritten } from './opfs-file.js';

const NOTE = 'model.json';

/** Bytes that are read at a time, so that progress is seen and a canceled load ends soon. */
const READ_BYTES = 16 * 2 ** 20;

/** Bytes by which what is said of the room may be too little. */
const ROOM_ACCURACY = 2 ** 16;

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
      return new OpfsStorage(await root.getDirectoryHandle(MODEL_FOLDER, { create: true }));
    } catch {
      return undefined;
    }
  }

  /** This realm can write files in place. */
  static get isWritable(): boolean {
    return hasSyncAccess();
  }

  async find(location: FileLocation): Promise<FileStatus | undefined> {
    const folder = await this.#modelFolder(location.model);
    return folder && findFile(folder, await storedName(location.file));
  }

  async open(location: FileLocation): Promise<OpenFile> {
    const folder = (await this.#modelFolder(location.model, { create: true }))!;
    return OpenOpfsFile.open(folder, await storedName(location.file));
  }

  async readAll(
    location: FileLocation,
    onBytes: (loaded: number, total: number) => void,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const folder = await this.#modelFolder(location.model);
    const handle = await folder!.getFileHandle((await storedName(location.file)) + BYTES);
    return (await readThroughHandle(handle, onBytes)) ?? readBlob(await handle.getFile(), onBytes);
  }

  async readPart(file: FileStatus, part: number): Promise<Uint8Array<ArrayBuffer>> {
    const { metadata } = file;
    const start = part * metadata.partBytes;
    return (await this.openRange(file))(start, start + lengthOfPart(metadata, part));
  }

  async openRange({ metadata }: FileStatus): Promise<(from: number, to: number) => Promise<Uint8Array<ArrayBuffer>>> {
    const folder = await this.#modelFolder(metadata.model);
    const handle = await folder!.getFileHandle((await storedName(metadata.file)) + BYTES);
    const blob = await handle.getFile();
    return async (from, to) => new Uint8Array(await blob.slice(from, to).arrayBuffer());
  }

  async accept({ metadata }: FileStatus): Promise<void> {
    const folder = (await this.#modelFolder(metadata.model, { create: true }))!;
    await saveWritten(folder, await storedName(metadata.file), metadata);
  }

  async remove(location: FileLocation): Promise<void> {
    const folder = await this.#modelFolder(location.model);
    const name = await storedName(location.file);
    // The metadata last: what is left of an interrupted removal is not a file.
    for (const ending of [BYTES, PARTS, RECORD]) await folder?.removeEntry(name + ending).catch(() => {});
  }

  async list(): Promise<{ note: ModelNote; files: FileStatus[] }[]> {
    const models = [];
    for await (const folder of this.#folder.values()) {
      if (folder.kind !== 'directory') continue;
      const note = await readNote(folder);
      if (note) models.push({ note, files: await listFiles(folder) });
    }
    return models;
  }

  async saveNote(note: ModelNote): Promise<void> {
    const folder = (await this.#modelFolder(note.model, { create: true }))!;
    await writeText(folder, NOTE, JSON.stringify(note));
  }

  async room(most: number): Promise<number> {
    const name = 'room.bytes';
    const handle = await openHandle(this.#folder, name);
    let [room, tooMuch] = [0, most + 1];
    try {
      while (tooMuch - room > ROOM_ACCURACY) {
        const size = Math.floor((room + tooMuch) / 2);
        try {
          handle.truncate(size);
          room = size;
        } catch {
          tooMuch = size;
        }
      }
    } finally {
      handle.close();
      await this.#folder.removeEntry(name).catch(() => {});
    }
    return room;
  }

  async removeModel(model: string): Promise<void> {
    await this.#folder.removeEntry(await storedName(model), { recursive: true }).catch((error: unknown) => {
      if ((error as Error).name !== 'NotFoundError') throw error;
    });
  }

  async #modelFolder(model: string, { create = false } = {}): Promise<FileSystemDirectoryHandle | undefined> {
    return ifFound(this.#folder.getDirectoryHandle(await storedName(model), { create }));
  }
}

async function listFiles(folder: FileSystemDirectoryHandle): Promise<FileStatus[]> {
  const files: FileStatus[] = [];
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

/** As it is, or undefined while another tab has exclusive access to it. */
async function readThroughHandle(
  file: FileSystemFileHandle,
  onBytes: (loaded: number, total: number) => void,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const handle = await readAccess(file);
  if (!handle) return undefined;
  try {
    const bytes = new Uint8Array(handle.getSize());
    for (let start = 0; start < bytes.length; start += READ_BYTES) {
      const piece = bytes.subarray(start, start + READ_BYTES);
      const count = handle.read(piece, { at: start });
      // The caller notices that some is missing.
      if (count < piece.length) return bytes.subarray(0, start + count);
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

const names = new Map<string, Promise<string>>();

/** 32 characters that stand for a text: URLs and paths are too long for names in storage, and hold slashes. */
function storedName(text: string): Promise<string> {
  let name = names.get(text);
  if (!name) {
    name = sha256(new TextEncoder().encode(text)).then((digest) => digest.slice(0, 32));
    names.set(text, name);
  }
  return name;
}
