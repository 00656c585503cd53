/** A model file of llama.cpp. https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */

/** Numbers of the format's types. */
const UINT32 = 4;
const INT32 = 5;
const FLOAT32 = 6;
const BOOL = 7;
const STRING = 8;
const ARRAY = 9;

const VERSION = 3;
const ALIGNMENT = 32;

/** The type of tensors of 32-bit floats. */
export const F32 = 0;

interface GgufTensor {
  name: string;
  type: number;
  /** The fastest first. */
  dims: readonly number[];
  data: Uint8Array;
}

const encoder = new TextEncoder();

export class GgufFile {
  readonly #facts: Uint8Array[][] = [];
  readonly #tensors: GgufTensor[] = [];

  integer(key: string, value: number): void {
    this.#facts.push([...text(key), uint32(UINT32), uint32(value)]);
  }

  float(key: string, value: number): void {
    this.#facts.push([...text(key), uint32(FLOAT32), new Uint8Array(Float32Array.of(value).buffer)]);
  }

  flag(key: string, value: boolean): void {
    this.#facts.push([...text(key), uint32(BOOL), Uint8Array.of(Number(value))]);
  }

  text(key: string, value: string): void {
    this.#facts.push([...text(key), uint32(STRING), ...text(value)]);
  }

  texts(key: string, values: readonly string[]): void {
    this.#facts.push([...text(key), uint32(ARRAY), uint32(STRING), uint64(values.length), ...values.flatMap(text)]);
  }

  integers(key: string, values: readonly number[]): void {
    this.#facts.push([...text(key), uint32(ARRAY), uint32(INT32), uint64(values.length), ...values.map(uint32)]);
  }

  tensor(name: string, type: number, dims: readonly number[], data: Uint8Array): void {
    this.#tensors.push({ name, type, dims, data });
  }

  /** The file, in pieces. */
  *toPieces(): Generator<Uint8Array> {
    const head: Uint8Array[] = [
      encoder.encode('GGUF'),
      uint32(VERSION),
      uint64(this.#tensors.length),
      uint64(this.#facts.length),
      ...this.#facts.flat(),
    ];
    let offset = 0;
    for (const { name, type, dims, data } of this.#tensors) {
      head.push(...text(name), uint32(dims.length), ...dims.map(uint64), uint32(type), uint64(offset));
      offset += aligned(data.length);
    }
    const size = head.reduce((sum, piece) => sum + piece.length, 0);
    yield Buffer.concat([...head, new Uint8Array(aligned(size) - size)]);
    for (const { data } of this.#tensors) {
      yield data;
      yield new Uint8Array(aligned(data.length) - data.length);
    }
  }
}

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
const uint32 = (value: number): Uint8Array => new Uint8Array(Uint32Array.of(value).buffer);
const uint64 = (value: number): Uint8Array => new Uint8Array(BigUint64Array.of(BigInt(value)).buffer);

function text(value: string): Uint8Array[] {
  const bytes = encoder.encode(value);
  return [uint64(bytes.length), bytes];
}
