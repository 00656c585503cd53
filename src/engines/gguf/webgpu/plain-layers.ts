/** The layers that the shaders compute: attention, states of fixed size, and one feed-forward network. @module */
import type { Activation } from '../architectures.js';
import type { ModelPlan } from '../model-plan.js';
import type { Curve, ForwardShape } from '../forward-shape.js';
import type { LayerMatrices } from '../model-weights.js';
import { hasState } from '../read-layers.js';
import { areRouted, besideExperts } from './routed-layers.js';

/** The matrices that these layers may have beside those of experts. */
const PLAIN = [
  'query',
  'key',
  'value',
  'output',
  'gate',
  'up',
  'down',
  'inputGate',
  'inputOutput',
  'mixIn',
  'mixGate',
  'beta',
  'alpha',
  'betaAlpha',
  'mixOutput',
] as const;

/** Without a gate what is inside a network is bent itself. Keys and values may be those of another layer, or one matrix. */
type PlainMatrices<Matrix> = Pick<LayerMatrices<Matrix>, (typeof PLAIN)[number]>;

/** What a gate is bent by. */
export type PlainGate = 'silu' | 'gelu' | 'clipped';

function isPlainLayer(matrices: LayerMatrices<unknown>): boolean {
  const isPlainName = (name: string): boolean => PLAIN.some((plain) => plain === name);
  return Object.entries(besideExperts(matrices)).every(([name, matrix]) => matrix === undefined || isPlainName(name));
}

/** Those of a layer whose model {@link isPlain}. */
export function requirePlain<Matrix>(matrices: LayerMatrices<Matrix>): PlainMatrices<Matrix> {
  if (!isPlainLayer(matrices)) throw new TypeError('A layer has matrices that no shader reads.');
  return matrices;
}

/** Undefined: the shaders bend what is inside a network without a gate, or do not compute the activation. */
export function plainGate(activation: Activation): PlainGate | undefined {
  return activation === 'silu' || activation === 'gelu' || activation === 'clipped' ? activation : undefined;
}

/** The square of what is above 0. */
const SQUARE: Curve = { a: 1, b: 0, c: 0, e: 0 };

/** What bends the inside of a layer's network without a gate. */
export const plainCurve = ({ curves }: ForwardShape, layer: number): Curve => curves?.[layer] ?? SQUARE;

const isBent = (activation: Activation): boolean => activation === 'xielu' || activation === 'relu-squared';

/** Whether the shaders compute the layers of a model. */
export function isPlain({ layers, shape }: ModelPlan): boolean {
  if (shape.experts && !areRouted(shape.experts)) return false;
  const isGated = plainGate(shape.activation) !== undefined;
  if (!isGated && !isBent(shape.activation)) return false;
  return layers.every(({ matrices, vectors, experts }, index) => {
    const { gate, up, down, mixIn } = matrices;
    if (!isPlainLayer(matrices) || hasState(shape.layerShapes[index]!) !== (mixIn !== undefined)) return false;
    // Beside experts there is a network in Gemma 4 alone.
    if (experts && !vectors.expertNorm) return isGated && !gate && !up && !down;
    return !up || isGated === (gate !== undefined);
  });
}
