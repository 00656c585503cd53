/** Pages of keys and values on a GPU: a buffer for each layer, with all pages of it. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ForwardShape } from '../forward-shape.js';
import { PAGE_POSITIONS } from '../kernel-exports.js';
import type { PageStore } from '../kv-pages.js';
import type { GpuMemory } from './gpu-memory.js';
import { GpuStates } from './gpu-states.js';

/** Pages that there are from the beginning. */
const FIRST_PAGES = 16;

/** Bits of a number of keys and values here: 8 are on WASM alone, see `findGpu`. */
export const gpuPrecision = ({ precision }: Pick<ForwardShape, 'precision'>): 16 | 32 => (precision === 32 ? 32 : 16);

/** Bytes of each layer in a page; 0: it has no keys and values of its own. */
export function layerPageBytes(shape: ForwardShape): number[] {
  return Array.from({ length: shape.layers }, (_, layer) => {
    const { kvHeads, headSize } = shape.kvLayers?.[layer] ?? shape;
    return (2 * kvHeads * headSize * PAGE_POSITIONS * gpuPrecision(shape)) / 8;
  });
}

/** Pages that a binding holds. */
export const mostPages = (shape: ForwardShape, limit: number): number =>
  Math.floor(limit / Math.max(...layerPageBytes(shape)));

export class GpuPages implements PageStore {
  readonly #memory: GpuMemory;
  readonly #layerBytes: readonly number[];
  readonly #most: number;
  #layers: GPUBuffer[];
  #room: number;
  #used = 0;
  /** A buffer cannot be copied within itself. */
  readonly #between: GPUBuffer;
  /** Made when a page is read back. */
  #staging: GPUBuffer | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  /** Undefined: no layer is recurrent. */
  readonly states: GpuStates | undefined;
  /** Called when the buffers of layers are others. */
  onMoved: () => void = () => {};

  /** @param limit bytes of a binding */
  constructor(memory: GpuMemory, shape: ForwardShape, limit: number) {
    this.#memory = memory;
    this.#layerBytes = layerPageBytes(shape);
    this.#most = mostPages(shape, limit);
    this.#room = Math.min(FIRST_PAGES, this.#most);
    this.#layers = this.#layerBytes.map((bytes) => memory.buffer(this.#room * bytes));
    this.#between = memory.buffer(Math.max(...this.#layerBytes));
    if (shape.recurrent) this.states = new GpuStates(memory, shape, limit);
  }

  /** Of each layer. */
  get layers(): readonly GPUBuffer[] {
    return this.#layers;
  }

  /** Bytes of a page of all layers. */
  get pageBytes(): number {
    return this.#layerBytes.reduce((sum, bytes) => sum + bytes, 0);
  }

  /** @returns the number of a page @throws InferenceError `insufficient_resources` */
  allocate(): number {
    if (this.#used === this.#room) this.#grow();
    return this.#used++;
  }

  #grow(): void {
    const room = Math.min(this.#most, this.#room * 2);
    if (room === this.#room) {
      const neededBytes = (this.#room + 1) * this.pageBytes;
      const message = 'The keys and values of the open conversations need more memory than the GPU binds at a time.';
      throw new InferenceError('insufficient_resources', message, { neededBytes });
    }
    const { device } = this.#memory;
    const encoder = device.createCommandEncoder();
    const layers = this.#layers.map((before, index) => {
      const bytes = this.#layerBytes[index]!;
      const layer = this.#memory.buffer(room * bytes);
      encoder.copyBufferToBuffer(before, 0, layer, 0, this.#room * bytes);
      return layer;
    });
    device.queue.submit([encoder.finish()]);
    for (const before of this.#layers) this.#memory.free(before);
    this.#layers = layers;
    this.#room = room;
    this.onMoved();
  }

  copy(from: number, to: number): void {
    const { device } = this.#memory;
    const encoder = device.createCommandEncoder();
    for (const [index, layer] of this.#layers.entries()) {
      const bytes = this.#layerBytes[index]!;
      encoder.copyBufferToBuffer(layer, from * bytes, this.#between, 0, bytes);
      encoder.copyBufferToBuffer(this.#between, 0, layer, to * bytes, bytes);
    }
    device.queue.submit([encoder.finish()]);
  }

  async read(page: number): Promise<Uint8Array<ArrayBuffer>> {
    const before = this.#reading;
    const read = (async () => {
      await before;
      const { device } = this.#memory;
      const staging = (this.#staging ??= this.#memory.buffer(this.pageBytes, 'staging'));
      const encoder = device.createCommandEncoder();
      for (const { layer, at, bytes } of this.#inPage)
        encoder.copyBufferToBuffer(layer, page * bytes, staging, at, bytes);
      device.queue.submit([encoder.finish()]);
      await staging.mapAsync(1);
      const content = new Uint8Array(staging.getMappedRange()).slice(0, this.pageBytes);
      staging.unmap();
      return content;
    })();
    this.#reading = read.catch(() => {});
    return read;
  }

  write(page: number, content: Uint8Array): void {
    for (const { layer, at, bytes } of this.#inPage)
      this.#memory.write(layer, page * bytes, content.slice(at, at + bytes));
  }

  /** Where each layer begins in the bytes of a page, and how many they are. */
  get #inPage(): { layer: GPUBuffer; at: number; bytes: number }[] {
    let end = 0;
    return this.#layers.map((layer, index) => {
      const bytes = this.#layerBytes[index]!;
      end += bytes;
      return { layer, at: end - bytes, bytes };
    });
  }
}
