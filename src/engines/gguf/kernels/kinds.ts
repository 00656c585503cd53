// Numbers of the packed kinds, as `packed-kinds.ts` has them, and how many bytes a group of 4 rows has in each.
export const Q4_0: i32 = 0;
export const Q8_0: i32 = 1;
export const Q4_1: i32 = 2;
export const Q4_K: i32 = 3;
export const Q5_K: i32 = 4;
export const Q6_K: i32 = 5;
export const Q5_1: i32 = 6;
export const Q2_K: i32 = 7;
export const Q3_K: i32 = 8;
export const Q5_0: i32 = 9;
export const IQ4_NL: i32 = 10;
export const IQ4_XS: i32 = 11;
export const MXFP4: i32 = 12;
export const F16: i32 = 16;
export const BF16: i32 = 17;
export const F32: i32 = 18;

/** Bytes of 4 rows. */
export function groupBytes(kind: i32, columns: i32): usize {
  const blocks = <usize>(columns >> 5);
  switch (kind) {
    case Q4_0: return blocks * 72;
    case Q8_0: return blocks * 136;
    case Q4_1: return blocks * 80;
    case Q4_K: return (blocks >> 3) * 592;
    case Q5_K: return (blocks >> 3) * 1104;
    case Q6_K: return (blocks >> 3) * 1096;
    case Q5_1: return blocks * 144;
    case Q2_K: return (blocks >> 3) * 336;
    case Q3_K: return (blocks >> 3) * 456;
    case Q5_0: return blocks * 136;
    case IQ4_NL: return blocks * 72;
    case IQ4_XS: return (blocks >> 3) * 552;
    case MXFP4: return blocks * 68;
    case F32: return blocks * 512;
    default: return blocks * 256;
  }
}

/** A 16-bit float in the low bits of an integer. Infinities become finite: weights have none. */
// @ts-ignore: decorator
@inline export function half(bits: u32): f32 {
  return reinterpret<f32>(((bits & 0x8000) << 16) | (((bits & 0x7fff) << 13))) * reinterpret<f32>(0x77800000);
}

/**
 * Four 16-bit floats, of which few are subnormal: 2 to the power of 112 moves the exponent's bias, exactly for these too, but x86
 * processors take a hundred times as long to multiply 32-bit floats that are.
 */
// @ts-ignore: decorator
@inline export function halves(p: usize): v128 {
  return halvesBy(p, HALF_MASK, HALF_BIAS);
}

export const HALF_MASK: v128 = i32x4.splat(0x8fffffff);
export const HALF_BIAS: v128 = i32x4.splat(0x77800000);

/** The same with its constants, which loops have in variables. */
// @ts-ignore: decorator
@inline export function halvesBy(p: usize, mask: v128, bias: v128): v128 {
  return f32x4.mul(v128.and(i32x4.shl(v128.load16x4_s(p), 13), mask), bias);
}

/** The same for any: scales of K-quants are often subnormal. No 32-bit float is. */
// @ts-ignore: decorator
@inline export function smallHalves(p: usize): v128 {
  const bits = i32x4.shl(v128.load16x4_s(p), 13);
  // With the exponent's bias moved. A subnormal one got a leading 1 that it has not: twice it less 2 to the power of -14 is right,
  // and greater than any other.
  const size = i32x4.add(v128.and(bits, i32x4.splat(0x0fffe000)), i32x4.splat(0x38000000));
  const right = f32x4.sub(f32x4.add(size, size), f32x4.splat(reinterpret<f32>(0x38800000)));
  return v128.or(f32x4.pmin(size, right), v128.and(bits, i32x4.splat(0x80000000)));
}

/** Four bfloats: the upper halves of 32-bit floats. */
// @ts-ignore: decorator
@inline export function brainFloats(p: usize): v128 {
  return i32x4.shl(v128.load16x4_u(p), 16);
}

/** What four bytes stand for as scales of MXFP4: half of 2 to the power of (byte - 127); of 0, which is 2 to the power of -128, 0. */
// @ts-ignore: decorator
@inline export function powers(p: usize): v128 {
  const exponents = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(p)));
  return f32x4.mul(i32x4.shl(exponents, 23), f32x4.splat(0.5));
}

// What the codes of IQ4_NL and IQ4_XS stand for, + 128 (without a sign); and of that the upper and the lower four bits.
export const IQ4: v128 = i8x16(1, 24, 45, 63, 79, 93, 106, 118, -127, -115, -103, -90, -75, -59, -39, -15);
export const IQ4_HIGH: v128 = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13, 15);
export const IQ4_LOW: v128 = i8x16(1, 8, 13, 15, 15, 13, 10, 6, 1, 13, 9, 6, 5, 5, 9, 1);
// What the codes of MXFP4 stand for, doubled, + 12.
export const FP4: v128 = i8x16(12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0);
