/** What recurrent layers dispatch. @module */
import { headsOf } from './layer-heads.js';
import { type LayerShape, type RecurrentShape, recurrentWidth } from '../forward-shape.js';
import { hasState } from '../read-layers.js';
import { type Dispatch, type PassBuffers, type RowClass, wordOf } from './dispatch.js';
import { convolveShader } from './shaders/convolve.js';
import { deltaShader, gatedNormShader, memoryGroups, scanShader } from './shaders/memories.js';
import { mixedRow, THREADS } from './shaders/recurrent.js';
import { isNormedApart, type ProgramParts, type StepMaker } from './step-maker.js';

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

  /** What a layer gives, before its output's matrix; and the states of all sequences behind their rows. */
  of(rows: RowClass, index: number, { mixer }: LayerShape): Dispatch[] {
    const { places, plan } = this.#parts;
    const { mixNorm } = plan.layers[index]!.vectors;
    const shape = this.#shape;
    const { kind, channels, heads, groups } = shape;
    const output = mixer === 'both' ? 'mixed' : 'attended';
    const step = (label: string, code: string, place: StepPlace): Dispatch =>
      this.#step(index, output, { label, code, ...place });
    const convolve = step('convolve', convolveShader(shape), { x: Math.ceil(channels / THREADS), isBySpan: true });
    const products = this.#products(rows, index);
    if (kind === 'convolution') return [...products, convolve];
    const isNormed = places.of(mixNorm) !== places.of(undefined);
    const memories = kind === 'delta' ? deltaShader(shape) : scanShader(shape, !isNormed);
    const remember = step(kind, memories, { x: memoryGroups(shape), isBySpan: true });
    const x = kind === 'delta' ? heads : groups;
    const norm = isNormed ? [step('gated norm', gatedNormShader(shape), { x, isBySpan: false })] : [];
    return [...products, convolve, remember, ...norm];
  }

  #products(rows: RowClass, index: number): Dispatch[] {
    const { places, plan, placed } = this.#parts;
    const { attentionNorm } = plan.layers[index]!.vectors;
    const { stride, mixed, gates, betas, alphas } = mixedRow(this.#shape);
    // A delta's inputs and gates, then what its factors are made of.
    const outs =
      this.#shape.kind === 'delta'
        ? [
            [mixed, gates],
            [betas, alphas],
          ]
        : [[0]];
    const norm = attentionNorm && places.of(attentionNorm);
    return placed.layers[index]!.mixing.flatMap((pieces, at) => {
      // The first product leaves normed rows for the second where they are normed apart.
      const isNormed = at > 0 && norm !== undefined && isNormedApart(rows);
      const given = isNormed ? ({ input: 'y' } as const) : ({ input: 'x', norm } as const);
      return this.#make.product(rows, pieces, { ...given, output: 'mixing', stride, outs: outs[at]! });
    });
  }

  #step(
    index: number,
    output: keyof PassBuffers,
    { label, code, x, isBySpan }: StepPlace & { label: string; code: string },
  ): Dispatch {
    const { places, plan, pipelines, buffers, vectors, shape, states } = this.#parts;
    const { taps, tapsBias, keeping, decay, skip, mixNorm } = plan.layers[index]!.vectors;
    const at = [taps, tapsBias, keeping, decay, skip, mixNorm].map((vector) => places.of(vector));
    const layer = this.#order[index]!;
    return this.#make.withKeys({
      pipeline: pipelines.get('recurrent', label, code),
      offset: this.#make.record(...at, wordOf(shape.epsilon), 0),
      x,
      rowsEach: 1,
      isBySpan,
      bind: () =>
        this.#make.bind('recurrent', [buffers.mixing, buffers[output], states()[layer], vectors, buffers.plan]),
    });
  }
}

/** Numbers of a row that what mixes positions of a layer gives. */
export function attendedColumns(shape: ProgramParts['shape'], layer: LayerShape): number {
  if (layer.mixer === 'recurrent') return recurrentWidth(shape.recurrent!);
  const { heads, size } = headsOf(shape, layer);
  return heads * size;
}
