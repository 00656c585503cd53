/** What attention of a layer does with the rows of a pass. @module */
import type { ForwardShape, LayerShape } from './forward-shape.js';
import { attentionUnits } from './kernel-exports.js';
import { layerOffsets } from './kv-pages.js';
import type { Layer } from './model-weights.js';
import type { PackedWeights } from './packed-kinds.js';
import type { Products } from './products.js';
import { GateKind } from './recurrent-kernels.js';
import type { StateSpan } from './recurrent-layers.js';
import type { SharedKernels } from './shared-kernels.js';

/** Addresses of what the layers of a pass read and write. */
export interface LayerMemory {
  /** Rows between layers. */
  x: number;
  y: number;
  qkv: number;
  attended: number;
  /** What a recurrent layer gives beside attention. */
  mixed: number;
  /** Queries with their gates, and the gates. */
  wide: number;
  opening: number;
  /** Rows as a router takes them. */
  routed: number;
  gateUp: number;
  inner: number;
  /** Further rows as wide as those between layers. */
  branch: number;
  /** Inputs of all layers. */
  inputs: number;
  ones: number;
  kvCells: number;
  spans: number;
  /** Of the rows' positions, for each kind of RoPE. */
  angles: Readonly<Record<'usual' | 'window', { rope: { size: number }; cos: number; sin: number }>>;
}

/** The rows of a pass as layers see them. */
export interface PassRows {
  rows: number;
  /** Of each sequence. */
  spans: readonly StateSpan[];
  /** By row, what queries are multiplied by; undefined: they are not. */
  temperatures: readonly number[] | undefined;
}

/** Sizes of a layer's attention. */
interface AttentionSizes {
  heads: number;
  kvHeads: number;
  headSize: number;
  /** Where keys and values begin in a row, and where it ends. */
  keys: number;
  values: number;
  stride: number;
}

export class AttentionLayers {
  readonly #kernels: SharedKernels;
  readonly #products: Products;
  readonly #shape: ForwardShape;
  readonly #at: LayerMemory;
  /** By layer: where it begins in a page. */
  readonly #offsets: readonly number[];

  constructor(kernels: SharedKernels, products: Products, shape: ForwardShape, at: LayerMemory) {
    this.#kernels = kernels;
    this.#products = products;
    this.#shape = shape;
    this.#at = at;
    this.#offsets = layerOffsets(shape);
  }

  /**
   * Keys and values of a layer, and what attention gives.
   * @param normed rows as it takes them @param isWanted what attention gives is
   */
  attend(
    layer: Layer,
    index: number,
    { rows, spans, temperatures }: PassRows,
    { normed, isWanted }: { normed: number; isWanted: boolean },
  ): void {
    const { functions } = this.#kernels;
    const { precision, layerShapes, attentionScale, attentionCap, isQueryGated } = this.#shape;
    const at = this.#at;
    const own = layerShapes[index]!;
    const sizes = this.#sizesOf(own);
    const { heads, kvHeads, headSize, keys, values, stride } = sizes;
    this.#project(layer, own, { normed, rows }, sizes);
    this.#rotate(layer, own, rows, sizes);
    if (temperatures)
      for (const [row, factor] of temperatures.entries())
        if (factor !== 1) functions.scale(at.qkv + row * stride * 4, keys, factor);
    const start = this.#offsets[own.kvFrom ?? index]!;
    if (own.kvFrom === undefined)
      functions.storeHeads(precision, at.qkv, stride, rows, keys, values, kvHeads, headSize, at.kvCells, start);
    if (!isWanted) return;
    const units = spans.reduce((sum, { count }) => sum + attentionUnits(count, heads, kvHeads), 0);
    const { window } = own;
    const fixed = [heads, kvHeads, headSize, attentionScale, attentionCap, window] as const;
    const sinks = layer.sinks ?? 0;
    this.#kernels.run([['attend', [precision, at.attended, at.qkv, stride, ...fixed, at.spans, start, sinks], units]]);
    if (isQueryGated) functions.gateRows(at.attended, keys, at.opening, keys, rows, keys, GateKind.sigmoid);
  }

  #sizesOf({ kvHeads = this.#shape.kvHeads, headSize = this.#shape.headSize }: LayerShape): AttentionSizes {
    const { heads } = this.#shape;
    const keys = heads * headSize;
    const values = keys + kvHeads * headSize;
    return { heads, kvHeads, headSize, keys, values, stride: values + kvHeads * headSize };
  }

  /** Queries, and keys and values where a layer has its own. */
  #project(
    layer: Layer,
    own: LayerShape,
    { normed, rows }: { normed: number; rows: number },
    sizes: AttentionSizes,
  ): void {
    const { functions } = this.#kernels;
    const { query, key, value, queryBias, keyBias, valueBias } = layer;
    const { qkv } = this.#at;
    const { keys, values, stride } = sizes;
    const ownParts: [PackedWeights, number][] =
      own.kvFrom === undefined
        ? [
            [key!, qkv + keys * 4],
            [value!, qkv + values * 4],
          ]
        : [];
    const isGated = this.#shape.isQueryGated;
    const parts: [PackedWeights, number][] = isGated ? ownParts : [[query!, qkv], ...ownParts];
    this.#products.prepare(normed, rows, query!, ...ownParts.map(([matrix]) => matrix));
    this.#products.multiply(rows, stride, ...parts);
    if (isGated) this.#projectGated(query!, queryBias, rows, sizes);
    else if (queryBias) functions.addBias(qkv, stride, queryBias, rows, keys);
    if (keyBias) functions.addBias(qkv + keys * 4, stride, keyBias, rows, values - keys);
    if (valueBias) functions.addBias(qkv + values * 4, stride, valueBias, rows, values - keys);
  }

  /** Queries whose matrix has a gate behind each head. */
  #projectGated(
    query: PackedWeights,
    bias: number | undefined,
    rows: number,
    { heads, headSize, keys, stride }: AttentionSizes,
  ): void {
    const { functions } = this.#kernels;
    const { qkv, wide, opening } = this.#at;
    this.#products.multiply(rows, 2 * keys, [query, wide]);
    if (bias) functions.addBias(wide, 2 * keys, bias, rows, 2 * keys);
    functions.copyHeads(qkv, stride, wide, 2 * keys, rows, heads, headSize, 2 * headSize);
    functions.copyHeads(opening, keys, wide + headSize * 4, 2 * keys, rows, heads, headSize, 2 * headSize);
  }

  /** Normalizes queries and keys where the model does, and rotates them. */
  #rotate(layer: Layer, { rope, kvFrom }: LayerShape, rows: number, sizes: AttentionSizes): void {
    const { functions } = this.#kernels;
    const { pairs, normsRotated, normsValues, epsilon } = this.#shape;
    const { qkv, angles, ones } = this.#at;
    const { heads, kvHeads, headSize, values, stride } = sizes;
    const count = kvFrom === undefined ? heads + kvHeads : heads;
    if (!normsRotated) this.#normHeads(layer, rows, sizes);
    if (normsValues && kvFrom === undefined)
      functions.normHeads(qkv + values * 4, stride, ones, rows, kvHeads, headSize, epsilon);
    if (rope !== 'none') {
      const { cos, sin, rope: turned } = angles[rope];
      const rotate = pairs === 'halves' ? 'rotateHalves' : 'rotateNeighbours';
      functions[rotate](qkv, stride, rows, count, headSize, turned.size, cos, sin);
    }
    if (normsRotated) this.#normHeads(layer, rows, sizes);
  }

  #normHeads({ queryNorm, keyNorm }: Layer, rows: number, sizes: AttentionSizes): void {
    const { functions } = this.#kernels;
    const { epsilon, queryKeyNorm } = this.#shape;
    const { qkv } = this.#at;
    const { heads, kvHeads, headSize, keys, stride } = sizes;
    const norm = (x: number, weight: number, count: number): void =>
      queryKeyNorm === 'row'
        ? functions.normHeads(x, stride, weight, rows, 1, count * headSize, epsilon)
        : functions.normHeads(x, stride, weight, rows, count, headSize, epsilon);
    if (queryNorm) norm(qkv, queryNorm, heads);
    if (keyNorm) norm(qkv + keys * 4, keyNorm, kvHeads);
  }
}
