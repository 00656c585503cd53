/** The part of ONNX Runtime that text models use, without the tensor class of transformers.js. @module */
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

/** A copy from one tensor into another. Offsets and size in bytes. */
export interface ByteCopy {
  tensor: OnnxTensor;
  from: number;
  to: number;
  size: number;
}

export type TensorData = Float32Array | Uint16Array | BigInt64Array | Int32Array | Uint8Array;

/** Name, type and shape of an input; symbolic dimensions are strings. */
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
  /** @param outputs tensors to write to; null: the runtime allocates one. @default null for all */
  run(
    feeds: Readonly<Record<string, OnnxTensor>>,
    outputs?: Readonly<Record<string, OnnxTensor | null>>,
  ): Promise<Record<string, OnnxTensor>>;
}

/** Whether a graph takes one sequence at a time, because its batch has a fixed size. */
export function hasFixedBatchOfOne({ inputMetadata }: Pick<OnnxSession, 'inputMetadata'>): boolean {
  const tokens = inputMetadata.find(({ name }) => name === 'input_ids' || name === 'inputs_embeds');
  return tokens?.shape[0] === 1;
}

interface TensorConstructor {
  new (type: string, data: TensorData, dims: readonly number[]): OnnxTensor;
  fromGpuBuffer(
    buffer: GPUBuffer,
    options: { dataType: string; dims: readonly number[]; dispose?: () => void },
  ): OnnxTensor;
}

let tensorConstructor: TensorConstructor | undefined;

/** The tensor class of the copy of ONNX Runtime that transformers.js uses. */
function tensors(): TensorConstructor {
  tensorConstructor ??= new Tensor('int64', new BigInt64Array(1), [1]).ort_tensor
    .constructor as unknown as TensorConstructor;
  return tensorConstructor;
}

/** A tensor of ONNX Runtime itself. */
export function createTensor(type: string, data: TensorData, dims: readonly number[]): OnnxTensor {
  return new (tensors())(type, data, dims);
}

/** A tensor in GPU memory. It owns the buffer and destroys it. */
export function createGpuTensor(type: string, buffer: GPUBuffer, dims: readonly number[]): OnnxTensor {
  return tensors().fromGpuBuffer(buffer, { dataType: type, dims, dispose: () => buffer.destroy() });
}

/**
 * A tensor on a GPU buffer that still belongs to the caller.
 * @param output an output of the session that will write to it: a runtime accepts only its own tensor class, and there
 * are two copies of it
 */
export function borrowGpuTensor(output: OnnxTensor, buffer: GPUBuffer, dims: readonly number[]): OnnxTensor {
  return (output.constructor as unknown as TensorConstructor).fromGpuBuffer(buffer, { dataType: output.type, dims });
}

/** The numbers of a tensor as 32-bit floats; not copied when they are that already. */
export function toFloat32(data: TensorData): Float32Array {
  if (data instanceof Float32Array) return data;
  return data instanceof Uint16Array ? halfToFloats(data) : Float32Array.from(data as Iterable<number>);
}

/** The same memory. */
export function toBytes({ buffer, byteOffset, byteLength }: TensorData): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
