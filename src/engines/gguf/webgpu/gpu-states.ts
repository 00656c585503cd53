/**
 * States of recurrent layers on a GPU: a buffer for each layer, with the states of all sequences in slots. A pass reads a state in
 * one slot and leaves it in another, so that a copy costs nothing where the next pass writes it: it is made only where its
 * original changes first.
 * @module
 */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { PageStore } from '../block-pool.js';
import { type ForwardShape, recurrentBytes } from '../forward-shape.js';
import { hasState } from '../read-layers.js';
import type { GpuMemory } from './gpu-memory.js';
import { NONE } from './shaders/sizes.js';

/** Slots that there are from the beginning. */
const FIRST_SLOTS = 4;

/** Bytes of a layer's state. */
function layerStateBytes({ recurrent }: ForwardShape): number {
  const [convolution, memory] = recurrentBytes(recurrent!);
  return convolution + memory;
}

const layersOf = ({ layerShapes }: ForwardShape): number => layerShapes.filter(hasState).length;

/** Bytes of the buffers that states have from the beginning. */
export const firstStateBytes = (shape: ForwardShape): number[] =>
  shape.recurrent ? Array.from({ length: layersOf(shape) }, () => FIRST_SLOTS * layerStateBytes(shape)) : [];

/** Where a pass finds a state; `NONE`: it is all zeros. And where it leaves it. */
export interface StateSlots {
  from: number;
  to: number;
}

export class GpuStates implements PageStore {
  readonly #memory: GpuMemory;
  readonly #layerBytes: number;
  readonly #most: number;
  #layers: GPUBuffer[];
  #room = FIRST_SLOTS;
  #used = 0;
  /** By slot that was not written yet: which one has its state, or `NONE`. */
  readonly #sources = new Map<number, number>();
  /** A buffer cannot be copied within itself. */
  readonly #between: GPUBuffer;
  /** Made when a state is read back. */
  #staging: GPUBuffer | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  /** Called when the buffers of layers are others. */
  onMoved: () => void = () => {};

  /** @param limit bytes of a binding */
  constructor(memory: GpuMemory, shape: ForwardShape, limit: number) {
    this.#memory = memory;
    this.#layerBytes = layerStateBytes(shape);
    this.#most = Math.max(FIRST_SLOTS, Math.floor(limit / this.#layerBytes));
    this.#layers = firstStateBytes(shape).map((bytes) => memory.buffer(bytes));
    this.#between = memory.buffer(this.#layerBytes);
  }

  /** Of each recurrent layer. */
  get layers(): readonly GPUBuffer[] {
    return this.#layers;
  }

  /** @returns the number of a slot @throws InferenceError `insufficient_resources` */
  allocate(bytes: number): number {
    if (this.#used === this.#room) this.#grow(bytes);
    return this.#used++;
  }

  #grow(bytes: number): void {
    const room = Math.min(this.#most, this.#room * 2);
    if (room === this.#room) {
      const message = 'The states of the open conversations need more memory than the GPU binds at a time.';
      throw new InferenceError('insufficient_resources', message, { neededBytes: (room + 1) * bytes });
    }
    const before = this.#layers;
    this.#layers = before.map(() => this.#memory.buffer(room * this.#layerBytes));
    this.#submit((encoder) => {
      for (const [index, layer] of this.#layers.entries())
        encoder.copyBufferToBuffer(before[index]!, 0, layer, 0, this.#room * this.#layerBytes);
    });
    for (const layer of before) this.#memory.free(layer);
    this.#room = room;
    this.onMoved();
  }

  /** Where a pass finds the state of a slot that it is going to change. */
  take(slots: readonly number[]): StateSlots[] {
    for (const slot of slots) this.#leave(slot);
    return slots.map((to) => {
      const from = this.#sources.get(to) ?? to;
      this.#sources.delete(to);
      return { from, to };
    });
  }

  copy(from: number, to: number): void {
    this.#overwrite(to);
    this.#sources.set(to, this.#sources.get(from) ?? from);
  }

  clear(slot: number): void {
    this.#overwrite(slot);
    this.#sources.set(slot, NONE);
  }

  write(slot: number, content: Uint8Array): void {
    this.#overwrite(slot);
    const bytes = this.#layerBytes;
    for (const [index, layer] of this.#layers.entries())
      this.#memory.write(layer, slot * bytes, content.slice(index * bytes, (index + 1) * bytes));
  }

  async read(slot: number, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
    const before = this.#reading;
    const read = (async () => {
      await before;
      const from = this.#sources.get(slot) ?? slot;
      if (from === NONE) return new Uint8Array(bytes);
      const staging = (this.#staging ??= this.#memory.buffer(bytes, 'staging'));
      const own = this.#layerBytes;
      this.#submit((encoder) => {
        for (const [index, layer] of this.#layers.entries())
          encoder.copyBufferToBuffer(layer, from * own, staging, index * own, own);
      });
      await staging.mapAsync(1);
      const content = new Uint8Array(staging.getMappedRange()).slice(0, bytes);
      staging.unmap();
      return content;
    })();
    this.#reading = read.catch(() => {});
    return read;
  }

  /** What a slot has is of no use any more. */
  #overwrite(slot: number): void {
    this.#leave(slot);
    this.#sources.delete(slot);
  }

  /** Copies the state of a slot that is going to change to those that wait for it. */
  #leave(slot: number): void {
    const waiting = [...this.#sources].flatMap(([to, from]) => (from === slot ? [to] : []));
    if (waiting.length === 0) return;
    const bytes = this.#layerBytes;
    this.#submit((encoder) => {
      for (const layer of this.#layers) {
        encoder.copyBufferToBuffer(layer, slot * bytes, this.#between, 0, bytes);
        for (const to of waiting) encoder.copyBufferToBuffer(this.#between, 0, layer, to * bytes, bytes);
      }
    });
    for (const to of waiting) this.#sources.delete(to);
  }

  #submit(encode: (encoder: GPUCommandEncoder) => void): void {
    const { device } = this.#memory;
    const encoder = device.createCommandEncoder();
    encode(encoder);
    device.queue.submit([encoder.finish()]);
  }
}
