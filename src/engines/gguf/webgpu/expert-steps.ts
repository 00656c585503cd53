/** The dispatches of a layer's experts: a router, a choice, what goes into the chosen ones, and what comes out. @module */
import type { GgufTensor } from '../file/header.js';
import type { TensorKind } from '../file/tensor-kinds.js';
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
import { BESIDE_SHADER } from './shaders/rows.js';
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
  /** That is made in the product; and for what is read beside them. */
  norm: number;
  besideNorm: number;
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
  biases?: { gate: GgufTensor | undefined; up: GgufTensor | undefined; down: GgufTensor | undefined };
  /** What is in the slot behind them and is read with them. */
  beside?: Slots | undefined;
}

/** Which slots a dispatch has. */
type PlainSlots = Omit<Slots, 'network' | 'biases' | 'beside'>;

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
  /** What is read beside. */
  beside?: PlacedExperts | undefined;
  /** Where the norm of its activations is, and in a row of the result its numbers. */
  besideNorm?: number;
  besideOut?: number;
}

/** Where what comes out goes. */
interface Outer {
  to: keyof PassBuffers;
  stride: number;
  scale: number;
  isAdded: boolean;
  isListed: boolean;
}

const kindOf = ({ piece }: PlacedExperts): TensorKind => piece.parts[0]!.tensor.kind;

const besideLabel = (beside: PlacedExperts | undefined): string => (beside ? ` beside ${kindOf(beside)}` : '');

export class ExpertSteps {
  readonly #parts: ProgramParts;
  readonly #make: StepMaker;

  constructor(parts: ProgramParts, make: StepMaker) {
    this.#parts = parts;
    this.#make = make;
  }

  /** Whether a network that is no expert is read with the experts beside it. Of more rows it is read once for all of them. */
  readsNetwork(rows: RowClass, index: number): boolean {
    return rows === 1 && this.#parts.placed.layers[index]!.routed!.isTogether;
  }

  /**
   * What follows attention in a layer with experts. Where there is a network beside them, what they give together is in `branch`,
   * whose rows have as many numbers again for what the network gives.
   */
  steps(rows: RowClass, index: number, { x, list }: RoutedRows): Dispatch[] {
    const { shape, places, plan } = this.#parts;
    const { width, residualScale: scale } = shape;
    const { expertNorm, feedForwardNorm } = plan.layers[index]!.vectors;
    const [norm, besideNorm] = [places.of(expertNorm ?? feedForwardNorm), places.of(feedForwardNorm)];
    const isListed = rows === 'tile';
    const isApart = norm !== NONE && isNormedApart(rows);
    const given: Given = { ...(isApart ? { input: 'y', norm: NONE } : { input: x, norm }), besideNorm, isListed };
    const isBeside = expertNorm !== undefined;
    const all = this.#slots(index, !isBeside || this.readsNetwork(rows, index));
    const end = isBeside ? ({ to: 'branch', stride: 2 * width, scale: 1 } as const) : { to: x, stride: width, scale };
    return [
      ...this.#route(rows, index, { x, list }),
      // A router has a norm of its own then.
      ...(isBeside && isApart ? [this.#make.norm('all', x, 'y', { norm, columns: width })] : []),
      ...(isListed ? [this.#listTakers(all, list)] : []),
      ...all.flatMap((slots) => this.#inner(slots, given)),
      ...all.flatMap((slots, at) => this.#outer(slots, { ...end, isListed, isAdded: !isBeside || at > 0 })),
    ];
  }

  /** Adds what experts gave and what the network beside them gave, which are in `branch`: each is normalized, and both together. */
  addBoth(index: number, x: keyof PassBuffers): Dispatch {
    const { shape, places, plan, pipelines, buffers, vectors } = this.#parts;
    const { width, epsilon, residualScale } = shape;
    const { expertPostNorm, densePostNorm, feedForwardPostNorm, outputScale } = plan.layers[index]!.vectors;
    const at = [expertPostNorm, densePostNorm, feedForwardPostNorm, outputScale].map((vector) => places.of(vector));
    return {
      pipeline: pipelines.get('norm', 'experts and network', BESIDE_SHADER),
      group: this.#make.bind('norm', [buffers.branch, buffers[x], vectors, buffers.plan]),
      offset: this.#make.record(width / 4, ...at, wordOf(epsilon), wordOf(residualScale), 0),
      x: 0,
      rowsEach: 1,
    };
  }

  /** The chosen experts of a layer, and what all rows take. @param takesAll whether that is wanted */
  #slots(index: number, takesAll: boolean): Slots[] {
    const { shape, plan, placed } = this.#parts;
    const { chosen, beside, isTogether } = placed.layers[index]!.routed!;
    const { expertGateBias: gate, expertUpBias: up, expertDownBias: down } = plan.layers[index]!.vectors;
    const experts = shape.experts!;
    const used = usedIn(experts, index);
    const slots: Slots = { network: chosen, from: 0, slot: 0, slots: used, biases: { gate, up, down } };
    if (!beside || !takesAll) return [slots];
    const last: Slots = { network: beside, from: experts.count, slot: used, slots: 1 };
    return isTogether ? [{ ...slots, beside: last }] : [slots, last];
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

  #listTakers(all: readonly Slots[], list: 0 | 1): Dispatch {
    const { shape, pipelines, buffers, vectors, mostRows } = this.#parts;
    const experts = shape.experts!;
    const { list: takers, groups } = takersAt(experts, mostRows);
    const slots = all.reduce((sum, each) => sum + each.slots + (each.beside ? 1 : 0), 0);
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
  #inner({ network, biases, beside, ...slots }: Slots, given: Given): Dispatch[] {
    const { places, shape } = this.#parts;
    // Rows that take an expert, and all rows, are listed apart.
    if (beside && given.isListed)
      return [...this.#inner({ network, ...(biases && { biases }), ...slots }, given), ...this.#inner(beside, given)];
    const gate = plainGate(shape.activation)!;
    const [first, second] = network.inner;
    const [gateBias, upBias] = [places.of(biases?.gate), places.of(biases?.up)];
    const product = (all: readonly PlacedExperts[], end: ExpertEnd, own: readonly number[]): Dispatch[] =>
      all.map((placed) =>
        this.#into(placed, slots, { ...given, ...end, biases: own, beside: beside?.network.inner[0][0] }),
      );
    if (!second) return product(first, { end: gate }, [gateBias, upBias]);
    return [...product(first, { end: 'each' }, [gateBias]), ...product(second, { end: 'each', opens: gate }, [upBias])];
  }

  #into(
    placed: PlacedExperts,
    slots: PlainSlots,
    {
      input,
      norm,
      besideNorm,
      isListed,
      end,
      opens,
      biases,
      beside,
    }: Given & ExpertEnd & Pick<ExpertProduct, 'biases' | 'beside'>,
  ): Dispatch {
    const { shape, tuning } = this.#parts;
    const { lanes } = tuning;
    const experts = shape.experts!;
    const kind = kindOf(placed);
    const normed = norm !== NONE;
    const ending: ExpertEnd = { end, ...(opens && { opens }) };
    const label = `experts ${kind} ${end}${opens ? ` behind ${opens}` : ''}`;
    const product = { input, output: 'inner', stride: slotSize(experts), biases, columns: shape.width } as const;
    if (isListed) {
      const code = sharedExpertShader({ kind, lanes, ...ending });
      const listed = { label: `${label} together`, code, ...this.#listed(placed, end), share: slotsOf(experts) };
      return this.#dispatch(placed, slots, { ...product, ...listed });
    }
    const groups = (rows: number): number => Math.ceil(rows / expertRows(1, lanes, end));
    return this.#dispatch(placed, slots, {
      ...product,
      label: `${label}${normed ? ' normed' : ''}${besideLabel(beside)}`,
      code: expertShader({ kind, lanes, ...ending, normed, beside: beside && kindOf(beside) }),
      norm,
      beside,
      besideNorm,
      x: groups(placed.rows) * slots.slots + (beside ? groups(beside.rows) : 0),
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
  #outer({ network, biases, beside, ...slots }: Slots, { to, stride, scale, isAdded, isListed }: Outer): Dispatch[] {
    const { places, shape, tuning } = this.#parts;
    const { lanes } = tuning;
    const { width, experts } = shape;
    const inside = { input: 'inner', columns: slotSize(experts!), biases: [places.of(biases?.down)] } as const;
    return network.down.flatMap((placed, at) => {
      const end = { output: to, stride, scale, isAdded: isAdded || at > 0 };
      if (isListed) return this.#outerListed(placed, slots, { inside, end, beside });
      const kind = kindOf(placed);
      const last = beside?.network.down[0];
      const isApart = experts!.beside !== undefined;
      return [
        this.#dispatch(placed, slots, {
          ...inside,
          ...end,
          label: `experts ${kind} added${besideLabel(last)}`,
          code: expertSumShader({ kind, lanes, beside: last && kindOf(last), isApart: isApart && last !== undefined }),
          beside: last,
          besideOut: isApart ? width : 0,
          x: Math.ceil(width / productRows(1, lanes)),
        }),
      ];
    });
  }

  /** The same where rows that take an expert read it together: what comes out of each slot, which is then added. */
  #outerListed(
    placed: PlacedExperts,
    slots: PlainSlots,
    {
      inside,
      end,
      beside,
    }: {
      inside: Pick<ExpertProduct, 'input' | 'columns' | 'biases'>;
      end: Pick<ExpertProduct, 'output' | 'stride' | 'scale' | 'isAdded'>;
      beside: Slots | undefined;
    },
  ): Dispatch[] {
    const { width } = this.#parts.shape;
    const read = (one: PlacedExperts, own: PlainSlots, biases: readonly number[]): Dispatch => {
      const kind = kindOf(one);
      const code = sharedExpertShader({ kind, lanes: this.#parts.tuning.lanes, end: 'each' });
      const listed = { label: `experts ${kind} each together`, code, ...this.#listed(one, 'each') };
      return this.#dispatch(one, own, { ...inside, ...listed, biases, output: 'given', stride: width });
    };
    const last = beside?.network.down[0];
    // The number of what all rows take comes after those of all experts.
    const [all, allSlots] = beside
      ? [
          { ...placed, count: placed.count + 1 },
          { ...slots, slots: slots.slots + 1 },
        ]
      : [placed, slots];
    const added = { label: 'add experts', code: ADD_EXPERTS_SHADER, input: 'given', biases: [NONE] } as const;
    return [
      read(placed, slots, inside.biases),
      ...(beside && last ? [read(last, beside, [NONE])] : []),
      this.#dispatch(all, allSlots, { ...end, ...added, columns: width, x: Math.ceil(width / 64) }),
    ];
  }

  #dispatch(
    { piece, first, count, rows, each }: PlacedExperts,
    { from, slot, slots }: PlainSlots,
    product: ExpertProduct,
  ): Dispatch {
    const { shape, pipelines, slabs, buffers, vectors, mostRows } = this.#parts;
    const { label, code, input, output, stride, biases, norm = 0, scale = 1, isAdded, columns, share = 1 } = product;
    const { beside, besideNorm = 0, besideOut = 0, x, y } = product;
    const experts = shape.experts!;
    const slab = slabs.get(piece.slab)!;
    const words = [
      ...piece.parts.flatMap((part, at) => partWords(part, { out: 0, group: 0, bias: biases[at]! })),
      ...(beside?.piece.parts ?? []).flatMap((part) => partWords(part, { out: besideOut, group: 0, bias: NONE })),
    ];
    const head = [piece.columns / 32, stride, norm, wordOf(shape.epsilon), 0, wordOf(scale), 0, isAdded ? 1 : 0];
    const own = [from + first, count, rows, each, slot, slots, slotsOf(experts), columns / 4];
    const { groups } = takersAt(experts, mostRows);
    const besideBlocks = beside ? beside.piece.columns / 32 : 0;
    return {
      pipeline: pipelines.get('product', label, code),
      group: this.#make.bind('product', [slab, slab, buffers[input], buffers[output], vectors, buffers.routes]),
      offset: this.#make.record(...head, ...allParts(words), ...own, groups, share, besideNorm, besideBlocks),
      x,
      rowsEach: 1,
      ...(y && { y }),
    };
  }
}
