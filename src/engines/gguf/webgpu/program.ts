/** What a pass of a model dispatches, for each number of rows. Made once: a pass only says how many rows there are. @module */
import { plainActivation } from './plain-layers.js';
import type { LayerShape } from '../forward-shape.js';
import { type Dispatch, type PassBuffers, ROW_CLASSES, type RowClass, wordOf } from './dispatch.js';
import { gpuPrecision } from './gpu-pages.js';
import type { Pipeline } from './pipelines.js';
import { attendShader, joinShader } from './shaders/attention.js';
import { BEST_SHADER, DRAW_SHADER, PICK_SHADER } from './shaders/choose.js';
import { rotateShader } from './shaders/rotate.js';
import { embedShader } from './shaders/rows.js';
import { attendedHeads, BEST_GROUPS, NONE } from './shaders/sizes.js';
import { partWords, type ProductPlan, type ProgramParts, StepMaker } from './step-maker.js';
import type { PlacedPiece } from './weight-places.js';

/** Which rows a layer thinks about: where they are, what attention gave, and which count of the plan they have. */
interface LayerRows {
  x: keyof PassBuffers;
  attended: keyof PassBuffers;
  list: 0 | 1;
}

const ALL_ROWS: LayerRows = { x: 'x', attended: 'attended', list: 0 };
const WISHED_ROWS: LayerRows = { x: 'wishedX', attended: 'wishedAttended', list: 1 };

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
  readonly #make: StepMaker;

  constructor(parts: ProgramParts) {
    this.#parts = parts;
    const { plan, shape } = parts;
    this.#make = new StepMaker(parts);
    this.#look();
    for (const rows of ROW_CLASSES) this.#layers(rows);
    const { width, vocabulary, logitScale, logitCap } = shape;
    const lastNorm = { norm: parts.places.of(plan.outputNorm), columns: width };
    this.wishing.push(this.#make.norm('wished', 'x', 'y', lastNorm));
    this.wishedNorm.push(this.#make.norm('all', 'wishedX', 'y', lastNorm));
    for (const rows of ROW_CLASSES) {
      const end = logitScale !== 1 || logitCap > 0 ? 'logits' : 'store';
      const head: ProductPlan = { input: 'y', output: 'logits', stride: vocabulary, outs: [0], end, list: 1 };
      this.heads.set(rows, this.#make.product(rows, parts.placed.head, { ...head, scale: logitScale, cap: logitCap }));
    }
    this.#choose();
    this.#make.write();
  }

  /** The buffers of keys and values are others. */
  bindKeys(): void {
    this.#make.bindKeys();
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

  #look(): void {
    const { placed, pipelines, slabs, buffers, shape } = this.#parts;
    for (const piece of placed.embedding) {
      const part = piece.parts[0]!;
      const { kind } = part.tensor;
      const slab = slabs.get(piece.slab)!;
      const head = [piece.columns / 32, piece.firstRow, part.rows, wordOf(shape.embeddingScale), 0, 0, 0, 0];
      this.looking.push({
        pipeline: pipelines.get('embed', `look up ${kind}`, embedShader(kind)),
        group: this.#make.bind('embed', [slab, slab, buffers.state, buffers.x, undefined, undefined]),
        offset: this.#make.record(...head, ...partWords(part, { out: 0, group: 0, bias: NONE })),
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
      if (index < last) reading.push(attend, ...this.#feedForward(rows, index, ALL_ROWS));
      else if (this.attending.length === 0) this.attending.push(attend);
    }
    this.reading.set(rows, reading);
    this.thinking.set(rows, this.#feedForward(rows, last, ALL_ROWS));
    const { width, heads, headSize } = shape;
    const together = [
      this.#make.gather('x', 'wishedX', width),
      this.#make.gather('attended', 'wishedAttended', heads * headSize),
    ];
    this.wishedThinking.set(rows, [...together, ...this.#feedForward(rows, last, WISHED_ROWS)]);
  }

  /** Queries, keys and values, which are kept; and attention. */
  #attention(rows: RowClass, index: number, layer: LayerShape): { steps: Dispatch[]; attend: Dispatch } {
    const { shape, places, plan, placed } = this.#parts;
    const { heads, kvHeads, headSize, queryKeyNorm } = shape;
    const { vectors } = plan.layers[index]!;
    const [queries, keys] = [heads * headSize, kvHeads * headSize];
    const steps = this.#make.product(rows, placed.layers[index]!.qkv, {
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
        this.#make.norm('inPlace', 'qkv', 'qkv', { norm, columns, stride4, offset4 });
      steps.push(inPlace(places.of(queryNorm), queries, 0), inPlace(places.of(keyNorm), keys, queries / 4));
    }
    steps.push(this.#rotate(index, layer));
    return { steps, attend: this.#attend(index, layer) };
  }

  #rotate(index: number, layer: LayerShape): Dispatch {
    const { shape, places, plan, pipelines, buffers, vectors } = this.#parts;
    const { heads, kvHeads, headSize: size, epsilon, pairs, queryKeyNorm } = shape;
    const { queryNorm, keyNorm } = plan.layers[index]!.vectors;
    const rope = layer.rope === 'window' ? shape.windowRope! : shape.rope;
    const { low, high } = places.anglesOf(rope);
    const isTurned = layer.rope === 'none' ? 0 : 1;
    const [qn, kn] = [places.of(queryNorm), places.of(keyNorm)];
    const headNorm = queryKeyNorm === 'head';
    const code = rotateShader({ size, heads, kvHeads, bits: gpuPrecision(shape), turned: rope.size, pairs, headNorm });
    return this.#make.withKeys({
      pipeline: pipelines.get('rotate', 'rotate', code),
      offset: this.#make.record(qn, kn, wordOf(epsilon), low, high, isTurned, 0, 0),
      x: heads + 2 * kvHeads,
      rowsEach: 1,
      bind: (kv) => this.#make.bind('rotate', [buffers.qkv, kv[index], vectors, buffers.plan, buffers.state]),
    });
  }

  #attend(index: number, { window }: LayerShape): Dispatch {
    const { shape, pipelines, buffers } = this.#parts;
    const { heads, kvHeads, headSize: size, attentionScale, attentionCap } = shape;
    const head = { size, heads, kvHeads, bits: gpuPrecision(shape) };
    const offset = this.#make.record(window, wordOf(attentionScale), wordOf(attentionCap), 0);
    const { qkv, attended, pieces, plan, state } = buffers;
    const make = (label: string, code: string, more: Pick<Dispatch, 'x' | 'split'>): Dispatch =>
      this.#make.withKeys({
        pipeline: pipelines.get('attend', label, code),
        offset,
        rowsEach: 1,
        ...more,
        bind: (kv) => this.#make.bind('attend', [qkv, kv[index], attended, pieces, plan, state]),
      });
    const x = heads / attendedHeads(size, heads, kvHeads);
    const split = [
      make('attend side by side', attendShader({ ...head, split: true }), { x }),
      make('join', joinShader(head), { x: heads }),
    ];
    return make('attend', attendShader({ ...head, split: false }), { x, split });
  }

  /** What follows attention in a layer. */
  #feedForward(rows: RowClass, index: number, { x, attended, list }: LayerRows): Dispatch[] {
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
        ? this.#make.product(rows, pieces, { ...end, input, output: 'branch', end: 'store' })
        : this.#make.product(rows, pieces, { ...end, input, output: x, end: 'add' });
      if (!isNormed) return product;
      return [...product, this.#make.norm('added', 'branch', x, { norm, columns: width, scale: residualScale })];
    };
    const norm = vectors.feedForwardNorm && places.of(vectors.feedForwardNorm);
    const gate = { input: x, output: 'inner', stride: feedForward, norm, list } as const;
    const [gateBias, upBias] = [places.of(vectors.gateBias), places.of(vectors.upBias)];
    const [first, second] = layer.gateUp;
    const store = { ...gate, outs: [0], end: 'store' } as const;
    const inner = second
      ? [
          ...this.#make.product(rows, first, { ...store, biases: [gateBias] }),
          ...this.#make.product(rows, second, { ...store, output: 'up', biases: [upBias] }),
          ...this.#make.gates(),
        ]
      : this.#make.product(rows, first, {
          ...gate,
          outs: [0, 0],
          end: plainActivation(activation),
          biases: [gateBias, upBias],
        });
    const [attentionPost, feedForwardPost] = [vectors.attentionPostNorm, vectors.feedForwardPostNorm];
    return [
      ...branch(layer.output, attended, { bias: places.of(vectors.outputBias), norm: places.of(attentionPost) }),
      ...inner,
      ...branch(layer.down, 'inner', { bias: places.of(vectors.downBias), norm: places.of(feedForwardPost) }),
    ];
  }

  #choose(): void {
    const { pipelines, buffers, shape } = this.#parts;
    const { logits, best, state, ids, plan } = buffers;
    const group = this.#make.bind('choose', [logits, best, state, ids, plan]);
    const offset = this.#make.record(shape.vocabulary, shape.vocabulary, 0, 0);
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
