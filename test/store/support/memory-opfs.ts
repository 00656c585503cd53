/** The origin private file system in Node, with a worker's sync access handles: what it does not promise is not kept. */

/** A disk with one worker that writes to it. */
export interface MemoryDisk {
  root: MemoryFolder;
  /** Bytes that may still be written. */
  free: number;
  /** Bytes of a file that are kept of what was written: private windows have lost the rest without a word. */
  holds: number;
  /** A file's size tells what was lost; else only a read does. */
  saysWhatItLost: boolean;
  /** The worker ends at once: its handles are gone, and what it had written stays. */
  kill(): void;
}

class MemoryFile {
  bytes = new Uint8Array(0);
  size = 0;
  changed = Date.now();
  isOpen = false;
}

export function memoryDisk(): MemoryDisk {
  const disk: MemoryDisk & { handles: Set<MemoryAccess> } = {
    free: Infinity,
    holds: Infinity,
    saysWhatItLost: true,
    handles: new Set(),
    root: undefined as never,
    kill() {
      for (const handle of disk.handles) handle.die();
    },
  };
  disk.root = new MemoryFolder(disk);
  return disk;
}

export class MemoryFolder {
  readonly kind = 'directory';
  readonly children = new Map<string, MemoryFolder | MemoryHandle>();
  readonly #disk: ReturnType<typeof memoryDisk>;
  readonly #parent: MemoryFolder | undefined;
  #isRemoved = false;

  constructor(disk: MemoryDisk, parent?: MemoryFolder) {
    this.#disk = disk;
    this.#parent = parent;
  }

  /** A handle outlives its folder, and finds nothing any more. */
  requireThere(): void {
    if (this.#isRemoved) notFound();
    this.#parent?.requireThere();
  }

  async getDirectoryHandle(name: string, { create = false } = {}): Promise<MemoryFolder> {
    this.requireThere();
    if (!this.children.has(name) && create) this.children.set(name, new MemoryFolder(this.#disk, this));
    return (this.children.get(name) as MemoryFolder | undefined) ?? notFound();
  }

  async getFileHandle(name: string, { create = false } = {}): Promise<MemoryHandle> {
    this.requireThere();
    if (!this.children.has(name) && create) this.children.set(name, new MemoryHandle(this.#disk));
    return (this.children.get(name) as MemoryHandle | undefined) ?? notFound();
  }

  async removeEntry(name: string): Promise<void> {
    const entry = this.children.get(name) ?? notFound();
    if (entry instanceof MemoryHandle && entry.content.isOpen) throw inUse();
    if (entry instanceof MemoryFolder) entry.#isRemoved = true;
    this.children.delete(name);
  }

  async *values(): AsyncGenerator<MemoryFolder | MemoryHandle> {
    this.requireThere();
    yield* this.children.values();
  }

  async *keys(): AsyncGenerator<string> {
    this.requireThere();
    yield* this.children.keys();
  }

  async *entries(): AsyncGenerator<[string, MemoryFolder | MemoryHandle]> {
    this.requireThere();
    yield* this.children;
  }
}

export class MemoryHandle {
  readonly kind = 'file';
  readonly content = new MemoryFile();
  readonly #disk: MemoryDisk;

  constructor(disk: MemoryDisk) {
    this.#disk = disk;
  }

  async getFile(): Promise<File> {
    const { bytes, size, changed } = this.content;
    const slice = (start: number, end: number) => ({
      arrayBuffer: async () => bytes.slice(start, Math.min(end, size)).buffer,
    });
    return { size, lastModified: changed, slice, ...slice(0, size), text: async () => '' } as unknown as File;
  }

  async createSyncAccessHandle(): Promise<MemoryAccess> {
    if (this.content.isOpen) throw inUse();
    return new MemoryAccess(this.content, this.#disk as MemoryDisk & { handles: Set<MemoryAccess> });
  }

  /** Changes the bytes behind the store's back. */
  overwrite(change: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>): void {
    const changed = change(this.content.bytes.slice(0, this.content.size));
    Object.assign(this.content, { bytes: changed, size: changed.length, changed: this.content.changed + 1 });
  }
}

class MemoryAccess {
  readonly #file: MemoryFile;
  readonly #disk: MemoryDisk & { handles: Set<MemoryAccess> };
  #isDead = false;

  constructor(file: MemoryFile, disk: MemoryDisk & { handles: Set<MemoryAccess> }) {
    this.#file = file;
    this.#disk = disk;
    file.isOpen = true;
    disk.handles.add(this);
  }

  die(): void {
    this.close();
    this.#isDead = true;
  }

  read(buffer: Uint8Array, { at }: { at: number }): number {
    this.#check();
    const bytes = this.#file.bytes.subarray(
      at,
      Math.max(at, Math.min(this.#file.size, this.#disk.holds, at + buffer.length)),
    );
    buffer.set(bytes);
    return bytes.length;
  }

  /** As browsers do: fewer bytes are written when there is no room for all. */
  write(buffer: Uint8Array, { at }: { at: number }): number {
    this.#check();
    const growth = Math.max(0, at + buffer.length - this.#file.size);
    const count = growth > this.#disk.free ? 0 : buffer.length;
    if (count === 0) return 0;
    this.#disk.free -= growth;
    this.#grow(at + count);
    this.#file.bytes.set(buffer, at);
    this.#file.size = Math.max(this.#file.size, at + count);
    this.#file.changed = Math.max(this.#file.changed + 1, Date.now());
    return count;
  }

  truncate(size: number): void {
    this.#check();
    this.#disk.free += Math.max(0, this.#file.size - size);
    this.#grow(size);
    this.#file.bytes.fill(0, size);
    this.#file.size = size;
    this.#file.changed = Math.max(this.#file.changed + 1, Date.now());
  }

  getSize(): number {
    return this.#disk.saysWhatItLost ? Math.min(this.#file.size, this.#disk.holds) : this.#file.size;
  }

  flush(): void {
    this.#check();
  }

  close(): void {
    if (this.#isDead) return;
    this.#file.isOpen = false;
    this.#disk.handles.delete(this);
  }

  #check(): void {
    if (this.#isDead) throw new DOMException('The worker is gone.', 'InvalidStateError');
  }

  #grow(size: number): void {
    if (this.#file.bytes.length >= size) return;
    const larger = new Uint8Array(Math.max(size, 2 * this.#file.bytes.length));
    larger.set(this.#file.bytes);
    this.#file.bytes = larger;
  }
}

function notFound(): never {
  throw new DOMException('There is no such entry.', 'NotFoundError');
}

function inUse(): DOMException {
  return new DOMException('In use.', 'NoModificationAllowedError');
}
