/** The experts that the shaders compute: each row takes a few of them, chosen by a router. @module */
import type { ExpertsShape } from '../forward-shape.js';
import type { MatrixPlan } from '../model-tensors.js';
import type { LayerExperts, LayerMatrices } from '../model-weights.js';
import type { LayerPlan } from '../plan-layer.js';
import { roundUp } from './planes.js';
import { EXPERT_ROWS, MOST_EXPERTS, MOST_USED } from './shaders/sizes.js';

/** The matrices of a layer with experts. */
export interface RoutedMatrices<Matrix> {
  router: Matrix;
  experts: LayerExperts<Matrix>;
  /** What all rows take beside those that they choose: one more of them, or a network that is not. */
  beside: { gate: Matrix; up: Matrix; down: Matrix } | undefined;
  /** What opens it. */
  opening: Matrix | undefined;
}

/** The matrices of a layer without those of its experts. */
export function besideExperts<Matrix>(matrices: LayerMatrices<Matrix>): LayerMatrices<Matrix> {
  const { router: _, sharedGate: _1, sharedUp: _2, sharedDown: _3, sharedOpening: _4, ...others } = matrices;
  return others;
}

/** Undefined: a layer without experts. */
export function routedMatrices({ matrices, experts }: LayerPlan): RoutedMatrices<MatrixPlan> | undefined {
  const { router, sharedOpening: opening } = matrices;
  if (!experts || !router) return undefined;
  const { sharedGate: gate = matrices.gate, sharedUp: up = matrices.up, sharedDown: down = matrices.down } = matrices;
  return { router, experts, beside: gate && up && down && { gate, up, down }, opening };
}

/** Whether the shaders choose and weigh experts so. Shares of all experts that are not brought to 1 no decoder has. */
export function areRouted({ count, used, gating, isNormed }: ExpertsShape): boolean {
  return count <= MOST_EXPERTS && Math.max(...used) <= MOST_USED && (isNormed || gating === 'chosen');
}

/** Experts that a row of a layer takes; behind them there is a slot for what all take. */
export const usedIn = ({ used }: ExpertsShape, layer: number): number => used[layer % used.length]!;

/** Slots of a row. */
export const slotsOf = ({ used, sharedFeedForward, beside = 0 }: ExpertsShape): number =>
  Math.max(...used) + (sharedFeedForward + beside > 0 ? 1 : 0);

/** Numbers of a slot's inside. */
export const slotSize = ({ feedForward, sharedFeedForward, beside = 0 }: ExpertsShape): number =>
  Math.max(feedForward, sharedFeedForward, beside);

/** Where in a row of the router's scores that is which opens the shared expert; and numbers of the row. */
export const openingAt = ({ count }: ExpertsShape): number => roundUp(count, 4);
export const scoreSize = (experts: ExpertsShape): number => openingAt(experts) + 4;

/** Workgroups that read an expert for some rows each: as many as there may be with so many rows. */
export function takerGroups(experts: ExpertsShape, rows: number): number {
  const takers = rows * slotsOf(experts);
  return Math.min(takers, experts.count + 1 + Math.floor(takers / EXPERT_ROWS));
}

/** Where words begin behind the choices of as many rows: the slots that take each expert, then of each workgroup what it reads. */
export function takersAt(experts: ExpertsShape, rows: number): { list: number; groups: number; end: number } {
  const list = rows * slotsOf(experts) * 2;
  const groups = list + rows * slotsOf(experts);
  return { list, groups, end: groups + 4 + takerGroups(experts, rows) * 4 };
}
