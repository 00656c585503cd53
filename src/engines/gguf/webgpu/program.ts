/** What a pass of a model dispatches, for each number of rows. Made once: a pass only says how many rows there are. @module */
import { ExpertSteps } from './expert-steps.js';
import { type PlainGate, plainCurve, plainGate } from './plain-layers.js';
import { type ForwardShape, type LayerShape, recurrentWidth } from '../forward-shape.js';
import { type Dispatch, type PassBuffers, ROW_CLASSES, type RowClass, wordOf } from './dispatch.js';
import { hasState } from '../read-layers.js';
import { addInput, leavesBranch, projectInputs } from './input-steps.js';
import { headsOf } from './layer-heads.js';
import { attendedColumns, RecurrentSteps } from './recurrent-steps.js';
import type { Pipeline } from './pipelines.js';
import { attendShader, joinShader } from './shaders/attention.js';
import { attendTileShader } from './shaders/attention-tile.js';
import { BEST_SHADER, DRAW_SHADER, PICK_SHADER } from './shaders/choose.js';
import { qkvStride, qkvWidth, rotateShader } from './shaders/rotate.js';
import { embedShader } from './shaders/rows.js';
import { attendedHeads, BEST_GROUPS, NONE, tiledHeads } from './shaders/sizes.js';
import type { PlacedLayer } from './place-model.js';
import { isNormedApart, partWords, type ProductPlan, type ProgramParts, StepMaker } from './step-maker.js';
import type { PlacedPiece } from './weight-places.js';

/** Which rows a layer thinks about: where they are, what attention gave, and which count of the plan they have. */
interface LayerRows {
  x: keyof PassBuffers;
  attended: keyof PassBuffers;
  /** What a state gave beside it. */
  mixed: keyof PassBuffers;
  /** What layers take of tokens themselves. */
  inputs: keyof PassBuffers;
  list: 0 | 1;
}

const ALL_ROWS: LayerRows = { x: 'x', attended: 'attended', mixed: 'mixed', inputs: 'inputs', list: 0 };
const WISHED_ROWS: LayerRows = {
  x: 'wishedX',
  attended: 'wishedAttended',
  mixed: 'wishedMixed',
  inputs: 'wishedInputs',
  list: 1,
};

export class Program {
  /** Until the last layer's keys and values are kept. */
  readonly reading = new Map<RowClass, Dispatch[]>();
  /** The attention of the last layer. */
  readonly attending = new Map<RowClass, Dispatch[]>();
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
  readonly #experts: ExpertSteps;
  readonly #recurrent: RecurrentSteps | undefined;

  constructor(parts: ProgramParts) {
    this.#parts = parts;
    const { plan, shape } = parts;
    this.#make = new StepMaker(parts);
    this.#experts = new ExpertSteps(parts, this.#make);
    if (shape.recurrent) this.#recurrent = new RecurrentSteps(parts, this.#make, shape.recurrent);
    const { embedding, inputs } = parts.placed;
    this.#look(embedding, 'x', shape.embeddingScale);
    if (inputs?.table) this.#look(inputs.table, 'stored', 1);
    for (const rows of ROW_CLASSES) this.#layers(rows);
    const { width, vocabulary, logitScale, logitCap } = shape;
    const lastNorm = { norm: parts.places.of(plan.outputNorm), columns: width };
    this.wishing.push(this.#make.norm('wished', 'x', 'y', lastNorm));
    this.wishedNorm.push(this.#make.norm('all', 'wishedX', 'y', lastNorm));
    for (const rows of ROW_CLASSES) {
      const head: ProductPlan = { input: 'y', output: 'logits', stride: vocabulary, outs: [0], list: 1 };
      this.heads.set(rows, this.#make.product(rows, parts.placed.head, { ...head, scale: logitScale, cap: logitCap }));
    }
    this.#choose();
    this.#make.write();
  }

  /** The buffers of keys and values are others. */
  bindKeys(): void {
    this.#make.bindKeys();
  }

  /** What saves passes of so many rows reading, and what they do without where a GPU cannot compile it. */
  *savingOf(rows: RowClass): Generator<Pipeline> {
    for (const list of [this.reading, this.attending])
      for (const { tiled } of list.get(rows) ?? []) if (tiled) yield tiled.pipeline;
  }

  /** All that passes of so many rows need. */
  *pipelinesOf(rows: RowClass): Generator<Pipeline> {
    const once = [this.looking, this.wishing, this.wishedNorm, this.greatest, this.drawing];
    const steps = [...once, this.heads, this.attending, this.reading, this.thinking, this.wishedThinking];
    for (const list of steps) {
      for (const { pipeline, split = [] } of Array.isArray(list) ? list : (list.get(rows) ?? [])) {
        yield pipeline;
        for (const step of split) yield step.pipeline;
      }
    }
  }

  /** Looks tokens up in a table. */
  #look(table: readonly PlacedPiece[], to: keyof PassBuffers, scale: number): void {
    const { pipelines, slabs, buffers } = this.#parts;
    for (const piece of table) {
      const part = piece.parts[0]!;
      const { kind } = part.tensor;
      const slab = slabs.get(piece.slab)!;
      const head = [piece.columns / 32, piece.firstRow, part.rows, wordOf(scale), 0, 0, 0, 0];
      this.looking.push({
        pipeline: pipelines.get('embed', `look up ${kind}`, embedShader(kind)),
        group: this.#make.bind('embed', [slab, slab, buffers.state, buffers[to], undefined, undefined]),
        offset: this.#make.record(...head, ...partWords(part, { out: 0, group: 0, bias: NONE })),
        x: Math.ceil(piece.columns / 1024),
        rowsEach: 1,
      });
    }
  }

  #layers(rows: RowClass): void {
    const { shape } = this.#parts;
    const reading = projectInputs(this.#make, this.#parts, rows);
    const last = shape.layerShapes.length - 1;
    for (const [index, layer] of shape.layerShapes.entries()) {
      const { attend, steps } = this.#mix(rows, index, layer);
      reading.push(...(layer.isAgain ? [this.#normAgain()] : []), ...steps);
      if (index < last) reading.push(...attend, ...this.#feedForward(rows, index, ALL_ROWS));
      else this.attending.set(rows, attend);
    }
    this.reading.set(rows, reading);
    this.thinking.set(rows, this.#feedForward(rows, last, ALL_ROWS));
    this.wishedThinking.set(rows, [
      ...this.#together(shape.layerShapes[last]!),
      ...this.#feedForward(rows, last, WISHED_ROWS),
    ]);
  }

  /** Brings wished rows of the last layer together. */
  #together(layer: LayerShape): Dispatch[] {
    const { shape } = this.#parts;
    const { width, layers, layerInput = 0 } = shape;
    const { mixer = 'attention' } = layer;
    const steps = [this.#make.gather('x', 'wishedX', width)];
    if (mixer !== 'none') steps.push(this.#make.gather('attended', 'wishedAttended', attendedColumns(shape, layer)));
    if (mixer === 'both') steps.push(this.#make.gather('mixed', 'wishedMixed', recurrentWidth(shape.recurrent!)));
    if (layerInput > 0) steps.push(this.#make.gather('inputs', 'wishedInputs', layers * layerInput));
    return steps;
  }

  /** Rows of layers that are read once more are normalized as behind the last one. */
  #normAgain(): Dispatch {
    const { shape, places, plan } = this.#parts;
    return this.#make.norm('inPlace', 'x', 'x', { norm: places.of(plan.outputNorm), columns: shape.width });
  }

  /** What changes states, keys and values; and attention. */
  #mix(rows: RowClass, index: number, layer: LayerShape): { steps: Dispatch[]; attend: Dispatch[] } {
    const { mixer = 'attention' } = layer;
    if (mixer === 'none') return { steps: [], attend: [] };
    if (mixer === 'recurrent')
      return { steps: [...this.#recurrent!.product(rows, index), ...this.#recurrent!.of(rows, index)], attend: [] };
    const { steps, attend } = this.#attention(rows, index, layer);
    return { steps: hasState(layer) ? [...steps, ...this.#recurrent!.of(rows, index)] : steps, attend };
  }

  /** Queries, keys and values, which are kept, with what goes into a state beside them; and attention. */
  #attention(rows: RowClass, index: number, layer: LayerShape): { steps: Dispatch[]; attend: Dispatch[] } {
    const { shape, places, plan, placed } = this.#parts;
    const { queryKeyNorm } = shape;
    const head = headsOf(shape, layer);
    const { heads, kvHeads, size, isGated } = head;
    const { vectors } = plan.layers[index]!;
    const [queries, keys] = [heads * size, kvHeads * size];
    const steps = this.#make.product(rows, placed.layers[index]!.qkv, {
      input: 'x',
      output: 'qkv',
      stride: qkvStride(head),
      outs: [isGated ? queries + 2 * keys : 0, queries, queries + keys, qkvWidth(head)],
      convolution: this.#recurrent?.convolution(rows, index),
      norm: vectors.attentionNorm && places.of(vectors.attentionNorm),
      biases: [vectors.queryBias, vectors.keyBias, vectors.valueBias].map((bias) => places.of(bias)),
    });
    if (queryKeyNorm === 'row') {
      const [stride4, queryNorm, keyNorm] = [qkvStride(head) / 4, vectors.queryNorm, vectors.keyNorm];
      const inPlace = (norm: number, columns: number, offset4: number): Dispatch =>
        this.#make.norm('inPlace', 'qkv', 'qkv', { norm, columns, stride4, offset4 });
      steps.push(inPlace(places.of(queryNorm), queries, 0), inPlace(places.of(keyNorm), keys, queries / 4));
    }
    steps.push(this.#rotate(index, layer));
    return { steps, attend: [this.#attend(rows, index, layer)] };
  }

  #rotate(index: number, layer: LayerShape): Dispatch {
    const { shape, places, plan, pipelines, buffers, vectors } = this.#parts;
    const { epsilon, pairs, attentionScale, temperature, normsValues = false } = shape;
    const { queryNorm, keyNorm } = plan.layers[index]!.vectors;
    const { kvFrom = index } = layer;
    const { key, value } = plan.layers[kvFrom]!.matrices;
    const rope = layer.rope === 'window' ? shape.windowRope! : shape.rope;
    const { low, high } = places.anglesOf(rope);
    const isTurned = layer.rope === 'none' ? 0 : 1;
    const [qn, kn] = [places.of(queryNorm), places.of(keyNorm)];
    const headNorm = headNormOf(shape);
    const head = headsOf(shape, layer);
    const values = { normsValues, sharesValues: value === key };
    const code = rotateShader({ ...head, ...values, turned: rope.size, pairs, headNorm, temperature });
    return this.#make.withKeys({
      pipeline: pipelines.get('rotate', 'rotate', code),
      offset: this.#make.record(qn, kn, wordOf(epsilon), low, high, isTurned, wordOf(attentionScale), 0),
      // Keys and values of another layer are there.
      x: head.heads + (kvFrom === index ? 2 * head.kvHeads : 0),
      rowsEach: 1,
      bind: (kv) => this.#make.bind('rotate', [buffers.qkv, kv[kvFrom], vectors, buffers.plan, buffers.state]),
    });
  }

  #attend(rows: RowClass, index: number, layer: LayerShape): Dispatch {
    const { shape, pipelines, buffers, places, vectors, plan: model } = this.#parts;
    const { attentionCap } = shape;
    const { window, kvFrom = index } = layer;
    const { sinks } = model.layers[index]!.vectors;
    const head = { ...headsOf(shape, layer), hasSinks: sinks !== undefined };
    const { size, heads, kvHeads } = head;
    const layout = sinks ? 'attendWithSinks' : 'attend';
    const { qkv, attended, pieces, plan, state } = buffers;
    const make = (
      label: string,
      code: string,
      { isSplit = false, ...more }: Pick<Dispatch, 'x' | 'split' | 'tiled'> & { isSplit?: boolean },
    ): Dispatch =>
      this.#make.withKeys({
        pipeline: pipelines.get(layout, label, code),
        offset: this.#make.record(window, wordOf(attentionCap), isSplit ? 1 : 0, sinks ? places.of(sinks) : 0),
        rowsEach: 1,
        ...more,
        bind: (kv) =>
          this.#make.bind(layout, [qkv, kv[kvFrom], attended, pieces, plan, state, ...(sinks ? [vectors] : [])]),
      });
    const [code, x] = [attendShader(head), heads / attendedHeads(size, heads, kvHeads)];
    const split = [make('attend', code, { x, isSplit: true }), make('join', joinShader(head), { x: heads })];
    if (rows !== 'tile') return make('attend', code, { x, split });
    const tiled = make('attend in tiles', attendTileShader(head), { x: heads / tiledHeads(size, heads, kvHeads) });
    return make('attend', code, { x, split, tiled });
  }

  /** What follows what mixes positions in a layer. */
  #feedForward(rows: RowClass, index: number, of: LayerRows): Dispatch[] {
    const { x, attended, mixed, list } = of;
    const { shape, places, plan, placed } = this.#parts;
    const { width, residualScale } = shape;
    const { feedForward = shape.feedForward } = shape.layerShapes[index]!;
    const { vectors } = plan.layers[index]!;
    const layer = placed.layers[index]!;
    const branch = (
      pieces: readonly PlacedPiece[],
      input: keyof PassBuffers,
      {
        bias,
        norm,
        factor = NONE,
        isLeft = false,
      }: { bias: number; norm: number; factor?: number; isLeft?: boolean | undefined },
    ): Dispatch[] => {
      const isNormed = norm !== NONE;
      const end = { stride: width, outs: [0], biases: [bias], list };
      const product = isNormed
        ? this.#make.product(rows, pieces, { ...end, input, output: 'branch' })
        : this.#make.product(rows, pieces, { ...end, input, output: x, isAdded: true, scale: residualScale });
      if (!isNormed || isLeft) return product;
      return [...product, this.#make.addNormed('branch', x, { norm, columns: width, scale: residualScale, factor })];
    };
    const attentionEnd = { bias: places.of(vectors.outputBias), norm: places.of(vectors.attentionPostNorm) };
    // What a layer has not lies in no piece.
    const steps = [
      ...branch(layer.output, attended, attentionEnd),
      ...branch(layer.mixOutput, mixed, { bias: NONE, norm: NONE }),
    ];
    if (layer.routed && !vectors.expertNorm) return [...steps, ...this.#experts.steps(rows, index, { x, list })];
    if (feedForward === 0) return steps;
    const norm = vectors.feedForwardNorm && places.of(vectors.feedForwardNorm);
    const inner = this.#inner(rows, index, { input: x, output: 'inner', stride: feedForward, norm, list });
    if (layer.routed) return [...steps, ...this.#beside(rows, index, { x, list, inner })];
    const end = {
      bias: places.of(vectors.downBias),
      norm: places.of(vectors.feedForwardPostNorm),
      // What a layer takes of tokens comes before it.
      factor: layer.input ? NONE : places.of(vectors.outputScale),
      isLeft: layer.input && leavesBranch(rows),
    };
    const input = addInput(this.#make, this.#parts, rows, { ...of, index });
    return [...steps, ...inner, ...branch(layer.down, 'inner', end), ...input];
  }

  /** Experts beside a network, and norms of what both give: Gemma 4. */
  #beside(
    rows: RowClass,
    index: number,
    { x, list, inner }: Pick<LayerRows, 'x' | 'list'> & { inner: readonly Dispatch[] },
  ): Dispatch[] {
    const { shape, placed } = this.#parts;
    const { width } = shape;
    const network = (): Dispatch[] => [
      ...inner,
      ...this.#make.product(rows, placed.layers[index]!.down, {
        input: 'inner',
        output: 'branch',
        stride: 2 * width,
        outs: [width],
        list,
      }),
    ];
    return [
      ...this.#experts.steps(rows, index, { x, list }),
      ...(this.#experts.readsNetwork(rows, index) ? [] : network()),
      this.#experts.addBoth(index, x),
    ];
  }

  /** What is inside a feed-forward network: opened by a gate, or bent. */
  #inner(rows: RowClass, index: number, product: Omit<ProductPlan, 'outs' | 'biases'>): Dispatch[] {
    const { shape, places, plan, placed } = this.#parts;
    const { gateBias, upBias } = plan.layers[index]!.vectors;
    const { inner } = placed.layers[index]!;
    const end = plainGate(shape.activation);
    if (end) return this.#gateUp(rows, inner, { ...product, biases: [places.of(gateBias), places.of(upBias)], end });
    const up = this.#make.product(rows, inner[0], { ...product, outs: [0], biases: [places.of(upBias)] });
    return [...up, this.#make.bend(plainCurve(shape, index), product.stride)];
  }

  /**
   * A gate and what it opens, in one product; or in two: they are of two kinds, or a tile has one matrix, and a dispatch more is
   * nothing beside many rows.
   */
  #gateUp(
    rows: RowClass,
    [first, second]: PlacedLayer['inner'],
    { end, ...product }: Omit<ProductPlan, 'outs' | 'end'> & { end: PlainGate },
  ): Dispatch[] {
    if (!second && rows !== 'tile') return this.#make.product(rows, first, { ...product, outs: [0, 0], end });
    const [gate, up] = second ? [first, second] : [partOf(first, 0), partOf(first, 1)];
    const normed = product.norm !== undefined && isNormedApart(rows) ? ({ input: 'y', norm: undefined } as const) : {};
    const one = (index: 0 | 1): ProductPlan => ({ ...product, outs: [0], biases: [product.biases![index]!] });
    return [
      ...this.#make.product(rows, gate, one(0)),
      ...this.#make.product(rows, up, { ...one(1), ...normed, output: 'up' }),
      this.#make.gate(end, product.stride),
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

/** When heads are normalized one by one. */
function headNormOf({ queryKeyNorm, normsRotated }: ForwardShape): 'before' | 'behind' | undefined {
  if (queryKeyNorm !== 'head') return undefined;
  return normsRotated ? 'behind' : 'before';
}

/** One of the matrices that lie together. */
const partOf = (pieces: readonly PlacedPiece[], index: number): PlacedPiece[] =>
  pieces.map((piece) => ({ ...piece, parts: [piece.parts[index]!] }));
