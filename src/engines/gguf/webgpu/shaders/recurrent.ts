/**
 * What shaders of recurrent layers share. The rows of a sequence follow each other in time, in whatever shader one after the
 * other: so bits do not depend on how a text is cut.
 * @module
 */
import { type RecurrentShape, recurrentBytes, recurrentWidth } from '../../forward-shape.js';
import { roundUp } from '../planes.js';
import { bindings } from './bindings.js';
import { type HeadShape, qkvStride, qkvWidth } from './rotate.js';
import { NONE, PLAN } from './sizes.js';

/** Where in a row are: what goes through the convolution, gates of what comes out, and what factors are made of. */
export interface MixedRow {
  stride: number;
  mixed: number;
  gates: number;
  /** Of deltas: how much is taken. Of both: what decays are made of. */
  betas: number;
  alphas: number;
}

export function mixedRow(shape: RecurrentShape): MixedRow {
  const row = numbersOf(shape);
  return { ...row, stride: roundUp(row.stride, 4) };
}

/** The same behind what a row has for attention. */
export function mixedBehind(shape: RecurrentShape, head: HeadShape): MixedRow {
  const { mixed, gates, betas, alphas } = mixedRow(shape);
  const begin = qkvWidth(head);
  return {
    stride: qkvStride(head),
    mixed: begin + mixed,
    gates: begin + gates,
    betas: begin + betas,
    alphas: begin + alphas,
  };
}

function numbersOf(shape: RecurrentShape): MixedRow {
  const { kind, channels, heads } = shape;
  const width = recurrentWidth(shape);
  switch (kind) {
    case 'convolution':
      return { stride: 3 * channels, mixed: 0, gates: channels, betas: 0, alphas: 0 };
    case 'delta': {
      const betas = channels + width;
      return { stride: betas + 2 * heads, mixed: 0, gates: channels, betas, alphas: betas + heads };
    }
    case 'scan':
      return { stride: width + channels + heads, mixed: width, gates: 0, betas: 0, alphas: width + channels };
  }
}

/** Threads of a workgroup, and numbers of a memory that it holds at most. */
export const THREADS = 64;
const MOST_CELLS = 2048;

/** How many of the numbers of a head that memories give a workgroup computes. @param depth numbers that each of them adds up */
export function blockOf(count: number, depth: number): number {
  const fits = (block: number): boolean => count % block === 0 && block * depth <= MOST_CELLS;
  return [16, 8, 4, 2].find(fits) ?? 1;
}

/** Numbers of a layer's state, and where in it its memory begins. */
export function stateWords(shape: RecurrentShape): { all: number; memory: number } {
  const [convolution, memory] = recurrentBytes(shape);
  return { all: (convolution + memory) / 4, memory: convolution / 4 };
}

export const SILU = 'fn silu(v: f32) -> f32 { return v / (1.0 + exp(-clamp(v, -80.0, 80.0))); }\n';

/** Parameters: where vectors are. */
export const RECURRENT_HEAD = /* wgsl */ `struct Parameters { taps: u32, bias: u32, keeping: u32, decay: u32, skip: u32, norm: u32, epsilon: f32, spare: u32 }
${bindings('recurrent', 'mixing: array<f32>', 'result: array<f32>', 'states: array<f32>', 'vectors: array<f32>', 'plan: array<u32>')}
const NONE = ${NONE}u;
fn sigmoid(v: f32) -> f32 { return 1.0 / (1.0 + exp(-clamp(v, -80.0, 80.0))); }
${SILU}`;

/** ln(1 + e^v). The logarithm of a GPU is not exact enough near 1: its series in e / (2 + e), where e is 1 at most. */
export const SOFTPLUS = /* wgsl */ `
fn softplus(v: f32) -> f32 {
  let e = exp(-min(abs(v), 80.0)); let z = e / (2.0 + e); let s = z * z;
  let series = fma(s, fma(s, fma(s, fma(s, fma(s, fma(s, 0.07692308, 0.09090909), 0.11111111), 0.14285714), 0.2), 0.33333333), 1.0);
  return max(v, 0.0) + 2.0 * z * series;
}
`;

/** The rows of a sequence, and where its state was and will be. @param words of a state @param number an expression */
export const spanOf = (words: number, number = 'wg.y'): string => /* wgsl */ `
  let span = plan[7] + ${number} * ${PLAN.spanWords}u; let begin = plan[span]; let end = begin + plan[span + 1u];
  let isEmpty = plan[span + 2u] == ${NONE}u; let before = select(plan[span + 2u], 0u, isEmpty) * ${words}u; let behind = plan[span + 3u] * ${words}u;`;
