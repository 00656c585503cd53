/** Made decoders of a few thousand weights, in the kernels' memory and as plain numbers, and what they compute in plain loops. */
import { ForwardPass, type ForwardShape, widestRow } from '../../../../../src/model/engines/gguf/forward.js';
import { KvPages, type KvSequence } from '../../../../../src/model/engines/gguf/kv-pages.js';
import { type KernelBuild, type Kernels, loadKernels } from '../../../../../src/model/engines/gguf/load-kernels.js';
import type { Layer } from '../../../../../src/model/engines/gguf/model-weights.js';
import {
  type PackedKind,
  packedBytes,
  type PackedWeights,
} from '../../../../../src/model/engines/gguf/packed-kinds.js';
import { SharedKernels } from '../../../../../src/model/engines/gguf/shared-kernels.js';

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
  values: Float64Array[];
}

/** What can differ between architectures. */
export type TinyTraits = Partial<
  Pick<ForwardShape, 'exact' | 'pairs' | 'precision' | 'heads' | 'kvHeads' | 'headSize' | 'contextLength'>
> & { biases?: boolean; headNorms?: boolean; turned?: number };

const Q8: PackedKind = 1;

/** @param threads more than one only in a worker of an isolated page */
export async function tinyDecoder(build: KernelBuild, traits: TinyTraits = {}, threads = 1): Promise<TinyDecoder> {
  const kernels = await loadKernels(build, { shared: threads > 1 });
  const { biases = false, headNorms = false, turned = 16, ...rest } = traits;
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
    rope: { size: turned, base: 10_000, scaling: { type: 'none' } },
    ...rest,
  };
  const { width, heads, kvHeads, headSize, feedForward, vocabulary } = shape;
  const made = new Maker(kernels);
  const layers = Array.from({ length: shape.layers }, () => {
    const q = made.matrix(heads * headSize, width);
    const k = made.matrix(kvHeads * headSize, width);
    const v = made.matrix(kvHeads * headSize, width);
    const o = made.matrix(width, heads * headSize);
    const [gate, up, down] = [
      made.matrix(feedForward, width),
      made.matrix(feedForward, width),
      made.matrix(width, feedForward),
    ];
    const vectors = {
      attentionNorm: made.vector(width, 1),
      feedForwardNorm: made.vector(width, 1),
      ...(biases && {
        queryBias: made.vector(heads * headSize, 0),
        keyBias: made.vector(kvHeads * headSize, 0),
        valueBias: made.vector(kvHeads * headSize, 0),
        outputBias: made.vector(width, 0),
      }),
      ...(headNorms && { queryNorm: made.vector(headSize, 1), keyNorm: made.vector(headSize, 1) }),
    };
    return { q, k, v, o, gate, up, down, vectors };
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
    layers: layers.map(({ q, k, v, o, gate, up, down, vectors }): Layer => {
      const at = Object.fromEntries(Object.entries(vectors).map(([name, vector]) => [name, vector.at]));
      const { attentionNorm, feedForwardNorm, ...others } = at as Record<string, number>;
      return {
        ...others,
        attentionNorm: attentionNorm!,
        feedForwardNorm: feedForwardNorm!,
        query: q.packed,
        key: k.packed,
        value: v.packed,
        output: o.packed,
        gate: gate.packed,
        up: up.packed,
        down: down.packed,
      };
    }),
  });

  const product = (matrix: Matrix, row: readonly number[]): number[] => multiply(matrix, row, shape.exact);
  const expected = (tokens: readonly number[]): number[][] => {
    const group = heads / kvHeads;
    let rows = tokens.map((token) => [...embedding.values[token]!]);
    for (const { q, k, v, o, gate, up, down, vectors } of layers) {
      const normed = rows.map((row) => rmsNorm(row, vectors.attentionNorm.values, shape.epsilon));
      const project = (matrix: Matrix, bias: Vector | undefined): number[][] =>
        normed.map((row) => addTo(product(matrix, row), bias?.values));
      const cut = (row: number[], count: number): number[][] =>
        Array.from({ length: count }, (_, head) => row.slice(head * headSize, (head + 1) * headSize));
      const turn = (values: number[][], count: number, norm: Vector | undefined): number[][][] =>
        values.map((row, position) =>
          cut(row, count).map((head) =>
            rotate(norm ? rmsNorm(head, norm.values, shape.epsilon) : head, position, turned, shape.pairs),
          ),
        );
      const queries = turn(project(q, vectors.queryBias), heads, vectors.queryNorm);
      const keys = turn(project(k, vectors.keyBias), kvHeads, vectors.keyNorm);
      const values = project(v, vectors.valueBias).map((row) => cut(row, kvHeads));
      rows = rows.map((row, position) => {
        const attended = queries[position]!.flatMap((query, head) => {
          const own = Math.floor(head / group);
          const scores = keys.slice(0, position + 1).map((key) => dot(query, key[own]!) / Math.sqrt(headSize));
          const top = Math.max(...scores);
          const weights = scores.map((score) => Math.exp(score - top));
          const sum = weights.reduce((total, weight) => total + weight, 0);
          return query.map((_, i) =>
            weights.reduce((total, weight, p) => total + (weight / sum) * values[p]![own]![i]!, 0),
          );
        });
        const between = addTo(addTo(product(o, attended), vectors.outputBias?.values), row);
        const inner = rmsNorm(between, vectors.feedForwardNorm.values, shape.epsilon);
        const gates = product(gate, inner);
        const ups = product(up, inner);
        return addTo(
          product(
            down,
            gates.map((value, i) => (value / (1 + Math.exp(-value))) * ups[i]!),
          ),
          between,
        );
      });
    }
    return rows.map((row) => product(embedding, rmsNorm(row, outputNorm.values, shape.epsilon)));
  };
  return { kernels, shape, pages, forward, shared, expected };
}

/** Tokens that do not repeat soon. */
export const someTokens = (count: number, step = 37): number[] =>
  Array.from({ length: count }, (_, index) => (index * step + Math.floor(index / 7) + 3) % 101);

/** Reads tokens in pieces of so many, and gives the logits after each. */
export function readAll(
  { forward }: TinyDecoder,
  kv: KvSequence,
  tokens: readonly number[],
  piece = tokens.length,
): Float32Array[] {
  const logits: Float32Array[] = [];
  for (let from = 0; from < tokens.length; from += piece) {
    const part = tokens.slice(from, from + piece);
    kv.reserve(part.length);
    logits.push(...forward.run([{ tokens: part, kv, keep: part.length }])[0]!);
  }
  return logits;
}

interface Vector {
  at: number;
  values: Float64Array;
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
    return { at, values: Float64Array.from(numbers) };
  }

  /** A matrix of 8 bits. */
  matrix(rows: number, columns: number, size = 1.5 / Math.sqrt(columns)): Matrix {
    const { memory } = this.#kernels;
    const at = memory.allocate(packedBytes(Q8, rows, columns));
    const bytes = memory.bytes(at, packedBytes(Q8, rows, columns));
    const view = new DataView(bytes.buffer, at);
    const values = Array.from({ length: rows }, (_, row) => {
      const numbers = new Float64Array(columns);
      for (let block = 0; block < columns / 32; block++) {
        const place = (Math.floor(row / 4) * (columns / 32) + block) * 144;
        const scale = Math.fround((size / 127) * (1 + 0.2 * this.#random()));
        view.setFloat32(place + (row % 4) * 4, scale, true);
        for (let i = 0; i < 32; i++) {
          const code = Math.round(127 * this.#random());
          bytes[place + 16 + Math.floor(i / 4) * 16 + (row % 4) * 4 + (i % 4)] = code + 128;
          numbers[block * 32 + i] = scale * code;
        }
      }
      return numbers;
    });
    return { packed: { kind: Q8, at, rows, columns }, values };
  }
}

/** @param isExact else activations are rounded to 8 bits in blocks of 32, as the kernels do */
function multiply({ values }: Matrix, row: readonly number[], isExact: boolean): number[] {
  if (isExact) return values.map((weights) => dot(weights, row));
  const rounded: number[] = [];
  for (let from = 0; from < row.length; from += 32) {
    const block = row.slice(from, from + 32).map(Math.fround);
    const top = Math.max(...block.map(Math.abs));
    const scale = Math.fround(top / 127);
    rounded.push(...block.map((value) => (top > 0 ? Math.round(value / scale) * scale : 0)));
  }
  return values.map((weights) => dot(weights, rounded));
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += a[index]! * b[index]!;
  return sum;
}

function addTo(row: number[], other: ArrayLike<number> | undefined): number[] {
  return other ? row.map((value, index) => value + other[index]!) : row;
}

function rmsNorm(row: readonly number[], weight: Float64Array, epsilon: number): number[] {
  const scale = 1 / Math.sqrt(dot(row, row) / row.length + epsilon);
  return row.map((value, index) => value * scale * weight[index]!);
}

function rotate(head: readonly number[], position: number, turned: number, pairs: 'halves' | 'neighbours'): number[] {
  const out = [...head];
  for (let pair = 0; pair < turned / 2; pair++) {
    const angle = position * 10_000 ** ((-2 * pair) / turned);
    const [first, second] = pairs === 'halves' ? [pair, pair + turned / 2] : [2 * pair, 2 * pair + 1];
    const [a, b] = [head[first]!, head[second]!];
    out[first] = a * Math.cos(angle) - b * Math.sin(angle);
    out[second] = b * Math.cos(angle) + a * Math.sin(angle);
  }
  return out;
}
