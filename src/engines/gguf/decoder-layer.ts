/** What a layer of a decoder does with the rows of a pass. @module */
import type { ForwardShape, LayerShape } from './forward-shape.js';
import { headBytes } from './kernel-exports.js';
import type { Layer } from './model-weights.js';
import type { Products } from './products.js';
import type { SharedKernels } from './shared-kernels.js';

/** Addresses of what the layers of a pass read and write. */
export interface LayerMemory {
  /** Rows between layers. */
  x: number;
  y: number;
  qkv: number;
  attended: number;
  gateUp: number;
  inner: number;
  kvCells: number;
  spans: number;
  /** Of the rows' positions, for each kind of RoPE. */
  angles: Readonly<Record<'usual' | 'window', { cos: number; sin: number }>>;
}

export class DecoderLayers {
  readonly #kernels: SharedKernels;
  readonly #products: Products;
  readonly #shape: ForwardShape;
  readonly #at: LayerMemory;
  /** Numbers of a row of queries, keys and values; where in it keys and values begin. */
  readonly #stride: number;
  readonly #keys: number;
  readonly #values: number;
  /** Bytes of a layer in a page. */
  readonly #layerBytes: number;

  constructor(kernels: SharedKernels, products: Products, shape: ForwardShape, at: LayerMemory) {
    this.#kernels = kernels;
    this.#products = products;
    this.#shape = shape;
    this.#at = at;
    const { heads, kvHeads, headSize, precision } = shape;
    this.#keys = heads * headSize;
    this.#values = this.#keys + kvHeads * headSize;
    this.#stride = this.#values + kvHeads * headSize;
    this.#layerBytes = 2 * kvHeads * headBytes(precision, headSize);
  }

  /** Keys and values of a layer, and what attention gives. @param units of attention; 0: none is wanted */
  attend(layer: Layer, index: number, rows: number, units: number): void {
    const { functions } = this.#kernels;
    const { heads, kvHeads, headSize, precision, layerShapes, attentionScale, attentionCap } = this.#shape;
    const at = this.#at;
    const layerShape = layerShapes[index]!;
    this.#project(layer, rows);
    this.#rotate(layer, layerShape, rows);
    const start = index * this.#layerBytes;
    const [stride, keys, values] = [this.#stride, this.#keys, this.#values];
    functions.storeHeads(precision, at.qkv, stride, rows, keys, values, kvHeads, headSize, at.kvCells, start);
    if (units === 0) return;
    const { window } = layerShape;
    const sizes = [heads, kvHeads, headSize, attentionScale, attentionCap, window] as const;
    this.#kernels.run([['attend', [precision, at.attended, at.qkv, stride, ...sizes, at.spans, start], units]]);
  }

  /** What follows attention in a layer. */
  feedForward(layer: Layer, rows: number): void {
    const { width, feedForward, activation } = this.#shape;
    const { functions } = this.#kernels;
    const at = this.#at;
    this.#products.prepare(at.attended, rows, layer.output);
    this.#products.multiply(rows, width, [layer.output, at.y]);
    this.#addBranch(rows, layer.outputBias, layer.attentionPostNorm);
    const [stride, up] = [2 * feedForward, at.gateUp + feedForward * 4];
    this.#products.prepare(this.#normed(layer.feedForwardNorm, rows), rows, layer.gate, layer.up);
    this.#products.multiply(rows, stride, [layer.gate, at.gateUp], [layer.up, up]);
    if (layer.gateBias) functions.addBias(at.gateUp, stride, layer.gateBias, rows, feedForward);
    if (layer.upBias) functions.addBias(up, stride, layer.upBias, rows, feedForward);
    functions[activation === 'silu' ? 'siluMul' : 'geluMul'](at.inner, at.gateUp, rows, feedForward);
    this.#products.prepare(at.inner, rows, layer.down);
    this.#products.multiply(rows, width, [layer.down, at.y]);
    this.#addBranch(rows, layer.downBias, layer.feedForwardPostNorm);
  }

  /** @returns where the rows are as a branch of the layer takes them */
  #normed(norm: number | undefined, rows: number): number {
    if (norm === undefined) return this.#at.x;
    const { width, epsilon } = this.#shape;
    this.#kernels.functions.rmsNorm(this.#at.y, this.#at.x, norm, rows, width, epsilon);
    return this.#at.y;
  }

  /** Adds what a branch of the layer computed to the rows. */
  #addBranch(rows: number, bias: number | undefined, norm: number | undefined): void {
    const { functions } = this.#kernels;
    const { width, epsilon, residualScale } = this.#shape;
    const { x, y } = this.#at;
    if (bias) functions.addBias(y, width, bias, rows, width);
    if (norm) functions.rmsNorm(y, y, norm, rows, width, epsilon);
    functions.add(x, y, rows * width, residualScale);
  }

  /** Queries, keys and values. */
  #project(layer: Layer, rows: number): void {
    const { functions } = this.#kernels;
    const { query, key, value, queryBias, keyBias, valueBias } = layer;
    const { qkv } = this.#at;
    const [stride, keys, values] = [this.#stride, this.#keys, this.#values];
    this.#products.prepare(this.#normed(layer.attentionNorm, rows), rows, query, key, value);
    this.#products.multiply(rows, stride, [query, qkv], [key, qkv + keys * 4], [value, qkv + values * 4]);
    if (queryBias) functions.addBias(qkv, stride, queryBias, rows, keys);
    if (keyBias) functions.addBias(qkv + keys * 4, stride, keyBias, rows, values - keys);
    if (valueBias) functions.addBias(qkv + values * 4, stride, valueBias, rows, values - keys);
  }

  /** Normalizes queries and keys where the model does, and rotates them. */
  #rotate({ queryNorm, keyNorm }: Layer, { rope }: LayerShape, rows: number): void {
    const { functions } = this.#kernels;
    const { heads, kvHeads, headSize, epsilon, pairs, queryKeyNorm } = this.#shape;
    const { qkv, angles } = this.#at;
    const [stride, keys] = [this.#stride, this.#keys];
    const norm = (x: number, weight: number, count: number): void =>
      queryKeyNorm === 'row'
        ? functions.normHeads(x, stride, weight, rows, 1, count * headSize, epsilon)
        : functions.normHeads(x, stride, weight, rows, count, headSize, epsilon);
    if (queryNorm) norm(qkv, queryNorm, heads);
    if (keyNorm) norm(qkv + keys * 4, keyNorm, kvHeads);
    if (rope === 'none') return;
    const { cos, sin } = angles[rope];
    const rotate = pairs === 'halves' ? 'rotateHalves' : 'rotateNeighbours';
    functions[rotate](qkv, stride, rows, heads + kvHeads, headSize, this.#shape.rope.size, cos, sin);
  }
}
