/** Queries, keys and values on their way to attention. @module */
import type { ForwardShape } from '../../forward-shape.js';
import { bindings } from './bindings.js';
import { PLAN } from './sizes.js';

export interface HeadShape {
  /** Numbers of a head. */
  size: number;
  heads: number;
  kvHeads: number;
  /** Bits of a kept number. */
  bits: 16 | 32;
  /** Queries come each with a gate behind it, from behind keys and values. */
  isGated: boolean;
  /** Numbers of a row behind all that: what goes into a state beside attention. */
  mixed: number;
}

interface RotateOptions extends HeadShape {
  /** Numbers of a head that are rotated. */
  turned: number;
  pairs: 'halves' | 'neighbours';
  /** When each head of queries and keys is normalized: before it is rotated, or behind. */
  headNorm: 'before' | 'behind' | undefined;
  /** Values are normalized without weights. */
  normsValues: boolean;
  /** Values are made of what keys are, before their norm. */
  sharesValues: boolean;
  /** Queries grow with their position. */
  temperature: ForwardShape['temperature'];
}

/** Numbers of a row of queries, keys and values; and of what is behind them, too. */
export const qkvWidth = ({ size, heads, kvHeads, isGated }: HeadShape): number =>
  ((isGated ? 3 : 1) * heads + 2 * kvHeads) * size;
export const qkvStride = (shape: HeadShape): number => qkvWidth(shape) + shape.mixed;

/** Rotates and scales queries in place and puts keys and values into pages. A workgroup for each head of a row. */
export function rotateShader(options: RotateOptions): string {
  const { size, kvHeads, heads, turned, pairs, headNorm, bits, normsValues, sharesValues, isGated, temperature } =
    options;
  const stride = qkvStride(options);
  const gated = `select(origin, wg.y * ${stride}u + (HEADS + 2u * KV + 2u * wg.x) * D, isQuery)`;
  const growth = temperature
    ? ` * (1.0 + f32(${temperature.scale}) * log(1.0 + f32(position / ${temperature.positions}u)))`
    : '';
  const source = sharesValues ? '(wg.x - select(0u, KV, wg.x >= HEADS + KV))' : 'wg.x';
  return /* wgsl */ `struct Parameters { queryNorm: u32, keyNorm: u32, epsilon: f32, low: u32, high: u32, isTurned: u32, scale: f32, spare: u32 }
${bindings('rotate', 'qkv: array<f32>', 'kv: array<u32>', 'vectors: array<f32>', 'plan: array<u32>', 'state: array<vec4u>')}
const D = ${size}u; const HEADS = ${heads}u; const KV = ${kvHeads}u;
var<workgroup> head: array<f32, ${size}>; var<workgroup> turnedHead: array<f32, ${size}>; var<workgroup> sums: array<f32, 64>;
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let origin = wg.y * ${stride}u + ${source} * D; let position = state[wg.y].y;
  let isQuery = wg.x < HEADS; let isValue = wg.x >= HEADS + KV; let given = ${isGated ? gated : 'origin'};
  for (var d = t; d < D; d += 64u) { head[d] = qkv[given + d]; }
  workgroupBarrier();
  let scale = p.scale${growth};
  ${headNorm === 'before' ? normOf('head', normsValues) : ''}
  // Angles of a position are those of its page and those in it, added: cos and sin of a GPU are not exact enough.
  let low = p.low + (position % 64u) * ${turned}u; let high = p.high + (position / 64u) * ${turned}u;
  for (var d = t; d < D; d += 64u) {
    var v = head[d];
    if (!isValue && p.isTurned == 1u && d < ${turned}u) {
      ${partner(turned, pairs)}
      let cl = vectors[low + pair * 2u]; let sl = vectors[low + pair * 2u + 1u]; let ch = vectors[high + pair * 2u]; let sh = vectors[high + pair * 2u + 1u];
      let c = ch * cl - sh * sl; let s = sh * cl + ch * sl; let o = head[other];
      v = select(v * c + o * s, v * c - o * s, isLow);
    }
    turnedHead[d] = v;
  }
  workgroupBarrier();
  ${headNorm === 'behind' ? normOf('turnedHead') : ''}
  if (isQuery) {
    for (var d = t; d < D; d += 64u) { qkv[origin + d] = turnedHead[d] * scale; }
    return;
  }
  let page = plan[plan[plan[4] + wg.y * ${PLAN.rowWords}u] + position / 64u]; let at = position % 64u;
  let which = select(0u, 1u, isValue); let kvHead = select(wg.x - HEADS, wg.x - HEADS - KV, isValue);
  let base = ((page * 2u + which) * KV + kvHead) * ${(size * 64 * bits) / 32}u;
  ${bits === 16 ? STORE_HALVES : STORE_FLOATS}
}`;
}

const normOf = (head: 'head' | 'turnedHead', normsValues = false): string => /* wgsl */ `
  var square = 0.0; for (var d = t; d < D; d += 64u) { square = fma(${head}[d], ${head}[d], square); }
  sums[t] = square;
  workgroupBarrier();
  var total = 0.0; for (var i = 0u; i < 64u; i++) { total += sums[i]; }
  let inverse = 1.0 / sqrt(total / f32(D) + p.epsilon); let weight = select(p.keyNorm, p.queryNorm, isQuery);
  if (!isValue) { for (var d = t; d < D; d += 64u) { ${head}[d] = (${head}[d] * inverse) * vectors[weight + d]; } }${normsValues ? ` else { for (var d = t; d < D; d += 64u) { ${head}[d] = ${head}[d] * inverse; } }` : ''}
  workgroupBarrier();`;

/** A number's pair, and the other number of it. */
function partner(turned: number, pairs: RotateOptions['pairs']): string {
  if (pairs === 'neighbours') return 'let isLow = (d & 1u) == 0u; let pair = d / 2u; let other = d ^ 1u;';
  const half = `${turned / 2}u`;
  return `let isLow = d < ${half}; let pair = select(d - ${half}, d, isLow); let other = select(d - ${half}, d + ${half}, isLow);`;
}

// Keys: [head][4 words][position]; values: [head][position][word]. What is beyond halves is undefined, so it is held.
const STORE_HALVES = /* wgsl */ `for (var i = t; i < D / 2u; i += 64u) {
    let word = pack2x16float(clamp(vec2f(turnedHead[2u * i], turnedHead[2u * i + 1u]), vec2f(-65504.0), vec2f(65504.0)));
    kv[base + select(((i / 4u) * 64u + at) * 4u + (i & 3u), at * (D / 2u) + i, isValue)] = word;
  }`;
const STORE_FLOATS = /* wgsl */ `for (var i = t; i < D; i += 64u) {
    kv[base + select(((i / 4u) * 64u + at) * 4u + (i & 3u), at * D + i, isValue)] = bitcast<u32>(turnedHead[i]);
  }`;
