/** The dispatches of a layer's experts: a router, a choice, what goes into the chosen ones, and what comes out. @module */
import type { GgufTensor } from '../file/header.js';
import { type Dispatch, type PassBuffers, type RowClass, wordOf } from './dispatch.js';
import type { PlacedExperts, PlacedNetwork } from './place-experts.js';
import { plainGate } from './plain-layers.js';
import { openingAt, scoreSize, slotSize, slotsOf, takerGroups, takersAt, usedIn } from './routed-layers.js';
import {
  ADD_EXPERTS_SHADER,
  type ExpertEnd,
  expertRows,
  expertShader,
  expertSumShader,
  sharedExpertShader,
} from './shaders/experts.js';
import { LIST_TAKERS_SHADER, routeShader } from './shaders/route.js';
import { EXPERT_ROWS, NONE } from './shaders/sizes.js';
import { productRows } from './shaders/tuning.js';
import { allParts, isNormedApart, partWords, type ProgramParts, type StepMaker } from './step-maker.js';

/** The rows of a layer, and which count of the plan they have. */
interface RoutedRows {
  x: keyof PassBuffers;
  list: 0 | 1;
}

/** Rows as they go into experts. */
interface Given {
  input: keyof PassBuffers;
  /** That is made in the product. */
  norm: number;
  /** Rows that take an expert read it together. */
  isListed: boolean;
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
interface ExpertProduct extends Pick<Dispatch, 'x' | 'y'> {
  label: string;
  code: string;
  input: keyof PassBuffers;
  output: keyof PassBuffers;
  /** Numbers of a row of the result. */
  stride: number;
  biases: readonly number[];
  norm?: number;
  scale?: number;
  isAdded?: boolean;
  /** Numbers of a row of activations, and slots that have the same. */
  columns: number;
  share?: number;
}

/** Where what comes out goes. */
interface Outer {
  to: keyof PassBuffers;
  scale: number;
  isAdded: boolean;
  isListed: boolean;
}

export class ExpertSteps {
  readonly #parts: ProgramParts;
  readonly #make: StepMaker;

  constructor(parts: ProgramParts, make: StepMaker) {
    this.#parts = parts;
    this.#make = make;
  }

  /**
   * What follows attention in a layer with experts; where there is a network beside them, what they give together, with its norm,
   * in `branch`.
   */
  steps(rows: RowClass, index: number, { x, list }: RoutedRows): Dispatch[] {
    const { shape, places, plan } = this.#parts;
    const { width, residualScale: scale } = shape;
    const { expertNorm, feedForwardNorm, expertPostNorm } = plan.layers[index]!.vectors;
    const norm = places.of(expertNorm ?? feedForwardNorm);
    const isListed = rows === 'tile';
    const isApart = norm !== NONE && isNormedApart(rows);
    const given: Given = { ...(isApart ? { input: 'y', norm: NONE } : { input: x, norm }), isListed };
    const all = this.#slots(index);
    const isBeside = expertNorm !== undefined;
    const end = { ...(isBeside ? { to: 'branch' as const, scale: 1 } : { to: x, scale }), isListed };
    const postNorm = { norm: places.of(expertPostNorm), columns: width };
    return [
      ...this.#route(rows, index, { x, list }),
      // A router has a norm of its own then.
      ...(isBeside && isApart ? [this.#make.norm('all', x, 'y', { norm, columns: width })] : []),
      ...(isListed ? [this.#listTakers(index, list)] : []),
      ...all.flatMap((slots) => this.#inner(slots, given)),
      ...all.flatMap((slots, at) => this.#outer(slots, { ...end, isAdded: !isBeside || at > 0 })),
      ...(isBeside ? [this.#make.norm('inPlace', 'branch', 'branch', postNorm)] : []),
    ];
  }

  /** The chosen experts of a layer, and the one that all rows take. */
  #slots(index: number): Slots[] {
    const { shape, plan, placed } = this.#parts;
    const { chosen, shared } = placed.layers[index]!.routed!;
    const { expertGateBias: gate, expertUpBias: up, expertDownBias: down } = plan.layers[index]!.vectors;
    const experts = shape.experts!;
    const used = usedIn(experts, index);
    const slots: Slots = { network: chosen, from: 0, slot: 0, slots: used, biases: { gate, up, down } };
    if (!shared) return [slots];
    const none = { gate: undefined, up: undefined, down: undefined };
    return [slots, { network: shared, from: experts.count, slot: used, slots: 1, biases: none }];
  }

  /** Scores of all experts, and the choice. */
  #route(rows: RowClass, index: number, { x, list }: RoutedRows): Dispatch[] {
    const { shape, places, plan, placed, pipelines, buffers, vectors } = this.#parts;
    const experts = shape.experts!;
    const { feedForwardNorm, routerScale, routerBias, choiceBias, expertScale } = plan.layers[index]!.vectors;
    const norm = places.of(routerScale ?? feedForwardNorm);
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
        norm: norm === NONE ? undefined : norm,
        scale: routerScale ? shape.width ** -0.5 : 1,
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

  #listTakers(index: number, list: 0 | 1): Dispatch {
    const { shape, pipelines, buffers, vectors, mostRows } = this.#parts;
    const experts = shape.experts!;
    const { list: takers, groups } = takersAt(experts, mostRows);
    const slots = this.#slots(index).reduce((sum, each) => sum + each.slots, 0);
    return {
      pipeline: pipelines.get('normInPlace', 'list takers', LIST_TAKERS_SHADER),
      group: this.#make.bind('normInPlace', [undefined, buffers.routes, vectors, buffers.plan]),
      offset: this.#make.record(list, slots, slotsOf(experts), experts.count + 1, takers, groups, 0, 0),
      x: 1,
      rowsEach: 1,
      y: () => 1,
    };
  }

  /** Gate and up in one dispatch, or in two: they are of two kinds. */
  #inner({ network, biases, ...slots }: Slots, given: Given): Dispatch[] {
    const { places, shape } = this.#parts;
    const gate = plainGate(shape.activation)!;
    const [first, second] = network.inner;
    const [gateBias, upBias] = [places.of(biases.gate), places.of(biases.up)];
    const product = (all: readonly PlacedExperts[], end: ExpertEnd, own: readonly number[]): Dispatch[] =>
      all.map((placed) => this.#into(placed, slots, { ...given, ...end, biases: own }));
    if (!second) return product(first, { end: gate }, [gateBias, upBias]);
    return [...product(first, { end: 'each' }, [gateBias]), ...product(second, { end: 'each', opens: gate }, [upBias])];
  }

  #into(
    placed: PlacedExperts,
    slots: Omit<Slots, 'network' | 'biases'>,
    { input, norm, isListed, end, opens, biases }: Given & ExpertEnd & { biases: readonly number[] },
  ): Dispatch {
    const { shape, tuning } = this.#parts;
    const { lanes } = tuning;
    const experts = shape.experts!;
    const { kind } = placed.piece.parts[0]!.tensor;
    const normed = norm !== NONE;
    const ending: ExpertEnd = { end, ...(opens && { opens }) };
    const label = `experts ${kind} ${end}${opens ? ` behind ${opens}` : ''}`;
    const product = { input, output: 'inner', stride: slotSize(experts), biases, columns: shape.width } as const;
    if (isListed) {
      const code = sharedExpertShader({ kind, lanes, ...ending });
      const listed = { label: `${label} together`, code, ...this.#listed(placed, end), share: slotsOf(experts) };
      return this.#dispatch(placed, slots, { ...product, ...listed });
    }
    return this.#dispatch(placed, slots, {
      ...product,
      label: `${label}${normed ? ' normed' : ''}`,
      code: expertShader({ kind, lanes, ...ending, normed }),
      norm,
      x: Math.ceil(placed.rows / expertRows(1, lanes, end)) * slots.slots,
    });
  }

  /** Workgroups where rows that take an expert read it together. */
  #listed({ rows }: PlacedExperts, end: ExpertEnd['end']): Pick<Dispatch, 'x' | 'y'> {
    const { shape, tuning } = this.#parts;
    const experts = shape.experts!;
    return {
      x: Math.ceil(rows / expertRows(EXPERT_ROWS, tuning.lanes, end)),
      y: (count) => takerGroups(experts, count),
    };
  }

  /** What comes out of experts; those of another piece are added to it. */
  #outer({ network, biases, ...slots }: Slots, { to, scale, isAdded, isListed }: Outer): Dispatch[] {
    const { places, shape, tuning } = this.#parts;
    const { lanes } = tuning;
    const { width } = shape;
    const inside = { input: 'inner', stride: width, columns: slotSize(shape.experts!) } as const;
    const bias = [places.of(biases.down)];
    return network.down.flatMap((placed, at) => {
      const { kind } = placed.piece.parts[0]!.tensor;
      const end = { output: to, stride: width, scale, isAdded: isAdded || at > 0 };
      if (!isListed) {
        const code = expertSumShader(kind, lanes);
        const x = Math.ceil(width / productRows(1, lanes));
        return [
          this.#dispatch(placed, slots, { ...inside, ...end, label: `experts ${kind} added`, code, biases: bias, x }),
        ];
      }
      const code = sharedExpertShader({ kind, lanes, end: 'each' });
      const listed = { label: `experts ${kind} each together`, code, ...this.#listed(placed, 'each') };
      const added = { label: 'add experts', code: ADD_EXPERTS_SHADER, input: 'given', biases: [NONE] } as const;
      return [
        this.#dispatch(placed, slots, { ...inside, ...listed, output: 'given', biases: bias }),
        this.#dispatch(placed, slots, { ...end, ...added, columns: width, x: Math.ceil(width / 64) }),
      ];
    });
  }

  #dispatch(
    { piece, first, count, rows, each }: PlacedExperts,
    { from, slot, slots }: Omit<Slots, 'network' | 'biases'>,
    product: ExpertProduct,
  ): Dispatch {
    const { shape, pipelines, slabs, buffers, vectors, mostRows } = this.#parts;
    const {
      label,
      code,
      input,
      output,
      stride,
      biases,
      norm = 0,
      scale = 1,
      isAdded,
      columns,
      share = 1,
      x,
      y,
    } = product;
    const experts = shape.experts!;
    const slab = slabs.get(piece.slab)!;
    const words = piece.parts.flatMap((part, at) => partWords(part, { out: 0, group: 0, bias: biases[at]! }));
    const head = [piece.columns / 32, stride, norm, wordOf(shape.epsilon), 0, wordOf(scale), 0, isAdded ? 1 : 0];
    const own = [from + first, count, rows, each, slot, slots, slotsOf(experts), columns / 4];
    const { groups } = takersAt(experts, mostRows);
    return {
      pipeline: pipelines.get('product', label, code),
      group: this.#make.bind('product', [slab, slab, buffers[input], buffers[output], vectors, buffers.routes]),
      offset: this.#make.record(...head, ...allParts(words), ...own, groups, share, 0, 0),
      x,
      rowsEach: 1,
      ...(y && { y }),
    };
  }
}
