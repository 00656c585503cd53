/** A folder of the disk whose files are read where they are: nothing of them is stored anywhere else. @module */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InferenceError } from '../../core/errors/inference-error.js';
import {
  type ByteStorage,
  type FileLocation,
  type FileMetadata,
  type FileStatus,
  lengthOfPart,
  type ModelNote,
  newMetadata,
  type OpenFile,
  type ReadStored,
} from '../../store/storage/byte-storage.js';
import { MemoryStorage } from '../../store/storage/memory-storage.js';
import { defaultEnvironment, type StoreEnvironment } from '../../store/storage/store-environment.js';
import { openUnchanged, readRange, readWhole } from './disk-files.js';

/** Bytes that are read at a time, and are in memory beside an engine's own. */
const PIECE_BYTES = 2 ** 20;

/** The store of the files of a folder. @param folder `file:` URL; ends with `/` */
export function localFolderStore(folder: string): StoreEnvironment {
  const storage = new LocalFolder(folder);
  return {
    ...defaultEnvironment,
    storage,
    locks: undefined,
    isOffline: () => false,
    // What is there was found without being asked for.
    fetch: async (url, { method }) => {
      const size = method === 'HEAD' ? storage.sizeAt(fileURLToPath(url)) : undefined;
      if (size === undefined) return new Response(null, { status: 404 });
      return new Response(null, { headers: { 'content-length': String(size) } });
    },
  };
}

class LocalFolder implements ByteStorage {
  readonly lasting = true;
  readonly #url: string;
  /** What is known of files beside their bytes: hashes that were compared, and that they are not there. */
  readonly #known = new Map<string, FileMetadata>();
  /** Takes what is said of a file that is not there. */
  readonly #absent = new MemoryStorage();

  /** @param url `file:` URL of the folder; ends with `/` */
  constructor(url: string) {
    this.#url = url;
  }

  sizeAt(path: string): number | undefined {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() ? stat.size : undefined;
  }

  async find(location: FileLocation): Promise<FileStatus | undefined> {
    const size = this.sizeAt(this.#pathOf(location));
    if (size === undefined) return this.#absent.find(location);
    const known = this.#known.get(location.file);
    const url = new URL(location.file, location.model).href;
    const metadata: FileMetadata =
      known?.size === size ? known : { ...newMetadata(location, url, PIECE_BYTES), state: 'complete', size };
    return { metadata, bytes: size, untouched: true };
  }

  /** Nothing is written: what is there is not what the entry says, or it is not there. */
  async open(location: FileLocation): Promise<OpenFile> {
    if (this.sizeAt(this.#pathOf(location)) === undefined) return this.#absent.open(location);
    const message = `The file \`${this.#pathOf(location)}\` is not the one of the entry's \`integrity\`.`;
    throw new InferenceError('unavailable', message, { reason: message, permanent: true });
  }

  async readAll(
    location: FileLocation,
    onBytes: (loaded: number, total: number) => void,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = readWhole(this.#pathOf(location));
    onBytes(bytes.length, bytes.length);
    return bytes;
  }

  async openRange(file: FileStatus): Promise<ReadStored> {
    return openUnchanged(this.#pathOf(file.metadata));
  }

  async readPart({ metadata }: FileStatus, part: number): Promise<Uint8Array<ArrayBuffer>> {
    return readRange(this.#pathOf(metadata), part * metadata.partBytes, lengthOfPart(metadata, part));
  }

  async accept({ metadata }: FileStatus): Promise<void> {
    this.#known.set(metadata.file, metadata);
  }

  remove(location: FileLocation): Promise<void> {
    return this.#absent.remove(location);
  }

  /** @throws InferenceError `unavailable` when there is no such folder */
  async list(): Promise<{ note: ModelNote; files: FileStatus[] }[]> {
    const folder = fileURLToPath(this.#url);
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
      const reason = `There is no folder \`${folder}\`.`;
      throw new InferenceError('unavailable', reason, { reason });
    }
    const found = readdirSync(folder).map((file) => this.find({ model: this.#url, file }));
    const files = (await Promise.all(found)).filter((status) => status !== undefined);
    return [{ note: { model: this.#url, wanted: [], lastUsed: 0 }, files }];
  }

  async saveNote(): Promise<void> {}

  async removeModel(): Promise<void> {}

  #pathOf({ file }: FileLocation): string {
    return join(fileURLToPath(this.#url), file);
  }
}
