/** Reads values from the beginning of a GGUF file, of which more and more bytes come in. @module */
import { damaged } from './file-problems.js';

/** An array of numbers of the metadata. Integers of 64 bits are floats of 64 bits here. */
export type GgufNumbers =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/** A value of the metadata. */
export type GgufValue = number | boolean | string | GgufNumbers | readonly GgufValue[];

/** A head within this bound is read in seconds and fits in memory; no real one comes near. */
export const MAX_HEAD_BYTES = 64 * 2 ** 20;
/** Arrays may be in arrays to this depth. */
const DEPTH = 4;

/** More bytes are needed: at least as many as `until`, from the beginning of the file. */
export class Missing extends Error {
  readonly until: number;
  constructor(until: number) {
    super();
    this.until = until;
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Bytes of a number, by the number of its type in the metadata. */
const NUMBERS: Record<number, { bytes: number; array: new (length: number) => GgufNumbers }> = {
  0: { bytes: 1, array: Uint8Array },
  1: { bytes: 1, array: Int8Array },
  2: { bytes: 2, array: Uint16Array },
  3: { bytes: 2, array: Int16Array },
  4: { bytes: 4, array: Uint32Array },
  5: { bytes: 4, array: Int32Array },
  6: { bytes: 4, array: Float32Array },
  10: { bytes: 8, array: Float64Array },
  11: { bytes: 8, array: Float64Array },
  12: { bytes: 8, array: Float64Array },
};
const BOOLEAN = 7;
const TEXT = 8;
const ARRAY = 9;

/** The bytes that are there, and how far they were read. */
export class HeadBytes {
  readonly #file: string;
  #bytes = new Uint8Array(2 ** 20);
  #view = new DataView(this.#bytes.buffer);
  /** Bytes that are there. */
  length = 0;
  #at = 0;

  /** @param file its name, for messages */
  constructor(file: string) {
    this.#file = file;
  }

  /** Where the next value begins. It can be set back, to read a value again when more bytes are there. */
  get position(): number {
    return this.#at;
  }

  set position(at: number) {
    this.#at = at;
  }

  /** Those that are there. */
  get all(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length);
  }

  append(bytes: Uint8Array): void {
    const length = this.length + bytes.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.length));
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    this.#bytes.set(bytes, this.length);
    this.length = length;
  }

  /** A value of the metadata. @param type its number in the file */
  value(type: number, depth = 0): GgufValue {
    if (type === TEXT) return this.text(MAX_HEAD_BYTES);
    if (type === ARRAY) return this.#array(depth);
    if (type === BOOLEAN) {
      this.need(1);
      return this.#bytes[this.#at++] !== 0;
    }
    const { bytes } = this.#numberType(type);
    this.need(bytes);
    return this.#number(type);
  }

  #array(depth: number): GgufValue {
    if (depth === DEPTH) throw damaged(this.#file, 'its metadata is nested too deeply');
    this.need(12);
    const type = this.uint32();
    const length = this.count(MAX_HEAD_BYTES, 'values of an array');
    const least = type === TEXT ? 8 : type === ARRAY ? 12 : type === BOOLEAN ? 1 : this.#numberType(type).bytes;
    // Asked for before anything is made of it: a length alone takes no memory.
    this.need(length * least);
    if (type in NUMBERS) {
      const numbers = new (this.#numberType(type).array)(length);
      for (let index = 0; index < length; index++) numbers[index] = this.#number(type);
      return numbers;
    }
    if (type === TEXT) this.#needTexts(length);
    const values: GgufValue[] = [];
    for (let index = 0; index < length; index++) values.push(this.value(type, depth + 1));
    return values;
  }

  #numberType(type: number): { bytes: number; array: new (length: number) => GgufNumbers } {
    const found = NUMBERS[type];
    if (!found) throw damaged(this.#file, `its metadata has a value of the unknown type ${type}`);
    return found;
  }

  #number(type: number): number {
    const at = this.#at;
    const view = this.#view;
    this.#at += NUMBERS[type]!.bytes;
    switch (type) {
      case 0:
        return view.getUint8(at);
      case 1:
        return view.getInt8(at);
      case 2:
        return view.getUint16(at, true);
      case 3:
        return view.getInt16(at, true);
      case 4:
        return view.getUint32(at, true);
      case 5:
        return view.getInt32(at, true);
      case 6:
        return view.getFloat32(at, true);
      // Rounded once, as a whole number of 64 bits would be, but without making one: a vocabulary has a length for each text.
      case 10:
        return view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
      case 11:
        return view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
      default:
        return view.getFloat64(at, true);
    }
  }

  /** A text of at most `most` bytes. */
  text(most: number): string {
    this.need(8);
    const length = this.count(most, 'bytes of a text');
    this.need(length);
    const text = decoder.decode(this.#bytes.subarray(this.#at, this.#at + length));
    this.#at += length;
    return text;
  }

  /** Looks for the end of an array of texts before any of them is made. @throws Missing */
  #needTexts(length: number): void {
    const begin = this.#at;
    for (let left = length; left > 0; left--) {
      this.need(left * 8);
      const bytes = this.count(MAX_HEAD_BYTES, 'bytes of a text');
      this.#at += bytes;
    }
    this.need(0);
    this.#at = begin;
  }

  /** An integer of 64 bits that counts something of the head. */
  count(most: number, what: string): number {
    const count = this.uint64();
    if (count > most) throw damaged(this.#file, `it states ${count} ${what}`);
    return count;
  }

  uint32(): number {
    return this.#number(4);
  }

  uint64(): number {
    return this.#number(10);
  }

  /** @throws Missing when the next `bytes` are not there */
  need(bytes: number): void {
    if (this.#at + bytes > this.length) throw new Missing(this.#at + bytes);
  }
}
