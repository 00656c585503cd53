/** Where the experts of a layer lie on a GPU. @module */
import type { MatrixPlan } from '../model-tensors.js';
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
  shared: PlacedNetwork | undefined;
}

/** @throws InferenceError `insufficient_resources` */
export function placeRouted(
  places: WeightPlaces,
  { router, opening, experts, shared }: RoutedMatrices<MatrixPlan>,
): PlacedRouted {
  return {
    router: places.place(opening ? [router, opening] : [router]),
    chosen: placeNetwork(places, experts.gate, experts.up, experts.down),
    shared: shared && placeNetwork(places, [shared.gate], [shared.up], [shared.down]),
  };
}

type Experts = readonly MatrixPlan[];

function placeNetwork(places: WeightPlaces, gate: Experts, up: Experts, down: Experts): PlacedNetwork {
  const isOneKind = gate[0]!.tensor.kind === up[0]!.tensor.kind;
  return {
    inner: isOneKind
      ? [placeTogether(places, [gate, up])]
      : [placeTogether(places, [gate]), placeTogether(places, [up])],
    down: placeTogether(places, [down]),
  };
}

/** Cut between experts where they are larger than a binding. @param all of each matrix of an expert those of all experts */
function placeTogether(places: WeightPlaces, all: readonly Experts[]): PlacedExperts[] {
  const [{ rows, firstRow: begin }, second] = all[0] as [MatrixPlan, MatrixPlan?];
  const each = second ? second.firstRow - begin : rows;
  // Gate and up may take turns in one tensor, which lies there as it is.
  const firsts = all.map((experts) => experts[0]!);
  const tensors = [...new Set(firsts.map(({ tensor }) => tensor))];
  const wholes = tensors.map((tensor) => ({ tensor, firstRow: begin, rows: each * all[0]!.length }));
  return places.place(wholes, each).map((piece) => {
    const parts = firsts.map(({ tensor, firstRow }) =>
      behind(piece.parts[tensors.indexOf(tensor)]!, firstRow - begin, piece.columns),
    );
    const [firstExpert, count] = [piece.firstRow / each, parts[0]!.rows / each];
    return { piece: { ...piece, parts }, first: firstExpert, count, rows, each };
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
