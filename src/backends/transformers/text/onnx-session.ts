/** The part of ONNX Runtime that text models use, without transformers.js's wrappers around tensors. @module */
import { Tensor } from '@huggingface/transformers';

/** A tensor of ONNX Runtime. */
export interface OnnxTensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly location: string;
  /** Throws while the data is on the GPU. */
  readonly data: TensorData;
  readonly gpuBuffer: GPUBuffer;
  getData(): Promise<TensorData>;
  dispose(): void;
}

export type TensorData = Float32Array | Uint16Array | BigInt64Array | Int32Array | Uint8Array;

/** A name with type and shape; symbolic dimensions are strings. */
export interface OnnxValueInfo {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly (number | string)[];
}

/** An inference session of ONNX Runtime. */
export interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly inputMetadata: readonly OnnxValueInfo[];
  run(feeds: Readonly<Record<string, OnnxTensor>>): Promise<Record<string, OnnxTensor>>;
}

type TensorConstructor = new (type: string, data: TensorData, dims: readonly number[]) => OnnxTensor;

let tensorConstructor: TensorConstructor | undefined;

/** A tensor of ONNX Runtime itself. */
export function createTensor(type: string, data: TensorData, dims: readonly number[]): OnnxTensor {
  // Only transformers.js knows which copy of ONNX Runtime its sessions belong to.
  tensorConstructor ??= new Tensor('int64', new BigInt64Array(1), [1]).ort_tensor
    .constructor as unknown as TensorConstructor;
  return new tensorConstructor(type, data, dims);
}

/** Numbers of a float tensor of any precision. */
export function toFloat32(data: TensorData): Float32Array {
  if (data instanceof Float32Array) return data;
  if (data instanceof Uint16Array) return Float32Array.from(data, halfToFloat);
  return Float32Array.from(data as Iterable<number>);
}

function halfToFloat(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
