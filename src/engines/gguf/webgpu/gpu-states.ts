/**
 * States of recurrent layers on a GPU: a buffer for each layer, with the states of all sequences in slots. A pass reads a state in
 * one slot and leaves it in another, so that a copy costs nothing where the next pass writes it: it is made only where its
 * original changes first.
 * @module
 */
import type { PageStore } from '../block-pool.js';
import { type ForwardShape, recurrentBytes } from '../forward-shape.js';
import { hasState } from '../read-layers.js';
import type { GpuMemory } from './gpu-memory.js';
import { LayerBlocks } from './layer-blocks.js';
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

export class GpuStates extends LayerBlocks implements PageStore {
  /** By slot that was not written yet: which one has its state, or `NONE`. */
  readonly #sources = new Map<number, number>();

  /** @param limit bytes of a binding */
  constructor(memory: GpuMemory, shape: ForwardShape, limit: number) {
    const bytes = layerStateBytes(shape);
    super(memory, {
      layerBytes: Array.from({ length: layersOf(shape) }, () => bytes),
      first: FIRST_SLOTS,
      most: Math.max(FIRST_SLOTS, Math.floor(limit / bytes)),
      full: 'The states of the open conversations need more memory than the GPU binds at a time.',
    });
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

  override copy(from: number, to: number): void {
    this.#overwrite(to);
    this.#sources.set(to, this.#sources.get(from) ?? from);
  }

  clear(slot: number): void {
    this.#overwrite(slot);
    this.#sources.set(slot, NONE);
  }

  override write(slot: number, content: Uint8Array): void {
    this.#overwrite(slot);
    super.write(slot, content);
  }

  protected override placeOf(slot: number): number | undefined {
    const place = this.#sources.get(slot) ?? slot;
    return place === NONE ? undefined : place;
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
    this.copyToAll(slot, waiting);
    for (const to of waiting) this.#sources.delete(to);
  }
}
