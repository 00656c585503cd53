// Attention over pages of keys and values.
//
// A page holds 64 positions of all layers. A layer has its heads of keys, then its heads of values. A head of keys is
// [position / 4][size][4], a head of values [size / 8][position][8]. Of 16 bits, two neighbours lie together, because the products of
// integers are added in pairs: [position / 4][size / 2][4][2] and [size / 8][position / 2][8][2]; the 64 scales of the positions come
// before. Of 8 bits the same, and scales are the upper halves of floats.
import { capped, codesOfEight, exp4, fma, greatestCode, highest, scaleBytes, scalesOfFour, sumOf } from './simd';

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
/** Greatest code of a factor of values: 64 products with the greatest code of values still fit into 32 bits. */
const GREATEST_FACTOR: f32 = 8191;

export function attend(
  precision: i32, out: usize, qkv: usize, stride: i32, heads: i32, kvHeads: i32, size: i32, scale: f32, cap: f32, window: i32,
  spans: usize, layer: usize, sinks: usize, scratch: usize, first: i32, last: i32,
): void {
  if (precision == 8) attendAs<i8>(out, qkv, stride, heads, kvHeads, size, scale, cap, window, spans, layer, sinks, scratch, first, last);
  else if (precision == 16) attendAs<i16>(out, qkv, stride, heads, kvHeads, size, scale, cap, window, spans, layer, sinks, scratch, first, last);
  else attendAs<f32>(out, qkv, stride, heads, kvHeads, size, scale, cap, window, spans, layer, sinks, scratch, first, last);
}

/** Units from `first` to before `last`: of all spans the heads of keys, of each head the queries in fours. */
function attendAs<T>(
  out: usize, qkv: usize, stride: i32, heads: i32, kvHeads: i32, size: i32, scale: f32, cap: f32, window: i32,
  spans: usize, layer: usize, sinks: usize, scratch: usize, first: i32, last: i32,
): void {
  const group = heads / kvHeads;
  const step = PAGE * (sizeof<T>() * size + scaleBytes<T>());
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
        position, table, keys, keys + <usize>kvHeads * step, sinks ? sinks + (<usize>(head * group) << 2) : 0, scratch,
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

/** How many positions the row sees that is `row` behind the first one. `all`: each sees so many; 0: those before it. */
// @ts-ignore: decorator
@inline function seen(all: i32, position: i32, row: i32): i32 {
  return all > 0 ? all : position + row + 1;
}

/** `n` queries from `query` on. */
function attendTogether<T>(
  out: usize, outLine: usize, q: usize, qLine: usize, group: i32, size: i32, scale: f32, cap: f32, window: i32, query: i32, n: i32,
  position: i32, table: usize, keys: usize, values: usize, sinks: usize, scratch: usize,
): void {
  const all = max(-position, 0);
  if (window > 0) {
    // Whole pages before the first query's window are left out. Sums stay the same to the last bit: what they had of them is 0.
    const skipped = max(0, position + query / group + 1 - window) / <i32>PAGE;
    table += <usize>skipped << 2;
    position -= skipped * <i32>PAGE;
  }
  const most = <usize>seen(all, position, (query + n - 1) / group);
  // Bytes of the scores of a query.
  const line = ((most + STEP - 1) & ~(STEP - 1)) << 2;
  // What is not there is the last one again.
  const second = min(1, n - 1), third = min(2, n - 1), fourth = n - 1;
  const s1 = scratch + <usize>second * line, s2 = scratch + <usize>third * line, s3 = scratch + <usize>fourth * line;
  let q0 = addressOf(q, qLine, group, size, query), q1 = addressOf(q, qLine, group, size, query + second);
  let q2 = addressOf(q, qLine, group, size, query + third), q3 = addressOf(q, qLine, group, size, query + fourth);
  let c0: f32 = 1, c1: f32 = 1, c2: f32 = 1, c3: f32 = 1;
  if (!isFloat<T>()) {
    const bytes = <usize>size << 1, codes = scratch + 4 * line;
    c0 = roundQuery<T>(codes, q0, size);
    c1 = roundQuery<T>(codes + bytes, q1, size);
    c2 = roundQuery<T>(codes + 2 * bytes, q2, size);
    c3 = roundQuery<T>(codes + 3 * bytes, q3, size);
    q0 = codes; q1 = q0 + bytes; q2 = q1 + bytes; q3 = q2 + bytes;
  }
  for (let o: usize = 0; o < line; o += PAGE << 2) {
    const k = <usize>load<i32>(table + (o >> 6)) + keys, end = min(line - o, PAGE << 2);
    if (isFloat<T>() || n == 4) scores<T>(4, k, size, end, q0, q1, q2, q3, scratch + o, s1 + o, s2 + o, s3 + o);
    else if (n == 3) scores<T>(3, k, size, end, q0, q1, q2, q2, scratch + o, s1 + o, s2 + o, s2 + o);
    else if (n == 2) scores<T>(2, k, size, end, q0, q1, q1, q1, scratch + o, s1 + o, s1 + o, s1 + o);
    else scoresOfOne<T>(k, size, end, q0, scratch + o);
  }
  for (let i = 0; i < n; i++) {
    const s = scratch + <usize>i * line, length = seen(all, position, (query + i) / group);
    const start = window > 0 ? max(0, length - window) : 0;
    const own = scale * (i == 0 ? c0 : i == 1 ? c1 : i == 2 ? c2 : c3);
    if (cap > 0) capScores(s, line, own, cap);
    // The sink of the query's head, as a score.
    const one: f32 = cap > 0 ? 1 : own;
    const sink: f32 = sinks ? load<f32>(sinks + (<usize>((query + i) % group) << 2)) / one : -Infinity;
    const inverse = softmax(s, <usize>start << 2, <usize>length << 2, line, one, sink);
    if (!isFloat<T>()) roundFactors<T>(s, line, table, values, inverse);
    // The sums begin with what they are multiplied by in the end.
    else store<f32>(addressOf(out, outLine, group, size, query + i), inverse);
  }
  const o0 = addressOf(out, outLine, group, size, query), o1 = addressOf(out, outLine, group, size, query + second);
  const o2 = addressOf(out, outLine, group, size, query + third), o3 = addressOf(out, outLine, group, size, query + fourth);
  if (isFloat<T>() || n == 4) sums<T>(4, table, values, size, most, line, scratch, s1, s2, s3, o0, o1, o2, o3);
  else if (n == 3) sums<T>(3, table, values, size, most, line, scratch, s1, s2, s2, o0, o1, o2, o2);
  else if (n == 2) sums<T>(2, table, values, size, most, line, scratch, s1, s1, s1, o0, o1, o1, o1);
  else sums<T>(1, table, values, size, most, line, scratch, scratch, scratch, scratch, o0, o0, o0, o0);
}

/** Adds to four sums the products of four numbers, or of four pairs of them. */
// @ts-ignore: decorator
@inline function plus<T>(sums: v128, a: v128, b: v128): v128 {
  return isFloat<T>() ? fma(a, b, sums) : i32x4.add(sums, i32x4.dot_i16x8_s(a, b));
}

/** Four numbers of keys or values, or four pairs of them. */
// @ts-ignore: decorator
@inline function loaded<T>(p: usize): v128 {
  return sizeof<T>() == 1 ? v128.load8x8_s(p) : v128.load(p);
}

/** Bytes of what {@link loaded} takes. */
// @ts-ignore: decorator
@inline function loadedBytes<T>(): usize {
  return sizeof<T>() == 1 ? 8 : 16;
}

/** Bytes of a number of a query, or of a factor of values. */
// @ts-ignore: decorator
@inline function factorBytes<T>(): usize {
  return isFloat<T>() ? 4 : 2;
}

/** The scales of the four positions whose scores are `o` bytes behind those of a page's first one. */
// @ts-ignore: decorator
@inline function scalesAt<T>(scales: usize, o: usize): v128 {
  return scalesOfFour<T>(scales + (sizeof<T>() == 1 ? o >> 1 : o));
}

/** Scores of four positions. */
// @ts-ignore: decorator
@inline function finished<T>(sums: v128, scales: v128): v128 {
  return isFloat<T>() ? sums : f32x4.mul(f32x4.convert_i32x4_s(sums), scales);
}

/** Greatest code of a query: the sum of its products with keys fits into 32 bits. @returns what the codes are to be multiplied by */
function roundQuery<T>(to: usize, q: usize, size: i32): f32 {
  const greatest = min(GREATEST_FACTOR, Mathf.floor(2147483000 / (greatestCode<T>() * <f32>size)));
  let m = f32x4.splat(0);
  const end = q + (<usize>size << 2);
  for (let p = q; p < end; p += 16) m = f32x4.pmax(m, f32x4.abs(v128.load(p)));
  const top = highest(m), inverse = f32x4.splat(top < 1e-30 ? 0 : greatest / top);
  for (; q < end; q += 32) {
    v128.store(to, codesOfEight(q, inverse));
    to += 16;
  }
  return top / greatest;
}

/** Scores of `n` queries, for 8 positions at a time; `end` bytes of scores of each. */
// @ts-ignore: decorator
@inline function scores<T>(
  n: i32, keys: usize, size: i32, end: usize, q0: usize, q1: usize, q2: usize, q3: usize, s0: usize, s1: usize, s2: usize, s3: usize,
): void {
  const bytes = <usize>size * factorBytes<T>(), quad = <usize>size * (sizeof<T>() << 2);
  let k = keys + PAGE * scaleBytes<T>();
  for (let o: usize = 0; o < end; o += 32) {
    let a0 = f32x4.splat(0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    let j = k + quad;
    for (let d: usize = 0; d < bytes; d += 4) {
      const x = loaded<T>(k), y = loaded<T>(j);
      let p = v128.load32_splat(q0 + d);
      a0 = plus<T>(a0, p, x); b0 = plus<T>(b0, p, y);
      if (n > 1) { p = v128.load32_splat(q1 + d); a1 = plus<T>(a1, p, x); b1 = plus<T>(b1, p, y); }
      if (n > 2) { p = v128.load32_splat(q2 + d); a2 = plus<T>(a2, p, x); b2 = plus<T>(b2, p, y); }
      if (n > 3) { p = v128.load32_splat(q3 + d); a3 = plus<T>(a3, p, x); b3 = plus<T>(b3, p, y); }
      k += loadedBytes<T>(); j += loadedBytes<T>();
    }
    k = j;
    const x = scalesAt<T>(keys, o), y = scalesAt<T>(keys, o + 16);
    v128.store(s0 + o, finished<T>(a0, x)); v128.store(s0 + o, finished<T>(b0, y), 16);
    if (n > 1) { v128.store(s1 + o, finished<T>(a1, x)); v128.store(s1 + o, finished<T>(b1, y), 16); }
    if (n > 2) { v128.store(s2 + o, finished<T>(a2, x)); v128.store(s2 + o, finished<T>(b2, y), 16); }
    if (n > 3) { v128.store(s3 + o, finished<T>(a3, x)); v128.store(s3 + o, finished<T>(b3, y), 16); }
  }
}

/** The same for one query, for 16 positions at a time: each sum waits for its last product. */
function scoresOfOne<T>(keys: usize, size: i32, end: usize, q: usize, s: usize): void {
  const bytes = <usize>size * factorBytes<T>(), quad = <usize>size * (sizeof<T>() << 2);
  let k = keys + PAGE * scaleBytes<T>();
  for (let o: usize = 0; o < end; o += 64) {
    let a = f32x4.splat(0), b = a, c = a, e = a;
    for (let d: usize = 0; d < bytes; d += 4) {
      const p = v128.load32_splat(q + d);
      a = plus<T>(a, p, loaded<T>(k));
      b = plus<T>(b, p, loaded<T>(k + quad));
      c = plus<T>(c, p, loaded<T>(k + 2 * quad));
      e = plus<T>(e, p, loaded<T>(k + 3 * quad));
      k += loadedBytes<T>();
    }
    k += 3 * quad;
    v128.store(s + o, finished<T>(a, scalesAt<T>(keys, o)));
    v128.store(s + o, finished<T>(b, scalesAt<T>(keys, o + 16)), 16);
    v128.store(s + o, finished<T>(c, scalesAt<T>(keys, o + 32)), 32);
    v128.store(s + o, finished<T>(e, scalesAt<T>(keys, o + 48)), 48);
  }
}

/** Scales scores and bends them so that they stay between -cap and cap. */
function capScores(s: usize, line: usize, scale: f32, cap: f32): void {
  const scales = f32x4.splat(scale), most = f32x4.splat(cap);
  for (let o: usize = 0; o < line; o += 16) v128.store(s + o, capped(f32x4.mul(v128.load(s + o), scales), most));
}

/** Scores to exponentials; those before `start` and behind `length` bytes become zero. @returns the inverse of their sum */
function softmax(s: usize, start: usize, length: usize, line: usize, scale: f32, sink: f32): f32 {
  for (let o: usize = 0; o < start; o += 4) store<f32>(s + o, -Infinity);
  for (let o = length; o < line; o += 4) store<f32>(s + o, -Infinity);
  let m = f32x4.splat(-Infinity);
  for (let o: usize = 0; o < line; o += 16) m = f32x4.pmax(m, v128.load(s + o));
  const greatest = max(highest(m), sink), top = f32x4.splat(greatest), scales = f32x4.splat(scale);
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
  const rest: f32 = sink == -Infinity ? 0 : f32x4.extract_lane(exp4(f32x4.splat((sink - greatest) * scale)), 0);
  return 1.0 / (sumOf(sum) + rest);
}

/**
 * Brings factors of values to codes, page by page in the place of the page's: its scales are of values, and each page has one for its
 * codes behind them. A page far from what is looked at has smaller factors than others, which would all be 0.
 */
function roundFactors<T>(s: usize, line: usize, table: usize, values: usize, inverse: f32): void {
  for (let o: usize = 0; o < line; o += PAGE << 2) {
    const scales = <usize>load<i32>(table + (o >> 6)) + values, end = min(line - o, PAGE << 2);
    let to = s + o, m = f32x4.splat(0);
    for (let i: usize = 0; i < end; i += 16) {
      const x = f32x4.mul(v128.load(to + i), scalesAt<T>(scales, i));
      v128.store(to + i, x);
      m = f32x4.pmax(m, x);
    }
    const top = highest(m), r = f32x4.splat(top < 1e-30 ? 0 : GREATEST_FACTOR / top);
    for (let i: usize = 0; i < end; i += 32) {
      v128.store(to, codesOfEight(s + o + i, r));
      to += 16;
    }
    store<f32>(to, (top / GREATEST_FACTOR) * inverse);
  }
}

/** Adds the sums of a page to eight numbers. */
// @ts-ignore: decorator
@inline function addPage(out: usize, a: v128, b: v128, factor: v128): void {
  v128.store(out, f32x4.add(v128.load(out), f32x4.mul(f32x4.convert_i32x4_s(a), factor)));
  v128.store(out, f32x4.add(v128.load(out, 16), f32x4.mul(f32x4.convert_i32x4_s(b), factor)), 16);
}

/**
 * Sums of values by `n` lines of `most` factors: of floats times the number that each output begins with, of integers by
 * the factors' codes.
 */
// @ts-ignore: decorator
@inline function sums<T>(
  n: i32, table: usize, values: usize, size: i32, most: usize, line: usize,
  s0: usize, s1: usize, s2: usize, s3: usize, o0: usize, o1: usize, o2: usize, o3: usize,
): void {
  const bytes = <usize>size << 2, none = f32x4.splat(0);
  // Bytes of a page's factors, and of all of them.
  const page = PAGE * factorBytes<T>(), end = (most * factorBytes<T>() + 3) & ~3;
  const i0 = v128.load32_splat(o0), i1 = v128.load32_splat(o1), i2 = v128.load32_splat(o2), i3 = v128.load32_splat(o3);
  values += PAGE * scaleBytes<T>();
  for (let c: usize = 0; c < bytes; c += 32) {
    let a0 = none, a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    if (!isFloat<T>()) {
      v128.store(o0 + c, none); v128.store(o0 + c, none, 16);
      if (n > 1) { v128.store(o1 + c, none); v128.store(o1 + c, none, 16); }
      if (n > 2) { v128.store(o2 + c, none); v128.store(o2 + c, none, 16); }
      if (n > 3) { v128.store(o3 + c, none); v128.store(o3 + c, none, 16); }
    }
    for (let o: usize = 0, f: usize = 0; f < end; o += PAGE << 2) {
      let v = <usize>load<i32>(table + (o >> 6)) + values;
      let t = o;
      for (const to = o + min(end - f, page); t < to; t += 4) {
        const x = loaded<T>(v), y = loaded<T>(v + loadedBytes<T>());
        let p = v128.load32_splat(s0 + t);
        a0 = plus<T>(a0, p, x); b0 = plus<T>(b0, p, y);
        if (n > 1) { p = v128.load32_splat(s1 + t); a1 = plus<T>(a1, p, x); b1 = plus<T>(b1, p, y); }
        if (n > 2) { p = v128.load32_splat(s2 + t); a2 = plus<T>(a2, p, x); b2 = plus<T>(b2, p, y); }
        if (n > 3) { p = v128.load32_splat(s3 + t); a3 = plus<T>(a3, p, x); b3 = plus<T>(b3, p, y); }
        v += 2 * loadedBytes<T>();
      }
      f += page;
      if (isFloat<T>()) continue;
      const at = o + (min(line - o, PAGE << 2) >> 1);
      addPage(o0 + c, a0, b0, v128.load32_splat(s0 + at));
      if (n > 1) addPage(o1 + c, a1, b1, v128.load32_splat(s1 + at));
      if (n > 2) addPage(o2 + c, a2, b2, v128.load32_splat(s2 + at));
      if (n > 3) addPage(o3 + c, a3, b3, v128.load32_splat(s3 + at));
      a0 = none; a1 = none; a2 = none; a3 = none; b0 = none; b1 = none; b2 = none; b3 = none;
    }
    if (isFloat<T>()) {
      v128.store(o0 + c, f32x4.mul(a0, i0)); v128.store(o0 + c, f32x4.mul(b0, i0), 16);
      if (n > 1) { v128.store(o1 + c, f32x4.mul(a1, i1)); v128.store(o1 + c, f32x4.mul(b1, i1), 16); }
      if (n > 2) { v128.store(o2 + c, f32x4.mul(a2, i2)); v128.store(o2 + c, f32x4.mul(b2, i2), 16); }
      if (n > 3) { v128.store(o3 + c, f32x4.mul(a3, i3)); v128.store(o3 + c, f32x4.mul(b3, i3), 16); }
    }
    values += PAGE * (sizeof<T>() << 3);
  }
}

/** Attention of all rows of a text to each other, or to those within reach; the further away, the less, by each head's slope. */
export function attendAround(
  out: usize, qkv: usize, stride: i32, rows: i32, heads: i32, kvHeads: i32, size: i32, scale: f32, reach: i32, slopes: usize, scratch: usize,
): void {
  const line = <usize>stride << 2, bytes = <usize>size << 2, group = heads / kvHeads;
  for (let head = 0; head < heads; head++) {
    const keys = qkv + <usize>(heads + head / group) * bytes, values = keys + <usize>kvHeads * bytes;
    const slope: f32 = slopes ? load<f32>(slopes + (<usize>head << 2)) : 0;
    for (let row = 0; row < rows; row++) {
      const first = reach > 0 ? max(0, row - reach) : 0, last = reach > 0 ? min(rows, row + reach + 1) : rows;
      const query = qkv + <usize>row * line + <usize>head * bytes;
      const count = <usize>(last - first) << 2, padded = (count + 15) & ~15;
      for (let other = first; other < last; other++) {
        let sum = f32x4.splat(0);
        for (let i: usize = 0; i < bytes; i += 16) sum = fma(v128.load(query + i), v128.load(keys + <usize>other * line + i), sum);
        store<f32>(scratch + (<usize>(other - first) << 2), sumOf(sum) * scale - slope * <f32>abs(row - other));
      }
      const inverse = softmax(scratch, 0, count, padded, 1, -Infinity);
      const to = out + <usize>(row * heads + head) * bytes;
      for (let i: usize = 0; i < bytes; i += 16) {
        let sum = f32x4.splat(0);
        for (let other = first; other < last; other++) {
          sum = fma(v128.load32_splat(scratch + (<usize>(other - first) << 2)), v128.load(values + <usize>other * line + i), sum);
        }
        v128.store(to + i, f32x4.mul(sum, f32x4.splat(inverse)));
      }
    }
  }
}
