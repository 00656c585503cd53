/** What a layer of a decoder does with the rows of a pass. @module */
import { AttentionLayers, type LayerMemory, type PassRows } from './attention-layers.js';
import type { Activate, ExpertLayers } from './expert-layers.js';
import type { ForwardShape } from './forward-shape.js';
import { GateKind } from './recurrent-kernels.js';
import type { LoadedWeights } from './load-weights.js';
import type { Layer } from './model-weights.js';
import type { Products } from './products.js';
import type { RecurrentLayers } from './recurrent-layers.js';
import type { SharedKernels } from './shared-kernels.js';

export class DecoderLayers {
  readonly #kernels: SharedKernels;
  readonly #products: Products;
  readonly #shape: ForwardShape;
  readonly #at: LayerMemory;
  readonly #attention: AttentionLayers;
  readonly #recurrent: RecurrentLayers | undefined;
  readonly #experts: ExpertLayers | undefined;
  readonly #outputNorm: number;

  /** @param rows of a pass, at most */
  constructor(
    kernels: SharedKernels,
    products: Products,
    { shape, at, rows }: { shape: ForwardShape; at: LayerMemory; rows: number },
    { layers, outputNorm, blocks }: Pick<LoadedWeights, 'layers' | 'outputNorm' | 'blocks'>,
  ) {
    this.#kernels = kernels;
    this.#products = products;
    this.#shape = shape;
    this.#at = at;
    this.#attention = new AttentionLayers(kernels, products, shape, at);
    this.#outputNorm = outputNorm;
    const { recurrent, experts } = shape;
    if (recurrent)
      this.#recurrent = new blocks!.RecurrentLayers(kernels, products, { ...shape, recurrent, rows }, layers);
    if (experts)
      this.#experts = new blocks!.ExpertLayers(kernels, products, { ...shape, experts, rows }, this.#activation);
  }

  /** What passes gates. */
  get #activation(): Activate {
    const { functions } = this.#kernels;
    const { activation } = this.#shape;
    const name = activation === 'gelu' ? 'geluMul' : activation === 'clipped' ? 'clippedMul' : 'siluMul';
    return (...given) => functions[name](...given);
  }

  /** Keys, values and states of a layer, and what comes of them. @param isWanted else there is no attention */
  attend(layer: Layer, index: number, pass: PassRows, isWanted = true): void {
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
      this.#recurrent!.mix(layer, index, { x: normed, out, rows, spans });
    }
    if (mixer !== 'recurrent') this.#attention.attend(layer, index, pass, { normed, isWanted });
  }

  /** What follows what mixes positions. @param index of the layer */
  feedForward(layer: Layer, index: number, rows: number): void {
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
      experts.feedForward(layer, index, { x: normed, routed: normed, out: branch }, rows);
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
    experts.feedForward(layer, index, { x: y, routed, out: branch }, rows);
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
}
