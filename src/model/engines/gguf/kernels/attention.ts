// Attention over pages of keys and values.
//
// A page holds 64 positions of all layers. A layer has its heads of keys, then its heads of values. A head of keys is
// [position / 4][size][4], a head of values [size / 8][position][8]; of 16 bits, the 64 scales of the positions come before.
import { capped, exp4, fma, highest, sumOf } from './simd';

/** Positions of a page. */
const PAGE: usize = 64;
/** Queries that are computed together: they share what is loaded of keys and values. */
const TOGETHER: i32 = 4;
/**
 * Bytes of a span: first row, rows, position of the first row (below 0: how many positions each of them sees, whatever its own),
 * address of the table of pages.
 */
const SPAN: usize = 16;
/** Scores are computed for so many positions at once. */
const STEP: usize = 16;

export function attend(
  precision: i32, out: usize, qkv: usize, stride: i32, heads: i32, kvHeads: i32, size: i32, scale: f32, cap: f32, window: i32,
  spans: usize, layer: usize, scratch: usize, first: i32, last: i32,
): void {
  if (precision == 16) attendAs<i16>(out, qkv, stride, heads, kvHeads, size, scale, cap, window, spans, layer, scratch, first, last);
  else attendAs<f32>(out, qkv, stride, heads, kvHeads, size, scale, cap, window, spans, layer, scratch, first, last);
}

/** Units from `first` to before `last`: of all spans the heads of keys, of each head the queries in fours. */
function attendAs<T>(
  out: usize, qkv: usize, stride: i32, heads: i32, kvHeads: i32, size: i32, scale: f32, cap: f32, window: i32,
  spans: usize, layer: usize, scratch: usize, first: i32, last: i32,
): void {
  const group = heads / kvHeads;
  const step = PAGE * (sizeof<T>() * size + (isFloat<T>() ? 0 : 4));
  for (; last > 0; spans += SPAN) {
    const count = load<i32>(spans, 4) * group, each = (count + TOGETHER - 1) / TOGETHER, units = kvHeads * each;
    const row = load<i32>(spans), position = load<i32>(spans, 8), table = <usize>load<i32>(spans, 12);
    for (let unit = max(first, 0); unit < min(last, units); unit++) {
      const head = unit / each, query = (unit - head * each) * TOGETHER;
      const keys = layer + <usize>head * step;
      attendTogether<T>(
        out + <usize>((row * heads + head * group) * size << 2), <usize>(heads * size << 2),
        qkv + <usize>((row * stride + head * group * size) << 2), <usize>(stride << 2),
        group, size, scale, cap, window, query, min(count - query, TOGETHER),
        position, table, keys, keys + <usize>kvHeads * step, scratch,
      );
    }
    first -= units;
    last -= units;
  }
}

/** Where the i-th query is: of row i / group the i % group-th head. */
// @ts-ignore: decorator
@inline function addressOf(base: usize, line: usize, group: i32, size: i32, i: i32): usize {
  const row = i / group;
  return base + <usize>row * line + <usize>((i - row * group) * size << 2);
}

/** How many positions the row sees that is `row` behind the first one. */
// @ts-ignore: decorator
@inline function seen(position: i32, row: i32): i32 {
  return position < 0 ? -position : position + row + 1;
}

/** `n` queries from `query` on. */
function attendTogether<T>(
  out: usize, outLine: usize, q: usize, qLine: usize, group: i32, size: i32, scale: f32, cap: f32, window: i32, query: i32, n: i32,
  position: i32, table: usize, keys: usize, values: usize, scratch: usize,
): void {
  if (window > 0) {
    // Whole pages before the first query's window are left out. Sums stay the same to the last bit: what they had of them is 0.
    const skipped = max(0, position + query / group + 1 - window) / <i32>PAGE;
    table += <usize>skipped << 2;
    position -= skipped * <i32>PAGE;
  }
  const most = <usize>seen(position, (query + n - 1) / group);
  // Bytes of the scores of a query.
  const line = ((most + STEP - 1) & ~(STEP - 1)) << 2;
  const s1 = scratch + line, s2 = s1 + line, s3 = s2 + line;
  const q0 = addressOf(q, qLine, group, size, query), q1 = addressOf(q, qLine, group, size, query + 1);
  const q2 = addressOf(q, qLine, group, size, query + 2), q3 = addressOf(q, qLine, group, size, query + 3);
  for (let o: usize = 0; o < line; o += PAGE << 2) {
    const k = <usize>load<i32>(table + (o >> 6)) + keys, end = min(line - o, PAGE << 2);
    if (n == 4) scores<T>(4, k, size, end, q0, q1, q2, q3, scratch + o, s1 + o, s2 + o, s3 + o);
    else if (n == 3) scores<T>(3, k, size, end, q0, q1, q2, q2, scratch + o, s1 + o, s2 + o, s2 + o);
    else if (n == 2) scores<T>(2, k, size, end, q0, q1, q1, q1, scratch + o, s1 + o, s1 + o, s1 + o);
    else scoresOfOne<T>(k, size, end, q0, scratch + o);
  }
  for (let i = 0; i < n; i++) {
    const s = scratch + <usize>i * line, length = seen(position, (query + i) / group);
    const start = window > 0 ? max(0, length - window) : 0;
    if (cap > 0) capScores(s, line, scale, cap);
    const inverse = softmax(s, <usize>start << 2, <usize>length << 2, line, cap > 0 ? 1 : scale);
    if (!isFloat<T>()) applyScales(s, line, table, values);
    // The sums begin with what they are multiplied by in the end.
    store<f32>(addressOf(out, outLine, group, size, query + i), inverse);
  }
  const o0 = addressOf(out, outLine, group, size, query), o1 = addressOf(out, outLine, group, size, query + 1);
  const o2 = addressOf(out, outLine, group, size, query + 2), o3 = addressOf(out, outLine, group, size, query + 3);
  if (n == 4) sums<T>(4, table, values, size, most, scratch, s1, s2, s3, o0, o1, o2, o3);
  else if (n == 3) sums<T>(3, table, values, size, most, scratch, s1, s2, s2, o0, o1, o2, o2);
  else if (n == 2) sums<T>(2, table, values, size, most, scratch, s1, s1, s1, o0, o1, o1, o1);
  else sums<T>(1, table, values, size, most, scratch, scratch, scratch, scratch, o0, o0, o0, o0);
}

/** Four numbers of keys or values. */
// @ts-ignore: decorator
@inline function four<T>(p: usize, o: usize): v128 {
  return isFloat<T>() ? v128.load(p + o) : f32x4.convert_i32x4_s(v128.load_ext<i16>(p + o));
}

/** Scores of `n` queries, for 8 positions at a time; `end` bytes of scores of each. */
// @ts-ignore: decorator
@inline function scores<T>(
  n: i32, keys: usize, size: i32, end: usize, q0: usize, q1: usize, q2: usize, q3: usize, s0: usize, s1: usize, s2: usize, s3: usize,
): void {
  const bytes = <usize>size << 2, width = sizeof<T>() << 2, quad = <usize>size * width;
  let k = keys + (isFloat<T>() ? 0 : PAGE << 2);
  for (let o: usize = 0; o < end; o += 32) {
    let a0 = f32x4.splat(0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    let j = k + quad;
    for (let d: usize = 0; d < bytes; d += 4) {
      const x = four<T>(k, 0), y = four<T>(j, 0);
      let p = v128.load32_splat(q0 + d);
      a0 = fma(p, x, a0); b0 = fma(p, y, b0);
      if (n > 1) { p = v128.load32_splat(q1 + d); a1 = fma(p, x, a1); b1 = fma(p, y, b1); }
      if (n > 2) { p = v128.load32_splat(q2 + d); a2 = fma(p, x, a2); b2 = fma(p, y, b2); }
      if (n > 3) { p = v128.load32_splat(q3 + d); a3 = fma(p, x, a3); b3 = fma(p, y, b3); }
      k += width; j += width;
    }
    k = j;
    if (!isFloat<T>()) {
      const x = v128.load(keys + o), y = v128.load(keys + o, 16);
      a0 = f32x4.mul(a0, x); b0 = f32x4.mul(b0, y);
      if (n > 1) { a1 = f32x4.mul(a1, x); b1 = f32x4.mul(b1, y); }
      if (n > 2) { a2 = f32x4.mul(a2, x); b2 = f32x4.mul(b2, y); }
      if (n > 3) { a3 = f32x4.mul(a3, x); b3 = f32x4.mul(b3, y); }
    }
    v128.store(s0 + o, a0); v128.store(s0 + o, b0, 16);
    if (n > 1) { v128.store(s1 + o, a1); v128.store(s1 + o, b1, 16); }
    if (n > 2) { v128.store(s2 + o, a2); v128.store(s2 + o, b2, 16); }
    if (n > 3) { v128.store(s3 + o, a3); v128.store(s3 + o, b3, 16); }
  }
}

/** The same for one query, for 16 positions at a time: each sum waits for its last product. */
function scoresOfOne<T>(keys: usize, size: i32, end: usize, q: usize, s: usize): void {
  const bytes = <usize>size << 2, width = sizeof<T>() << 2, quad = <usize>size * width;
  let k = keys + (isFloat<T>() ? 0 : PAGE << 2);
  for (let o: usize = 0; o < end; o += 64) {
    let a = f32x4.splat(0), b = a, c = a, e = a;
    for (let d: usize = 0; d < bytes; d += 4) {
      const p = v128.load32_splat(q + d);
      a = fma(p, four<T>(k, 0), a);
      b = fma(p, four<T>(k + quad, 0), b);
      c = fma(p, four<T>(k + 2 * quad, 0), c);
      e = fma(p, four<T>(k + 3 * quad, 0), e);
      k += width;
    }
    k += 3 * quad;
    if (!isFloat<T>()) {
      a = f32x4.mul(a, v128.load(keys + o)); b = f32x4.mul(b, v128.load(keys + o, 16));
      c = f32x4.mul(c, v128.load(keys + o, 32)); e = f32x4.mul(e, v128.load(keys + o, 48));
    }
    v128.store(s + o, a); v128.store(s + o, b, 16); v128.store(s + o, c, 32); v128.store(s + o, e, 48);
  }
}

/** Scales scores and bends them so that they stay between -cap and cap. */
function capScores(s: usize, line: usize, scale: f32, cap: f32): void {
  const scales = f32x4.splat(scale), most = f32x4.splat(cap);
  for (let o: usize = 0; o < line; o += 16) v128.store(s + o, capped(f32x4.mul(v128.load(s + o), scales), most));
}

/** Scores to exponentials; those before `start` and behind `length` bytes become zero. @returns the inverse of their sum */
function softmax(s: usize, start: usize, length: usize, line: usize, scale: f32): f32 {
  for (let o: usize = 0; o < start; o += 4) store<f32>(s + o, -Infinity);
  for (let o = length; o < line; o += 4) store<f32>(s + o, -Infinity);
  let m = f32x4.splat(-Infinity);
  for (let o: usize = 0; o < line; o += 16) m = f32x4.pmax(m, v128.load(s + o));
  const top = f32x4.splat(highest(m)), scales = f32x4.splat(scale);
  let sum = f32x4.splat(0);
  const end = (length + 15) & ~15;
  for (let o = start & ~15; o < end; o += 16) {
    v128.store(s + o, exp4(f32x4.mul(f32x4.sub(v128.load(s + o), top), scales)));
    if (o < start) for (let i = o; i < start; i += 4) store<f32>(s + i, 0);
    if (o + 16 > length) for (let i = length; i < o + 16; i += 4) store<f32>(s + i, 0);
    sum = f32x4.add(sum, v128.load(s + o));
  }
  for (let o: usize = 0; o < (start & ~15); o += 16) v128.store(s + o, f32x4.splat(0));
  for (let o = end; o < line; o += 16) v128.store(s + o, f32x4.splat(0));
  return 1.0 / sumOf(sum);
}

/** Multiplies by the scales of the values. */
function applyScales(s: usize, line: usize, table: usize, values: usize): void {
  for (let o: usize = 0; o < line; o += PAGE << 2) {
    const scales = <usize>load<i32>(table + (o >> 6)) + values, end = min(line - o, PAGE << 2);
    for (let i: usize = 0; i < end; i += 16) v128.store(s + o + i, f32x4.mul(v128.load(s + o + i), v128.load(scales + i)));
  }
}

/** Sums of values by `n` lines of `most` factors, times the number that each output begins with. */
// @ts-ignore: decorator
@inline function sums<T>(
  n: i32, table: usize, values: usize, size: i32, most: usize,
  s0: usize, s1: usize, s2: usize, s3: usize, o0: usize, o1: usize, o2: usize, o3: usize,
): void {
  const width = sizeof<T>() << 3, bytes = <usize>size << 2, end = most << 2;
  const i0 = v128.load32_splat(o0), i1 = v128.load32_splat(o1), i2 = v128.load32_splat(o2), i3 = v128.load32_splat(o3);
  values += isFloat<T>() ? 0 : PAGE << 2;
  for (let c: usize = 0; c < bytes; c += 32) {
    let a0 = f32x4.splat(0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    for (let o: usize = 0; o < end; o += PAGE << 2) {
      let v = <usize>load<i32>(table + (o >> 6)) + values;
      for (let t = o, to = min(end, o + (PAGE << 2)); t < to; t += 4) {
        const x = four<T>(v, 0), y = four<T>(v, sizeof<T>() << 2);
        let p = v128.load32_splat(s0 + t);
        a0 = fma(p, x, a0); b0 = fma(p, y, b0);
        if (n > 1) { p = v128.load32_splat(s1 + t); a1 = fma(p, x, a1); b1 = fma(p, y, b1); }
        if (n > 2) { p = v128.load32_splat(s2 + t); a2 = fma(p, x, a2); b2 = fma(p, y, b2); }
        if (n > 3) { p = v128.load32_splat(s3 + t); a3 = fma(p, x, a3); b3 = fma(p, y, b3); }
        v += width;
      }
    }
    v128.store(o0 + c, f32x4.mul(a0, i0)); v128.store(o0 + c, f32x4.mul(b0, i0), 16);
    if (n > 1) { v128.store(o1 + c, f32x4.mul(a1, i1)); v128.store(o1 + c, f32x4.mul(b1, i1), 16); }
    if (n > 2) { v128.store(o2 + c, f32x4.mul(a2, i2)); v128.store(o2 + c, f32x4.mul(b2, i2), 16); }
    if (n > 3) { v128.store(o3 + c, f32x4.mul(a3, i3)); v128.store(o3 + c, f32x4.mul(b3, i3), 16); }
    values += PAGE * width;
  }
}
