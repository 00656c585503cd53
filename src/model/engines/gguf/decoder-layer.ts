/** What a layer of a decoder does with the rows of a pass. @module */
import { type Activate, ExpertLayers } from './expert-layers.js';
import type { ForwardShape, LayerShape } from './forward-shape.js';
import { GateKind } from './kernel-exports.js';
import { layerOffsets } from './kv-pages.js';
import type { Layer } from './model-weights.js';
import type { PackedWeights } from './packed-kinds.js';
import type { Products } from './products.js';
import { RecurrentLayers, type StateSpan } from './recurrent-layers.js';
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

export class DecoderLayers {
  readonly #kernels: SharedKernels;
  readonly #products: Products;
  readonly #shape: ForwardShape;
  readonly #at: LayerMemory;
  /** By layer: where it begins in a page. */
  readonly #offsets: readonly number[];
  readonly #recurrent: RecurrentLayers | undefined;
  readonly #experts: ExpertLayers | undefined;
  readonly #outputNorm: number;

  constructor(
    kernels: SharedKernels,
    products: Products,
    shape: ForwardShape,
    at: LayerMemory,
    { layers, outputNorm, rows }: { layers: readonly Layer[]; outputNorm: number; rows: number },
  ) {
    this.#kernels = kernels;
    this.#products = products;
    this.#shape = shape;
    this.#at = at;
    this.#offsets = layerOffsets(shape);
    this.#outputNorm = outputNorm;
    const { recurrent, experts } = shape;
    if (recurrent) this.#recurrent = new RecurrentLayers(kernels, products, { ...shape, recurrent }, layers, rows);
    if (experts) this.#experts = new ExpertLayers(kernels, products, { ...shape, experts }, this.#activation, rows);
  }

  /** What passes gates. */
  get #activation(): Activate {
    const { functions } = this.#kernels;
    const { activation } = this.#shape;
    const name = activation === 'gelu' ? 'geluMul' : activation === 'clipped' ? 'clippedMul' : 'siluMul';
    return (...given) => functions[name](...given);
  }

  /** Keys, values and states of a layer, and what comes of them. @param units of attention; 0: none is wanted */
  read(layer: Layer, index: number, pass: PassRows, units: number): void {
    const own = this.#shape.layerShapes[index]!;
    const { mixer = 'attention', isAgain } = own;
    const { rows, spans } = pass;
    const { x, attended, mixed } = this.#at;
    const { width, epsilon } = this.#shape;
    if (isAgain) this.#kernels.functions.rmsNorm(x, x, this.#outputNorm, rows, width, epsilon);
    if (mixer === 'none') return;
    const normed = this.#normed(layer.attentionNorm, rows);
    if (mixer !== 'attention') {
      const out = mixer === 'both' ? mixed : attended;
      this.#recurrent!.mix(layer, index, { x: normed, out }, rows, spans);
    }
    if (mixer !== 'recurrent') this.#attend(layer, index, pass, { normed, units });
  }

  #attend(
    layer: Layer,
    index: number,
    { rows, temperatures }: PassRows,
    { normed, units }: { normed: number; units: number },
  ): void {
    const { functions } = this.#kernels;
    const { precision, layerShapes, attentionScale, attentionCap, isQueryGated } = this.#shape;
    const at = this.#at;
    const own = layerShapes[index]!;
    const sizes = this.#sizesOf(own);
    const { heads, kvHeads, headSize, keys, values, stride } = sizes;
    this.#project(layer, own, normed, rows, sizes);
    this.#rotate(layer, own, rows, sizes);
    if (temperatures)
      for (const [row, factor] of temperatures.entries())
        if (factor !== 1) functions.scale(at.qkv + row * stride * 4, keys, factor);
    const start = this.#offsets[own.kvFrom ?? index]!;
    if (own.kvFrom === undefined)
      functions.storeHeads(precision, at.qkv, stride, rows, keys, values, kvHeads, headSize, at.kvCells, start);
    if (units === 0) return;
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

  /** What follows what mixes positions. @param index of the layer */
  think(layer: Layer, index: number, rows: number): void {
    const { feedForward = this.#shape.feedForward, isRouted, mixer = 'attention' } = this.#shape.layerShapes[index]!;
    if (mixer !== 'none') this.#addMixed(layer, rows);
    if (isRouted) this.#addExperts(layer, index, rows, feedForward);
    else if (feedForward > 0) {
      this.#feedForward(layer, index, rows, feedForward);
      this.#addBranch(rows, layer.downBias, layer.feedForwardPostNorm);
    }
    if (layer.inputGate) this.#addInput(layer, index, rows);
    if (layer.outputScale === undefined) return;
    const [factor] = this.#kernels.memory.floats(layer.outputScale, 1);
    this.#kernels.functions.scale(this.#at.x, rows * this.#shape.width, factor!);
  }

  #addMixed({ output, mixOutput, outputBias, attentionPostNorm }: Layer, rows: number): void {
    const { width } = this.#shape;
    const { attended, mixed, y, branch } = this.#at;
    this.#products.prepare(attended, rows, output!);
    this.#products.multiply(rows, width, [output!, y]);
    if (mixOutput) {
      this.#products.prepare(mixed, rows, mixOutput);
      this.#products.multiply(rows, width, [mixOutput, branch]);
      this.#kernels.functions.add(y, branch, rows * width, 1);
    }
    this.#addBranch(rows, outputBias, attentionPostNorm);
  }

  /** @returns with its result at `y` */
  #feedForward(layer: Layer, index: number, rows: number, feedForward: number): void {
    const { functions } = this.#kernels;
    const { width } = this.#shape;
    const at = this.#at;
    const { gate, up, down } = layer;
    const [stride, upAt] = [2 * feedForward, at.gateUp + feedForward * 4];
    const normed = this.#normed(layer.feedForwardNorm, rows);
    if (gate) {
      this.#products.prepare(normed, rows, gate, up!);
      this.#products.multiply(rows, stride, [gate, at.gateUp], [up!, upAt]);
      if (layer.gateBias) functions.addBias(at.gateUp, stride, layer.gateBias, rows, feedForward);
      if (layer.upBias) functions.addBias(upAt, stride, layer.upBias, rows, feedForward);
      this.#activation(at.inner, at.gateUp, rows, feedForward);
    } else {
      this.#products.prepare(normed, rows, up!);
      this.#products.multiply(rows, feedForward, [up!, at.inner]);
      if (layer.upBias) functions.addBias(at.inner, feedForward, layer.upBias, rows, feedForward);
      this.#bend(index, rows * feedForward);
    }
    this.#products.prepare(at.inner, rows, down!);
    this.#products.multiply(rows, width, [down!, at.y]);
  }

  /** What is inside a network without a gate. */
  #bend(index: number, count: number): void {
    const { functions } = this.#kernels;
    const curve = this.#shape.curves?.[index];
    if (curve) functions.xielu(this.#at.inner, count, curve.a, curve.b, curve.c, curve.e);
    else functions.reluSquared(this.#at.inner, count);
  }

  #addExperts(layer: Layer, index: number, rows: number, feedForward: number): void {
    const { functions } = this.#kernels;
    const { width, epsilon } = this.#shape;
    const { x, y, branch, ones } = this.#at;
    const experts = this.#experts!;
    if (!layer.expertNorm) {
      const normed = this.#normed(layer.feedForwardNorm, rows);
      experts.think(layer, index, { x: normed, routed: normed, out: branch }, rows);
      functions.copyHeads(y, width, branch, width, rows, 1, width, width);
      this.#addBranch(rows, undefined, layer.feedForwardPostNorm);
      return;
    }
    // A usual network beside them, and a norm of what both give.
    functions.rmsNorm(y, x, layer.expertNorm, rows, width, epsilon);
    const routed = this.#at.routed;
    functions.rmsNorm(routed, x, ones, rows, width, epsilon);
    functions.scale(routed, rows * width, width ** -0.5);
    for (let row = 0; row < rows; row++)
      functions.gateRows(routed + row * width * 4, width, layer.routerScale!, width, 1, width, GateKind.plain);
    experts.think(layer, index, { x: y, routed, out: branch }, rows);
    functions.rmsNorm(branch, branch, layer.expertPostNorm!, rows, width, epsilon);
    this.#feedForward(layer, index, rows, feedForward);
    functions.rmsNorm(y, y, layer.densePostNorm!, rows, width, epsilon);
    functions.add(y, branch, rows * width, 1);
    this.#addBranch(rows, layer.downBias, layer.feedForwardPostNorm);
  }

  /** What a layer takes of a token itself: Gemma 4. */
  #addInput({ inputGate, inputOutput, inputPostNorm }: Layer, index: number, rows: number): void {
    const { functions } = this.#kernels;
    const { width, layerInput = 0, layers } = this.#shape;
    const { x, y, inner, gateUp, inputs } = this.#at;
    this.#products.prepare(x, rows, inputGate!);
    this.#products.multiply(rows, 2 * layerInput, [inputGate!, gateUp]);
    const from = inputs + index * layerInput * 4;
    const up = gateUp + layerInput * 4;
    functions.copyHeads(up, 2 * layerInput, from, layers * layerInput, rows, 1, layerInput, layerInput);
    functions.geluMul(inner, gateUp, rows, layerInput);
    this.#products.prepare(inner, rows, inputOutput!);
    this.#products.multiply(rows, width, [inputOutput!, y]);
    this.#addBranch(rows, undefined, inputPostNorm);
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

  /** Queries, and keys and values where a layer has its own. */
  #project(layer: Layer, own: LayerShape, normed: number, rows: number, sizes: AttentionSizes): void {
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
