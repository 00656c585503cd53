/** Reads results of a GPU back. @module */
import type { GpuMemory } from './gpu-memory.js';

/** `GPUMapMode.READ`. */
const READ = 1;

/** Bytes of a buffer: tokens of many rows. */
const LEAST = 1024;

/** Buffers that are used again and again: no pass makes one when as many were under way before. */
export class StagingBuffers {
  readonly #memory: GpuMemory;
  readonly #free: { buffer: GPUBuffer; bytes: number }[] = [];

  constructor(memory: GpuMemory) {
    this.#memory = memory;
  }

  /**
   * Copies bytes of a buffer once the encoder's commands are submitted.
   * @returns call it then: resolves with the bytes
   */
  copy(encoder: GPUCommandEncoder, from: GPUBuffer, at: number, bytes: number): () => Promise<ArrayBuffer> {
    const staging = this.#take(bytes);
    encoder.copyBufferToBuffer(from, at, staging.buffer, 0, bytes);
    return async () => {
      await staging.buffer.mapAsync(READ, 0, bytes);
      const content = staging.buffer.getMappedRange(0, bytes).slice(0);
      staging.buffer.unmap();
      this.#free.push(staging);
      return content;
    };
  }

  #take(bytes: number): { buffer: GPUBuffer; bytes: number } {
    const index = this.#free.findIndex((staging) => staging.bytes >= bytes);
    if (index >= 0) return this.#free.splice(index, 1)[0]!;
    const room = Math.max(bytes, LEAST);
    return { buffer: this.#memory.buffer(room, 'staging'), bytes: room };
  }
}
