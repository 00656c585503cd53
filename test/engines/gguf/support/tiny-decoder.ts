/** Made decoders of a few thousand weights, in the kernels' memory and as plain numbers, and what they compute in plain loops. */
import type { AdapterSet } from '../../../../src/engines/gguf/adapter-products.js';
import { ForwardPass } from '../../../../src/engines/gguf/forward.js';
import { type ForwardShape, widestRow } from '../../../../src/engines/gguf/forward-shape.js';
import { KvPages, type KvSequence } from '../../../../src/engines/gguf/kv-pages.js';
import { type KernelBuild, type Kernels, loadKernels } from '../../../../src/engines/gguf/load-kernels.js';
import { type PackedKind, packedBytes, type PackedWeights } from '../../../../src/engines/gguf/packed-kinds.js';
import { SharedKernels } from '../../../../src/engines/gguf/shared-kernels.js';
import { fromHalf, toHalf } from './quantize.js';
import { multiply, type ReferenceDecoder, referenceLogits, type Row, type Rows } from './reference-decoder.js';

export interface TinyDecoder {
  kernels: Kernels;
  shape: ForwardShape;
  pages: KvPages;
  forward: ForwardPass;
  shared: SharedKernels;
  /** Logits after each token, by plain loops over all of them. */
  expected: (tokens: readonly number[]) => number[][];
}

interface Matrix {
  packed: PackedWeights;
  /** What the packed form stands for, [rows][columns]. */
  values: number[][];
}

/** What can differ between architectures. */
export type TinyTraits = Partial<
  Pick<
    ForwardShape,
    | 'exact'
    | 'pairs'
    | 'precision'
    | 'heads'
    | 'kvHeads'
    | 'headSize'
    | 'contextLength'
    | 'attentionCap'
    | 'logitCap'
    | 'queryKeyNorm'
  >
> & {
  activation?: 'silu' | 'gelu';
  biases?: boolean;
  turned?: number;
  /** Of all layers but the last one. */
  window?: number;
  norms?: 'before' | 'behind' | 'both';
};

const Q8: PackedKind = 1;

/** @param threads more than one only in a worker of an isolated page */
export async function tinyDecoder(build: KernelBuild, traits: TinyTraits = {}, threads = 1): Promise<TinyDecoder> {
  const kernels = await loadKernels(build, { shared: threads > 1 });
  const { biases = false, turned = 16, window = 0, norms = 'before', ...rest } = traits;
  const shape: ForwardShape = {
    layers: 3,
    width: 64,
    heads: 6,
    kvHeads: 2,
    headSize: 16,
    feedForward: 96,
    vocabulary: 101,
    epsilon: 1e-5,
    precision: 16,
    pairs: 'halves',
    contextLength: 512,
    exact: false,
    activation: 'silu',
    embeddingScale: 1,
    residualScale: 1,
    attentionScale: (rest.headSize ?? 16) ** -0.5,
    attentionCap: 0,
    logitScale: 1,
    logitCap: 0,
    queryKeyNorm: undefined,
    rope: { size: turned, base: 10_000, factor: 1, magnitude: 1 },
    windowRope: window > 0 ? { size: turned, base: 100, factor: 1, magnitude: 1 } : undefined,
    layerShapes: [0, 1, 2].map((layer) =>
      window > 0 && layer < 2 ? { window, rope: 'window' } : { window: 0, rope: 'usual' },
    ),
    ...rest,
  };
  const { width, heads, kvHeads, headSize, feedForward, vocabulary, queryKeyNorm } = shape;
  const made = new Maker(kernels);
  const layers = shape.layerShapes.map(() => {
    const matrices = {
      query: made.matrix(heads * headSize, width),
      key: made.matrix(kvHeads * headSize, width),
      value: made.matrix(kvHeads * headSize, width),
      output: made.matrix(width, heads * headSize),
      gate: made.matrix(feedForward, width),
      up: made.matrix(feedForward, width),
      down: made.matrix(width, feedForward),
    };
    const vectors = {
      ...(norms !== 'behind' && { attentionNorm: made.vector(width, 1), feedForwardNorm: made.vector(width, 1) }),
      ...(norms !== 'before' && {
        attentionPostNorm: made.vector(width, 1),
        feedForwardPostNorm: made.vector(width, 1),
      }),
      ...(biases && {
        queryBias: made.vector(heads * headSize, 0),
        keyBias: made.vector(kvHeads * headSize, 0),
        valueBias: made.vector(kvHeads * headSize, 0),
        outputBias: made.vector(width, 0),
        gateBias: made.vector(feedForward, 0),
        upBias: made.vector(feedForward, 0),
        downBias: made.vector(width, 0),
      }),
      ...(queryKeyNorm && {
        queryNorm: made.vector(queryKeyNorm === 'row' ? heads * headSize : headSize, 1),
        keyNorm: made.vector(queryKeyNorm === 'row' ? kvHeads * headSize : headSize, 1),
      }),
    };
    return { matrices, vectors };
  });
  const embedding = made.matrix(vocabulary, width, 1);
  const outputNorm = made.vector(width, 1);
  const pages = new KvPages(kernels.memory, shape, 2 ** 26);
  const shared = new SharedKernels(kernels, shape.contextLength, widestRow(shape), threads);
  if (threads > 1) await shared.startThreads();
  const forward = new ForwardPass(shared, shape, {
    embedding: embedding.packed,
    head: embedding.packed,
    outputNorm: outputNorm.at,
    layers: layers.map(({ matrices, vectors }) => ({
      ...mapValues(matrices, ({ packed }) => packed),
      ...mapValues(vectors, ({ at }) => at),
    })),
  });
  const base = (layer: number): number => (shape.layerShapes[layer]!.rope === 'window' ? 100 : 10_000);
  const reference: ReferenceDecoder = {
    ...shape,
    activation: traits.activation ?? 'silu',
    embedding: embedding.values,
    head: embedding.values,
    outputNorm: outputNorm.values,
    layers: layers.map(({ matrices, vectors }, index) => ({
      ...mapValues(matrices, ({ values }): Rows => values),
      ...mapValues(vectors, ({ values }): Row => values),
      window: shape.layerShapes[index]!.window || Infinity,
      angles: (position: number) =>
        Array.from({ length: turned / 2 }, (_, pair) => position * base(index) ** ((-2 * pair) / turned)),
      magnitude: 1,
    })),
  };
  const product = shape.exact ? multiply : multiplyRounded;
  return { kernels, shape, pages, forward, shared, expected: (tokens) => referenceLogits(reference, tokens, product) };
}

function mapValues<Parts extends object, To>(
  parts: Parts,
  map: (part: NonNullable<Parts[keyof Parts]>) => To,
): { [Name in keyof Parts]: To } {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, map(part as NonNullable<Parts[keyof Parts]>)]),
  ) as { [Name in keyof Parts]: To };
}

/** Tokens that do not repeat soon. */
export const someTokens = (count: number, step = 37): number[] =>
  Array.from({ length: count }, (_, index) => (index * step + Math.floor(index / 7) + 3) % 101);

/** Reads tokens in pieces of so many, and gives the logits after each. */
export function readAll(
  { forward }: Pick<TinyDecoder, 'forward'>,
  kv: KvSequence,
  tokens: readonly number[],
  piece = tokens.length,
  adapters?: AdapterSet,
): Float32Array[] {
  const logits: Float32Array[] = [];
  for (let from = 0; from < tokens.length; from += piece) {
    const part = tokens.slice(from, from + piece);
    kv.reserve(part.length);
    logits.push(...forward.run([{ tokens: part, kv, keep: part.length, adapters }])[0]!);
  }
  return logits;
}

interface Vector {
  at: number;
  values: number[];
}

class Maker {
  readonly #kernels: Kernels;
  #seed = 1;

  constructor(kernels: Kernels) {
    this.#kernels = kernels;
  }

  /** Between -1 and 1. */
  #random(): number {
    this.#seed = (Math.imul(this.#seed, 1_103_515_245) + 12_345) >>> 0;
    return this.#seed / 2 ** 31 - 1;
  }

  vector(length: number, around: number): Vector {
    const numbers = Float32Array.from({ length }, () => around + 0.3 * this.#random());
    const at = this.#kernels.memory.allocate(length * 4);
    this.#kernels.memory.floats(at, length).set(numbers);
    return { at, values: [...numbers] };
  }

  /** A matrix of 8 bits. */
  matrix(rows: number, columns: number, size = 1.5 / Math.sqrt(columns)): Matrix {
    const { memory } = this.#kernels;
    const at = memory.allocate(packedBytes(Q8, rows, columns));
    const bytes = memory.bytes(at, packedBytes(Q8, rows, columns));
    const view = new DataView(bytes.buffer, at);
    const values = Array.from({ length: rows }, (_, row) => {
      const numbers = Array.from({ length: columns }, () => 0);
      for (let block = 0; block < columns / 32; block++) {
        const place = (Math.floor(row / 4) * (columns / 32) + block) * 136;
        const half = toHalf((size / 127) * (1 + 0.2 * this.#random()));
        const scale = fromHalf(half);
        view.setUint16(place + (row % 4) * 2, half, true);
        for (let i = 0; i < 32; i++) {
          const code = Math.round(127 * this.#random());
          bytes[place + 8 + Math.floor(i / 4) * 16 + (row % 4) * 4 + (i % 4)] = code + 128;
          numbers[block * 32 + i] = scale * code;
        }
      }
      return numbers;
    });
    return { packed: { kind: Q8, at, rows, columns }, values };
  }
}

/** Activations are rounded to 8 bits in blocks of 32, as the kernels do. */
function multiplyRounded(matrix: Rows, row: Row): number[] {
  const rounded: number[] = [];
  for (let from = 0; from < row.length; from += 32) {
    const block = row.slice(from, from + 32).map(Math.fround);
    const top = Math.max(...block.map(Math.abs));
    const scale = Math.fround(top / 127);
    rounded.push(...block.map((value) => (top > 0 ? Math.round(value / scale) * scale : 0)));
  }
  return multiply(matrix, rounded);
}
