/** Chooses tokens by their logits. @module */
import { bindings } from './bindings.js';
import { BEST_GROUPS, CHOICES, PLAN } from './sizes.js';

const HEAD = /* wgsl */ `
struct Parameters { vocabulary: u32, stride: u32, spare0: u32, spare1: u32 }
${bindings('choose', 'logits: array<f32>', 'best: array<vec2u>', 'state: array<vec4u>', 'ids: array<u32>', 'plan: array<u32>')}
const NO_TOKEN = 0xffffffffu;
// Larger numbers have larger keys; NaN and infinities have the least.
fn keyOf(v: f32) -> u32 {
  let u = bitcast<u32>(v);
  if ((u & 0x7f800000u) == 0x7f800000u) { return 0u; }
  return select(u | 0x80000000u, ~u, u >= 0x80000000u);
}
fn wishAt(w: u32) -> u32 { return plan[2] + (plan[3] + w) * ${PLAN.wishWords}u; }
/** The next token of a row stays here, and is told. */
fn tell(w: u32, token: u32) {
  let row = plan[wishAt(w)]; let was = state[row];
  ids[plan[3] + w] = token;
  state[row] = vec4u(min(token, p.vocabulary - 1u), was.y + 1u, was.z + 1u, was.w);
}`;

/** The largest logit of a part of a row; of equal ones the first. */
export const BEST_SHADER = /* wgsl */ `${HEAD}
var<workgroup> keys: array<vec2u, 64>;
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  if (plan[wishAt(wg.y) + 6u] != ${CHOICES.greatest}u) { return; }
  let size = (p.vocabulary + ${BEST_GROUPS - 1}u) / ${BEST_GROUPS}u; let end = min(p.vocabulary, (wg.x + 1u) * size);
  var most = vec2u(0u, NO_TOKEN);
  for (var i = wg.x * size + t; i < end; i += 64u) { let k = keyOf(logits[wg.y * p.stride + i]); if (k > most.x) { most = vec2u(k, i); } }
  keys[t] = most;
  workgroupBarrier();
  if (t == 0u) {
    for (var i = 1u; i < 64u; i++) { let k = keys[i]; if (k.x > most.x || (k.x == most.x && k.y < most.y)) { most = k; } }
    best[wg.y * ${BEST_GROUPS}u + wg.x] = most;
  }
}`;

/** The largest of the parts. */
export const PICK_SHADER = /* wgsl */ `${HEAD}
@compute @workgroup_size(1) fn main(@builtin(workgroup_id) wg: vec3u) {
  if (plan[wishAt(wg.x) + 6u] != ${CHOICES.greatest}u) { return; }
  var most = best[wg.x * ${BEST_GROUPS}u];
  for (var i = 1u; i < ${BEST_GROUPS}u; i++) { let k = best[wg.x * ${BEST_GROUPS}u + i]; if (k.x > most.x || (k.x == most.x && k.y < most.y)) { most = k; } }
  tell(wg.x, most.y);
}`;

/**
 * Temperature, then top-k, top-p and min-p, then a draw. Nothing is sorted: the least key that is kept is found by four rounds of
 * 256 bins, whose masses are whole numbers (exact in any order of threads); the draw goes through the kept tokens by index.
 */
export const DRAW_SHADER = /* wgsl */ `${HEAD}
var<workgroup> counts: array<atomic<u32>, 256>; var<workgroup> coarse: array<atomic<u32>, 256>; var<workgroup> fine: array<atomic<u32>, 256>;
var<workgroup> line: array<f32, 256>; var<workgroup> found: array<u32, 4>; var<workgroup> foundMass: array<f32, 2>;
fn mixed(value: u32) -> u32 {
  let v = value * 747796405u + 2891336453u; let w = ((v >> ((v >> 28u) + 4u)) ^ v) * 277803737u;
  return (w >> 22u) ^ w;
}
/** From the seed of an answer and a position in it alone: whatever is beside it, the draw is the same. */
fn random(seed: u32, position: u32) -> f32 { return f32(mixed(mixed(seed ^ (position * 0x9e3779b9u))) >> 8u) / 16777216.0; }
@compute @workgroup_size(256) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let wish = wishAt(wg.x); let origin = wg.x * p.stride;
  if (plan[wish + 6u] != ${CHOICES.drawn}u) { return; }
  let inverse = bitcast<f32>(plan[wish + 2u]); let k = plan[wish + 3u]; let topP = bitcast<f32>(plan[wish + 4u]); let minP = bitcast<f32>(plan[wish + 5u]);
  var most = -3e38;
  for (var i = t; i < p.vocabulary; i += 256u) { let v = logits[origin + i]; if (keyOf(v) > 0u) { most = max(most, v); } }
  line[t] = most;
  workgroupBarrier();
  for (var half = 128u; half > 0u; half /= 2u) { if (t < half) { line[t] = max(line[t], line[t + half]); } workgroupBarrier(); }
  most = line[0];
  workgroupBarrier();
  // Round 0: the k largest. Round 1: the least set with mass p, of those.
  var least = 1u; var kept = 0.0;
  for (var round = 0u; round < 2u; round++) {
    let isNeeded = select((topP < 1.0), (k > 0u && (k < p.vocabulary)), (round == 0u));
    if (isNeeded) {
      // The mass of what is left decides how much p is.
      if (round == 1u) {
        var mass = 0.0;
        for (var i = t; i < p.vocabulary; i += 256u) { let v = logits[origin + i]; if (keyOf(v) >= least) { mass += exp((v - most) * inverse); } }
        line[t] = mass;
        workgroupBarrier();
        for (var half = 128u; half > 0u; half /= 2u) { if (t < half) { line[t] += line[t + half]; } workgroupBarrier(); }
        kept = line[0] * topP;
        workgroupBarrier();
      }
      var prefix = 0u; var above = 0u; var massAbove = 0.0;
      for (var digit = 0u; digit < 4u; digit++) {
        let shift = 24u - digit * 8u; let mask = select(0xffffffffu << (shift + 8u), 0u, digit == 0u);
        atomicStore(&counts[t], 0u); atomicStore(&coarse[t], 0u); atomicStore(&fine[t], 0u);
        workgroupBarrier();
        for (var i = t; i < p.vocabulary; i += 256u) {
          let v = logits[origin + i]; let key = keyOf(v);
          if (key >= least && (key & mask) == prefix) {
            let bin = (key >> shift) & 255u; atomicAdd(&counts[bin], 1u);
            if (round == 1u) { let e = u32(exp((v - most) * inverse) * 16777216.0); atomicAdd(&coarse[bin], e >> 12u); atomicAdd(&fine[bin], e & 4095u); }
          }
        }
        workgroupBarrier();
        if (t == 0u) {
          var n = above; var m = massAbove; var bin = 255u;
          for (;;) {
            let more = n + atomicLoad(&counts[bin]); let moreMass = m + (f32(atomicLoad(&coarse[bin])) * 4096.0 + f32(atomicLoad(&fine[bin]))) / 16777216.0;
            if (bin == 0u || (round == 0u && more >= k) || (round == 1u && moreMass >= kept)) { break; }
            n = more; m = moreMass; bin -= 1u;
          }
          found[0] = prefix | (bin << shift); found[1] = n; foundMass[0] = m;
        }
        workgroupBarrier();
        prefix = found[0]; above = found[1]; massAbove = foundMass[0];
        workgroupBarrier();
      }
      least = max(least, prefix);
    }
  }
  if (minP > 0.0) { least = max(least, keyOf(most + log(minP) / inverse)); }
  // Each thread has a run of tokens; a draw falls into one of the runs.
  let size = (p.vocabulary + 255u) / 256u; let begin = t * size; let end = min(p.vocabulary, begin + size);
  var mass = 0.0;
  for (var i = begin; i < end; i++) { let v = logits[origin + i]; if (keyOf(v) >= least) { mass += exp((v - most) * inverse); } }
  line[t] = mass;
  workgroupBarrier();
  if (t == 0u) {
    var total = 0.0; for (var i = 0u; i < 256u; i++) { total += line[i]; }
    let row = plan[wish]; var left = random(plan[wish + 1u], state[row].y) * total; var run = 0u; var lastRun = 0u;
    for (var i = 0u; i < 256u; i++) { if (line[i] > 0.0) { lastRun = i; } }
    for (; run < lastRun; run++) { if (left < line[run]) { break; } left -= line[run]; }
    var token = NO_TOKEN;
    for (var i = run * size; i < min(p.vocabulary, (run + 1u) * size); i++) {
      let v = logits[origin + i]; if (keyOf(v) < least) { continue; }
      let e = exp((v - most) * inverse); if (e > 0.0 && (token == NO_TOKEN || left >= 0.0)) { token = i; }
      left -= e; if (left < 0.0 && token != NO_TOKEN) { break; }
    }
    tell(wg.x, token);
  }
}`;
