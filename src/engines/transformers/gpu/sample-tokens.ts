/** Draws tokens from rows of logits in GPU memory, in a WebGPU shader and exactly as `TokenSampler` does. @module */
import type { RandomNumbers } from '../../../language/sampling/random.js';
import { MAX_SAMPLE_ATTEMPTS } from '../../../language/sampling/sample-token.js';
import type { SampleSettings } from '../../../language/sampling/token-logits.js';
import { minPCutoff, HALVING, to32Bits, unitsPerLogit } from '../../../language/sampling/token-weights.js';
import { bindGroup, type ComputeQueue, dispatch, filledBuffer } from './compute-pass.js';
import { CUT_OFF, SAMPLE_SHADER, FORBIDDEN } from './sample-shader.js';
import { CHUNK, type LogitRows } from './top-k.js';

/** Words of a sample: row, scale, farthest, share, attempts, and the random numbers. */
const SAMPLE_WORDS = 5 + MAX_SAMPLE_ATTEMPTS;

/** A token to sample from one row. */
export interface RowSample {
  /** Of its logits: row × kept tokens of each row + number of the kept token. */
  row: number;
  settings: SampleSettings;
  random: RandomNumbers;
}

/** Bytes of one result. */
export const SAMPLED_BYTES = 4;

/** @returns -1 where the model gave no score to any token; undefined where top_p allows no token that was sampled */
export function tokenOf(result: number): number | undefined {
  if (result === CUT_OFF) return undefined;
  return result === FORBIDDEN ? -1 : result;
}

const ENTRY_POINTS = ['weigh', 'chooseToken', 'weighBefore', 'accept'] as const;
type EntryPoint = (typeof ENTRY_POINTS)[number];

const BINDINGS = [...Array(4).fill('read-only-storage'), 'storage', 'storage', 'uniform'] as GPUBufferBindingType[];

/** The compiled shader on one device. */
export class GpuTokenSampler {
  readonly #device: GPUDevice;
  readonly #layout: GPUBindGroupLayout;
  readonly #pipelines: Record<EntryPoint, GPUComputePipeline>;
  readonly #halving: GPUBuffer;

  private constructor(
    device: GPUDevice,
    layout: GPUBindGroupLayout,
    pipelines: Record<EntryPoint, GPUComputePipeline>,
  ) {
    this.#device = device;
    this.#layout = layout;
    this.#pipelines = pipelines;
    this.#halving = filledBuffer(device, HALVING, GPUBufferUsage.STORAGE);
  }

  /** @param half the logits are 16-bit floats */
  static async on(device: GPUDevice, half: boolean): Promise<GpuTokenSampler> {
    const module = device.createShaderModule({ code: SAMPLE_SHADER });
    const visibility = GPUShaderStage.COMPUTE;
    const entries = BINDINGS.map((type, binding) => ({ binding, visibility, buffer: { type } }));
    const group = device.createBindGroupLayout({ entries });
    const layout = device.createPipelineLayout({ bindGroupLayouts: [group] });
    const constants = { HALF: Number(half) };
    const compiled = ENTRY_POINTS.map(async (entryPoint) => [
      entryPoint,
      await device.createComputePipelineAsync({ layout, compute: { module, entryPoint, constants } }),
    ]);
    return new GpuTokenSampler(device, group, Object.fromEntries(await Promise.all(compiled)));
  }

  /**
   * Queues the passes of all samples.
   * @param greatest the result of a `TopKSelection` with this `count`
   * @returns a word for each sample, see {@link tokenOf}; the caller destroys the buffer
   */
  run(
    logits: LogitRows,
    greatest: { buffer: GPUBuffer; count: number },
    samples: readonly RowSample[],
    queue: ComputeQueue,
  ): GPUBuffer {
    const { size, given, keep, stride, bytes } = logits;
    const { STORAGE, COPY_SRC, UNIFORM } = GPUBufferUsage;
    const chunks = Math.ceil(size / CHUNK);
    const results = 1 + MAX_SAMPLE_ATTEMPTS;
    const shape = filledBuffer(
      this.#device,
      Uint32Array.of(size, given, keep, stride, chunks, greatest.count),
      UNIFORM,
    );
    const settings = filledBuffer(this.#device, wordsOf(samples), STORAGE);
    const sums = this.#device.createBuffer({ size: samples.length * results * chunks * 8, usage: STORAGE });
    const tokens = this.#device.createBuffer({
      size: samples.length * results * SAMPLED_BYTES,
      usage: STORAGE | COPY_SRC,
    });
    queue.temporary.push(shape, settings, sums);
    const group = bindGroup(this.#device, this.#layout, [
      { buffer: logits.buffer, size: Math.ceil(bytes / 4) * 4 },
      { buffer: greatest.buffer },
      { buffer: this.#halving },
      { buffer: settings, size: samples.length * SAMPLE_WORDS * 4 },
      { buffer: sums },
      { buffer: tokens },
      { buffer: shape },
    ]);
    const pass = (name: EntryPoint, columns: number): void =>
      dispatch(queue, this.#pipelines[name], group, { columns, rows: samples.length });
    const attempts = Math.max(...samples.map(attemptsOf));
    pass('weigh', chunks);
    pass('chooseToken', attempts);
    if (attempts > 1) pass('weighBefore', chunks);
    pass('accept', 1);
    return tokens;
  }

  dispose(): void {
    this.#halving.destroy();
  }
}

function attemptsOf({ settings }: RowSample): number {
  return settings.topP < 1 ? MAX_SAMPLE_ATTEMPTS : 1;
}

function wordsOf(samples: readonly RowSample[]): Uint32Array {
  const words = new Uint32Array(samples.length * SAMPLE_WORDS);
  const floats = new Float32Array(words.buffer);
  for (const [index, sample] of samples.entries()) {
    const { row, settings, random } = sample;
    const [at, attempts] = [index * SAMPLE_WORDS, attemptsOf(sample)];
    words.set([row, 0, minPCutoff(settings.minP), attempts > 1 ? to32Bits(settings.topP) : 0, attempts], at);
    floats[at + 1] = unitsPerLogit(settings.temperature);
    for (let attempt = 0; attempt < attempts; attempt++) words[at + 5 + attempt] = to32Bits(random());
  }
  return words;
}
