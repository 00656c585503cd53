/** Logits that stay on the GPU: only those that decide about the next token are copied to the CPU. @module */
import type { GreatestLogits, LogitsNeed, TokenLogits } from '../../../sampling/token-logits.js';
import { halfToFloats } from './half-floats.js';
import { borrowGpuTensor, type OnnxTensor } from './onnx-session.js';
import { FOUND_BYTES, type LogitRows, TopKSelection } from './top-k.js';

/** Owns the GPU buffer that a session writes its logits to, and reads the wanted ones from it. */
export class GpuLogits {
  readonly #device: GPUDevice;
  /** A tensor of logits of the runtime, `[rows, tokens, stride]`. */
  readonly #example: OnnxTensor;
  readonly #stride: number;
  readonly #width: 2 | 4;
  readonly #size: number;
  readonly #select: TopKSelection;
  #buffer: GPUBuffer | undefined;

  private constructor(device: GPUDevice, example: OnnxTensor, vocabularySize: number, select: TopKSelection) {
    this.#device = device;
    this.#example = example;
    this.#stride = example.dims[2]!;
    this.#width = example.type === 'float16' ? 2 : 4;
    this.#size = Math.min(this.#stride, vocabularySize);
    this.#select = select;
  }

  /**
   * @param example logits of an earlier run; the next ones have the same type, shape and class
   * @param given tokens of each row that got logits in that run
   * @param vocabularySize tokens; further logits are padding
   * @returns undefined when the logits have an unknown shape
   */
  static async like(
    example: OnnxTensor,
    given: number,
    device: GPUDevice,
    vocabularySize: number,
  ): Promise<GpuLogits | undefined> {
    const { type, dims } = example;
    if ((type !== 'float32' && type !== 'float16') || dims.length !== 3 || dims[1] !== given) return undefined;
    return new GpuLogits(device, example, vocabularySize, await TopKSelection.on(device, type === 'float16'));
  }

  /**
   * The tensor that the next run writes its logits to; valid until the next call.
   * @param given tokens of each row that get logits
   * @returns undefined when they exceed the limits of the device
   */
  take(rows: number, given: number): OnnxTensor | undefined {
    const size = Math.ceil((rows * given * this.#stride * this.#width) / 16) * 16;
    const { maxStorageBufferBindingSize, maxBufferSize } = this.#device.limits;
    if (size > Math.min(maxStorageBufferBindingSize, maxBufferSize)) return undefined;
    if (!this.#buffer || this.#buffer.size < size) {
      this.#buffer?.destroy();
      const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
      this.#buffer = this.#device.createBuffer({ size, usage });
    }
    return borrowGpuTensor(this.#example, this.#buffer, [rows, given, this.#stride]);
  }

  /**
   * Reads logits of the last run.
   * @param keep how many tokens at the end of each row
   */
  async read(rows: number, given: number, keep: number, need: LogitsNeed): Promise<TokenLogits[][]> {
    const stride = this.#stride;
    const bytes = rows * given * stride * this.#width;
    const logits = { buffer: this.#buffer!, bytes, rows, given, keep, stride, size: this.#size };
    const count = need.type === 'greatest' ? Math.min(need.count, this.#size) : undefined;
    const all = count === undefined ? await this.#readAll(logits) : await this.#readGreatest(logits, count);
    return Array.from({ length: rows }, (_, row) => all.slice(row * keep, (row + 1) * keep));
  }

  dispose(): void {
    this.#buffer?.destroy();
    this.#buffer = undefined;
  }

  async #readGreatest(logits: LogitRows, count: number): Promise<GreatestLogits[]> {
    const encoder = this.#device.createCommandEncoder();
    const temporary: GPUBuffer[] = [];
    const found = this.#select.run(logits, count, encoder, temporary);
    temporary.push(found);
    const bytes = await this.#download(encoder, [{ buffer: found, from: 0, size: found.size }], temporary);
    const perToken = count * FOUND_BYTES;
    return Array.from({ length: logits.rows * logits.keep }, (_, place) =>
      this.#greatest(new Uint32Array(bytes, place * perToken, count * 2)),
    );
  }

  /** @param found pairs of order and id */
  #greatest(found: Uint32Array): GreatestLogits {
    const pairs = Array.from({ length: found.length / 2 }, (_, place) => ({
      order: found[place * 2]!,
      token: found[place * 2 + 1]!,
    })).filter(({ order }) => order > 0);
    pairs.sort((a, b) => a.token - b.token);
    const bits = Uint32Array.from(pairs, ({ order }) => (order >= 0x80000000 ? order - 0x80000000 : ~order));
    const values =
      this.#width === 2 ? halfToFloats(Uint16Array.from(bits, (word) => word >>> 16)) : new Float32Array(bits.buffer);
    return { tokens: pairs.map(({ token }) => token), values };
  }

  async #readAll({ buffer, rows, given, keep, stride, size }: LogitRows): Promise<Float32Array[]> {
    const width = this.#width;
    const places = Array.from({ length: rows * keep }, (_, place) => {
      const start = ((Math.floor(place / keep) + 1) * given - keep + (place % keep)) * stride * width;
      // Copies begin and end at multiples of 4 bytes.
      const from = Math.floor(start / 4) * 4;
      return { buffer, from, start, size: Math.ceil((start + size * width - from) / 4) * 4 };
    });
    const bytes = await this.#download(this.#device.createCommandEncoder(), places, []);
    let offset = 0;
    return places.map((place) => {
      const start = offset + place.start - place.from;
      offset += place.size;
      return width === 2
        ? halfToFloats(new Uint16Array(bytes, start, size))
        : new Float32Array(bytes, start, size).slice();
    });
  }

  /** @param temporary buffers that are destroyed at the end */
  async #download(
    encoder: GPUCommandEncoder,
    parts: readonly { buffer: GPUBuffer; from: number; size: number }[],
    temporary: readonly GPUBuffer[],
  ): Promise<ArrayBuffer> {
    const total = parts.reduce((sum, { size }) => sum + size, 0);
    const target = this.#device.createBuffer({ size: total, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    try {
      let offset = 0;
      for (const { buffer, from, size } of parts) {
        encoder.copyBufferToBuffer(buffer, from, target, offset, size);
        offset += size;
      }
      this.#device.queue.submit([encoder.finish()]);
      await target.mapAsync(GPUMapMode.READ);
      return target.getMappedRange().slice(0);
    } finally {
      for (const buffer of [target, ...temporary]) buffer.destroy();
    }
  }
}
