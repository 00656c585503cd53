/** What happens to whole rows between products. @module */
import type { TensorKind } from '../../file/tensor-kinds.js';
import type { PlainGate } from '../plain-layers.js';
import { ACTIVATIONS, CHAIN, opened, rootMeans, squaresOf, vectorOf } from './arithmetic.js';
import { bindings, rowBindings } from './bindings.js';
import { PART, READERS, readerOf } from './kinds.js';
import { NONE, PLAN } from './sizes.js';

/** Looks tokens up. A table in several pieces takes a dispatch for each. */
export function embedShader(kind: TensorKind): string {
  const { block, half, code, next, factor, factors } = readerOf(kind);
  const isTwo = factors === 'blockPair' || factors === 'halfPair';
  return /* wgsl */ `${PART}
struct Parameters { blocks: u32, first: u32, rows: u32, scale: f32, spare0: u32, spare1: u32, spare2: u32, spare3: u32, part: Part }
${bindings('embed', 'codes: array<vec4u>', 'words: array<u32>', 'state: array<vec4u>', 'result: array<vec4f>', '', '')}
${READERS}
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let token = state[wg.y].x; let s = p.part;
  if (token < p.first || token - p.first >= p.rows) { return; }
  let b = wg.x * 32u + (t >> 1u); let h = t & 1u;
  if (b >= p.blocks) { return; }
  let i0 = (token - p.first) * p.blocks + b; ${block(0, 's')} ${half(0, 's')}
  let f = ${isTwo ? factor(0, 's') : `vec2f(${factor(0, 's')}, 0.0)`};
  for (var j = 0u; j < 4u; j++) { result[wg.y * p.blocks * 8u + b * 8u + h * 4u + j] = (${code(0, 's')} * f.x + f.y) * p.scale; ${next(0, 's')} }
}`;
}

/**
 * What a norm does with rows: writes those of `x`; writes wished ones; adds to rows, as the end of a branch, and multiplies them
 * as the end of a layer; or changes a part of rows where it is.
 */
export type NormUse = 'all' | 'wished' | 'added' | 'scaled' | 'inPlace';

/** Norms of rows. A workgroup for each. */
export function normShader(use: NormUse): string {
  const row = use === 'wished' ? `plan[plan[2] + (plan[3] + wg.x) * ${PLAN.wishWords}u]` : 'wg.x';
  const given = use === 'inPlace' ? 'result' : 'x';
  const ends = {
    all: 'result[origin + k] = v;',
    wished: 'result[wg.x * columns4 + k] = v;',
    added: 'result[origin + k] = result[origin + k] + v * p.scale;',
    scaled: 'result[origin + k] = (result[origin + k] + v * p.scale) * vectors[p.factor];',
    inPlace: 'result[origin + k] = v;',
  };
  return /* wgsl */ `struct Parameters { columns4: u32, norm: u32, epsilon: f32, scale: f32, stride4: u32, offset4: u32, ${use === 'scaled' ? 'factor' : 'spare0'}: u32, spare1: u32 }
${rowBindings(use === 'inPlace' ? 'normInPlace' : 'norm')}
${CHAIN}${squaresOf(1)}
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let columns4 = p.columns4;
  let row = ${row}; let origin = row * p.stride4 + p.offset4;
  ${rootMeans(1, () => `${given}[origin + k]`)}
  for (var k = t; k < columns4; k += 64u) {
    let v = (${given}[origin + k] * inverse0) * ${vectorOf('p.norm', 'k')};
    ${ends[use]}
  }
}`;
}

/**
 * Adds to rows what experts gave and, behind it, what a network beside them gave: each with its norm, both together with a third
 * one; and multiplies rows as the end of a layer. A workgroup for each.
 */
export const BESIDE_SHADER = /* wgsl */ `struct Parameters { columns4: u32, ofExperts: u32, ofNetwork: u32, norm: u32, factor: u32, epsilon: f32, scale: f32, spare: u32 }
${rowBindings('norm')}
${CHAIN}${squaresOf(2)}
fn both(at: u32, k: u32, inverses: vec2f) -> vec4f {
  return (x[at + k] * inverses.x) * ${vectorOf('p.ofExperts', 'k')} + (x[at + p.columns4 + k] * inverses.y) * ${vectorOf('p.ofNetwork', 'k')};
}
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let columns4 = p.columns4; let origin = wg.x * columns4; let given = origin * 2u; var inverses: vec2f;
  { ${rootMeans(2, (branch) => `x[given + ${branch} * columns4 + k]`)} inverses = vec2f(inverse0, inverse1); }
  ${rootMeans(1, () => 'both(given, k, inverses)')}
  var factor = 1.0; if (p.factor != ${NONE}u) { factor = vectors[p.factor]; }
  for (var k = t; k < columns4; k += 64u) {
    let v = (both(given, k, inverses) * inverse0) * ${vectorOf('p.norm', 'k')};
    result[origin + k] = (result[origin + k] + v * p.scale) * factor;
  }
}`;

/** A gate opens what is beside it, where two products made them. */
export function gateShader(gate: PlainGate): string {
  return /* wgsl */ `struct Parameters { columns: u32, spare0: u32, spare1: u32, spare2: u32 }
${rowBindings('norm', 'f32')}
${ACTIVATIONS[gate]}
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let column = wg.x * 64u + t;
  if (column >= p.columns) { return; }
  let i = wg.y * p.columns + column;
  result[i] = ${opened(gate, 'result[i]', 'x[i]')};
}`;
}

/** Bends what is inside a network without a gate, where it is: xIELU, with the curve of its layer. */
export const BEND_SHADER = /* wgsl */ `struct Parameters { columns: u32, a: f32, b: f32, c: f32, e: f32, spare0: u32, spare1: u32, spare2: u32 }
${rowBindings('normInPlace', 'f32')}
// Near 0 the difference of the exponential from 1 has few digits: there its series has more.
fn grown(v: f32) -> f32 {
  if (v > -0.01) { return v * (1.0 + v * (0.5 + v * 0.16666667)); }
  return exp(max(v, -80.0)) - 1.0;
}
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let column = wg.x * 64u + t;
  if (column >= p.columns) { return; }
  let i = wg.y * p.columns + column; let v = result[i];
  result[i] = select((grown(min(v, p.e)) - v) * p.b, v * v * p.a, v > 0.0) + v * p.c;
}`;

/** Brings rows that are wished together. A workgroup for each. */
export const GATHER_SHADER = /* wgsl */ `struct Parameters { columns4: u32, spare0: u32, spare1: u32, spare2: u32 }
${rowBindings('norm')}
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let row = plan[plan[2] + (plan[3] + wg.x) * ${PLAN.wishWords}u];
  for (var k = t; k < p.columns4; k += 64u) { result[wg.x * p.columns4 + k] = x[row * p.columns4 + k]; }
}`;
