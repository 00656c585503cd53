/** What layers of Gemma 4 take of tokens themselves. @module */
import { CHAIN, rootMeans, squaresOf, vectorOf } from './arithmetic.js';
import { bindings, rowBindings } from './bindings.js';
import { NONE } from './sizes.js';

/** Normalizes what was made of embeddings, and adds what was looked up. A workgroup for each layer of a row. */
export const INPUTS_SHADER = /* wgsl */ `struct Parameters { columns4: u32, norm: u32, epsilon: f32, scale: f32, layers: u32, spare0: u32, spare1: u32, spare2: u32 }
${rowBindings('norm')}
${CHAIN}${squaresOf(1)}
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let columns4 = p.columns4; let origin = (wg.y * p.layers + wg.x) * columns4;
  ${rootMeans(1, () => 'result[origin + k]')}
  for (var k = t; k < columns4; k += 64u) {
    let v = (result[origin + k] * inverse0) * ${vectorOf('p.norm', 'k')};
    result[origin + k] = (v + x[origin + k] * p.scale) * ${Math.SQRT1_2};
  }
}`;

/** Adds two branches to rows, one after the other, and multiplies them as the end of a layer. A workgroup for each. */
export const BRANCHES_SHADER = /* wgsl */ `struct Parameters { columns4: u32, norm: u32, norm2: u32, factor: u32, epsilon: f32, scale: f32, spare0: u32, spare1: u32 }
${bindings('norm', 'x: array<vec4f>', 'result: array<vec4f>', 'vectors: array<f32>', 'x2: array<vec4f>')}
${CHAIN}${squaresOf(2)}
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let columns4 = p.columns4; let origin = wg.x * columns4;
  ${rootMeans(2, (branch) => `${branch === 0 ? 'x' : 'x2'}[origin + k]`)}
  var factor = 1.0; if (p.factor != ${NONE}u) { factor = vectors[p.factor]; }
  for (var k = t; k < columns4; k += 64u) {
    let v = (x[origin + k] * inverse0) * ${vectorOf('p.norm', 'k')}; let v2 = (x2[origin + k] * inverse1) * ${vectorOf('p.norm2', 'k')};
    result[origin + k] = ((result[origin + k] + v * p.scale) + v2 * p.scale) * factor;
  }
}`;
