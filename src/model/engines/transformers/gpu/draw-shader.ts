/** The WebGPU shader of `draw-tokens.ts`. @module */
import { MOST_DRAWS } from '../../../sampling/sample-token.js';
import { FARTHEST, STEP_BITS } from '../../../sampling/token-weights.js';
import { CHUNK, ORDER_OF, THREADS } from './top-k.js';

/** Results that are no token. */
export const FORBIDDEN = 0xffffffff;
export const CUT_OFF = 0xfffffffe;

/**
 * Weights are whole numbers of 32 bits and sums of 64 bits, `(low, high)`, so that nothing is rounded: the sum of a chunk is the
 * same in whatever order it is made. `chooseToken` finds first the chunk and then the token where the sum by token id exceeds a
 * random share of the total. With top_p, `weighBefore` adds up what is more likely than each chosen token.
 */
export const DRAW_SHADER = /* wgsl */ `
${ORDER_OF}
const MOST_DRAWS = ${MOST_DRAWS}u;
const PER_THREAD = ${CHUNK / THREADS}u;
struct Shape {
  size: u32,
  given: u32,
  keep: u32,
  stride: u32,
  chunks: u32,
  found: u32,
}
struct Draw {
  place: u32,
  scale: f32,
  farthest: u32,
  share: u32,
  attempts: u32,
  numbers: array<u32, MOST_DRAWS>,
}
@group(0) @binding(0) var<storage, read> words: array<u32>;
// Order and id.
@group(0) @binding(1) var<storage, read> greatest: array<vec2u>;
@group(0) @binding(2) var<storage, read> halving: array<u32>;
@group(0) @binding(3) var<storage, read> draws: array<Draw>;
// Of each draw by chunk, then before each of its tokens by chunk.
@group(0) @binding(4) var<storage, read_write> sums: array<vec2u>;
// Of each draw the result, then its tokens.
@group(0) @binding(5) var<storage, read_write> tokens: array<u32>;
@group(0) @binding(6) var<uniform> shape: Shape;
var<workgroup> partial: array<vec2u, ${THREADS}>;
var<workgroup> chosenChunk: u32;

fn plus(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn minus(a: vec2u, b: vec2u) -> vec2u {
  return vec2u(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn isLess(a: vec2u, b: vec2u) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn product(a: u32, b: u32) -> vec2u {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
  return vec2u((other << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u));
}

fn shareOf(total: vec2u, share: u32) -> vec2u {
  return plus(product(total.y, share), vec2u(product(total.x, share).y, 0u));
}

fn bitsAt(entry: u32) -> u32 {
  if (HALF) {
    let word = words[entry >> 1u];
    return select(word << 16u, word & 0xffff0000u, (entry & 1u) == 1u);
  }
  return words[entry];
}

fn isFinite(bits: u32) -> bool {
  let exponent = select(0x7f800000u, 0x7c000000u, HALF);
  return (bits & exponent) != exponent;
}

fn valueOf(bits: u32) -> f32 {
  if (HALF) { return unpack2x16float(bits >> 16u).x; }
  return bitcast<f32>(bits);
}

fn weightAt(units: u32) -> u32 {
  let step = (units >> ${STEP_BITS}u) & ${2 ** STEP_BITS - 1}u;
  let start = halving[step];
  let whole = start - (((start - halving[step + 1u]) * (units & ${2 ** STEP_BITS - 1}u)) >> ${STEP_BITS}u);
  let halvings = units >> ${2 * STEP_BITS}u;
  if (halvings == 0u) { return whole; }
  let double = whole >> (halvings - 1u);
  return (double >> 1u) + (double & 1u);
}

// The logits of one draw.
struct Row {
  start: u32,
  best: u32,
  scale: f32,
  farthest: u32,
}

fn bestOf(draw: u32) -> vec2u {
  return greatest[draws[draw].place * shape.found];
}

fn rowOf(draw: u32) -> Row {
  let place = draws[draw].place;
  let start = ((place / shape.keep + 1u) * shape.given - shape.keep + place % shape.keep) * shape.stride;
  let id = bestOf(draw).y;
  return Row(start, bitsAt(start + min(id, shape.size - 1u)), draws[draw].scale, draws[draw].farthest);
}

fn weightOf(row: Row, id: u32) -> u32 {
  let bits = bitsAt(row.start + id);
  if (!isFinite(bits) || !isFinite(row.best)) { return 0u; }
  let distance = (valueOf(row.best) - valueOf(bits)) * row.scale;
  if (!(distance < ${FARTHEST + 1}.0)) { return 0u; }
  let units = u32(distance);
  if (units > row.farthest) { return 0u; }
  return weightAt(units);
}

fn addPartial(thread: u32) -> vec2u {
  workgroupBarrier();
  for (var half = ${THREADS / 2}u; half > 0u; half /= 2u) {
    if (thread < half) { partial[thread] = plus(partial[thread], partial[thread + half]); }
    workgroupBarrier();
  }
  return partial[0];
}

@compute @workgroup_size(${THREADS})
fn weigh(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let draw = group.y;
  let row = rowOf(draw);
  let end = min((group.x + 1u) * ${CHUNK}u, shape.size);
  var own = vec2u();
  for (var id = group.x * ${CHUNK}u + thread; id < end; id += ${THREADS}u) {
    own = plus(own, vec2u(weightOf(row, id), 0u));
  }
  partial[thread] = own;
  let sum = addPartial(thread);
  if (thread == 0u) { sums[draw * shape.chunks + group.x] = sum; }
}

fn totalFrom(first: u32) -> vec2u {
  var total = vec2u();
  for (var chunk = 0u; chunk < shape.chunks; chunk += 1u) { total = plus(total, sums[first + chunk]); }
  return total;
}

@compute @workgroup_size(${THREADS})
fn chooseToken(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let draw = group.y;
  if (group.x >= draws[draw].attempts) { return; }
  let row = rowOf(draw);
  let first = draw * shape.chunks;
  var left = vec2u();
  if (thread == 0u) {
    left = shareOf(totalFrom(first), draws[draw].numbers[group.x]);
    var chunk = 0u;
    for (; chunk < shape.chunks && !isLess(left, sums[first + chunk]); chunk += 1u) {
      left = minus(left, sums[first + chunk]);
    }
    chosenChunk = chunk;
  }
  let begin = workgroupUniformLoad(&chosenChunk) * ${CHUNK}u + thread * PER_THREAD;
  var own = vec2u();
  for (var id = begin; id < min(begin + PER_THREAD, shape.size); id += 1u) {
    own = plus(own, vec2u(weightOf(row, id), 0u));
  }
  partial[thread] = own;
  workgroupBarrier();
  if (thread != 0u) { return; }
  var token = bestOf(draw).y;
  var part = 0u;
  for (; part < ${THREADS}u && !isLess(left, partial[part]); part += 1u) { left = minus(left, partial[part]); }
  if (part < ${THREADS}u) {
    token = begin + part * PER_THREAD;
    var weight = vec2u(weightOf(row, token), 0u);
    while (!isLess(left, weight)) {
      left = minus(left, weight);
      token += 1u;
      weight = vec2u(weightOf(row, token), 0u);
    }
  }
  tokens[arrayLength(&draws) + draw * MOST_DRAWS + group.x] = token;
}

@compute @workgroup_size(${THREADS})
fn weighBefore(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let draw = group.y;
  let count = arrayLength(&draws);
  if (draws[draw].attempts == 1u) { return; }
  let row = rowOf(draw);
  let end = min((group.x + 1u) * ${CHUNK}u, shape.size);
  for (var attempt = 0u; attempt < MOST_DRAWS; attempt += 1u) {
    let chosen = draw * MOST_DRAWS + attempt;
    let token = tokens[count + chosen];
    let order = orderOf(bitsAt(row.start + token));
    var own = vec2u();
    for (var id = group.x * ${CHUNK}u + thread; id < end; id += ${THREADS}u) {
      let other = orderOf(bitsAt(row.start + id));
      if (other > order || (other == order && id < token)) { own = plus(own, vec2u(weightOf(row, id), 0u)); }
    }
    partial[thread] = own;
    let sum = addPartial(thread);
    if (thread == 0u) { sums[(count + chosen) * shape.chunks + group.x] = sum; }
    workgroupBarrier();
  }
}

fn resultOf(draw: u32) -> u32 {
  let count = arrayLength(&draws);
  // At most the order of -Infinity.
  if (bestOf(draw).x <= select(0x007fffffu, 0x03ffffffu, HALF)) { return ${FORBIDDEN}u; }
  if (draws[draw].attempts == 1u) { return tokens[count + draw * MOST_DRAWS]; }
  let most = shareOf(totalFrom(draw * shape.chunks), draws[draw].share);
  for (var attempt = 0u; attempt < MOST_DRAWS; attempt += 1u) {
    let chosen = draw * MOST_DRAWS + attempt;
    let before = totalFrom((count + chosen) * shape.chunks);
    if (isLess(before, most) || all(before == vec2u())) { return tokens[count + chosen]; }
  }
  return ${CUT_OFF}u;
}

@compute @workgroup_size(1)
fn accept(@builtin(workgroup_id) group: vec3u) {
  tokens[group.y] = resultOf(group.y);
}`;
