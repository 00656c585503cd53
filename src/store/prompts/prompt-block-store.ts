/**
 * Blocks of prompts that were read, in the origin private file system: bounded, checked, shared by all tabs. A model has a
 * folder, a block is one file that holds its own name, length and checksum. There is no index that a crash could break: the
 * names tell which block follows which, and the time of a file's last change tells when it was used.
 * @module
 */
import type { PromptCacheUsage } from '../../core/models/stored-model.js';
import { type BlockName, blockFileName, parseBlockFileName, shortened } from './block-name.js';
import { hold, type Release } from '../../core/platform/hold-lock.js';
import { sha256 } from '../storage/digest.js';
import { openFile, hasSyncAccess, ifFound, openHandle, readText, writeText } from '../storage/opfs-access.js';

/** Folder in the file system's root. */
const FOLDER = 'inpage-prompts';

/** Says whose blocks are in a folder. */
const SOURCE = 'source';

/** Its holder writes, for all tabs of the origin. */
const LOCK = 'inpage:prompts';

/** Milliseconds in which another writer must be done. */
const LOCK_TIMEOUT_MS = 30_000;

const MAGIC = new TextEncoder().encode('inpage-1');
const HASH_BYTES = 32;
/** Magic, hash of the name, length, hash of the content. */
export const BLOCK_HEADER_BYTES = MAGIC.length + HASH_BYTES + 4 + HASH_BYTES;

/** Where blocks are stored, and who may write. */
export interface BlockLocation {
  root: FileSystemDirectoryHandle;
  /** Undefined: this realm is the only one. */
  locks: LockManager | undefined;
}

/** A block to be written. The bytes are asked for only when it is not there yet. */
export interface NewBlock extends BlockName {
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

interface BlockFile extends Partial<BlockName> {
  folder: FileSystemDirectoryHandle;
  name: string;
  bytes: number;
  lastUsed: number;
}

/** The blocks of one model. */
export class PromptBlockStore {
  readonly #source: string;
  readonly #options: BlockOptions;
  #root: FileSystemDirectoryHandle;
  #folder: FileSystemDirectoryHandle;
  /** Files whose content this realm has seen right: others are read before they count as stored. */
  readonly #checked = new Set<string>();

  private constructor(source: string, options: BlockOptions, { root, folder }: BlockFolders) {
    this.#source = source;
    this.#options = options;
    this.#root = root;
    this.#folder = folder;
  }

  /** @returns undefined where this realm cannot write such files */
  static async open(source: string, options: BlockOptions): Promise<PromptBlockStore | undefined> {
    if (!hasSyncAccess()) return undefined;
    const store = new PromptBlockStore(source, options, await openFolders(source, options.root));
    // The bound may be lower than when the blocks were written. No load waits for that.
    void store.#locked(async () => store.#makeRoom(await store.#list(), -BLOCK_HEADER_BYTES, new Set()));
    return store;
  }

  /** There is a file of this name; what is in it shows when it is read. */
  async has(block: BlockName): Promise<boolean> {
    return (await ifFound(this.#folder.getFileHandle(blockFileName(block)))) !== undefined;
  }

  /** A block's bytes; undefined when there is none. A file with anything else in it is removed. */
  async read(block: BlockName): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.#readFile(blockFileName(block));
  }

  /** Small notes of the model's, stored like blocks. */
  async readNote(name: string): Promise<string | undefined> {
    const bytes = await this.#readFile(name);
    return bytes && new TextDecoder().decode(bytes);
  }

  /** @returns false when there is no room for it, or another tab writes for long */
  async writeNote(name: string, text: string): Promise<boolean> {
    const bytes = new TextEncoder().encode(text);
    return this.#locked(async () => {
      const files = (await this.#list()).filter((file) => file.name !== name);
      return (await this.#makeRoom(files, bytes.length, new Set())) && this.#writeFile(name, bytes);
    });
  }

  /**
   * Keeps the blocks of one prompt, in their order, and notes their use. Others that were used least recently make room.
   * @returns whether all of them are there now
   */
  async write(blocks: readonly NewBlock[], signal: AbortSignal): Promise<boolean> {
    return this.#locked(async () => {
      const wanted = new Set(blocks.map(({ key }) => shortened(key)));
      let files: BlockFile[] | undefined;
      for (const block of blocks) {
        if (signal.aborted) return false;
        if (await this.#isStored(block)) {
          await this.#touch(blockFileName(block));
          continue;
        }
        const bytes = await block.bytes();
        files ??= await this.#list();
        if (
          !(await this.#makeRoom(files, bytes.length, wanted)) ||
          !(await this.#writeFile(blockFileName(block), bytes))
        )
          return false;
        files.push(await describe(this.#folder, blockFileName(block)));
      }
      return true;
    });
  }

  /** There is such a file, and the right content in it. */
  async #isStored(block: BlockName): Promise<boolean> {
    if (this.#checked.has(blockFileName(block))) return this.has(block);
    return (await this.read(block)) !== undefined;
  }

  async #locked(work: () => Promise<boolean>): Promise<boolean> {
    const { locks } = this.#options;
    let release: Release | undefined = () => {};
    try {
      if (locks) release = await hold(locks, LOCK, { signal: AbortSignal.timeout(LOCK_TIMEOUT_MS) });
      return await work().catch(async (thrown: unknown) => {
        if ((thrown as Error).name !== 'NotFoundError') throw thrown;
        // Another tab has removed the folder.
        ({ root: this.#root, folder: this.#folder } = await openFolders(this.#source, this.#options.root));
        return work();
      });
    } catch {
      // A full disk, or another tab that writes for long: then nothing more is stored.
      return false;
    } finally {
      release?.();
    }
  }

  /**
   * Removes blocks until so many bytes more are within the bound: of those that no other continues the least recently used.
   * @param wanted keys that must stay
   */
  async #makeRoom(files: BlockFile[], length: number, wanted: ReadonlySet<string>): Promise<boolean> {
    const room = this.#options.maxBytes - BLOCK_HEADER_BYTES - length;
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    while (bytes > room) {
      const parents = new Set(files.map(({ parent }) => parent));
      const oldest = files
        .filter(({ key }) => key !== undefined && !parents.has(key) && !wanted.has(key))
        .toSorted((a, b) => a.lastUsed - b.lastUsed)[0];
      if (!oldest) return false;
      await oldest.folder.removeEntry(oldest.name);
      files.splice(files.indexOf(oldest), 1);
      bytes -= oldest.bytes;
    }
    return true;
  }

  async #list(): Promise<BlockFile[]> {
    const files: BlockFile[] = [];
    for await (const folder of this.#root.values())
      if (folder.kind === 'directory') for await (const name of folder.keys()) files.push(await describe(folder, name));
    return files;
  }

  async #writeFile(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const header = await encodeHeader(name, bytes);
    const handle = await openHandle(this.#folder, name);
    let isWhole = false;
    try {
      handle.truncate(0);
      isWhole = handle.write(header, { at: 0 }) === header.length;
      isWhole &&= handle.write(bytes, { at: header.length }) === bytes.length;
      isWhole &&= handle.getSize() === header.length + bytes.length;
    } finally {
      handle.close();
      if (!isWhole) await this.#folder.removeEntry(name).catch(() => {});
    }
    if (isWhole) this.#checked.add(name);
    return isWhole;
  }

  async #readFile(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const file = await openFile(this.#folder, name);
    if (!file) return undefined;
    const all = new Uint8Array(await file.arrayBuffer());
    const bytes = all.subarray(BLOCK_HEADER_BYTES);
    const header = await encodeHeader(name, bytes);
    if (all.length >= BLOCK_HEADER_BYTES && header.every((byte, location) => byte === all[location])) {
      this.#checked.add(name);
      return bytes;
    }
    this.#checked.delete(name);
    // Another tab may just be writing it.
    await this.#folder.removeEntry(name).catch(() => {});
    return undefined;
  }

  /** Writes what is there already, so that the file counts as used now. */
  async #touch(name: string): Promise<void> {
    const handle = await openHandle(this.#folder, name);
    handle.write(MAGIC, { at: 0 });
    handle.close();
  }
}

export interface BlockOptions extends BlockLocation {
  /** Of all models together. */
  maxBytes: number;
}

interface BlockFolders {
  /** Of all models. */
  root: FileSystemDirectoryHandle;
  /** Of one. */
  folder: FileSystemDirectoryHandle;
}

/** The folders of a model's blocks, made where they are missing. */
async function openFolders(source: string, storage: FileSystemDirectoryHandle): Promise<BlockFolders> {
  const root = await storage.getDirectoryHandle(FOLDER, { create: true });
  const folder = await root.getDirectoryHandle(await folderName(source), { create: true });
  if ((await readText(folder, SOURCE)) !== source) await writeText(folder, SOURCE, source);
  return { root, folder };
}

/** What is cached of prompts, by the folder (a URL) of their model's files. */
export async function listCachedPrompts(
  root: FileSystemDirectoryHandle,
): Promise<Map<string, { usage: PromptCacheUsage; lastUsed: number }>> {
  const all = new Map<string, { usage: PromptCacheUsage; lastUsed: number }>();
  const top = await ifFound(root.getDirectoryHandle(FOLDER));
  if (!top) return all;
  for await (const [name, folder] of top.entries()) {
    if (folder.kind !== 'directory') continue;
    const source = await readText(folder, SOURCE);
    // A damaged text would name a model that never was.
    if (source === undefined || (await folderName(source)) !== name) continue;
    const files: BlockFile[] = [];
    for await (const file of folder.keys()) files.push(await describe(folder, file));
    const parents = new Set(files.map(({ parent }) => parent));
    const count = files.filter(({ key }) => key !== undefined && !parents.has(key)).length;
    const lastUsed = Math.max(...files.map((file) => file.lastUsed));
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    if (count > 0) all.set(source, { usage: { count, bytes }, lastUsed });
  }
  return all;
}

/**
 * Removes what is cached of a model's prompts. Rejects when another tab writes for long.
 * @param source URL of its files' folder
 */
export async function removeCachedPrompts({ root, locks }: BlockLocation, source: string): Promise<void> {
  const top = await ifFound(root.getDirectoryHandle(FOLDER));
  const folder = await folderName(source);
  if (!top || !(await ifFound(top.getDirectoryHandle(folder)))) return;
  const release = locks && (await hold(locks, LOCK, { signal: AbortSignal.timeout(LOCK_TIMEOUT_MS) }));
  try {
    await ifFound(top.removeEntry(folder, { recursive: true }));
  } finally {
    release?.();
  }
}

/** Removes what is cached of all models' prompts. */
export async function removeAllCachedPrompts(root: FileSystemDirectoryHandle): Promise<void> {
  await ifFound(root.removeEntry(FOLDER, { recursive: true }));
}

async function folderName(source: string): Promise<string> {
  return shortened(await sha256(new TextEncoder().encode(source)));
}

async function describe(folder: FileSystemDirectoryHandle, name: string): Promise<BlockFile> {
  const file = await openFile(folder, name);
  return { folder, name, bytes: file?.size ?? 0, lastUsed: file?.lastModified ?? 0, ...parseBlockFileName(name) };
}

async function encodeHeader(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const header = new Uint8Array(BLOCK_HEADER_BYTES);
  header.set(MAGIC);
  header.set(await rawHash(new TextEncoder().encode(name)), MAGIC.length);
  new DataView(header.buffer).setUint32(MAGIC.length + HASH_BYTES, bytes.length);
  header.set(await rawHash(bytes), BLOCK_HEADER_BYTES - HASH_BYTES);
  return header;
}

async function rawHash(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return Uint8Array.from((await sha256(bytes)).match(/../g)!, (digits) => Number.parseInt(digits, 16));
}
