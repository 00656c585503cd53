/** The dispatches of a layer's experts: a router, a choice, what goes into the chosen ones, and what comes out. @module */
import type { GgufTensor } from '../file/header.js';
import { type Dispatch, type PassBuffers, type RowClass, wordOf } from './dispatch.js';
import type { PlacedExperts, PlacedNetwork } from './place-experts.js';
import { plainGate } from './plain-layers.js';
import { openingAt, scoreSize, slotSize, slotsOf, usedIn } from './routed-layers.js';
import { expertShader, expertSumShader } from './shaders/experts.js';
import { isPair, type ProductEnd } from './shaders/product.js';
import { routeShader } from './shaders/route.js';
import { HEIGHT, LANES, NONE, productRows, productThreads } from './shaders/sizes.js';
import { allParts, isNormedApart, partWords, type ProgramParts, type StepMaker } from './step-maker.js';

/** The rows of a layer, and which count of the plan they have. */
interface RoutedRows {
  x: keyof PassBuffers;
  list: 0 | 1;
}

/** Rows as they go into experts; with a norm that is made in the product. */
interface Given {
  input: keyof PassBuffers;
  norm: number;
}

/** The experts of some slots of a row. */
interface Slots {
  network: PlacedNetwork;
  /** The number of the first expert. */
  from: number;
  slot: number;
  slots: number;
  biases: { gate: GgufTensor | undefined; up: GgufTensor | undefined; down: GgufTensor | undefined };
}

/** What a product with experts is told beside them. */
interface ExpertProduct {
  label: string;
  code: string;
  input: keyof PassBuffers;
  output: keyof PassBuffers;
  stride: number;
  biases: readonly number[];
  norm?: number;
  scale?: number;
  isAdded?: boolean;
  /** Workgroups of a row. */
  x: number;
}

export class ExpertSteps {
  readonly #parts: ProgramParts;
  readonly #make: StepMaker;

  constructor(parts: ProgramParts, make: StepMaker) {
    this.#parts = parts;
    this.#make = make;
  }

  /** What follows attention in a layer with experts. */
  steps(rows: RowClass, index: number, { x, list }: RoutedRows): Dispatch[] {
    const { shape, places, plan, placed } = this.#parts;
    const { width, residualScale } = shape;
    const { vectors } = plan.layers[index]!;
    const { chosen, shared } = placed.layers[index]!.routed!;
    const experts = shape.experts!;
    const used = usedIn(experts, index);
    const norm = places.of(vectors.feedForwardNorm);
    const given: Given = norm !== NONE && isNormedApart(rows) ? { input: 'y', norm: NONE } : { input: x, norm };
    const { expertGateBias: gate, expertUpBias: up, expertDownBias: down } = vectors;
    const all: Slots[] = [{ network: chosen, from: 0, slot: 0, slots: used, biases: { gate, up, down } }];
    const none = { gate: undefined, up: undefined, down: undefined };
    if (shared) all.push({ network: shared, from: experts.count, slot: used, slots: 1, biases: none });
    const postNorm = places.of(vectors.feedForwardPostNorm);
    const isDirect = postNorm === NONE;
    const end = isDirect ? { to: x, scale: residualScale } : { to: 'branch' as const, scale: 1 };
    return [
      ...this.#route(rows, index, { x, list }),
      ...all.flatMap((slots) => this.#inner(slots, given)),
      ...all.flatMap((slots, at) => this.#outer(slots, { ...end, isAdded: isDirect || at > 0 })),
      ...(isDirect
        ? []
        : [this.#make.norm('added', 'branch', x, { norm: postNorm, columns: width, scale: residualScale })]),
    ];
  }

  /** Scores of all experts, and the choice. */
  #route(rows: RowClass, index: number, { x, list }: RoutedRows): Dispatch[] {
    const { shape, places, plan, placed, pipelines, buffers, vectors } = this.#parts;
    const experts = shape.experts!;
    const { feedForwardNorm, routerBias, choiceBias, expertScale } = plan.layers[index]!.vectors;
    const { router } = placed.layers[index]!.routed!;
    const hasOpening = router[0]!.parts.length > 1;
    const [stride, opening] = [scoreSize(experts), openingAt(experts)];
    const [bias, choice, scale] = [routerBias, choiceBias, expertScale].map((vector) => places.of(vector));
    const used = usedIn(experts, index);
    const chosen = [experts.count, used, stride, choice!, scale!, slotsOf(experts), hasOpening ? opening : NONE, 0];
    return [
      ...this.#make.product(rows, router, {
        input: x,
        output: 'scores',
        stride,
        outs: [0, opening],
        norm: feedForwardNorm && places.of(feedForwardNorm),
        biases: [bias!, NONE],
        list,
      }),
      {
        pipeline: pipelines.get('norm', 'choose experts', routeShader(experts)),
        group: this.#make.bind('norm', [buffers.scores, buffers.routes, vectors, buffers.plan]),
        offset: this.#make.record(...chosen),
        x: 0,
        rowsEach: 1,
      },
    ];
  }

  /** Gate and up in one dispatch, or in two and a third one: they are of two kinds. */
  #inner({ network, biases, ...slots }: Slots, { input, norm }: Given): Dispatch[] {
    const { places, shape } = this.#parts;
    const experts = shape.experts!;
    const gate = plainGate(shape.activation)!;
    const [first, second] = network.inner;
    const [gateBias, upBias] = [places.of(biases.gate), places.of(biases.up)];
    const product = (
      all: readonly PlacedExperts[],
      output: keyof PassBuffers,
      { end, biases: own }: { end: ProductEnd; biases: readonly number[] },
    ): Dispatch[] =>
      all.map((placed) => {
        const { kind } = placed.piece.parts[0]!.tensor;
        const normed = norm !== NONE;
        const inGroup = (productThreads(1) / LANES) * (isPair(end) ? HEIGHT / 2 : HEIGHT);
        return this.#dispatch(placed, slots, {
          label: `experts ${kind} ${end}${normed ? ' normed' : ''}`,
          code: expertShader({ kind, end, normed }),
          input,
          output,
          stride: slotSize(experts),
          biases: own,
          norm,
          x: Math.ceil(placed.rows / inGroup) * slots.slots,
        });
      });
    if (!second) return product(first, 'inner', { end: gate, biases: [gateBias, upBias] });
    return [
      ...product(first, 'inner', { end: 'each', biases: [gateBias] }),
      ...product(second, 'up', { end: 'each', biases: [upBias] }),
      this.#make.gate(gate, slotsOf(experts) * slotSize(experts)),
    ];
  }

  /** What comes out of experts; those of another piece are added to it. */
  #outer(
    { network, biases, ...slots }: Slots,
    { to, scale, isAdded }: { to: keyof PassBuffers; scale: number; isAdded: boolean },
  ): Dispatch[] {
    const { places, shape } = this.#parts;
    return network.down.map((placed, at) => {
      const { kind } = placed.piece.parts[0]!.tensor;
      return this.#dispatch(placed, slots, {
        label: `experts ${kind} added`,
        code: expertSumShader(kind),
        input: 'inner',
        output: to,
        stride: shape.width,
        biases: [places.of(biases.down)],
        scale,
        isAdded: isAdded || at > 0,
        x: Math.ceil(placed.rows / productRows(1)),
      });
    });
  }

  #dispatch(
    { piece, first, count, rows, each }: PlacedExperts,
    { from, slot, slots }: Pick<Slots, 'from' | 'slot' | 'slots'>,
    { label, code, input, output, stride, biases, norm = NONE, scale = 1, isAdded = false, x }: ExpertProduct,
  ): Dispatch {
    const { shape, pipelines, slabs, buffers, vectors } = this.#parts;
    const experts = shape.experts!;
    const slab = slabs.get(piece.slab)!;
    const words = piece.parts.flatMap((part, at) => partWords(part, { out: 0, group: 0, bias: biases[at]! }));
    const head = [piece.columns / 32, stride, norm, wordOf(shape.epsilon), 0, wordOf(scale), 0, isAdded ? 1 : 0];
    const own = [from + first, count, rows, each, slot, slots, slotsOf(experts), slotSize(experts) / 4];
    return {
      pipeline: pipelines.get('product', label, code),
      group: this.#make.bind('product', [slab, slab, buffers[input], buffers[output], vectors, buffers.routes]),
      offset: this.#make.record(...head, ...allParts(words), ...own),
      x,
      rowsEach: 1,
    };
  }
}
