/** Draws tokens from rows of logits in GPU memory, in a WebGPU shader and exactly as `TokenSampler` does. @module */
import type { RandomNumbers } from '../../../sampling/random.js';
import { MOST_DRAWS } from '../../../sampling/sample-token.js';
import type { DrawSettings } from '../../../sampling/token-logits.js';
import { farthestOf, HALVING, to32Bits, unitsPerLogit } from '../../../sampling/token-weights.js';
import { bindGroup, dispatch, filledBuffer } from './compute-pass.js';
import { CUT_OFF, DRAW_SHADER, FORBIDDEN } from './draw-shader.js';
import { CHUNK, type LogitRows } from './top-k.js';

/** Words of a draw: place, scale, farthest, share, attempts, and the random numbers. */
const DRAW_WORDS = 5 + MOST_DRAWS;

/** A draw from one row. */
export interface Draw {
  /** Of its logits: row × kept tokens of each row + number of the kept token. */
  place: number;
  settings: DrawSettings;
  random: RandomNumbers;
}

/** Bytes of one result. */
export const DRAWN_BYTES = 4;

/** @returns -1 where the model gave no score to any token; undefined where top_p allows no token that was drawn */
export function tokenOf(result: number): number | undefined {
  if (result === CUT_OFF) return undefined;
  return result === FORBIDDEN ? -1 : result;
}

const ENTRY_POINTS = ['weigh', 'chooseToken', 'weighBefore', 'accept'] as const;
type EntryPoint = (typeof ENTRY_POINTS)[number];

const BINDINGS = [...Array(4).fill('read-only-storage'), 'storage', 'storage', 'uniform'] as GPUBufferBindingType[];

/** The compiled shader on one device. */
export class TokenDrawing {
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
  static async on(device: GPUDevice, half: boolean): Promise<TokenDrawing> {
    const module = device.createShaderModule({ code: DRAW_SHADER });
    const visibility = GPUShaderStage.COMPUTE;
    const entries = BINDINGS.map((type, binding) => ({ binding, visibility, buffer: { type } }));
    const group = device.createBindGroupLayout({ entries });
    const layout = device.createPipelineLayout({ bindGroupLayouts: [group] });
    const constants = { HALF: Number(half) };
    const compiled = ENTRY_POINTS.map(async (entryPoint) => [
      entryPoint,
      await device.createComputePipelineAsync({ layout, compute: { module, entryPoint, constants } }),
    ]);
    return new TokenDrawing(device, group, Object.fromEntries(await Promise.all(compiled)));
  }

  /**
   * Queues the passes of all draws.
   * @param greatest the result of a `TopKSelection` with this `count`
   * @returns a word for each draw, see {@link tokenOf}; the caller destroys the buffer
   */
  run(
    logits: LogitRows,
    greatest: { buffer: GPUBuffer; count: number },
    draws: readonly Draw[],
    encoder: GPUCommandEncoder,
    temporary: GPUBuffer[],
  ): GPUBuffer {
    const { size, given, keep, stride, bytes } = logits;
    const { STORAGE, COPY_SRC, UNIFORM } = GPUBufferUsage;
    const chunks = Math.ceil(size / CHUNK);
    const results = 1 + MOST_DRAWS;
    const shape = filledBuffer(
      this.#device,
      Uint32Array.of(size, given, keep, stride, chunks, greatest.count),
      UNIFORM,
    );
    const settings = filledBuffer(this.#device, wordsOf(draws), STORAGE);
    const sums = this.#device.createBuffer({ size: draws.length * results * chunks * 8, usage: STORAGE });
    const tokens = this.#device.createBuffer({
      size: draws.length * results * DRAWN_BYTES,
      usage: STORAGE | COPY_SRC,
    });
    temporary.push(shape, settings, sums);
    const group = bindGroup(this.#device, this.#layout, [
      { buffer: logits.buffer, size: Math.ceil(bytes / 4) * 4 },
      { buffer: greatest.buffer },
      { buffer: this.#halving },
      { buffer: settings, size: draws.length * DRAW_WORDS * 4 },
      { buffer: sums },
      { buffer: tokens },
      { buffer: shape },
    ]);
    const queue = (name: EntryPoint, columns: number): void =>
      dispatch(encoder, this.#pipelines[name], group, columns, draws.length);
    const attempts = Math.max(...draws.map(attemptsOf));
    queue('weigh', chunks);
    queue('chooseToken', attempts);
    if (attempts > 1) queue('weighBefore', chunks);
    queue('accept', 1);
    return tokens;
  }

  dispose(): void {
    this.#halving.destroy();
  }
}

function attemptsOf({ settings }: Draw): number {
  return settings.topP < 1 ? MOST_DRAWS : 1;
}

function wordsOf(draws: readonly Draw[]): Uint32Array {
  const words = new Uint32Array(draws.length * DRAW_WORDS);
  const floats = new Float32Array(words.buffer);
  for (const [index, draw] of draws.entries()) {
    const { place, settings, random } = draw;
    const [at, attempts] = [index * DRAW_WORDS, attemptsOf(draw)];
    words.set([place, 0, farthestOf(settings.minP), attempts > 1 ? to32Bits(settings.topP) : 0, attempts], at);
    floats[at + 1] = unitsPerLogit(settings.temperature);
    for (let attempt = 0; attempt < attempts; attempt++) words[at + 5 + attempt] = to32Bits(random());
  }
  return words;
}
