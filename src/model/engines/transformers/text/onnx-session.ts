/** The part of ONNX Runtime that text models use, without transformers.js's wrappers around tensors. @module */
import { Tensor } from '@huggingface/transformers';
import { halfToFloats } from './half-floats.js';

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

/** A part of a tensor's memory, and its place in a new one. In bytes. */
export interface ByteCopy {
  tensor: OnnxTensor;
  from: number;
  to: number;
  size: number;
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
  /** @param outputs where each output goes; null: the runtime takes memory for it. @default null for all */
  run(
    feeds: Readonly<Record<string, OnnxTensor>>,
    outputs?: Readonly<Record<string, OnnxTensor | null>>,
  ): Promise<Record<string, OnnxTensor>>;
}

interface TensorConstructor {
  new (type: string, data: TensorData, dims: readonly number[]): OnnxTensor;
  fromGpuBuffer(
    buffer: GPUBuffer,
    options: { dataType: string; dims: readonly number[]; dispose?: () => void },
  ): OnnxTensor;
}

let tensorConstructor: TensorConstructor | undefined;

/** Only transformers.js knows which copy of ONNX Runtime its sessions belong to. */
function tensors(): TensorConstructor {
  tensorConstructor ??= new Tensor('int64', new BigInt64Array(1), [1]).ort_tensor
    .constructor as unknown as TensorConstructor;
  return tensorConstructor;
}

/** A tensor of ONNX Runtime itself. */
export function createTensor(type: string, data: TensorData, dims: readonly number[]): OnnxTensor {
  return new (tensors())(type, data, dims);
}

/** A tensor in GPU memory. The buffer belongs to it and is destroyed with it. */
export function createGpuTensor(type: string, buffer: GPUBuffer, dims: readonly number[]): OnnxTensor {
  return tensors().fromGpuBuffer(buffer, { dataType: type, dims, dispose: () => buffer.destroy() });
}

/**
 * A tensor in GPU memory that stays the caller's.
 * @param output of the session that shall write to it: a runtime knows its own tensors only, and there are two copies
 * of the class
 */
export function borrowGpuTensor(output: OnnxTensor, buffer: GPUBuffer, dims: readonly number[]): OnnxTensor {
  return (output.constructor as unknown as TensorConstructor).fromGpuBuffer(buffer, { dataType: output.type, dims });
}

/** Numbers of a float tensor of any precision; not copied where they are what is asked for. */
export function toFloat32(data: TensorData): Float32Array {
  if (data instanceof Float32Array) return data;
  return data instanceof Uint16Array ? halfToFloats(data) : Float32Array.from(data as Iterable<number>);
}
