/** Where the experts of a layer lie on a GPU. @module */
import type { MatrixPlan } from '../model-tensors.js';
import type { LayerExperts } from '../model-weights.js';
import { PLANES, rowBytesOf } from './planes.js';
import type { RoutedMatrices } from './routed-layers.js';
import type { PlacedPart, PlacedPiece, WeightPlaces } from './weight-places.js';

/** Experts that follow each other in one slab: of each one matrix, or a gate and what it opens. */
export interface PlacedExperts {
  /** Its parts begin with the first expert's rows. */
  piece: PlacedPiece;
  /** The first of them, and how many. */
  first: number;
  count: number;
  /** Rows of an expert's matrix, and from one expert's to the next one's. */
  rows: number;
  each: number;
}

/** Gate and up in one product, or in two, because they are of two kinds; then down. */
export interface PlacedNetwork {
  inner: readonly [PlacedExperts[]] | readonly [PlacedExperts[], PlacedExperts[]];
  down: PlacedExperts[];
}

/** The experts of a layer. */
export interface PlacedRouted {
  /** With what opens the shared expert. */
  router: PlacedPiece[];
  chosen: PlacedNetwork;
  /** What all rows take beside them. */
  beside: PlacedNetwork | undefined;
  /** A dispatch can read both: each of their products is one piece, in the same slab. */
  isTogether: boolean;
}

type Experts = readonly MatrixPlan[];

/** @param isApart what all rows take is not read with the experts @throws InferenceError `insufficient_resources` */
export function placeRouted(
  places: WeightPlaces,
  { router, opening, experts, beside }: RoutedMatrices<MatrixPlan>,
  isApart: boolean,
): PlacedRouted {
  const networks: LayerExperts<MatrixPlan>[] = [experts];
  if (beside) networks.push({ gate: [beside.gate], up: [beside.up], down: [beside.down] });
  const isOneKind = networks.every(({ gate, up }) => gate[0]!.tensor.kind === up[0]!.tensor.kind);
  const place = (matrices: (network: LayerExperts<MatrixPlan>) => readonly Experts[]): PlacedExperts[][] => {
    const stacks = networks.map((network) => stackOf(matrices(network)));
    return placeStacks(places, stacks);
  };
  const first = place(({ gate, up }) => (isOneKind ? [gate, up] : [gate]));
  const second = isOneKind ? undefined : place(({ up }) => [up]);
  const down = place((network) => [network.down]);
  const network = (index: 0 | 1): PlacedNetwork => ({
    inner: second ? [first[index]!, second[index]!] : [first[index]!],
    down: down[index]!,
  });
  return {
    router: places.place(opening ? [router, opening] : [router]),
    chosen: network(0),
    beside: beside && network(1),
    isTogether: beside !== undefined && isOneKind && !isApart && [first, down].every(areInOneSlab),
  };
}

/** Whether each is one piece, and all lie in one slab. */
function areInOneSlab(all: readonly PlacedExperts[][]): boolean {
  const slabs = all.flatMap((pieces) => pieces.map(({ piece }) => piece.slab));
  return slabs.length === all.length && new Set(slabs).size === 1;
}

/** Experts that lie one behind the other. */
interface Stack {
  wholes: MatrixPlan[];
  /** Rows at which it may be cut. */
  step: number;
  of: (piece: PlacedPiece) => PlacedExperts;
}

/** @param all of each matrix of an expert those of all experts */
function stackOf(all: readonly Experts[]): Stack {
  const [{ rows, firstRow: begin }, second] = all[0] as [MatrixPlan, MatrixPlan?];
  const each = second ? second.firstRow - begin : rows;
  // Gate and up may take turns in one tensor, which lies there as it is.
  const firsts = all.map((experts) => experts[0]!);
  const tensors = [...new Set(firsts.map(({ tensor }) => tensor))];
  return {
    wholes: tensors.map((tensor) => ({ tensor, firstRow: begin, rows: each * all[0]!.length })),
    step: each,
    of: (piece) => {
      const parts = firsts.map(({ tensor, firstRow }) =>
        behind(piece.parts[tensors.indexOf(tensor)]!, firstRow - begin, piece.columns),
      );
      const [first, count] = [piece.firstRow / each, parts[0]!.rows / each];
      return { piece: { ...piece, parts }, first, count, rows, each };
    },
  };
}

/** In one slab where a binding holds them; else each of its own, cut between experts. */
function placeStacks(places: WeightPlaces, stacks: readonly Stack[]): PlacedExperts[][] {
  const all = stacks.flatMap(({ wholes }) => wholes);
  if (!places.fits(all)) return stacks.map(({ wholes, step, of }) => places.place(wholes, step).map(of));
  const [{ parts, ...piece }] = places.place(all) as [PlacedPiece];
  return stacks.map(({ wholes, of }) => {
    const own = parts.splice(0, wholes.length);
    return [of({ ...piece, columns: wholes[0]!.tensor.shape[0]!, parts: own })];
  });
}

/** A part from a row on. */
function behind(part: PlacedPart, rows: number, columns: number): PlacedPart {
  if (rows === 0) return part;
  const bytes = rowBytesOf(part.tensor.kind, columns);
  const planes = { ...part.planes };
  for (const plane of PLANES) planes[plane] += rows * bytes[plane];
  return { ...part, planes };
}
