/** Numbered blocks on a GPU, of which each layer has a part in a buffer of its own: pages of keys and values, or states. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { GpuMemory } from './gpu-memory.js';

interface LayerBlocksOptions {
  /** Bytes that each layer has of a block. */
  layerBytes: readonly number[];
  /** Blocks that there are from the beginning, and at most. */
  first: number;
  most: number;
  /** What is said when there are no more. */
  full: string;
}

export class LayerBlocks {
  readonly #memory: GpuMemory;
  readonly #options: LayerBlocksOptions;
  #layers: GPUBuffer[];
  #room: number;
  #used = 0;
  /** A buffer cannot be copied within itself. */
  readonly #between: GPUBuffer;
  /** Made when a block is read back. */
  #staging: GPUBuffer | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  /** Called when the buffers of layers are others. */
  onMoved: () => void = () => {};

  constructor(memory: GpuMemory, options: LayerBlocksOptions) {
    this.#memory = memory;
    this.#options = options;
    this.#room = options.first;
    this.#layers = options.layerBytes.map((bytes) => memory.buffer(options.first * bytes));
    this.#between = memory.buffer(Math.max(...options.layerBytes));
  }

  /** Of each layer. */
  get layers(): readonly GPUBuffer[] {
    return this.#layers;
  }

  /** Bytes of a block of all layers. */
  get blockBytes(): number {
    return this.#options.layerBytes.reduce((sum, bytes) => sum + bytes, 0);
  }

  /** @returns the number of a block @throws InferenceError `insufficient_resources` */
  allocate(): number {
    if (this.#used === this.#room) this.#grow();
    return this.#used++;
  }

  #grow(): void {
    const { layerBytes, most, full } = this.#options;
    const room = Math.min(most, this.#room * 2);
    if (room === this.#room)
      throw new InferenceError('insufficient_resources', full, { neededBytes: (room + 1) * this.blockBytes });
    const before = this.#layers;
    this.#layers = layerBytes.map((bytes) => this.#memory.buffer(room * bytes));
    this.#submit((encoder) => {
      for (const [index, layer] of before.entries())
        encoder.copyBufferToBuffer(layer, 0, this.#layers[index]!, 0, this.#room * layerBytes[index]!);
    });
    for (const layer of before) this.#memory.free(layer);
    this.#room = room;
    this.onMoved();
  }

  copy(from: number, to: number): void {
    this.copyToAll(from, [to]);
  }

  protected copyToAll(from: number, all: readonly number[]): void {
    this.#submit((encoder) => {
      for (const { layer, bytes } of this.#inBlock) {
        encoder.copyBufferToBuffer(layer, from * bytes, this.#between, 0, bytes);
        for (const to of all) encoder.copyBufferToBuffer(this.#between, 0, layer, to * bytes, bytes);
      }
    });
  }

  /** Where what a block has lies now; undefined: it is all zeros. */
  protected placeOf(block: number): number | undefined {
    return block;
  }

  async read(block: number): Promise<Uint8Array<ArrayBuffer>> {
    const before = this.#reading;
    const read = (async () => {
      await before;
      const place = this.placeOf(block);
      if (place === undefined) return new Uint8Array(this.blockBytes);
      const staging = (this.#staging ??= this.#memory.buffer(this.blockBytes, 'staging'));
      this.#submit((encoder) => {
        for (const { layer, at, bytes } of this.#inBlock)
          encoder.copyBufferToBuffer(layer, place * bytes, staging, at, bytes);
      });
      await staging.mapAsync(1);
      const content = new Uint8Array(staging.getMappedRange()).slice(0, this.blockBytes);
      staging.unmap();
      return content;
    })();
    this.#reading = read.catch(() => {});
    return read;
  }

  write(block: number, content: Uint8Array): void {
    for (const { layer, at, bytes } of this.#inBlock)
      this.#memory.write(layer, block * bytes, content.slice(at, at + bytes));
  }

  /** Where each layer begins in the bytes of a block, and how many they are. */
  get #inBlock(): { layer: GPUBuffer; at: number; bytes: number }[] {
    let end = 0;
    return this.#layers.map((layer, index) => {
      const bytes = this.#options.layerBytes[index]!;
      end += bytes;
      return { layer, at: end - bytes, bytes };
    });
  }

  #submit(encode: (encoder: GPUCommandEncoder) => void): void {
    const { device } = this.#memory;
    const encoder = device.createCommandEncoder();
    encode(encoder);
    device.queue.submit([encoder.finish()]);
  }
}
