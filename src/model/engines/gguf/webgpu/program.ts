/** What a pass of a model dispatches, for each number of rows. Made once: a pass only says how many rows there are. @module */
import type { ForwardShape, LayerShape } from '../forward-shape.js';
import type { ModelPlan } from '../model-plan.js';
import type { GpuMemory } from './gpu-memory.js';
import type { PlacedModel, VectorPlaces } from './place-model.js';
import type { LayoutName, Pipeline, Pipelines } from './pipelines.js';
import { PARAMETER_BYTES } from './pipelines.js';
import type { PlacedPart, PlacedPiece, Slab } from './weight-places.js';
import { attendShader, joinShader } from './shaders/attention.js';
import { BEST_SHADER, DRAW_SHADER, PICK_SHADER } from './shaders/choose.js';
import { isPair, type ProductEnd, productShader, tileShader } from './shaders/product.js';
import { rotateShader } from './shaders/rotate.js';
import { embedShader, gateShader, GATHER_SHADER, type NormUse, normShader } from './shaders/rows.js';
import { attendedHeads, BEST_GROUPS, NONE, productRows, TILE } from './shaders/sizes.js';

/** Most rows of a product's shader, or tiles of many rows. */
export type RowClass = 1 | 2 | 4 | 8 | 'tile';
export const ROW_CLASSES = [1, 2, 4, 8, 'tile'] as const;

/** One dispatch. */
export interface Dispatch {
  pipeline: Pipeline;
  group: GPUBindGroup;
  /** Of its parameters, in bytes. */
  offset: number;
  /** Workgroups of a row, or of so many rows; 0: one for each. */
  x: number;
  rowsEach: number;
  /** What is dispatched instead where positions are read side by side. */
  split?: readonly Dispatch[];
}

/** What a pass computes in. */
export type PassBuffers = Readonly<
  Record<
    | 'x'
    | 'y'
    | 'branch'
    | 'qkv'
    | 'attended'
    | 'wishedX'
    | 'wishedAttended'
    | 'inner'
    | 'up'
    | 'logits'
    | 'pieces'
    | 'best'
    | 'ids'
    | 'plan'
    | 'state',
    GPUBuffer
  >
>;

export interface ProgramParts {
  memory: GpuMemory;
  pipelines: Pipelines;
  plan: ModelPlan;
  shape: ForwardShape;
  placed: PlacedModel;
  slabs: ReadonlyMap<Slab, GPUBuffer>;
  places: VectorPlaces;
  vectors: GPUBuffer;
  buffers: PassBuffers;
  /** Of each layer. Called again when they moved. */
  kv: () => readonly GPUBuffer[];
}

/** Which rows a layer thinks about: where they are, what attention gave, and which count of the plan they have. */
interface LayerRows {
  x: keyof PassBuffers;
  attended: keyof PassBuffers;
  list: 0 | 1;
}

const ALL_ROWS: LayerRows = { x: 'x', attended: 'attended', list: 0 };
const WISHED_ROWS: LayerRows = { x: 'wishedX', attended: 'wishedAttended', list: 1 };

/** Matrices with the same rows of activations. */
interface ProductPlan {
  input: keyof PassBuffers;
  output: keyof PassBuffers;
  /** Numbers of a row of the result, and where in it those of each part begin. */
  stride: number;
  outs: readonly number[];
  end: ProductEnd;
  /** Where the norm of the activations is, which are then `x`. */
  norm?: number | undefined;
  biases?: readonly number[];
  scale?: number;
  cap?: number;
  /** Which count of the plan it has: of rows, or of wishes. */
  list?: 0 | 1;
}

const numbers = new Float32Array(1);
const bits = new Uint32Array(numbers.buffer);
/** A float as a word. */
export function wordOf(value: number): number {
  numbers[0] = value;
  return bits[0]!;
}

export class Program {
  /** Until the last layer's keys and values are kept. */
  readonly reading = new Map<RowClass, Dispatch[]>();
  /** The attention of the last layer. */
  readonly attending: Dispatch[] = [];
  /** What follows in it, for all rows. */
  readonly thinking = new Map<RowClass, Dispatch[]>();
  /** Or for wished ones alone, by the number of wishes. */
  readonly wishedThinking = new Map<RowClass, Dispatch[]>();
  /** Looks tokens up. */
  readonly looking: Dispatch[] = [];
  /** The norm of wished rows: of all, or of those that are together; and their logits by the number of wishes. */
  readonly wishing: Dispatch[] = [];
  readonly wishedNorm: Dispatch[] = [];
  readonly heads = new Map<RowClass, Dispatch[]>();
  readonly greatest: Dispatch[] = [];
  readonly drawing: Dispatch[] = [];
  readonly #parts: ProgramParts;
  readonly #records: number[][] = [];
  /** Dispatches with the same parameters share them. */
  readonly #recordAt = new Map<string, number>();
  readonly #parameters: GPUBuffer;
  readonly #groups = new Map<string, GPUBindGroup>();
  readonly #names = new Map<GPUBuffer | undefined, number>();
  /** Binds what reads keys and values anew. */
  readonly #bindKeys: (() => void)[] = [];

  constructor(parts: ProgramParts) {
    this.#parts = parts;
    const { memory, plan, shape } = parts;
    // An upper bound of the records: they are written when all are known.
    this.#parameters = memory.buffer((plan.layers.length * 96 + 1024) * PARAMETER_BYTES, 'uniform');
    this.#look();
    for (const rows of ROW_CLASSES) this.#layers(rows);
    const { width, vocabulary, logitScale, logitCap } = shape;
    const lastNorm = { norm: parts.places.of(plan.outputNorm), columns: width };
    this.wishing.push(this.#norm('wished', 'x', 'y', lastNorm));
    this.wishedNorm.push(this.#norm('all', 'wishedX', 'y', lastNorm));
    for (const rows of ROW_CLASSES) {
      const end = logitScale !== 1 || logitCap > 0 ? 'logits' : 'store';
      const head: ProductPlan = { input: 'y', output: 'logits', stride: vocabulary, outs: [0], end, list: 1 };
      this.heads.set(rows, this.#product(rows, parts.placed.head, { ...head, scale: logitScale, cap: logitCap }));
    }
    this.#choose();
    const words = new Uint32Array((this.#records.length * PARAMETER_BYTES) / 4);
    for (const [index, record] of this.#records.entries()) words.set(record, (index * PARAMETER_BYTES) / 4);
    memory.write(this.#parameters, 0, words);
  }

  /** The buffers of keys and values are others. */
  bindKeys(): void {
    this.#groups.clear();
    for (const bind of this.#bindKeys) bind();
  }

  /** All that passes of so many rows need. */
  *pipelinesOf(rows: RowClass): Generator<Pipeline> {
    const once = [this.looking, this.attending, this.wishing, this.wishedNorm, this.greatest, this.drawing];
    const steps = [...once, this.heads, this.reading, this.thinking, this.wishedThinking];
    for (const list of steps) {
      for (const { pipeline, split = [] } of Array.isArray(list) ? list : (list.get(rows) ?? [])) {
        yield pipeline;
        for (const step of split) yield step.pipeline;
      }
    }
  }

  #record(...words: readonly number[]): number {
    const key = words.join();
    const has = this.#recordAt.get(key);
    if (has !== undefined) return has;
    const at = this.#records.length * PARAMETER_BYTES;
    this.#records.push([...words]);
    this.#recordAt.set(key, at);
    return at;
  }

  #bind(layout: LayoutName, buffers: readonly (GPUBuffer | undefined)[]): GPUBindGroup {
    const nameOf = (buffer: GPUBuffer | undefined): number => {
      if (!this.#names.has(buffer)) this.#names.set(buffer, this.#names.size);
      return this.#names.get(buffer)!;
    };
    const key = [layout, ...buffers.map(nameOf)].join();
    const has = this.#groups.get(key);
    if (has) return has;
    const group = this.#parts.pipelines.bind(layout, [...buffers, this.#parameters]);
    this.#groups.set(key, group);
    return group;
  }

  #look(): void {
    const { placed, pipelines, slabs, buffers, shape } = this.#parts;
    for (const piece of placed.embedding) {
      const part = piece.parts[0]!;
      const { kind } = part.tensor;
      const slab = slabs.get(piece.slab)!;
      const head = [piece.columns / 32, piece.firstRow, part.rows, wordOf(shape.embeddingScale), 0, 0, 0, 0];
      this.looking.push({
        pipeline: pipelines.get('embed', `look up ${kind}`, embedShader(kind)),
        group: this.#bind('embed', [slab, slab, buffers.state, buffers.x, undefined, undefined]),
        offset: this.#record(...head, ...partWords(part, { out: 0, group: 0, bias: NONE })),
        x: Math.ceil(shape.width / 1024),
        rowsEach: 1,
      });
    }
  }

  #layers(rows: RowClass): void {
    const { shape } = this.#parts;
    const reading: Dispatch[] = [];
    const last = shape.layerShapes.length - 1;
    for (const [index, layer] of shape.layerShapes.entries()) {
      const { attend, steps } = this.#attention(rows, index, layer);
      reading.push(...steps);
      if (index < last) reading.push(attend, ...this.#think(rows, index, ALL_ROWS));
      else if (this.attending.length === 0) this.attending.push(attend);
    }
    this.reading.set(rows, reading);
    this.thinking.set(rows, this.#think(rows, last, ALL_ROWS));
    const { width, heads, headSize } = shape;
    const together = [
      this.#gather('x', 'wishedX', width),
      this.#gather('attended', 'wishedAttended', heads * headSize),
    ];
    this.wishedThinking.set(rows, [...together, ...this.#think(rows, last, WISHED_ROWS)]);
  }

  /** Queries, keys and values, which are kept; and attention. */
  #attention(rows: RowClass, index: number, layer: LayerShape): { steps: Dispatch[]; attend: Dispatch } {
    const { shape, places, plan, placed } = this.#parts;
    const { heads, kvHeads, headSize, queryKeyNorm } = shape;
    const { vectors } = plan.layers[index]!;
    const [queries, keys] = [heads * headSize, kvHeads * headSize];
    const steps = this.#product(rows, placed.layers[index]!.qkv, {
      input: 'x',
      output: 'qkv',
      stride: queries + 2 * keys,
      outs: [0, queries, queries + keys],
      end: 'store',
      norm: vectors.attentionNorm && places.of(vectors.attentionNorm),
      biases: [vectors.queryBias, vectors.keyBias, vectors.valueBias].map((bias) => places.of(bias)),
    });
    if (queryKeyNorm === 'row') {
      const [stride4, queryNorm, keyNorm] = [(queries + 2 * keys) / 4, vectors.queryNorm, vectors.keyNorm];
      const inPlace = (norm: number, columns: number, offset4: number): Dispatch =>
        this.#norm('inPlace', 'qkv', 'qkv', { norm, columns, stride4, offset4 });
      steps.push(inPlace(places.of(queryNorm), queries, 0), inPlace(places.of(keyNorm), keys, queries / 4));
    }
    steps.push(this.#rotate(index, layer));
    return { steps, attend: this.#attend(index, layer) };
  }

  #rotate(index: number, layer: LayerShape): Dispatch {
    const { shape, places, plan, pipelines, buffers, vectors } = this.#parts;
    const { heads, kvHeads, headSize: size, precision, epsilon, pairs, queryKeyNorm } = shape;
    const { queryNorm, keyNorm } = plan.layers[index]!.vectors;
    const rope = layer.rope === 'window' ? shape.windowRope! : shape.rope;
    const { low, high } = places.anglesOf(rope);
    const isTurned = layer.rope === 'none' ? 0 : 1;
    const [qn, kn] = [places.of(queryNorm), places.of(keyNorm)];
    const headNorm = queryKeyNorm === 'head';
    const code = rotateShader({ size, heads, kvHeads, bits: precision, turned: rope.size, pairs, headNorm });
    return this.#withKeys({
      pipeline: pipelines.get('rotate', 'rotate', code),
      offset: this.#record(qn, kn, wordOf(epsilon), low, high, isTurned, 0, 0),
      x: heads + 2 * kvHeads,
      rowsEach: 1,
      bind: (kv) => this.#bind('rotate', [buffers.qkv, kv[index], vectors, buffers.plan, buffers.state]),
    });
  }

  #attend(index: number, { window }: LayerShape): Dispatch {
    const { shape, pipelines, buffers } = this.#parts;
    const { heads, kvHeads, headSize: size, precision, attentionScale, attentionCap } = shape;
    const head = { size, heads, kvHeads, bits: precision };
    const offset = this.#record(window, wordOf(attentionScale), wordOf(attentionCap), 0);
    const { qkv, attended, pieces, plan, state } = buffers;
    const make = (label: string, code: string, more: Pick<Dispatch, 'x' | 'split'>): Dispatch =>
      this.#withKeys({
        pipeline: pipelines.get('attend', label, code),
        offset,
        rowsEach: 1,
        ...more,
        bind: (kv) => this.#bind('attend', [qkv, kv[index], attended, pieces, plan, state]),
      });
    const x = heads / attendedHeads(size, heads, kvHeads);
    const split = [
      make('attend side by side', attendShader({ ...head, split: true }), { x }),
      make('join', joinShader(head), { x: heads }),
    ];
    return make('attend', attendShader({ ...head, split: false }), { x, split });
  }

  #withKeys({
    bind,
    ...step
  }: Omit<Dispatch, 'group'> & { bind: (kv: readonly GPUBuffer[]) => GPUBindGroup }): Dispatch {
    const { kv } = this.#parts;
    const dispatch = { ...step, group: bind(kv()) };
    this.#bindKeys.push(() => (dispatch.group = bind(kv())));
    return dispatch;
  }

  #gather(from: keyof PassBuffers, to: keyof PassBuffers, columns: number): Dispatch {
    const { pipelines, buffers, vectors } = this.#parts;
    return {
      pipeline: pipelines.get('norm', 'gather', GATHER_SHADER),
      group: this.#bind('norm', [buffers[from], buffers[to], vectors, buffers.plan]),
      offset: this.#record(columns / 4, 0, 0, 0),
      x: 0,
      rowsEach: 1,
    };
  }

  /** What follows attention in a layer. */
  #think(rows: RowClass, index: number, { x, attended, list }: LayerRows): Dispatch[] {
    const { shape, places, plan, placed } = this.#parts;
    const { width, feedForward, activation, residualScale } = shape;
    const { vectors } = plan.layers[index]!;
    const layer = placed.layers[index]!;
    const branch = (
      pieces: readonly PlacedPiece[],
      input: keyof PassBuffers,
      { bias, norm }: { bias: number; norm: number },
    ): Dispatch[] => {
      const isNormed = norm !== NONE;
      const end = { stride: width, outs: [0], biases: [bias], scale: residualScale, list };
      const product = isNormed
        ? this.#product(rows, pieces, { ...end, input, output: 'branch', end: 'store' })
        : this.#product(rows, pieces, { ...end, input, output: x, end: 'add' });
      if (!isNormed) return product;
      return [...product, this.#norm('added', 'branch', x, { norm, columns: width, scale: residualScale })];
    };
    const norm = vectors.feedForwardNorm && places.of(vectors.feedForwardNorm);
    const gate = { input: x, output: 'inner', stride: feedForward, norm, list } as const;
    const [gateBias, upBias] = [places.of(vectors.gateBias), places.of(vectors.upBias)];
    const [first, second] = layer.gateUp;
    const store = { ...gate, outs: [0], end: 'store' } as const;
    const inner = second
      ? [
          ...this.#product(rows, first, { ...store, biases: [gateBias] }),
          ...this.#product(rows, second, { ...store, output: 'up', biases: [upBias] }),
          ...this.#gates(),
        ]
      : this.#product(rows, first, { ...gate, outs: [0, 0], end: activation, biases: [gateBias, upBias] });
    const [attentionPost, feedForwardPost] = [vectors.attentionPostNorm, vectors.feedForwardPostNorm];
    return [
      ...branch(layer.output, attended, { bias: places.of(vectors.outputBias), norm: places.of(attentionPost) }),
      ...inner,
      ...branch(layer.down, 'inner', { bias: places.of(vectors.downBias), norm: places.of(feedForwardPost) }),
    ];
  }

  #gates(): Dispatch[] {
    const { shape, pipelines, buffers, vectors } = this.#parts;
    const { feedForward, activation } = shape;
    return [
      {
        pipeline: pipelines.get('norm', 'gate', gateShader(activation)),
        group: this.#bind('norm', [buffers.up, buffers.inner, vectors, buffers.plan]),
        offset: this.#record(feedForward, 0, 0, 0),
        x: Math.ceil(feedForward / 64),
        rowsEach: 1,
      },
    ];
  }

  #norm(
    use: NormUse,
    from: keyof PassBuffers,
    to: keyof PassBuffers,
    options: { norm: number; columns: number; scale?: number; stride4?: number; offset4?: number },
  ): Dispatch {
    const { pipelines, buffers, vectors, shape } = this.#parts;
    const { norm, columns, scale = 1, stride4 = columns / 4, offset4 = 0 } = options;
    const layout = use === 'inPlace' ? 'normInPlace' : 'norm';
    const given = use === 'inPlace' ? undefined : buffers[from];
    return {
      pipeline: pipelines.get(layout, `norm ${use}`, normShader(use)),
      group: this.#bind(layout, [given, buffers[to], vectors, buffers.plan]),
      offset: this.#record(columns / 4, norm, wordOf(shape.epsilon), wordOf(scale), stride4, offset4, 0, 0),
      x: 0,
      rowsEach: 1,
    };
  }

  /** A product, and the norm before it: from 3 rows on workgroups would read more activations than weights. */
  #product(rows: RowClass, pieces: readonly PlacedPiece[], product: ProductPlan): Dispatch[] {
    const { norm } = product;
    if (norm === undefined) return this.#multiply(rows, pieces, product);
    if (rows === 1 || rows === 2) return this.#multiply(rows, pieces, product);
    const normed = this.#norm('all', product.input, 'y', { norm, columns: this.#parts.shape.width });
    return [normed, ...this.#multiply(rows, pieces, { ...product, input: 'y', norm: undefined })];
  }

  #multiply(rows: RowClass, pieces: readonly PlacedPiece[], product: ProductPlan): Dispatch[] {
    if (rows !== 'tile') return pieces.map((piece) => this.#dispatchOf(piece, piece.parts, rows, product));
    // A tile has one kind of weights.
    return pieces.flatMap((piece) =>
      isPair(product.end)
        ? [this.#dispatchOf(piece, piece.parts, rows, product)]
        : piece.parts.map((part, index) => {
            const only = { outs: [product.outs[index]!], biases: [product.biases?.[index] ?? NONE] };
            return this.#dispatchOf(piece, [part], rows, { ...product, ...only });
          }),
    );
  }

  #dispatchOf(piece: PlacedPiece, parts: readonly PlacedPart[], rows: RowClass, product: ProductPlan): Dispatch {
    const { pipelines, slabs, buffers, vectors, shape } = this.#parts;
    const { input, output, stride, outs, end, norm, biases, scale = 1, cap = 0, list = 0 } = product;
    const kinds = parts.map(({ tensor }) => tensor.kind);
    const normed = norm !== undefined;
    const pair = isPair(end);
    const height = rows === 'tile' ? TILE.rows : productRows(rows);
    let x = 0;
    const words = parts.flatMap((part, index) => {
      const bias = biases?.[index] ?? NONE;
      const placed = partWords(part, {
        out: outs[index]! + piece.firstRow,
        group: pair ? 0 : x,
        bias: bias === NONE ? NONE : bias + piece.firstRow,
      });
      if (!pair || index === 0) x += Math.ceil((part.rows * (pair ? 2 : 1)) / height);
      return placed;
    });
    const code = rows === 'tile' ? tileShader({ kinds, end }) : productShader({ kinds, rows, end, normed });
    const slab = slabs.get(piece.slab)!;
    const head = [piece.columns / 32, stride, norm ?? 0, wordOf(shape.epsilon), list, wordOf(scale), wordOf(cap), 0];
    return {
      pipeline: pipelines.get('product', `${rows} × ${kinds.join()} ${end}${normed ? ' normed' : ''}`, code),
      group: this.#bind('product', [slab, slab, buffers[input], buffers[output], vectors, buffers.plan]),
      offset: this.#record(...head, ...words),
      x,
      rowsEach: rows === 'tile' ? TILE.tokens : rows,
    };
  }

  #choose(): void {
    const { pipelines, buffers, shape } = this.#parts;
    const { logits, best, state, ids, plan } = buffers;
    const group = this.#bind('choose', [logits, best, state, ids, plan]);
    const offset = this.#record(shape.vocabulary, shape.vocabulary, 0, 0);
    const step = (label: string, code: string, x: number): Dispatch => ({
      pipeline: pipelines.get('choose', label, code),
      group,
      offset,
      x,
      rowsEach: 1,
    });
    this.greatest.push(step('best', BEST_SHADER, BEST_GROUPS), step('pick', PICK_SHADER, 0));
    this.drawing.push(step('draw', DRAW_SHADER, 0));
  }
}

const partWords = (
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
