// Packed weights as floats, exactly those that the file means: for the look-up of tokens and for products in 32 bits.
import {
  BF16, brainFloats, F16, F32, FP4, groupBytes, IQ4_HIGH, IQ4_LOW, IQ4_NL, IQ4_XS, MXFP4, powers, Q2_K, Q3_K, Q4_0, Q4_1, Q4_K, Q5_0, Q5_1,
  Q6_K, Q8_0, smallHalves,
} from './kinds';
import { highNibbles, lookUp, NIBBLES } from './simd';
import { multiplyF32 } from './tiles';

/** Four 16-bit floats. A function, because here it is shorter. */
function floats(p: usize): v128 {
  return smallHalves(p);
}

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
    case F16: for (; column < columns; column++) { put(to, column, floats(p)); p += 8; } return;
    case BF16: for (; column < columns; column++) { put(to, column, brainFloats(p)); p += 8; } return;
    case Q4_0: for (; column < columns; column += 32) { nibbles(to, column, p + 8, 8, floats(p), none); p += 72; } return;
    case Q4_1: for (; column < columns; column += 32) { nibbles(to, column, p + 16, 0, floats(p), floats(p + 8)); p += 80; } return;
    case Q5_0: for (; column < columns; column += 32) { bytes(to, column, p + 8, 8, 16, floats(p), none); p += 136; } return;
    case Q5_1: for (; column < columns; column += 32) { bytes(to, column, p + 16, 8, 0, floats(p), floats(p + 8)); p += 144; } return;
    case Q8_0: for (; column < columns; column += 32) { bytes(to, column, p + 8, 8, 128, floats(p), none); p += 136; } return;
    case IQ4_NL: for (; column < columns; column += 32) { fromTable(to, column, p + 8, floats(p)); p += 72; } return;
    case MXFP4: for (; column < columns; column += 32) { fromFP4(to, column, p + 4, powers(p)); p += 68; } return;
  }
  for (const step = groupBytes(kind, 256); column < columns; p += step) {
    const whole = floats(p);
    for (let i: usize = 0; i < 8; i++) {
      if (kind == Q2_K) {
        const parts = v128.load64_zero(p + (i << 3), 16), codes = p + 80 + (i << 5), low = floats(p + 8);
        const two = i16x8.extend_low_i8x16_u(v128.and(parts, NIBBLES)), minima = i16x8.extend_low_i8x16_u(highNibbles(parts));
        pairs(to, column, codes, 0, 0, false, times(i32x4.extend_low_i16x8_u(two), whole), times(i32x4.extend_low_i16x8_u(minima), low));
        pairs(to, column + 16, codes, 4, 0, false, times(i32x4.extend_high_i16x8_u(two), whole), times(i32x4.extend_high_i16x8_u(minima), low));
      } else if (kind == Q3_K) {
        const two = i16x8.extend_low_i8x16_s(v128.load64_zero(p + (i << 3), 8)), codes = p + 72 + i * 48;
        pairs(to, column, codes, 0, 4, true, times(i32x4.extend_low_i16x8_s(two), whole), none);
        pairs(to, column + 16, codes, 4, 4, true, times(i32x4.extend_high_i16x8_s(two), whole), none);
      } else if (kind == Q6_K) {
        const two = i16x8.extend_low_i8x16_s(v128.load64_zero(p + (i << 3), 8)), codes = p + 72 + (i << 7);
        bytes(to, column, codes, 4, 32, times(i32x4.extend_low_i16x8_s(two), whole), none);
        bytes(to, column + 16, codes + 64, 4, 32, times(i32x4.extend_high_i16x8_s(two), whole), none);
      } else if (kind == IQ4_XS) {
        const one = i32x4.extend_low_i16x8_s(i16x8.extend_low_i8x16_s(v128.load32_zero(p + (i << 2), 8)));
        fromTable(to, column, p + 40 + (i << 6), times(one, whole));
      } else {
        const two = i16x8.extend_low_i8x16_u(v128.load64_zero(p + (i << 3), 16));
        const scale = times(i32x4.extend_low_i16x8_u(two), whole);
        const minimum = times(i32x4.extend_high_i16x8_u(two), floats(p + 8));
        if (kind == Q4_K) nibbles(to, column, p + 80 + (i << 6), 0, scale, minimum);
        else bytes(to, column, p + 80 + (i << 7), 8, 0, scale, minimum);
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
  for (let i: usize = 0; i < 4; i++) {
    const v = v128.load(codes + (i << 4));
    fourColumns(to, column + (i << 2), v128.and(v, NIBBLES), zero, scale, minimum);
    fourColumns(to, column + 16 + (i << 2), highNibbles(v), zero, scale, minimum);
  }
}

/** 32 columns by the table of IQ4. */
function fromTable(to: usize, column: usize, codes: usize, scale: v128): void {
  for (let i: usize = 0; i < 8; i++) {
    const v = v128.load(codes + ((i & 3) << 4)), code = i < 4 ? v128.and(v, NIBBLES) : highNibbles(v);
    const value = v128.or(lookUp(IQ4_LOW, code), i8x16.shl(lookUp(IQ4_HIGH, code), 4));
    fourColumns(to, column + (i << 2), value, 128, scale, i32x4.splat(0));
  }
}

function fromFP4(to: usize, column: usize, codes: usize, scale: v128): void {
  for (let i: usize = 0; i < 8; i++) {
    const v = v128.load(codes + ((i & 3) << 4));
    fourColumns(to, column + (i << 2), lookUp(FP4, i < 4 ? v128.and(v, NIBBLES) : highNibbles(v)), 12, scale, i32x4.splat(0));
  }
}

/** 16 columns, whose codes are pairs of bits from `shift` on of each byte, in a third vector their third bits. */
function pairs(to: usize, column: usize, codes: usize, shift: i32, zero: i32, hasThird: bool, scale: v128, minimum: v128): void {
  for (let i = 0; i < 4; i++) {
    // Columns i x 4: vector i & 1, of which two have the same place in their bytes.
    const bit = shift + (i & 2);
    let code = v128.and(i16x8.shr_u(v128.load(codes + (<usize>(i & 1) << 4)), bit), i8x16.splat(3));
    if (hasThird) {
      const third = i8x16.shr_u(v128.load(codes, 32), bit + (i & 1));
      code = v128.or(code, i8x16.shl(v128.and(third, i8x16.splat(1)), 2));
    }
    fourColumns(to, column + (<usize>i << 2), code, zero, scale, minimum);
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

/** Groups that are dequantized at once. */
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
