/** Blocks of one size in the kernels' memory, which several may hold. @module */
import type { KernelMemory } from './kernel-memory.js';

/** What all blocks of a model occupy together. */
export interface Budget {
  readonly maxBytes: number;
  usedBytes: number;
  /** Frees some blocks that are only cached; false when there are none. */
  evict(): boolean;
}

/** Hands out blocks of one size and counts who uses them. A block is the address of its first byte. */
export class BlockPool {
  readonly bytes: number;
  readonly #memory: KernelMemory;
  readonly #budget: Budget;
  readonly #free: number[] = [];
  readonly #holders = new Map<number, number>();

  constructor(memory: KernelMemory, bytes: number, budget: Budget) {
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
    this.#memory.bytes(copy, this.bytes).set(this.#memory.bytes(block, this.bytes));
    return copy;
  }

  /** A block of zeros. */
  empty(): number {
    const block = this.allocate();
    this.#memory.bytes(block, this.bytes).fill(0);
    return block;
  }

  /** The content of a block, as it can be stored. It is a copy. */
  read(block: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#memory.bytes(block, this.bytes));
  }

  /** A block with content that {@link read} gave. */
  write(content: Uint8Array): number {
    const block = this.allocate();
    this.#memory.bytes(block, this.bytes).set(content);
    return block;
  }
}
