// Layers whose state has a fixed size: convolutions of the last tokens, and memories that each token changes. Rows follow each
// other in time, always one after the other: then their bits do not depend on how a text is cut.
import { exp4, fma, sumOf } from './simd';

/** 1 / (1 + e^-x) */
// @ts-ignore: decorator
@inline function sigmoid(x: v128): v128 {
  const one = f32x4.splat(1);
  return f32x4.div(one, f32x4.add(one, exp4(f32x4.neg(x))));
}

const SILU: i32 = 1, SIGMOID: i32 = 2;

/** What a gate does to a number: multiplies by itself, by its silu or by its sigmoid. */
// @ts-ignore: decorator
@inline function opened(gate: v128, kind: i32): v128 {
  if (kind == SILU) return f32x4.mul(gate, sigmoid(gate));
  return kind == SIGMOID ? sigmoid(gate) : gate;
}

export function gateRows(x: usize, stride: i32, gate: usize, gateStride: i32, rows: i32, columns: i32, kind: i32): void {
  const bytes = <usize>columns << 2;
  for (; rows; rows--) {
    for (let i: usize = 0; i < bytes; i += 16) v128.store(x + i, f32x4.mul(v128.load(x + i), opened(v128.load(gate + i), kind)));
    x += <usize>stride << 2;
    gate += <usize>gateStride << 2;
  }
}

export function convolve(
  out: usize, outStride: i32, x: usize, stride: i32, rows: i32, channels: i32, taps: i32, weight: usize, bias: usize, state: usize, isSilu: i32,
): void {
  const bytes = <usize>channels << 2, line = <usize>stride << 2, before = taps - 1;
  for (let row = 0; row < rows; row++) {
    for (let c: usize = 0; c < bytes; c += 16) {
      let sum = bias ? v128.load(bias + c) : f32x4.splat(0);
      for (let tap = 0; tap < taps; tap++) {
        const from = row - before + tap;
        const p = from < 0 ? state + <usize>(from + before) * bytes : x + <usize>from * line;
        sum = fma(v128.load(p + c), v128.load(weight + <usize>tap * bytes + c), sum);
      }
      v128.store(out + c, opened(sum, isSilu ? SILU : 0));
    }
    out += <usize>outStride << 2;
  }
  // The last columns stay for what follows.
  for (let kept = 0; kept < before; kept++) {
    const from = rows - before + kept;
    const p = from < 0 ? state + <usize>(from + before) * bytes : x + <usize>from * line;
    memory.copy(state + <usize>kept * bytes, p, bytes);
  }
}

export function unitHeads(x: usize, stride: i32, rows: i32, heads: i32, size: i32, least: f32): void {
  const bytes = <usize>size << 2;
  for (; rows; rows--) {
    for (let head = x; head < x + <usize>heads * bytes; head += bytes) {
      let sum = f32x4.splat(0);
      for (let i: usize = 0; i < bytes; i += 16) {
        const v = v128.load(head + i);
        sum = fma(v, v, sum);
      }
      const k = f32x4.splat(1.0 / max(Mathf.sqrt(sumOf(sum)), least));
      for (let i: usize = 0; i < bytes; i += 16) v128.store(head + i, f32x4.mul(v128.load(head + i), k));
    }
    x += <usize>stride << 2;
  }
}

export function copyHeads(to: usize, toStride: i32, from: usize, fromStride: i32, rows: i32, heads: i32, size: i32, step: i32): void {
  for (; rows; rows--) {
    for (let head = 0; head < heads; head++)
      memory.copy(to + <usize>(head * size << 2), from + <usize>(head * step << 2), <usize>size << 2);
    to += <usize>toStride << 2;
    from += <usize>fromStride << 2;
  }
}

/** Numbers of a memory's row that are in registers at once. */
const BLOCK: usize = 32;

export function deltaRule(
  out: usize, outStride: i32, x: usize, stride: i32, rows: i32, heads: i32, keyHeads: i32, size: i32, isShared: i32, factors: usize, scale: f32,
  state: usize,
): void {
  const bytes = <usize>size << 2, group = heads / keyHeads;
  for (let row = 0; row < rows; row++) {
    for (let head = 0; head < heads; head++) {
      const own = isShared ? head / group : head % keyHeads;
      const q = x + <usize>own * bytes, k = q + <usize>keyHeads * bytes;
      const v = x + <usize>(2 * keyHeads + head) * bytes, cells = state + <usize>head * bytes * size;
      const decay = f32x4.splat(load<f32>(factors)), beta = f32x4.splat(load<f32>(factors, 4)), s = f32x4.splat(scale);
      for (let c: usize = 0; c < bytes; c += BLOCK) {
        let a0 = f32x4.splat(0), a1 = a0, p = cells + c;
        for (let i: usize = 0; i < bytes; i += 4) {
          const key = v128.load32_splat(k + i);
          a0 = fma(key, f32x4.mul(v128.load(p), decay), a0);
          a1 = fma(key, f32x4.mul(v128.load(p, 16), decay), a1);
          p += bytes;
        }
        a0 = f32x4.mul(beta, f32x4.sub(v128.load(v + c), a0));
        a1 = f32x4.mul(beta, f32x4.sub(v128.load(v + c, 16), a1));
        let o0 = f32x4.splat(0), o1 = o0;
        p = cells + c;
        for (let i: usize = 0; i < bytes; i += 4) {
          const key = v128.load32_splat(k + i), query = v128.load32_splat(q + i);
          const m0 = fma(key, a0, f32x4.mul(v128.load(p), decay)), m1 = fma(key, a1, f32x4.mul(v128.load(p, 16), decay));
          v128.store(p, m0);
          v128.store(p, m1, 16);
          o0 = fma(query, m0, o0);
          o1 = fma(query, m1, o1);
          p += bytes;
        }
        const to = out + <usize>head * bytes + c;
        v128.store(to, f32x4.mul(o0, s));
        v128.store(to, f32x4.mul(o1, s), 16);
      }
      factors += 8;
    }
    x += <usize>stride << 2;
    out += <usize>outStride << 2;
  }
}

export function scanRows(
  out: usize, outStride: i32, x: usize, stride: i32, rows: i32, heads: i32, headSize: i32, groups: i32, size: i32, factors: usize, skip: usize,
  state: usize,
): void {
  const bytes = <usize>size << 2, inner = <usize>(heads * headSize) << 2, group = heads / groups;
  for (let row = 0; row < rows; row++) {
    let cells = state;
    for (let head = 0; head < heads; head++) {
      const b = x + inner + <usize>(head / group) * bytes, c = b + <usize>groups * bytes;
      const decay = f32x4.splat(load<f32>(factors)), delta = load<f32>(factors, 4), through = load<f32>(skip + (<usize>head << 2));
      for (let i = 0; i < headSize; i++) {
        const at = <usize>(head * headSize + i) << 2, value = load<f32>(x + at), added = f32x4.splat(delta * value);
        let sum = f32x4.splat(0);
        for (let j: usize = 0; j < bytes; j += 16) {
          const m = fma(added, v128.load(b + j), f32x4.mul(v128.load(cells + j), decay));
          v128.store(cells + j, m);
          sum = fma(m, v128.load(c + j), sum);
        }
        store<f32>(out + at, sumOf(sum) + through * value);
        cells += bytes;
      }
      factors += 8;
    }
    x += <usize>stride << 2;
    out += <usize>outStride << 2;
  }
}
