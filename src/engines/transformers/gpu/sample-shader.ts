/** The WebGPU shader of `sample-tokens.ts`. @module */
import { MAX_SAMPLE_ATTEMPTS } from '../../../language/sampling/sample-token.js';
import { FARTHEST, STEP_BITS } from '../../../language/sampling/token-weights.js';
import { CHUNK, ORDER_OF, THREADS } from './top-k.js';

/** Results that are no token. */
export const FORBIDDEN = 0xffffffff;
export const CUT_OFF = 0xfffffffe;

/**
 * Weights are whole numbers of 32 bits and sums of 64 bits, `(low, high)`, so that nothing is rounded: the sum of a chunk is the
 * same in whatever order it is made. `chooseToken` finds first the chunk and then the token where the sum by token id exceeds a
 * random share of the total. With top_p, `weighBefore` adds up what is more likely than each chosen token.
 */
export const SAMPLE_SHADER = /* wgsl */ `
${ORDER_OF}
const MAX_SAMPLE_ATTEMPTS = ${MAX_SAMPLE_ATTEMPTS}u;
const PER_THREAD = ${CHUNK / THREADS}u;
struct Shape {
  size: u32,
  given: u32,
  keep: u32,
  stride: u32,
  chunks: u32,
  found: u32,
}
struct Sample {
  row: u32,
  scale: f32,
  farthest: u32,
  share: u32,
  attempts: u32,
  numbers: array<u32, MAX_SAMPLE_ATTEMPTS>,
}
@group(0) @binding(0) var<storage, read> words: array<u32>;
// Order and id.
@group(0) @binding(1) var<storage, read> greatest: array<vec2u>;
@group(0) @binding(2) var<storage, read> halving: array<u32>;
@group(0) @binding(3) var<storage, read> samples: array<Sample>;
// Of each sample by chunk, then before each of its tokens by chunk.
@group(0) @binding(4) var<storage, read_write> sums: array<vec2u>;
// Of each sample the result, then its tokens.
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

// The logits of one sample.
struct Row {
  start: u32,
  best: u32,
  scale: f32,
  farthest: u32,
}

fn bestOf(sample: u32) -> vec2u {
  return greatest[samples[sample].row * shape.found];
}

fn rowOf(sample: u32) -> Row {
  let row = samples[sample].row;
  let start = ((row / shape.keep + 1u) * shape.given - shape.keep + row % shape.keep) * shape.stride;
  let id = bestOf(sample).y;
  return Row(start, bitsAt(start + min(id, shape.size - 1u)), samples[sample].scale, samples[sample].farthest);
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
  let sample = group.y;
  let row = rowOf(sample);
  let end = min((group.x + 1u) * ${CHUNK}u, shape.size);
  var own = vec2u();
  for (var id = group.x * ${CHUNK}u + thread; id < end; id += ${THREADS}u) {
    own = plus(own, vec2u(weightOf(row, id), 0u));
  }
  partial[thread] = own;
  let sum = addPartial(thread);
  if (thread == 0u) { sums[sample * shape.chunks + group.x] = sum; }
}

fn totalFrom(first: u32) -> vec2u {
  var total = vec2u();
  for (var chunk = 0u; chunk < shape.chunks; chunk += 1u) { total = plus(total, sums[first + chunk]); }
  return total;
}

@compute @workgroup_size(${THREADS})
fn chooseToken(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let sample = group.y;
  if (group.x >= samples[sample].attempts) { return; }
  let row = rowOf(sample);
  let first = sample * shape.chunks;
  var left = vec2u();
  if (thread == 0u) {
    left = shareOf(totalFrom(first), samples[sample].numbers[group.x]);
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
  var token = bestOf(sample).y;
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
  tokens[arrayLength(&samples) + sample * MAX_SAMPLE_ATTEMPTS + group.x] = token;
}

@compute @workgroup_size(${THREADS})
fn weighBefore(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let sample = group.y;
  let count = arrayLength(&samples);
  if (samples[sample].attempts == 1u) { return; }
  let row = rowOf(sample);
  let end = min((group.x + 1u) * ${CHUNK}u, shape.size);
  for (var attempt = 0u; attempt < MAX_SAMPLE_ATTEMPTS; attempt += 1u) {
    let chosen = sample * MAX_SAMPLE_ATTEMPTS + attempt;
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

fn resultOf(sample: u32) -> u32 {
  let count = arrayLength(&samples);
  // At most the order of -Infinity.
  if (bestOf(sample).x <= select(0x007fffffu, 0x03ffffffu, HALF)) { return ${FORBIDDEN}u; }
  if (samples[sample].attempts == 1u) { return tokens[count + sample * MAX_SAMPLE_ATTEMPTS]; }
  let most = shareOf(totalFrom(sample * shape.chunks), samples[sample].share);
  for (var attempt = 0u; attempt < MAX_SAMPLE_ATTEMPTS; attempt += 1u) {
    let chosen = sample * MAX_SAMPLE_ATTEMPTS + attempt;
    let before = totalFrom((count + chosen) * shape.chunks);
    if (isLess(before, most) || all(before == vec2u())) { return tokens[count + chosen]; }
  }
  return ${CUT_OFF}u;
}

@compute @workgroup_size(1)
fn accept(@builtin(workgroup_id) group: vec3u) {
  tokens[group.y] = resultOf(group.y);
}`;
