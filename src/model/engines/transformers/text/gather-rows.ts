/** Copies rows of tensors into one new tensor, in whatever memory they are. @module */
import { env } from '@huggingface/transformers';
import { type ByteCopy, createGpuTensor, createTensor, type OnnxTensor, type TensorData } from './onnx-session.js';
import { ResidentTensor } from './resident-session.js';

/** Of a tensor: one row, and how many of its tokens. */
export interface RowPart {
  tensor: OnnxTensor;
  row: number;
  tokens: number;
}

/**
 * One tensor with a row for each part. Rows of keys and values are as long as the longest part; what is behind the end
 * of a shorter one says nothing.
 * @param hasTokens keys and values, `[rows, heads, tokens, width]`; else whole rows of a state of any shape
 */
export async function gatherRows(parts: readonly RowPart[], hasTokens: boolean): Promise<OnnxTensor> {
  const [{ tensor }] = parts as [RowPart];
  const dims = [parts.length, ...tensor.dims.slice(1)];
  if (hasTokens) dims[2] = Math.max(...parts.map(({ tokens }) => tokens));
  const copies = planCopies(parts, dims, hasTokens);
  if (tensor instanceof ResidentTensor) return tensor.gather(dims, copies);
  if (tensor.location === 'gpu-buffer') return gatherOnGpu(tensor.type, dims, copies);
  return gatherInJavaScript(tensor, dims, copies);
}

/** Bytes of a tensor of 32-bit or 16-bit floats. */
function byteSize(type: string, dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, type === 'float16' ? 2 : 4);
}

function planCopies(parts: readonly RowPart[], dims: readonly number[], hasTokens: boolean): ByteCopy[] {
  const { type } = parts[0]!.tensor;
  if (!hasTokens) {
    const size = byteSize(type, dims.slice(1));
    return parts.map((part, place) => ({ tensor: part.tensor, from: part.row * size, to: place * size, size }));
  }
  const [, heads = 1, most = 0, width = 0] = dims;
  const token = byteSize(type, [width]);
  return parts.flatMap((part, place) =>
    Array.from({ length: heads }, (_, head) => ({
      tensor: part.tensor,
      from: (part.row * heads + head) * part.tensor.dims[2]! * token,
      to: (place * heads + head) * most * token,
      size: part.tokens * token,
    })),
  );
}

async function gatherOnGpu(type: string, dims: readonly number[], copies: readonly ByteCopy[]): Promise<OnnxTensor> {
  const device = await env.backends.onnx.webgpu!.device;
  const buffer = device.createBuffer({
    size: Math.ceil(byteSize(type, dims) / 16) * 16,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  });
  const encoder = device.createCommandEncoder();
  for (const { tensor, from, to, size } of copies)
    if (size > 0) encoder.copyBufferToBuffer(tensor.gpuBuffer, from, buffer, to, size);
  device.queue.submit([encoder.finish()]);
  return createGpuTensor(type, buffer, dims);
}

async function gatherInJavaScript(
  { type }: OnnxTensor,
  dims: readonly number[],
  copies: readonly ByteCopy[],
): Promise<OnnxTensor> {
  const size = byteSize(type, dims);
  const bytes = new Uint8Array(size);
  const sources = new Map<OnnxTensor, Uint8Array>();
  for (const { tensor: source, from, to, size: count } of copies) {
    if (!sources.has(source)) sources.set(source, bytesOf(await source.getData()));
    bytes.set(sources.get(source)!.subarray(from, from + count), to);
  }
  const data = type === 'float16' ? new Uint16Array(bytes.buffer) : new Float32Array(bytes.buffer);
  return createTensor(type, data, dims);
}

function bytesOf(data: TensorData): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
