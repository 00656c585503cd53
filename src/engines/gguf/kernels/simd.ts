// What the kernels share. `RELAXED` and `PAIRS` come from the build.
import { RELAXED } from './build';

export const NIBBLES: v128 = i8x16.splat(0x0f);

/** a x b + c: rounded once with relaxed SIMD, twice without. */
// @ts-ignore: decorator
@inline export function fma(a: v128, b: v128, c: v128): v128 {
  return RELAXED ? f32x4.relaxed_madd(a, b, c) : f32x4.add(f32x4.mul(a, b), c);
}

/** Greatest code of keys and values. */
// @ts-ignore: decorator
@inline export function greatestCode<T>(): f32 {
  return sizeof<T>() == 1 ? 127 : 4095;
}

/** Bytes of a scale of keys or values: half a float says enough of 8 bits. */
// @ts-ignore: decorator
@inline export function scaleBytes<T>(): usize {
  return isFloat<T>() ? 0 : sizeof<T>() == 1 ? 2 : 4;
}

/** Scales of four positions. */
// @ts-ignore: decorator
@inline export function scalesOfFour<T>(p: usize): v128 {
  return sizeof<T>() == 1 ? i32x4.shl(v128.load16x4_u(p), 16) : v128.load(p);
}

/**
 * The whole numbers nearest to v x factor, which must be below 2 to the power of 22: the low bits of a float to which so great a
 * number was added that it has no others.
 */
// @ts-ignore: decorator
@inline function rounded(v: v128, factor: v128): v128 {
  return i32x4.sub(f32x4.add(f32x4.mul(v, factor), f32x4.splat(12582912)), i32x4.splat(0x4b400000));
}

/** Eight numbers as whole ones of 16 bits. */
// @ts-ignore: decorator
@inline export function codesOfEight(p: usize, factor: v128): v128 {
  return i16x8.narrow_i32x4_s(rounded(v128.load(p), factor), rounded(v128.load(p, 16), factor));
}

/** The upper four bits of each byte. On x86 a shift of bytes costs more than one of words. */
// @ts-ignore: decorator
@inline export function highNibbles(v: v128): v128 {
  return v128.and(i16x8.shr_u(v, 4), NIBBLES);
}

/** What a table has for indices below 16. */
// @ts-ignore: decorator
@inline export function lookUp(table: v128, indices: v128): v128 {
  return RELAXED ? i8x16.relaxed_swizzle(table, indices) : i8x16.swizzle(table, indices);
}

/** Adds neighbours: (a0 + a1, a2 + a3, b0 + b1, b2 + b3). */
// @ts-ignore: decorator
@inline export function sumPairs(a: v128, b: v128): v128 {
  return i32x4.add(
    i8x16.shuffle(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27),
    i8x16.shuffle(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31),
  );
}

/** Largest of four. */
// @ts-ignore: decorator
@inline export function highest(v: v128): f32 {
  return max(
    max(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)),
    max(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)),
  );
}

/** Sum of four. */
// @ts-ignore: decorator
@inline export function sumOf(v: v128): f32 {
  return (
    f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3))
  );
}

/** x bent so that it stays between -cap and cap. */
// @ts-ignore: decorator
@inline export function capped(x: v128, cap: v128): v128 {
  // cap x tanh(x / cap)
  const e = exp4(f32x4.div(f32x4.add(x, x), cap));
  return f32x4.mul(cap, f32x4.sub(f32x4.splat(1), f32x4.div(f32x4.splat(2), f32x4.add(e, f32x4.splat(1)))));
}

/**
 * e to the power of x, after Cephes; exact to a few units in the last place. Below 1e-26 it is 1e-26, so that products with it are not
 * subnormal, which are slow.
 */
// @ts-ignore: decorator
@inline export function exp4(x: v128): v128 {
  x = f32x4.pmax(f32x4.pmin(x, f32x4.splat(88.0)), f32x4.splat(-60.0));
  const n = f32x4.nearest(f32x4.mul(x, f32x4.splat(1.44269504)));
  const r = fma(n, f32x4.splat(2.1219444e-4), fma(n, f32x4.splat(-0.693359375), x));
  let y = f32x4.splat(1.987569150e-4);
  y = fma(y, r, f32x4.splat(1.3981999507e-3));
  y = fma(y, r, f32x4.splat(8.3334519073e-3));
  y = fma(y, r, f32x4.splat(4.1665795894e-2));
  y = fma(y, r, f32x4.splat(1.6666665459e-1));
  y = fma(y, r, f32x4.splat(5.0000001201e-1));
  y = fma(y, f32x4.mul(r, r), f32x4.add(r, f32x4.splat(1)));
  return f32x4.mul(y, i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23));
}
