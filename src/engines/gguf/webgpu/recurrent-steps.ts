/** What recurrent layers dispatch. @module */
import { headsOf } from './layer-heads.js';
import { type LayerShape, type RecurrentShape, recurrentWidth } from '../forward-shape.js';
import { hasState } from '../read-layers.js';
import { type Dispatch, type PassBuffers, type RowClass, wordOf } from './dispatch.js';
import { convolveShader } from './shaders/convolve.js';
import { deltaShader, gatedNormShader, memoryGroups, scanShader } from './shaders/memories.js';
import { mixedBehind, mixedRow, type MixedRow, THREADS } from './shaders/recurrent.js';
import type { Convolution, ProgramParts, StepMaker } from './step-maker.js';

/** Where a shader of these works. */
interface StepPlace {
  x: number;
  isBySpan: boolean;
}

export class RecurrentSteps {
  readonly #parts: ProgramParts;
  readonly #make: StepMaker;
  readonly #shape: RecurrentShape;
  /** By layer: which of those with a state it is. */
  readonly #order: readonly number[];

  constructor(parts: ProgramParts, make: StepMaker, shape: RecurrentShape) {
    this.#parts = parts;
    this.#make = make;
    this.#shape = shape;
    let count = 0;
    this.#order = parts.shape.layerShapes.map((layer) => (hasState(layer) ? count++ : 0));
  }

  /** What goes into the state of a layer without attention. */
  product(rows: RowClass, index: number): Dispatch[] {
    const { places, plan, placed } = this.#parts;
    const { attentionNorm } = plan.layers[index]!.vectors;
    const { stride, mixed, gates, betas, alphas } = mixedRow(this.#shape);
    return this.#make.product(rows, placed.layers[index]!.mixing, {
      input: 'x',
      output: 'mixing',
      stride,
      // A delta's inputs and gates, then what its factors are made of; all else comes of one matrix.
      outs: this.#shape.kind === 'delta' ? [mixed, gates, betas, alphas] : [0],
      norm: attentionNorm && places.of(attentionNorm),
      convolution: this.convolution(rows, index),
    });
  }

  /** Of one row the product does it that gives it. Undefined: what follows the product does it. */
  convolution(rows: RowClass, index: number): Convolution | undefined {
    const { places, plan, shape } = this.#parts;
    const { taps, tapsBias } = plan.layers[index]!.vectors;
    // A short convolution needs two numbers of a row for one.
    if (rows !== 1 || !hasState(shape.layerShapes[index]!) || this.#shape.kind === 'convolution') return undefined;
    const [layer, row] = [this.#order[index]!, this.#rowOf(index)];
    return { layer, row, shape: this.#shape, taps: places.of(taps), bias: places.of(tapsBias) };
  }

  /** What a layer gives of such rows, before its output's matrix; and the states of all sequences behind their rows. */
  of(rows: RowClass, index: number): Dispatch[] {
    const { places, plan } = this.#parts;
    const { mixNorm } = plan.layers[index]!.vectors;
    const shape = this.#shape;
    const { kind, channels, heads, groups } = shape;
    const row = this.#rowOf(index);
    const step = (label: string, code: string, place: StepPlace): Dispatch =>
      this.#step(index, { label, code, ...place });
    const convolve = this.convolution(rows, index)
      ? []
      : [step('convolve', convolveShader(shape, row), { x: Math.ceil(channels / THREADS), isBySpan: true })];
    if (kind === 'convolution') return convolve;
    const isNormed = places.of(mixNorm) !== places.of(undefined);
    const memories = kind === 'delta' ? deltaShader(shape, row) : scanShader(shape, row, !isNormed);
    const remember = step(kind, memories, { x: memoryGroups(shape), isBySpan: true });
    const x = kind === 'delta' ? heads : groups;
    const norm = isNormed ? [step('gated norm', gatedNormShader(shape, row), { x, isBySpan: false })] : [];
    return [...convolve, remember, ...norm];
  }

  #rowOf(index: number): MixedRow {
    const { shape } = this.#parts;
    const layer = shape.layerShapes[index]!;
    return layer.mixer === 'both' ? mixedBehind(this.#shape, headsOf(shape, layer)) : mixedRow(this.#shape);
  }

  #step(index: number, { label, code, x, isBySpan }: StepPlace & { label: string; code: string }): Dispatch {
    const { places, plan, pipelines, buffers, vectors, shape, states } = this.#parts;
    const { taps, tapsBias, keeping, decay, skip, mixNorm } = plan.layers[index]!.vectors;
    const at = [taps, tapsBias, keeping, decay, skip, mixNorm].map((vector) => places.of(vector));
    const layer = this.#order[index]!;
    const [given, output]: (keyof PassBuffers)[] =
      shape.layerShapes[index]!.mixer === 'both' ? ['qkv', 'mixed'] : ['mixing', 'attended'];
    return this.#make.withKeys({
      pipeline: pipelines.get('recurrent', label, code),
      offset: this.#make.record(...at, wordOf(shape.epsilon), 0),
      x,
      rowsEach: 1,
      isBySpan,
      bind: () =>
        this.#make.bind('recurrent', [buffers[given!], buffers[output!], states()[layer], vectors, buffers.plan]),
    });
  }
}

/** Numbers of a row that what mixes positions of a layer gives. */
export function attendedColumns(shape: ProgramParts['shape'], layer: LayerShape): number {
  if (layer.mixer === 'recurrent') return recurrentWidth(shape.recurrent!);
  const { heads, size } = headsOf(shape, layer);
  return heads * size;
}
