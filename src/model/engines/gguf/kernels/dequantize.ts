// Packed weights as floats, exactly those that the file means: for the look-up of tokens and for products in 32 bits.
import { BF16, brainFloats, F16, F32, groupBytes, halves, Q2_K, Q3_K, Q4_0, Q4_1, Q4_K, Q5_1, Q5_K, Q6_K, Q8_0 } from './kinds';
import { highNibbles, NIBBLES } from './simd';
import { multiplyF32 } from './tiles';

// What is written of a column's four rows: all, or the one whose bytes these are.
let onlyOne: bool = false;
let bytesOfOne: v128 = i32x4.splat(0);

/** Writes a column of four rows as [columns][4], or of one row as [columns]. */
// @ts-ignore: decorator
@inline function put(to: usize, column: usize, rows: v128): void {
  if (onlyOne) store<f32>(to + (column << 2), f32x4.extract_lane(i8x16.swizzle(rows, bytesOfOne), 0));
  else v128.store(to + (column << 4), rows);
}

function dequantizeGroup(kind: i32, to: usize, p: usize, columns: usize): void {
  const none = f32x4.splat(0);
  let column: usize = 0;
  switch (kind) {
    case F32: for (; column < columns; column++) { put(to, column, v128.load(p)); p += 16; } return;
    case F16: for (; column < columns; column++) { put(to, column, halves(p)); p += 8; } return;
    case BF16: for (; column < columns; column++) { put(to, column, brainFloats(p)); p += 8; } return;
    case Q4_0: for (; column < columns; column += 32) { nibbles(to, column, p + 16, 8, v128.load(p), none); p += 80; } return;
    case Q4_1: for (; column < columns; column += 32) { nibbles(to, column, p + 32, 0, v128.load(p), v128.load(p, 16)); p += 96; } return;
    case Q5_1: for (; column < columns; column += 32) { bytes(to, column, p + 32, 8, 0, v128.load(p), v128.load(p, 16)); p += 160; } return;
    case Q8_0: for (; column < columns; column += 32) { bytes(to, column, p + 16, 8, 128, v128.load(p), none); p += 144; } return;
  }
  for (const step = groupBytes(kind, 256); column < columns; p += step) {
    for (let i: usize = 0; i < 8; i++) {
      const whole = v128.load(p);
      if (kind == Q2_K) {
        const parts = v128.load(p + (i << 4), 32), codes = p + 160 + (i << 6);
        // The minima are stored by 32.
        const low = f32x4.mul(v128.load(p, 16), f32x4.splat(32));
        const two = i16x8.extend_low_i8x16_u(parts), minima = i16x8.extend_high_i8x16_u(parts);
        nibblesOf(to, column, codes, 0, 0, times(i32x4.extend_low_i16x8_u(two), whole), times(i32x4.extend_low_i16x8_u(minima), low));
        nibblesOf(to, column + 16, codes, 4, 0, times(i32x4.extend_high_i16x8_u(two), whole), times(i32x4.extend_high_i16x8_u(minima), low));
      } else if (kind == Q3_K) {
        const two = i16x8.extend_low_i8x16_s(v128.load64_zero(p + (i << 3), 16)), codes = p + 80 + (i << 6);
        nibblesOf(to, column, codes, 0, 4, times(i32x4.extend_low_i16x8_s(two), whole), none);
        nibblesOf(to, column + 16, codes, 4, 4, times(i32x4.extend_high_i16x8_s(two), whole), none);
      } else if (kind == Q6_K) {
        const two = i16x8.extend_low_i8x16_s(v128.load64_zero(p + (i << 3), 16)), codes = p + 80 + (i << 7);
        bytes(to, column, codes, 4, 32, times(i32x4.extend_low_i16x8_s(two), whole), none);
        bytes(to, column + 16, codes + 64, 4, 32, times(i32x4.extend_high_i16x8_s(two), whole), none);
      } else {
        const two = i16x8.extend_low_i8x16_u(v128.load64_zero(p + (i << 3), 32));
        const scale = times(i32x4.extend_low_i16x8_u(two), whole);
        const minimum = times(i32x4.extend_high_i16x8_u(two), v128.load(p, 16));
        if (kind == Q4_K) nibbles(to, column, p + 96 + (i << 6), 0, scale, minimum);
        else bytes(to, column, p + 96 + (i << 7), 8, 0, scale, minimum);
      }
      column += 32;
    }
  }
}

// @ts-ignore: decorator
@inline function times(whole: v128, scale: v128): v128 {
  return f32x4.mul(f32x4.convert_i32x4_s(whole), scale);
}

function nibbles(to: usize, column: usize, codes: usize, zero: i32, scale: v128, minimum: v128): void {
  nibblesOf(to, column, codes, 0, zero, scale, minimum);
  nibblesOf(to, column + 16, codes, 4, zero, scale, minimum);
}

/** 16 columns, whose codes are the bits from `shift` on of each byte. */
function nibblesOf(to: usize, column: usize, codes: usize, shift: i32, zero: i32, scale: v128, minimum: v128): void {
  for (let i: usize = 0; i < 4; i++) {
    const v = v128.load(codes + (i << 4));
    fourColumns(to, column + (i << 2), shift ? highNibbles(v) : v128.and(v, NIBBLES), zero, scale, minimum);
  }
}

function bytes(to: usize, column: usize, codes: usize, count: usize, zero: i32, scale: v128, minimum: v128): void {
  for (let i: usize = 0; i < count; i++) {
    fourColumns(to, column + (i << 2), v128.load(codes + (i << 4)), zero, scale, minimum);
  }
}

/** Byte r x 4 + c of the codes is that of row r, column c. */
function fourColumns(to: usize, column: usize, codes: v128, zero: i32, scale: v128, minimum: v128): void {
  const z = i32x4.splat(zero), lowest = i32x4.splat(0xff);
  for (let i: usize = 0; i < 4; i++) {
    const code = i32x4.sub(v128.and(i32x4.shr_u(codes, <i32>i << 3), lowest), z);
    // The product is exact: scales have at most 17 bits and codes 7, or 11 and 8.
    put(to, column + i, f32x4.sub(f32x4.mul(f32x4.convert_i32x4_s(code), scale), minimum));
  }
}

/** One row of the matrix. */
export function unpackRow(kind: i32, out: usize, weights: usize, row: i32, columns: i32): void {
  onlyOne = true;
  bytesOfOne = i32x4.add(i32x4.splat(0x03020100), i32x4.splat((row & 3) * 0x04040404));
  dequantizeGroup(kind, out, weights + <usize>(row >> 2) * groupBytes(kind, columns), columns);
}

/** Groups that are dequantised at once. */
const GROUPS: i32 = 4;

/** As `multiply`, on interleaved activations of 32 bits. scratch: 16 x columns floats. */
export function multiplyExact(
  kind: i32, out: usize, stride: i32, weights: usize, activations: usize, rows: i32, columns: i32, first: i32, last: i32, scratch: usize,
): void {
  const bytes = groupBytes(kind, columns), line = <usize>columns << 4;
  onlyOne = false;
  for (; first < last; first += GROUPS) {
    const count = min(GROUPS, last - first);
    for (let i = 0; i < count; i++) dequantizeGroup(kind, scratch + <usize>i * line, weights + <usize>(first + i) * bytes, columns);
    multiplyF32(out + (<usize>first << 4), <usize>stride << 2, scratch, activations, rows, columns >> 5, 0, count);
  }
}
