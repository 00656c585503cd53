/**
 * The KV cache: pages of 64 positions of all layers in the kernels' memory. Sequences with a common beginning share its
 * pages, so that forks, reused prefixes and rolled-back drafts copy nothing but, at most, a last page that is partly filled.
 * @module
 */
import { headBytes, type KvPrecision, PAGE_POSITIONS } from './kernel-exports.js';

/** What decides the size of a page. */
export interface KvShape {
  layers: number;
  /** Heads of keys and values of a layer. */
  kvHeads: number;
  /** Numbers of a head. */
  headSize: number;
  precision: KvPrecision;
}

/** Changes with what the bytes of a page mean: prompts that earlier versions kept are then read again. */
export const PAGE_FORMAT = 2;

/** Bytes of a page. */
export function pageBytes({ layers, kvHeads, headSize, precision }: KvShape): number {
  return layers * 2 * kvHeads * headBytes(precision, headSize);
}

/** Pages that so many positions occupy. */
export const pagesOf = (positions: number): number => Math.ceil(positions / PAGE_POSITIONS);

/** Where pages are. A page is a number: its address, or its place. */
export interface PageStore {
  /** @throws InferenceError `insufficient_resources` when there is no memory for so many bytes more */
  allocate(bytes: number): number;
  /** @param from a page whose content another one gets */
  copy(from: number, to: number, bytes: number): void;
  /** A copy of what a page has. */
  read(page: number, bytes: number): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;
  write(page: number, content: Uint8Array): void;
}

/** Hands out pages and counts who uses them. */
export class KvPages {
  readonly pageBytes: number;
  readonly #memory: PageStore;
  readonly #maxBytes: number;
  readonly #free: number[] = [];
  readonly #holders = new Map<number, number>();
  /** Frees some pages that are only cached; false when there are none. */
  evict: () => boolean = () => false;

  /**
   * @param maxBytes of all pages, above which cached ones are abandoned for new ones; sequences may use more
   * @param bytes of a page, where they are not those of the kernels
   */
  constructor(memory: PageStore, shape: KvShape, maxBytes: number, bytes = pageBytes(shape)) {
    this.#memory = memory;
    this.#maxBytes = maxBytes;
    this.pageBytes = bytes;
  }

  /** Pages that are held. */
  get used(): number {
    return this.#holders.size;
  }

  /** @throws InferenceError `insufficient_resources` when there is no memory for another one */
  allocate(): number {
    while ((this.used + 1) * this.pageBytes > this.#maxBytes && this.evict());
    const page = this.#free.pop() ?? this.#grow();
    this.#holders.set(page, 1);
    return page;
  }

  #grow(): number {
    for (;;) {
      try {
        return this.#memory.allocate(this.pageBytes);
      } catch (error) {
        if (!this.evict()) throw error;
        const page = this.#free.pop();
        if (page !== undefined) return page;
      }
    }
  }

  hold(page: number): void {
    this.#holders.set(page, this.#holders.get(page)! + 1);
  }

  release(page: number): void {
    const holders = this.#holders.get(page)! - 1;
    if (holders > 0) {
      this.#holders.set(page, holders);
      return;
    }
    this.#holders.delete(page);
    this.#free.push(page);
  }

  isShared(page: number): boolean {
    return this.#holders.get(page)! > 1;
  }

  /** A page with the same content, for its caller alone. */
  copy(page: number): number {
    const copy = this.allocate();
    this.#memory.copy(page, copy, this.pageBytes);
    return copy;
  }

  /** The content of a page, as it can be stored. It is a copy. */
  read(page: number): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
    return this.#memory.read(page, this.pageBytes);
  }

  /** A page with content that {@link read} gave. */
  write(content: Uint8Array): number {
    const page = this.allocate();
    this.#memory.write(page, content);
    return page;
  }
}

/** The keys and values of the first tokens of a sequence. */
export class KvSequence {
  readonly #pool: KvPages;
  #pages: number[];
  #length: number;

  /** @param pages belong to the sequence from now on */
  constructor(pool: KvPages, pages: number[] = [], length = 0) {
    this.#pool = pool;
    this.#pages = pages;
    this.#length = length;
  }

  /** Positions that are filled. */
  get length(): number {
    return this.#length;
  }

  /** In the order of their positions. */
  get pages(): readonly number[] {
    return this.#pages;
  }

  /**
   * Makes room for further positions that no one else reads. They count when they are filled: see {@link advance}.
   * @throws InferenceError `insufficient_resources`; the sequence is as it was
   */
  reserve(positions: number): void {
    if (positions === 0) return;
    const filled = this.#length % PAGE_POSITIONS;
    const last = Math.floor(this.#length / PAGE_POSITIONS);
    const shared = this.#pages[last];
    if (filled > 0 && shared !== undefined && this.#pool.isShared(shared)) {
      this.#pages[last] = this.#pool.copy(shared);
      this.#pool.release(shared);
    }
    const most = pagesOf(this.#length + positions);
    while (this.#pages.length < most) this.#pages.push(this.#pool.allocate());
  }

  /**
   * Adds a whole page of positions, which {@link KvPages.read} gave, behind whole ones.
   * @throws InferenceError `insufficient_resources`
   */
  append(content: Uint8Array): void {
    this.#pages.push(this.#pool.write(content));
    this.#length += PAGE_POSITIONS;
  }

  /** The next positions were filled. */
  advance(positions: number): void {
    this.#length += positions;
  }

  /** The same beginning for another sequence. @param length at most this one's */
  fork(length = this.#length): KvSequence {
    const pages = this.#pages.slice(0, pagesOf(length));
    for (const page of pages) this.#pool.hold(page);
    return new KvSequence(this.#pool, pages, length);
  }

  /** Forgets all positions from `length` on. */
  truncate(length: number): void {
    this.#length = length;
    for (const page of this.#pages.splice(pagesOf(length))) this.#pool.release(page);
  }

  /** The sequence is then empty. Safe to call twice. */
  release(): void {
    this.truncate(0);
  }
}
