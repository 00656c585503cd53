/** Writes GGUF files for tests, from floats. @module */
import { TENSOR_KINDS, type TensorKind } from '../../../../src/engines/gguf/file/tensor-kinds.js';
import { quantize } from './quantize.js';

/** Types of the metadata, in the order of their numbers. */
const TYPES = ['u8', 'i8', 'u16', 'i16', 'u32', 'i32', 'f32', 'bool', 'text', 'array', 'u64', 'i64', 'f64'] as const;
type ValueType = (typeof TYPES)[number];
type NumberType = Exclude<ValueType, 'array' | 'text' | 'bool'>;

/**
 * A value of the metadata. Without a type, an integer is `u32` (`i32` below 0), another number `f32`; typed arrays have
 * their own type, arrays of numbers are `i32` or `f32`.
 */
export type MetadataInput =
  | number
  | boolean
  | string
  | readonly number[]
  | readonly string[]
  | readonly boolean[]
  | Float32Array
  | Int32Array
  | Uint8Array
  | { type: Exclude<ValueType, 'array'>; value: number | boolean | string }
  | { type: 'array'; of: ValueType; values: readonly MetadataInput[] };

export interface TensorShape {
  name: string;
  /** Innermost first: a matrix is `[columns, rows]`. */
  shape: readonly number[];
  kind: TensorKind;
}

/** A tensor: floats that are brought to its kind, or the bytes as they are. */
export interface TensorInput extends TensorShape {
  data: Float32Array | Uint8Array;
}

export interface GgufInput {
  /** @default 3 */
  version?: number;
  /** `general.alignment` is used where it is given. */
  metadata: Readonly<Record<string, MetadataInput>>;
  tensors: readonly TensorInput[];
}

const encoder = new TextEncoder();

/** A whole file. */
export function writeGguf(input: GgufInput): Uint8Array<ArrayBuffer> {
  const out = headOf(input);
  for (const tensor of input.tensors) {
    out.pad(alignmentOf(input));
    out.bytes(bytesOf(tensor));
  }
  // As other writers do, also behind the last one.
  out.pad(alignmentOf(input));
  return out.finish();
}

/** What comes before the tensors, however large they say they are. */
export function writeGgufHead(input: Omit<GgufInput, 'tensors'> & { tensors: readonly TensorShape[] }): Uint8Array {
  const out = headOf(input);
  out.pad(alignmentOf(input));
  return out.finish();
}

const alignmentOf = ({ metadata }: Pick<GgufInput, 'metadata'>): number => Number(metadata['general.alignment'] ?? 32);

function headOf(input: Omit<GgufInput, 'tensors'> & { tensors: readonly TensorShape[] }): Writer {
  const { version = 3, metadata, tensors } = input;
  const out = new Writer();
  out.u32(0x46554747);
  out.u32(version);
  out.u64(tensors.length);
  out.u64(Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) {
    out.text(key);
    const type = typeOf(value);
    out.u32(TYPES.indexOf(type));
    out.value(type, value);
  }
  const alignment = alignmentOf(input);
  let offset = 0;
  for (const tensor of tensors) {
    out.text(tensor.name);
    out.u32(tensor.shape.length);
    for (const size of tensor.shape) out.u64(size);
    out.u32(TENSOR_KINDS[tensor.kind].id);
    out.u64(offset);
    offset += Math.ceil(tensorBytes(tensor) / alignment) * alignment;
  }
  return out;
}

/** Bytes of a tensor in a file. */
export function tensorBytes({ shape, kind }: TensorShape): number {
  const { values, bytes } = TENSOR_KINDS[kind];
  return (shape.reduce((product, size) => product * size, 1) / values) * bytes;
}

function bytesOf(tensor: TensorInput): Uint8Array {
  const { name, kind, data } = tensor;
  const bytes = data instanceof Float32Array ? quantize(kind, data) : data;
  const expected = tensorBytes(tensor);
  if (bytes.length !== expected) throw new Error(`${name}: ${bytes.length} bytes instead of ${expected}`);
  return bytes;
}

function typeOf(value: MetadataInput): ValueType {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return !Number.isInteger(value) ? 'f32' : value < 0 ? 'i32' : 'u32';
  return 'type' in value ? value.type : 'array';
}

class Writer {
  #bytes = new Uint8Array(2 ** 16);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  pad(alignment: number): void {
    this.#room((alignment - (this.#length % alignment)) % alignment);
  }

  bytes(bytes: Uint8Array): void {
    const at = this.#room(bytes.length);
    this.#bytes.set(bytes, at);
  }

  u32(value: number): void {
    const at = this.#room(4);
    this.#view.setUint32(at, value, true);
  }

  u64(value: number): void {
    const at = this.#room(8);
    this.#view.setBigUint64(at, BigInt(value), true);
  }

  text(text: string): void {
    const bytes = encoder.encode(text);
    this.u64(bytes.length);
    this.bytes(bytes);
  }

  value(type: ValueType, input: MetadataInput): void {
    if (type === 'array') {
      this.#array(input);
      return;
    }
    const value = typeof input === 'object' && 'value' in input ? input.value : input;
    if (typeof value === 'string') this.text(value);
    else if (type === 'bool') this.bytes(Uint8Array.of(value ? 1 : 0));
    else this.#number(type as NumberType, Number(value));
  }

  #array(input: MetadataInput): void {
    const isTyped =
      typeof input === 'object' && 'of' in input && 'values' in input && typeof input.values !== 'function';
    const values: readonly MetadataInput[] = isTyped ? input.values : Array.from(input as ArrayLike<MetadataInput>);
    const of = isTyped ? input.of : elementType(input as ArrayLike<MetadataInput>);
    this.u32(TYPES.indexOf(of));
    this.u64(values.length);
    for (const value of values) this.value(of, value);
  }

  #number(type: NumberType, value: number): void {
    const view = (bytes: number): [number, DataView] => {
      const at = this.#room(bytes);
      return [at, this.#view];
    };
    const write: Record<typeof type, () => void> = {
      u8: () => this.bytes(Uint8Array.of(value)),
      i8: () => this.bytes(Uint8Array.of(value)),
      u16: () => this.bytes(new Uint8Array(Uint16Array.of(value).buffer)),
      i16: () => this.bytes(new Uint8Array(Int16Array.of(value).buffer)),
      u32: () => this.u32(value),
      i32: () => this.bytes(new Uint8Array(Int32Array.of(value).buffer)),
      f32: () => this.bytes(new Uint8Array(Float32Array.of(value).buffer)),
      u64: () => this.u64(value),
      i64: () => {
        const [at, target] = view(8);
        target.setBigInt64(at, BigInt(value), true);
      },
      f64: () => this.bytes(new Uint8Array(Float64Array.of(value).buffer)),
    };
    write[type]();
  }

  /** @returns where the next `bytes` go */
  #room(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }
}

function elementType(values: ArrayLike<MetadataInput>): ValueType {
  if (values instanceof Float32Array) return 'f32';
  if (values instanceof Int32Array) return 'i32';
  if (values instanceof Uint8Array) return 'u8';
  const first = values[0];
  if (typeof first === 'string') return 'text';
  if (typeof first === 'boolean') return 'bool';
  return Array.from(values).every((value) => Number.isInteger(value)) ? 'i32' : 'f32';
}
