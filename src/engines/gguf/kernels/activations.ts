// Rows of numbers as the products read them. Of more than one row, eight lie side by side.
import { PAIRS, PLAIN } from './build';

/** Rows side by side when there is more than one. */
const TILE: i32 = 8;

/**
 * For weights with integer codes: of the first block of 32 columns the first row, the second row ..., then of the second block. Behind the codes of the rows of a block (8 bits, 16 in the build without relaxed SIMD) stand
 * five numbers of each row, first the first numbers of all rows:
 * scale (f32); -8 x sum of the codes (i32; in the build `pairs` the low 16 bits, where products begin with them);
 * -scale x sum (f32); -32 x sum of the first and of the second 16 codes (i32).
 */
export function quantize(to: usize, x: usize, rows: i32, columns: i32): void {
  const blocks = columns >> 5;
  const tile = rows == 1 ? 1 : TILE;
  const codes: usize = PLAIN ? 64 : 32;
  const step = <usize>tile * (codes + 20);
  for (let row = 0; row < rows; row++) {
    const place = <usize>(row % tile);
    let at = to + <usize>((row / tile) * blocks) * step;
    for (let block = 0; block < blocks; block++) {
      quantizeBlock(at + place * codes, at + <usize>tile * codes + (place << 2), <usize>tile << 2, x);
      at += step;
      x += 128;
    }
  }
}

/** @param line bytes between the numbers of a row */
// @ts-ignore: decorator
@inline function quantizeBlock(codes: usize, numbers: usize, line: usize, x: usize): void {
  const a = v128.load(x), b = v128.load(x, 16), c = v128.load(x, 32), d = v128.load(x, 48);
  const e = v128.load(x, 64), f = v128.load(x, 80), g = v128.load(x, 96), h = v128.load(x, 112);
  const m = f32x4.pmax(
    f32x4.pmax(f32x4.pmax(f32x4.abs(a), f32x4.abs(b)), f32x4.pmax(f32x4.abs(c), f32x4.abs(d))),
    f32x4.pmax(f32x4.pmax(f32x4.abs(e), f32x4.abs(f)), f32x4.pmax(f32x4.abs(g), f32x4.abs(h))),
  );
  const top = max(
    max(f32x4.extract_lane(m, 0), f32x4.extract_lane(m, 1)),
    max(f32x4.extract_lane(m, 2), f32x4.extract_lane(m, 3)),
  );
  // Below, its inverse is infinite. What is not a number stays so.
  const scale: f32 = top < 1e-30 ? 0 : top / 127.0;
  const r = f32x4.splat(scale > 0 ? 1.0 / scale : 0);
  const w0 = i16x8.narrow_i32x4_s(whole(a, r), whole(b, r)), w1 = i16x8.narrow_i32x4_s(whole(c, r), whole(d, r));
  const w2 = i16x8.narrow_i32x4_s(whole(e, r), whole(f, r)), w3 = i16x8.narrow_i32x4_s(whole(g, r), whole(h, r));
  if (PLAIN) {
    v128.store(codes, w0);
    v128.store(codes, w1, 16);
    v128.store(codes, w2, 32);
    v128.store(codes, w3, 48);
  } else {
    v128.store(codes, i8x16.narrow_i16x8_s(w0, w1));
    v128.store(codes, i8x16.narrow_i16x8_s(w2, w3), 16);
  }
  const first = sumOfEight(i16x8.add(w0, w1)), second = sumOfEight(i16x8.add(w2, w3));
  const sum = first + second;
  store<f32>(numbers, scale);
  store<i32>(numbers + line, PAIRS ? (-8 * sum) & 0xffff : -8 * sum);
  store<f32>(numbers + 2 * line, -scale * <f32>sum);
  store<i32>(numbers + 3 * line, -32 * first);
  store<i32>(numbers + 4 * line, -32 * second);
}

// @ts-ignore: decorator
@inline function whole(v: v128, r: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v, r)));
}

// @ts-ignore: decorator
@inline function sumOfEight(v: v128): i32 {
  const u = i32x4.extadd_pairwise_i16x8_s(v);
  return i32x4.extract_lane(u, 0) + i32x4.extract_lane(u, 1) + (i32x4.extract_lane(u, 2) + i32x4.extract_lane(u, 3));
}

/** For weights that are floats, and for all in the exact mode: column by column of the rows side by side. */
export function interleave(to: usize, x: usize, rows: i32, columns: i32): void {
  const tile: usize = rows == 1 ? 1 : TILE;
  for (let row: usize = 0; row < <usize>rows; row++) {
    let at = to + (((row / tile) * tile * <usize>columns + (row % tile)) << 2);
    for (let column = 0; column < columns; column++) {
      store<f32>(at, load<f32>(x));
      at += tile << 2;
      x += 4;
    }
  }
}
