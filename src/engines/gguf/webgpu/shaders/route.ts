/** Which experts each row takes, and how much of each. @module */
import type { ExpertsShape } from '../../forward-shape.js';
import { bindings } from './bindings.js';
import { EXPERT_ROWS, MOST_EXPERTS, MOST_USED, NONE } from './sizes.js';

const THREADS = 256;

/** What is bound behind scores. */
const ROUTES = ['routes: array<u32>', 'vectors: array<f32>', 'plan: array<u32>'] as const;

/** What scores of a router mean, and what of that a chosen expert's share is made of. */
const GATINGS = {
  softmax: { value: 'v', part: 'exp(max(chosen[i] - chosen[0], -80.0))' },
  sigmoid: { value: 'sigmoid(v)', part: 'chosen[i]' },
} as const;

/**
 * Writes of each row the experts with the highest scores, the highest first and of equal ones the one that comes first; then their
 * weights, which are 1 together. Behind them the slot of the expert that all rows take: its number comes after all others. A
 * workgroup for each row. A softmax of all, brought to 1 for those that are chosen, is a softmax of those.
 */
export function routeShader({ gating }: Pick<ExpertsShape, 'gating'>): string {
  const { value, part } = GATINGS[gating === 'sigmoid' ? 'sigmoid' : 'softmax'];
  return /* wgsl */ `struct Parameters { count: u32, used: u32, stride: u32, choiceBias: u32, scale: u32, slots: u32, opening: u32, spare: u32 }
${bindings('norm', 'x: array<f32>', ...ROUTES)}
var<workgroup> worth: array<f32, ${MOST_EXPERTS}>; var<workgroup> ids: array<u32, ${MOST_USED}>; var<workgroup> chosen: array<f32, ${MOST_USED}>;
fn sigmoid(v: f32) -> f32 { return 1.0 / (1.0 + exp(-clamp(v, -80.0, 80.0))); }
fn valueOf(v: f32) -> f32 { return ${value}; }
@compute @workgroup_size(${THREADS}) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let at = wg.x * p.stride;
  for (var e = t; e < p.count; e += ${THREADS}u) {
    var v = valueOf(x[at + e]);
    if (p.choiceBias != ${NONE}u) { v += vectors[p.choiceBias + e]; }
    worth[e] = v;
  }
  workgroupBarrier();
  // An expert's place is the number of those before it.
  for (var e = t; e < p.count; e += ${THREADS}u) {
    let v = worth[e]; var place = 0u;
    for (var o = 0u; o < p.count; o++) { let w = worth[o]; place += select(0u, 1u, w > v || (w == v && o < e)); }
    if (place < p.used) { ids[place] = e; chosen[place] = valueOf(x[at + e]); }
  }
  workgroupBarrier();
  let to = wg.x * p.slots * 2u + t;
  if (t < p.used) {
    var sum = 0.0; for (var i = 0u; i < p.used; i++) { sum += ${part}; }
    let i = t; var weight = ${part} / max(sum, 6.103515625e-5);
    if (p.scale != ${NONE}u) { weight *= vectors[p.scale + ids[t]]; }
    routes[to] = ids[t]; routes[to + p.slots] = bitcast<u32>(weight);
  } else if (t == p.used && t < p.slots) {
    var weight = 1.0;
    if (p.opening != ${NONE}u) { weight = sigmoid(x[at + p.opening]); }
    routes[to] = p.count; routes[to + p.slots] = bitcast<u32>(weight);
  }
}`;
}

/**
 * Lists of each expert the slots that take it, and for each {@link EXPERT_ROWS} of them what a workgroup reads: the expert's number,
 * where they begin and how many there are. One workgroup for all rows. The order in a list is any: each slot has its own result.
 */
export const LIST_TAKERS_SHADER = /* wgsl */ `struct Parameters { list: u32, used: u32, slots: u32, experts: u32, takers: u32, groups: u32, spare0: u32, spare1: u32 }
${bindings('normInPlace', '', ...ROUTES)}
var<workgroup> counts: array<atomic<u32>, ${MOST_EXPERTS + 1}>;
@compute @workgroup_size(${THREADS}) fn main(@builtin(local_invocation_index) t: u32) {
  let all = plan[p.list] * p.used;
  for (var e = t; e < p.experts; e += ${THREADS}u) { atomicStore(&counts[e], 0u); }
  workgroupBarrier();
  for (var i = t; i < all; i += ${THREADS}u) { atomicAdd(&counts[routes[(i / p.used) * p.slots * 2u + i % p.used]], 1u); }
  workgroupBarrier();
  if (t == 0u) {
    var begin = p.takers; var group = p.groups + 4u;
    for (var e = 0u; e < p.experts; e++) {
      let count = atomicExchange(&counts[e], begin);
      for (var i = 0u; i < count; i += ${EXPERT_ROWS}u) {
        routes[group] = e; routes[group + 1u] = begin + i; routes[group + 2u] = min(count - i, ${EXPERT_ROWS}u);
        group += 4u;
      }
      begin += count;
    }
    routes[p.groups] = (group - p.groups) / 4u - 1u;
  }
  workgroupBarrier();
  for (var i = t; i < all; i += ${THREADS}u) {
    let row = i / p.used; let slot = i % p.used;
    routes[atomicAdd(&counts[routes[row * p.slots * 2u + slot]], 1u)] = row * p.slots + slot;
  }
}`;
