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
export const F16: i32 = 16;
export const BF16: i32 = 17;
export const F32: i32 = 18;

/** Bytes of 4 rows. */
export function groupBytes(kind: i32, columns: i32): usize {
  const blocks = <usize>(columns >> 5);
  switch (kind) {
    case Q4_0: return blocks * 80;
    case Q8_0: return blocks * 144;
    case Q4_1: return blocks * 96;
    case Q4_K: return (blocks >> 3) * 608;
    case Q5_K: return (blocks >> 3) * 1120;
    case Q6_K: return (blocks >> 3) * 1104;
    case Q5_1: return blocks * 160;
    case Q2_K: return (blocks >> 3) * 672;
    case Q3_K: return (blocks >> 3) * 592;
    case F32: return blocks * 512;
    default: return blocks * 256;
  }
}

/** A 16-bit float in the low bits of an integer. Infinities become finite: weights have none. */
// @ts-ignore: decorator
@inline export function half(bits: u32): f32 {
  return reinterpret<f32>(((bits & 0x8000) << 16) | (((bits & 0x7fff) << 13))) * reinterpret<f32>(0x77800000);
}

/** Four 16-bit floats. 2 to the power of 112 moves the exponent's bias, exactly for subnormal numbers too. */
// @ts-ignore: decorator
@inline export function halves(p: usize): v128 {
  const bits = v128.and(i32x4.shl(v128.load16x4_s(p), 13), i32x4.splat(0x8fffffff));
  return f32x4.mul(bits, f32x4.splat(reinterpret<f32>(0x77800000)));
}

/** Four bfloats: the upper halves of 32-bit floats. */
// @ts-ignore: decorator
@inline export function brainFloats(p: usize): v128 {
  return i32x4.shl(v128.load16x4_u(p), 16);
}
