/** Makes the dispatches of a program: their shaders, parameters and bindings. @module */
import type { PlainGate } from './plain-layers.js';
import type { Curve, ForwardShape } from '../forward-shape.js';
import type { ModelPlan } from '../model-plan.js';
import { type Dispatch, type PassBuffers, type RowClass, wordOf } from './dispatch.js';
import type { GpuMemory } from './gpu-memory.js';
import type { PlacedModel, VectorPlaces } from './place-model.js';
import { PARAMETER_BYTES, type Pipelines } from './pipelines.js';
import { type LayoutName, parametersAt } from './shaders/bindings.js';
import type { ConvolvedChannels } from './shaders/convolve.js';
import { isPair, type ProductEnd, productShader, tileShader } from './shaders/product.js';
import { BEND_SHADER, gateShader, GATHER_SHADER, type NormUse, normShader } from './shaders/rows.js';
import { MOST_PARTS, NONE, TILE } from './shaders/sizes.js';
import { productRows, type ShaderTuning } from './shaders/tuning.js';
import type { PlacedPart, PlacedPiece, Slab } from './weight-places.js';

export interface ProgramParts {
  memory: GpuMemory;
  pipelines: Pipelines;
  plan: ModelPlan;
  shape: ForwardShape;
  tuning: ShaderTuning;
  placed: PlacedModel;
  slabs: ReadonlyMap<Slab, GPUBuffer>;
  places: VectorPlaces;
  vectors: GPUBuffer;
  buffers: PassBuffers;
  /** Of a pass. */
  mostRows: number;
  /** Of each layer. Called again when they moved. */
  kv: () => readonly GPUBuffer[];
  /** Of each recurrent layer, as `kv`. */
  states: () => readonly GPUBuffer[];
}

/** Where the vectors of a convolution are, and which layer of those with a state it is. */
export interface Convolution extends ConvolvedChannels {
  layer: number;
  taps: number;
  bias: number;
}

/** Matrices with the same rows of activations. */
export interface ProductPlan {
  input: keyof PassBuffers;
  output: keyof PassBuffers;
  /** Numbers of a row of the result, and where in it those of each part begin. */
  stride: number;
  outs: readonly number[];
  /** @default 'each' */
  end?: ProductEnd;
  /** What `opened` opens: where in a row of it, and how many numbers a row has. */
  opening?: { inputs: keyof PassBuffers; at: number; stride: number };
  /** A branch whose norm is added to the activations, times `scale`. Only with `opening`, of few rows. */
  adds?: { branch: keyof PassBuffers; norm: number } | undefined;
  /** Channels of the result are convolved, with a layer's state. Only of one row. */
  convolution?: Convolution | undefined;
  /** Where the norm of the activations is, which are then `x`. */
  norm?: number | undefined;
  biases?: readonly number[];
  /** Sums are added to what is there. */
  isAdded?: boolean;
  scale?: number;
  cap?: number;
  /** Which count of the plan it has: of rows, or of wishes. */
  list?: 0 | 1;
}

export class StepMaker {
  readonly #parts: ProgramParts;
  readonly #records: number[][] = [];
  /** Dispatches with the same parameters share them. */
  readonly #recordAt = new Map<string, number>();
  readonly #parameters: GPUBuffer;
  readonly #groups = new Map<string, GPUBindGroup>();
  readonly #names = new Map<GPUBuffer | undefined, number>();
  /** Binds what reads keys and values again. */
  readonly #bindKeys: (() => void)[] = [];

  constructor(parts: ProgramParts) {
    this.#parts = parts;
    // An upper bound of the records: they are written when all are known.
    this.#parameters = parts.memory.buffer((parts.plan.layers.length * 96 + 1024) * PARAMETER_BYTES, 'uniform');
  }

  /** Writes the parameters of all dispatches. */
  write(): void {
    const words = new Uint32Array((this.#records.length * PARAMETER_BYTES) / 4);
    for (const [index, record] of this.#records.entries()) words.set(record, (index * PARAMETER_BYTES) / 4);
    this.#parts.memory.write(this.#parameters, 0, words);
  }

  /** The buffers of keys and values are others. */
  bindKeys(): void {
    this.#groups.clear();
    for (const bind of this.#bindKeys) bind();
  }

  record(...words: readonly number[]): number {
    const key = words.join();
    const has = this.#recordAt.get(key);
    if (has !== undefined) return has;
    const at = this.#records.length * PARAMETER_BYTES;
    this.#records.push([...words]);
    this.#recordAt.set(key, at);
    return at;
  }

  /** @param buffers in the order of the bindings, without parameters */
  bind(layout: LayoutName, buffers: readonly (GPUBuffer | undefined)[]): GPUBindGroup {
    const nameOf = (buffer: GPUBuffer | undefined): number => {
      if (!this.#names.has(buffer)) this.#names.set(buffer, this.#names.size);
      return this.#names.get(buffer)!;
    };
    const key = [layout, ...buffers.map(nameOf)].join();
    const has = this.#groups.get(key);
    if (has) return has;
    const at = parametersAt(layout);
    const bound = [...buffers.slice(0, at), this.#parameters, ...buffers.slice(at)];
    const group = this.#parts.pipelines.bind(layout, bound);
    this.#groups.set(key, group);
    return group;
  }

  withKeys({
    bind,
    ...step
  }: Omit<Dispatch, 'group'> & { bind: (kv: readonly GPUBuffer[]) => GPUBindGroup }): Dispatch {
    const { kv } = this.#parts;
    const dispatch = { ...step, group: bind(kv()) };
    this.#bindKeys.push(() => (dispatch.group = bind(kv())));
    return dispatch;
  }

  gather(from: keyof PassBuffers, to: keyof PassBuffers, columns: number): Dispatch {
    const { pipelines, buffers, vectors } = this.#parts;
    return {
      pipeline: pipelines.get('norm', 'gather', GATHER_SHADER),
      group: this.bind('norm', [buffers[from], buffers[to], vectors, buffers.plan]),
      offset: this.record(columns / 4, 0, 0, 0),
      x: 0,
      rowsEach: 1,
    };
  }

  gate(gate: PlainGate, feedForward: number): Dispatch {
    const { pipelines, buffers, vectors } = this.#parts;
    return {
      pipeline: pipelines.get('norm', 'gate', gateShader(gate)),
      group: this.bind('norm', [buffers.up, buffers.inner, vectors, buffers.plan]),
      offset: this.record(feedForward, 0, 0, 0),
      x: Math.ceil(feedForward / 64),
      rowsEach: 1,
    };
  }

  bend({ a, b, c, e }: Curve, feedForward: number): Dispatch {
    const { pipelines, buffers, vectors } = this.#parts;
    return {
      pipeline: pipelines.get('normInPlace', 'bend', BEND_SHADER),
      group: this.bind('normInPlace', [undefined, buffers.inner, vectors, buffers.plan]),
      offset: this.record(feedForward, wordOf(a), wordOf(b), wordOf(c), wordOf(e), 0, 0, 0),
      x: Math.ceil(feedForward / 64),
      rowsEach: 1,
    };
  }

  norm(
    use: NormUse,
    from: keyof PassBuffers,
    to: keyof PassBuffers,
    options: { norm: number; columns: number; scale?: number; stride4?: number; offset4?: number; factor?: number },
  ): Dispatch {
    const { pipelines, buffers, vectors, shape } = this.#parts;
    const { norm, columns, scale = 1, stride4 = columns / 4, offset4 = 0, factor = 0 } = options;
    const layout = use === 'inPlace' ? 'normInPlace' : 'norm';
    const given = use === 'inPlace' ? undefined : buffers[from];
    return {
      pipeline: pipelines.get(layout, `norm ${use}`, normShader(use)),
      group: this.bind(layout, [given, buffers[to], vectors, buffers.plan]),
      offset: this.record(columns / 4, norm, wordOf(shape.epsilon), wordOf(scale), stride4, offset4, factor, 0),
      x: 0,
      rowsEach: 1,
    };
  }

  /** The end of a branch. @param options.factor where the number is that rows are multiplied by then, or none */
  addNormed(
    from: keyof PassBuffers,
    to: keyof PassBuffers,
    { factor, ...options }: { norm: number; columns: number; scale: number; factor: number },
  ): Dispatch {
    return factor === NONE
      ? this.norm('added', from, to, options)
      : this.norm('scaled', from, to, { ...options, factor });
  }

  /** A product, and the norm before it, which leaves normed rows in `y` where {@link isNormedApart}. */
  product(rows: RowClass, pieces: readonly PlacedPiece[], product: ProductPlan): Dispatch[] {
    const { norm } = product;
    if (norm === undefined || !isNormedApart(rows)) return this.#multiply(rows, pieces, product);
    const normed = this.norm('all', product.input, 'y', { norm, columns: this.#parts.shape.width });
    return [normed, ...this.#multiply(rows, pieces, { ...product, input: 'y', norm: undefined })];
  }

  #multiply(rows: RowClass, pieces: readonly PlacedPiece[], product: ProductPlan): Dispatch[] {
    if (rows !== 'tile') return pieces.map((piece) => this.#dispatchOf(piece, piece.parts, rows, product));
    // A tile has one matrix.
    return pieces.flatMap((piece) =>
      piece.parts.map((part, index) => {
        const only = { outs: [product.outs[index]!], biases: [product.biases?.[index] ?? NONE] };
        return this.#dispatchOf(piece, [part], rows, { ...product, ...only });
      }),
    );
  }

  #dispatchOf(piece: PlacedPiece, parts: readonly PlacedPart[], rows: RowClass, product: ProductPlan): Dispatch {
    const { pipelines, slabs, buffers, vectors, shape, states, tuning } = this.#parts;
    const { input, output, stride, outs, end = 'each', norm, biases, isAdded, scale = 1, cap = 0, list = 0 } = product;
    const { opening, adds, convolution } = product;
    const kinds = parts.map(({ tensor }) => tensor.kind);
    const normed = norm !== undefined;
    const pair = isPair(end);
    const height = rows === 'tile' ? TILE.rows : productRows(rows, tuning.lanes);
    let x = 0;
    const words = parts.flatMap((part, index) => {
      const bias = opening?.at ?? biases?.[index] ?? NONE;
      const placed = partWords(part, {
        out: outs[index]! + piece.firstRow,
        group: pair ? 0 : x,
        bias: bias === NONE ? NONE : bias + piece.firstRow,
      });
      if (!pair || index === 0) x += Math.ceil((part.rows * (pair ? 2 : 1)) / height);
      return placed;
    });
    const code =
      rows === 'tile'
        ? tileShader(kinds[0]!, tuning, pair ? 'each' : end)
        : productShader({ kinds, rows, lanes: tuning.lanes, end, normed, adds: adds !== undefined, convolution });
    const slab = slabs.get(piece.slab)!;
    const bent = [wordOf(scale), wordOf(cap), opening?.stride ?? (isAdded ? 1 : 0)];
    const head = [piece.columns / 32, stride, adds?.norm ?? norm ?? 0, wordOf(shape.epsilon), list, ...bent];
    const opened = opening && buffers[opening.inputs];
    const bound = [slab, slab, buffers[input], buffers[output]];
    const layout = adds ? 'openedProduct' : convolution ? 'convolvedProduct' : 'product';
    const label = `${rows} × ${kinds.join()} ${end}${normed ? ' normed' : ''}${convolution ? ' convolved' : ''}`;
    const step = {
      pipeline: pipelines.get(layout, label, code),
      offset: this.record(...head, ...allParts(words), ...(convolution ? [convolution.taps, convolution.bias] : [])),
      x,
      rowsEach: rows === 'tile' ? TILE.tokens : rows,
    };
    if (convolution) {
      const bind = (): GPUBindGroup =>
        this.bind(layout, [...bound, vectors, buffers.plan, states()[convolution.layer]]);
      return this.withKeys({ ...step, bind });
    }
    const more = adds ? [vectors, buffers.plan, buffers[adds.branch], opened] : [opened ?? vectors, buffers.plan];
    return { ...step, group: this.bind(layout, [...bound, ...more]) };
  }
}

/** From 3 rows on workgroups would read more activations than weights if each made the norm itself. */
export const isNormedApart = (rows: RowClass): boolean => rows !== 1 && rows !== 2;

export const partWords = (
  { at, planes, rows }: PlacedPart,
  { out, group, bias }: { out: number; group: number; bias: number },
): number[] => [
  (at + planes.codes) / 16,
  (at + planes.extra) / 4,
  (at + planes.scales) / 4,
  (at + planes.supers) / 4,
  rows,
  out,
  group,
  bias,
];

const NO_PART = [0, 0, 0, 0, 0, 0, NONE, NONE];

/** The words of all parts of a product: those that are not there begin behind all workgroups. */
export function allParts(words: readonly number[]): number[] {
  const missing = MOST_PARTS - words.length / NO_PART.length;
  return [...words, ...Array.from({ length: missing }, () => NO_PART).flat()];
}
