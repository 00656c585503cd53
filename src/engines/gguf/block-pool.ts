/** Blocks of one size which several may hold. @module */

/** Where blocks are. A block is a number: its address, or its place. */
export interface PageStore {
  /** @throws InferenceError `insufficient_resources` when there is no memory for so many bytes more */
  allocate(bytes: number): number;
  /** @param from a block whose content another one gets */
  copy(from: number, to: number, bytes: number): void;
  /** A copy of what a block has. */
  read(block: number, bytes: number): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;
  write(block: number, content: Uint8Array): void;
  /** Makes a block zeros. @default by writing them */
  clear?(block: number): void;
  /** Where states are. @default where pages are */
  readonly states?: PageStore | undefined;
}

/** What all blocks of a model occupy together. */
export interface Budget {
  readonly maxBytes: number;
  usedBytes: number;
  /** Frees some blocks that are only cached; false when there are none. */
  evict(): boolean;
}

/** Hands out blocks of one size and counts who uses them. A block is the number that its store gave. */
export class BlockPool {
  readonly bytes: number;
  readonly #memory: PageStore;
  readonly #budget: Budget;
  readonly #free: number[] = [];
  readonly #holders = new Map<number, number>();

  constructor(memory: PageStore, bytes: number, budget: Budget) {
    this.#memory = memory;
    this.bytes = bytes;
    this.#budget = budget;
  }

  /** Blocks that are held. */
  get used(): number {
    return this.#holders.size;
  }

  /** @throws InferenceError `insufficient_resources` when there is no memory for another one */
  allocate(): number {
    const budget = this.#budget;
    while (budget.usedBytes + this.bytes > budget.maxBytes && budget.evict());
    const block = this.#free.pop() ?? this.#grow();
    this.#holders.set(block, 1);
    budget.usedBytes += this.bytes;
    return block;
  }

  #grow(): number {
    for (;;) {
      try {
        return this.#memory.allocate(this.bytes);
      } catch (error) {
        if (!this.#budget.evict()) throw error;
        const block = this.#free.pop();
        if (block !== undefined) return block;
      }
    }
  }

  hold(block: number): void {
    this.#holders.set(block, this.#holders.get(block)! + 1);
  }

  release(block: number): void {
    const holders = this.#holders.get(block)! - 1;
    if (holders > 0) {
      this.#holders.set(block, holders);
      return;
    }
    this.#holders.delete(block);
    this.#free.push(block);
    this.#budget.usedBytes -= this.bytes;
  }

  isShared(block: number): boolean {
    return this.#holders.get(block)! > 1;
  }

  /** A block with the same content, for its caller alone. */
  copy(block: number): number {
    const copy = this.allocate();
    this.#memory.copy(block, copy, this.bytes);
    return copy;
  }

  /** A block of zeros. */
  empty(): number {
    const block = this.allocate();
    if (this.#memory.clear) this.#memory.clear(block);
    else this.#memory.write(block, new Uint8Array(this.bytes));
    return block;
  }

  /** The content of a block, as it can be stored. It is a copy. */
  read(block: number): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
    return this.#memory.read(block, this.bytes);
  }

  /** A block with content that {@link read} gave. */
  write(content: Uint8Array): number {
    const block = this.allocate();
    this.#memory.write(block, content);
    return block;
  }
}
