/**
 * The KV cache: pages of 64 positions of all layers in the kernels' memory. Sequences with a common beginning share its
 * pages, so that forks, reused prefixes and rolled-back drafts copy nothing but, at most, a last page that is partly filled.
 *
 * Layers that are recurrent have a state of fixed size in the place of keys and values. It is that of one position and cannot go
 * back, so that a sequence keeps copies of it at some positions: what goes back goes to one of them.
 * @module
 */
import { BlockPool, type Budget, type PageStore } from './block-pool.js';
import { headBytes, type KvPrecision, PAGE_POSITIONS } from './kernel-exports.js';

export type { PageStore } from './block-pool.js';

/** What decides the size of a page. */
export interface KvShape {
  layers: number;
  /** Heads of keys and values of a layer. */
  kvHeads: number;
  /** Numbers of a head. */
  headSize: number;
  precision: KvPrecision;
  /** What differs between layers, where anything does. */
  kvLayers?: readonly KvLayer[] | undefined;
  /** Bytes of the state of a sequence's recurrent layers; absent: there are none. */
  stateBytes?: number | undefined;
}

/** A layer's keys and values. */
export interface KvLayer {
  /** 0: it has none. */
  kvHeads: number;
  headSize: number;
}

/** Changes with what the bytes of a page mean: prompts that earlier versions kept are then read again. */
const PAGE_FORMAT = 2;

/** What prompts that are kept are known by, so that none is read in another format than it was written in. */
export const pageIdentity = (hash: string, { exact, precision }: PageTraits, rounding: string): unknown[] => [
  hash,
  exact,
  rounding,
  PAGE_FORMAT,
  ...(precision === 8 ? [precision] : []),
];

interface PageTraits {
  /** Activations are not rounded. */
  exact: boolean;
  precision: KvPrecision;
}

const LEAST_BYTES = 64;

/** Bytes of a page. */
export function pageBytes(shape: KvShape): number {
  // At least an address of its own.
  return Math.max(LEAST_BYTES, layerOffsets(shape).at(-1)!);
}

/** Where the layers begin in a page, and where the last one ends. */
export function layerOffsets(shape: KvShape): number[] {
  const { layers, kvHeads, headSize, precision, kvLayers } = shape;
  const offsets = [0];
  for (let layer = 0; layer < layers; layer++) {
    const own = kvLayers?.[layer] ?? { kvHeads, headSize };
    offsets.push(offsets[layer]! + 2 * own.kvHeads * headBytes(precision, own.headSize));
  }
  return offsets;
}

/** Bytes of a sequence's state. */
export const stateBytesOf = ({ stateBytes = 0 }: KvShape): number => stateBytes;

/** Pages that so many positions occupy. */
export const pagesOf = (positions: number): number => Math.ceil(positions / PAGE_POSITIONS);

/** Bytes of copies of its state that a sequence keeps, and at least so many copies. */
const [MOST_COPIED, LEAST_COPIES, MOST_COPIES] = [2 ** 26, 5, 64];
/** Tokens before the end of a prompt at which a copy is kept: those of a template's last line may be others the next time. */
const BEFORE_END = 16;
/** Pages after each of which a copy is kept, at most. */
const MOST_PAGES_APART = 8;

/** Pages, and states of models with recurrent layers. */
export class KvPages extends BlockPool {
  /** Undefined: no layer is recurrent. */
  readonly states: BlockPool | undefined;
  /** Frees some blocks that are only cached; false when there are none. */
  evict: () => boolean = () => false;

  /**
   * @param maxBytes of all pages and states, above which cached ones are abandoned for new ones; sequences may use more
   * @param bytes of a page, where they are not those of the kernels
   */
  constructor(memory: PageStore, shape: KvShape, maxBytes: number, bytes = pageBytes(shape)) {
    const budget: Budget = { maxBytes, usedBytes: 0, evict: () => this.evict() };
    super(memory, bytes, budget);
    const stateBytes = stateBytesOf(shape);
    this.states = stateBytes > 0 ? new BlockPool(memory.states ?? memory, stateBytes, budget) : undefined;
  }

  get pageBytes(): number {
    return this.bytes;
  }
}

/** The state at a position. */
interface StateCopy {
  position: number;
  state: number;
}

/** The keys and values of the first tokens of a sequence, and the state behind them. */
export class KvSequence {
  readonly #pool: KvPages;
  #pages: number[];
  #length: number;
  /** Undefined: no layer is recurrent, or nothing was read. */
  #state: number | undefined;
  /** By position, rising. */
  #copies: StateCopy[] = [];
  /** Further positions at which a copy is wanted. */
  #stops: readonly number[] = [];

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

  /** Where the state of recurrent layers is, once there is room {@link reserve}d. */
  get state(): number {
    return this.#state ?? 0;
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
    const { states } = this.#pool;
    if (!states) return;
    if (this.#state === undefined) this.#state = states.empty();
    else if (states.isShared(this.#state)) {
      const before = this.#state;
      this.#state = states.copy(before);
      states.release(before);
    }
  }

  /**
   * Adds a whole page of positions, which {@link block} gave, behind whole ones.
   * @throws InferenceError `insufficient_resources`
   */
  append(content: Uint8Array): void {
    const { bytes, states } = this.#pool;
    this.#pages.push(this.#pool.write(content.subarray(0, bytes)));
    this.#length += PAGE_POSITIONS;
    if (!states) return;
    if (this.#state !== undefined) states.release(this.#state);
    this.#state = content.length > bytes ? states.write(content.subarray(bytes)) : undefined;
    this.keepState();
  }

  /** A whole page, as {@link append} takes it: with the state behind it where that is kept. */
  async block(index: number): Promise<Uint8Array<ArrayBuffer>> {
    const page = await this.#pool.read(this.#pages[index]!);
    const copy = this.#copies.find(({ position }) => position === (index + 1) * PAGE_POSITIONS);
    if (!copy) return page;
    const state = await this.#pool.states!.read(copy.state);
    const both = new Uint8Array(page.length + state.length);
    both.set(page);
    both.set(state, page.length);
    return both;
  }

  /** A prompt of so many tokens is going to be read: copies of the state are kept before its end, and there. */
  expectPrompt(tokens: number): void {
    this.#stops = [Math.floor((tokens - 1) / PAGE_POSITIONS) * PAGE_POSITIONS, tokens - BEFORE_END, tokens];
  }

  /** How many of so many positions can be filled before a copy of the state is wanted. */
  untilStop(positions: number): number {
    if (!this.#pool.states) return positions;
    const apart = this.#positionsApart;
    const next = [...this.#stops, (Math.floor(this.#length / apart) + 1) * apart].filter((stop) => stop > this.#length);
    return Math.min(positions, ...next.map((stop) => stop - this.#length));
  }

  /** Positions after each of which a copy is kept: further apart where it is large beside keys and values. */
  get #positionsApart(): number {
    const { states, bytes } = this.#pool;
    const pages = bytes === 0 ? MOST_PAGES_APART : Math.ceil((2 * states!.bytes) / bytes);
    return PAGE_POSITIONS * Math.min(MOST_PAGES_APART, pages);
  }

  /** The next positions were filled. */
  advance(positions: number): void {
    this.#length += positions;
    if (!this.#pool.states || positions === 0) return;
    if (this.#stops.includes(this.#length) || this.#length % this.#positionsApart === 0) this.keepState();
  }

  /** Keeps a copy of the state: the sequence can go back to where it is now. Does nothing where no layer is recurrent. */
  keepState(): void {
    const { states } = this.#pool;
    if (!states || this.#state === undefined || this.#copies.at(-1)?.position === this.#length) return;
    states.hold(this.#state);
    this.#copies.push({ position: this.#length, state: this.#state });
    const most = Math.min(MOST_COPIES, Math.max(LEAST_COPIES, Math.floor(MOST_COPIED / states.bytes)));
    if (this.#copies.length > most) states.release(this.#copies.splice(this.#densest(), 1)[0]!.state);
  }

  /** Which copy is least worth: between its neighbours, which are closest to each other. The last ones of a prompt stay. */
  #densest(): number {
    const copies = this.#copies;
    let [best, least] = [0, Infinity];
    for (let index = 0; index < copies.length - 1; index++) {
      const gap = copies[index + 1]!.position - (copies[index - 1]?.position ?? 0);
      if (gap < least && !this.#stops.includes(copies[index]!.position)) [best, least] = [index, gap];
    }
    return best;
  }

  /** The last position up to `length` from which it can be continued. */
  usable(length: number): number {
    if (!this.#pool.states || length >= this.#length) return Math.min(length, this.#length);
    return this.#copies.findLast(({ position }) => position <= length)?.position ?? 0;
  }

  /** The same beginning for another sequence, as far as it is {@link usable}. @param length at most this one's */
  fork(length = this.#length): KvSequence {
    const usable = this.usable(length);
    const pages = this.#pages.slice(0, pagesOf(usable));
    for (const page of pages) this.#pool.hold(page);
    const fork = new KvSequence(this.#pool, pages, usable);
    const { states } = this.#pool;
    if (!states || usable === 0) return fork;
    fork.#copies = this.#copies.filter(({ position }) => position <= usable);
    for (const { state } of fork.#copies) states.hold(state);
    fork.#state = usable === this.#length ? this.#state : fork.#copies.at(-1)!.state;
    states.hold(fork.#state!);
    return fork;
  }

  /** Forgets all positions from `length` on, and those before it that do not end where it is {@link usable}. */
  truncate(length: number): void {
    const usable = this.usable(length);
    const isShorter = usable < this.#length;
    this.#length = usable;
    for (const page of this.#pages.splice(pagesOf(usable))) this.#pool.release(page);
    const { states } = this.#pool;
    if (!states || (!isShorter && usable > 0)) return;
    const kept = this.#copies.filter(({ position }) => position <= usable);
    const last = usable > 0 ? kept.at(-1)!.state : undefined;
    if (last !== undefined) states.hold(last);
    for (const { state } of this.#copies.slice(kept.length)) states.release(state);
    if (this.#state !== undefined) states.release(this.#state);
    this.#copies = kept;
    this.#state = last;
  }

  /** The sequence is then empty. Safe to call twice. */
  release(): void {
    this.truncate(0);
  }
}
