/** Buffers of a model on a GPU. @module */
import { roundUp } from './planes.js';

// Flags by number: in Node, and where WebGPU is only counted, there are no globals with them.
const [MAP_READ, COPY_SRC, COPY_DST, UNIFORM, STORAGE] = [1, 4, 8, 0x40, 0x80];

/** What a buffer is for: computing, parameters, or reading back. */
const USAGES = {
  storage: STORAGE | COPY_SRC | COPY_DST,
  uniform: UNIFORM | COPY_DST,
  staging: MAP_READ | COPY_DST,
} as const;

/** Makes the buffers of a model, and frees them together. */
export class GpuMemory {
  readonly device: GPUDevice;
  readonly #buffers = new Set<GPUBuffer>();

  constructor(device: GPUDevice) {
    this.device = device;
  }

  buffer(bytes: number, use: keyof typeof USAGES = 'storage'): GPUBuffer {
    const buffer = this.device.createBuffer({ size: Math.max(256, roundUp(bytes, 256)), usage: USAGES[use] });
    this.#buffers.add(buffer);
    return buffer;
  }

  free(buffer: GPUBuffer): void {
    this.#buffers.delete(buffer);
    buffer.destroy();
  }

  freeAll(): void {
    for (const buffer of this.#buffers) buffer.destroy();
    this.#buffers.clear();
  }

  write(buffer: GPUBuffer, at: number, data: ArrayBufferView<ArrayBuffer>): void {
    this.device.queue.writeBuffer(buffer, at, data.buffer, data.byteOffset, data.byteLength);
  }
}

/** Whether buffers of these sizes can be made now. They are given back. */
export async function hasRoom(device: GPUDevice, sizes: readonly number[]): Promise<boolean> {
  device.pushErrorScope('out-of-memory');
  device.pushErrorScope('validation');
  const memory = new GpuMemory(device);
  for (const size of sizes) memory.buffer(size);
  const errors = [await device.popErrorScope(), await device.popErrorScope()];
  memory.freeAll();
  return errors.every((error) => error === null);
}
