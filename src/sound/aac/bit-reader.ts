/** Reads bits, and words of prefix codes. @module */
import type { Codebook } from './aac-tables.js';

/** Bits from the highest of each byte on. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** @param count at most 32 @throws RangeError behind the end */
  read(count: number): number {
    if (this.#at + count > this.#bytes.length * 8) throw new RangeError('The packet of sound ends too early.');
    let value = 0;
    for (let left = count; left > 0;) {
      const [byte, used] = [this.#bytes[this.#at >> 3]!, this.#at & 7];
      const taken = Math.min(left, 8 - used);
      value = value * 2 ** taken + ((byte >> (8 - used - taken)) & ((1 << taken) - 1));
      this.#at += taken;
      left -= taken;
    }
    return value;
  }

  flag(): boolean {
    return this.read(1) === 1;
  }

  skip(count: number): void {
    this.#at += count;
  }

  toByte(): void {
    this.#at = (this.#at + 7) & ~7;
  }

  /** What a word of a code stands for. */
  word(code: PrefixCode): number {
    let [word, first, index] = [0, 0, 0];
    for (const count of code.counts) {
      word += this.read(1);
      if (word - first < count) return code.symbols[index + word - first]!;
      index += count;
      first = (first + count) * 2;
      word *= 2;
    }
    throw new RangeError('The packet of sound is damaged.');
  }
}

/** A codebook, ready to be read with. */
export interface PrefixCode {
  counts: readonly number[];
  symbols: Uint16Array;
}

export function prefixCode({ counts, order }: Codebook): PrefixCode {
  return { counts, symbols: Uint16Array.from(order.match(/../g)!, (digits) => Number.parseInt(digits, 36)) };
}
