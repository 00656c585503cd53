/** Keys and values of some tokens as bytes, and a state made of such blocks: nothing is rounded or converted. @module */
import { env } from '@huggingface/transformers';
import { createTensor, type OnnxTensor, toBytes } from '../ort/onnx-session.js';
import { type RowState, SequenceState } from './sequence-state.js';

/**
 * Keys and values of `count` tokens of a row that has nothing else: layer after layer, head after head.
 * @param from the first token
 */
export async function readBlock(
  { state, row }: RowState,
  from: number,
  count: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces = namesOf(state).flatMap((name) => {
    const tensor = state.tensors[name]!;
    const [, heads = 1, tokens = 0, width = 0] = tensor.dims;
    const token = width * elementBytes(tensor);
    return Array.from({ length: heads }, (_, head) => ({
      tensor,
      start: ((row * heads + head) * tokens + from) * token,
      size: count * token,
    }));
  });
  const block = new Uint8Array(pieces.reduce((sum, { size }) => sum + size, 0));
  if (pieces[0]?.tensor.location === 'gpu-buffer') return readFromGpu(pieces, block);
  let offset = 0;
  for (const { tensor, start, size } of pieces) {
    block.set(toBytes(tensor.data).subarray(start, start + size), offset);
    offset += size;
  }
  return block;
}

interface TensorSlice {
  tensor: OnnxTensor;
  /** Bytes; multiples of 4. */
  start: number;
  size: number;
}

async function readFromGpu(
  pieces: readonly TensorSlice[],
  block: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const device = await env.backends.onnx.webgpu!.device;
  const buffer = device.createBuffer({
    size: block.length,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  try {
    const encoder = device.createCommandEncoder();
    let offset = 0;
    for (const { tensor, start, size } of pieces) {
      encoder.copyBufferToBuffer(tensor.gpuBuffer, start, buffer, offset, size);
      offset += size;
    }
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    block.set(new Uint8Array(buffer.getMappedRange()));
    return block;
  } finally {
    buffer.destroy();
  }
}

/** Bytes of a block of so many tokens of such a state. */
export function blockBytes(state: SequenceState, count: number): number {
  const sizes = Object.values(state.tensors).map((tensor) => tensor.dims[1]! * tensor.dims[3]! * elementBytes(tensor));
  return count * sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * A state of one row.
 * @param empty the state before the first token
 * @param blocks as {@link readBlock} gave them, in their order
 * @param count tokens of each block
 */
export function stateOfBlocks(empty: SequenceState, blocks: readonly Uint8Array[], count: number): SequenceState {
  const tensors: Record<string, OnnxTensor> = {};
  let start = 0;
  for (const name of namesOf(empty)) {
    const { type, dims } = empty.tensors[name]!;
    const [, heads = 1, , width = 0] = dims;
    const size = count * width * elementBytes({ type });
    const bytes = new Uint8Array(blocks.length * heads * size);
    for (let head = 0; head < heads; head++)
      for (const [index, block] of blocks.entries())
        bytes.set(
          block.subarray(start + head * size, start + (head + 1) * size),
          (head * blocks.length + index) * size,
        );
    start += heads * size;
    const data = type === 'float16' ? new Uint16Array(bytes.buffer) : new Float32Array(bytes.buffer);
    tensors[name] = createTensor(type, data, [1, heads, blocks.length * count, width]);
  }
  return new SequenceState(tensors, 1);
}

/** In an order that does not depend on the graph's. */
function namesOf({ tensors }: SequenceState): string[] {
  return Object.keys(tensors).toSorted((a, b) => (a < b ? -1 : 1));
}

function elementBytes({ type }: Pick<OnnxTensor, 'type'>): number {
  return type === 'float16' ? 2 : 4;
}
