/** Logits that stay on the GPU: only those that decide about the next token are copied to the CPU. @module */
import type { RandomNumbers } from '../../../language/sampling/random.js';
import type { SampleSettings, GreatestLogits, TokenLogits } from '../../../language/sampling/token-logits.js';
import { type RowSample, SAMPLED_BYTES, GpuTokenSampler, tokenOf } from './sample-tokens.js';
import { halfToFloats } from '../ort/half-floats.js';
import { borrowGpuTensor, type OnnxTensor } from '../ort/onnx-session.js';
import { FOUND_BYTES, type LogitRows, TopKSelection } from './top-k.js';

/** Which logits of a row are read in one pass. */
export type LogitsRequest =
  | { type: 'all' }
  | { type: 'greatest'; count: number }
  | {
      type: 'sample';
      settings: SampleSettings;
      /** For each of the last tokens of the row the choices that a token is sampled for. */
      random: readonly (readonly RandomNumbers[])[];
    };

/** A part of a buffer, in bytes. */
interface Part {
  buffer: GPUBuffer;
  from: number;
  size: number;
}

/** Owns the GPU buffer that a session writes its logits to, and reads the wanted ones from it. */
export class GpuLogits {
  readonly #device: GPUDevice;
  /** A tensor of logits of the runtime, `[rows, tokens, stride]`. */
  readonly #example: OnnxTensor;
  readonly #stride: number;
  readonly #width: 2 | 4;
  readonly #size: number;
  readonly #select: TopKSelection;
  readonly #sampling: GpuTokenSampler;
  #buffer: GPUBuffer | undefined;

  private constructor(
    device: GPUDevice,
    example: OnnxTensor,
    vocabularySize: number,
    [select, sampling]: [TopKSelection, GpuTokenSampler],
  ) {
    this.#device = device;
    this.#example = example;
    this.#stride = example.dims[2]!;
    this.#width = example.type === 'float16' ? 2 : 4;
    this.#size = Math.min(this.#stride, vocabularySize);
    this.#select = select;
    this.#sampling = sampling;
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
    const half = type === 'float16';
    const shaders = await Promise.all([TopKSelection.on(device, half), GpuTokenSampler.on(device, half)]);
    return new GpuLogits(device, example, vocabularySize, shaders);
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
   * @param needs of each row
   */
  async read(rows: number, given: number, keep: number, needs: readonly LogitsRequest[]): Promise<TokenLogits[][]> {
    const stride = this.#stride;
    const bytes = rows * given * stride * this.#width;
    const logits = { buffer: this.#buffer!, bytes, rows, given, keep, stride, size: this.#size };
    const all = await this.#readChosen(logits, needs);
    // What top_p left open is decided on the CPU.
    const open = [...all.keys()].filter((slot) => all[slot] === undefined);
    if (open.length > 0) {
      const encoder = this.#device.createCommandEncoder();
      const parts = open.map((slot) => this.#partOf(logits, slot));
      const read = await this.#download(encoder, parts, []);
      for (const [index, slot] of open.entries()) all[slot] = this.#wholeRow(logits, slot, read[index]!);
    }
    return Array.from({ length: rows }, (_, row) => (all as TokenLogits[]).slice(row * keep, (row + 1) * keep));
  }

  dispose(): void {
    this.#sampling.dispose();
    this.#buffer?.destroy();
    this.#buffer = undefined;
  }

  /** @returns by row; undefined where sampling found no token */
  async #readChosen(logits: LogitRows, needs: readonly LogitsRequest[]): Promise<(TokenLogits | undefined)[]> {
    const encoder = this.#device.createCommandEncoder();
    const temporary: GPUBuffer[] = [];
    const counts = needs.map((need) => (need.type === 'greatest' ? Math.min(need.count, this.#size) : 1));
    const count = Math.max(...counts);
    const isSearched = needs.some(({ type }) => type !== 'all');
    const found = isSearched ? this.#select.run(logits, count, { encoder, temporary }) : undefined;
    const samples = samplesOf(needs, logits.keep);
    const sampled =
      found && samples.length > 0
        ? this.#sampling.run(logits, { buffer: found, count }, samples, { encoder, temporary })
        : undefined;
    for (const buffer of [found, sampled]) if (buffer) temporary.push(buffer);
    const parts = Array.from({ length: logits.rows * logits.keep }, (_, slot): Part => {
      const row = Math.floor(slot / logits.keep);
      const { type } = needs[row]!;
      if (type === 'all') return this.#partOf(logits, slot);
      if (type === 'greatest') {
        return { buffer: found!, from: slot * count * FOUND_BYTES, size: counts[row]! * FOUND_BYTES };
      }
      const first = samples.findIndex((sample) => sample.row === slot);
      const last = samples.findLastIndex((sample) => sample.row === slot);
      return { buffer: sampled!, from: first * SAMPLED_BYTES, size: (last + 1 - first) * SAMPLED_BYTES };
    });
    const read = await this.#download(encoder, parts, temporary);
    return read.map((bytes, slot) => {
      const { type } = needs[Math.floor(slot / logits.keep)]!;
      if (type === 'all') return this.#wholeRow(logits, slot, bytes);
      const words = new Uint32Array(bytes);
      if (type === 'greatest') return this.#greatest(words);
      const tokens = Array.from(words, tokenOf);
      return tokens.includes(undefined) ? undefined : { sampled: tokens as number[] };
    });
  }

  /** @param found pairs of order and id */
  #greatest(found: Uint32Array): GreatestLogits {
    const pairs = Array.from({ length: found.length / 2 }, (_, slot) => ({
      order: found[slot * 2]!,
      token: found[slot * 2 + 1]!,
    })).filter(({ order }) => order > 0);
    pairs.sort((a, b) => a.token - b.token);
    const bits = Uint32Array.from(pairs, ({ order }) => (order >= 0x80000000 ? order - 0x80000000 : ~order));
    const values =
      this.#width === 2 ? halfToFloats(Uint16Array.from(bits, (word) => word >>> 16)) : new Float32Array(bits.buffer);
    return { tokens: pairs.map(({ token }) => token), values };
  }

  /** Where the logits of a place are; copies begin and end at multiples of 4 bytes. */
  #partOf(logits: LogitRows, slot: number): Part {
    const start = this.#startOf(logits, slot);
    const from = Math.floor(start / 4) * 4;
    return { buffer: logits.buffer, from, size: Math.ceil((start + logits.size * this.#width - from) / 4) * 4 };
  }

  /** Byte of the first logit. */
  #startOf({ given, keep, stride }: LogitRows, slot: number): number {
    return ((Math.floor(slot / keep) + 1) * given - keep + (slot % keep)) * stride * this.#width;
  }

  /** @param bytes of `#partOf` */
  #wholeRow(logits: LogitRows, slot: number, bytes: ArrayBuffer): Float32Array {
    const start = this.#startOf(logits, slot) % 4;
    return this.#width === 2
      ? halfToFloats(new Uint16Array(bytes, start, logits.size))
      : new Float32Array(bytes, start, logits.size);
  }

  /**
   * @param temporary buffers that are destroyed at the end
   * @returns the bytes of each part
   */
  async #download(
    encoder: GPUCommandEncoder,
    parts: readonly Part[],
    temporary: readonly GPUBuffer[],
  ): Promise<ArrayBuffer[]> {
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
      const bytes = target.getMappedRange();
      let end = 0;
      return parts.map(({ size }) => bytes.slice(end, (end += size)));
    } finally {
      for (const buffer of [target, ...temporary]) buffer.destroy();
    }
  }
}

/** In the order of rows. */
function samplesOf(needs: readonly LogitsRequest[], keep: number): RowSample[] {
  return needs.flatMap((need, row) =>
    need.type === 'sample'
      ? need.random.flatMap((all, index) =>
          all.map((random) => ({ row: row * keep + index, settings: need.settings, random })),
        )
      : [],
  );
}
