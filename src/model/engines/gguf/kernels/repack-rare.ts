// Rows of the kinds of tensor whose codes are brought to another form when they are packed (see `repack.ts`).
import { half } from './kinds';

const LOW: u32 = 0x0f0f0f0f;
const ONES: u32 = 0x01010101;
const TWOS: u32 = 0x03030303;

/** Bits 0 to 3 of a word as the lowest bits of four bytes. */
// @ts-ignore: decorator
@inline function spread(bits: u32): u32 {
  return ((bits & 15) * 0x00204081) & ONES;
}

/** Q5_1, and Q5_0, whose zero point becomes a minimum. */
export function packQ5(to: usize, lane: usize, from: usize, columns: i32, hasMinimum: bool): usize {
  to += lane << 2;
  for (; columns > 0; columns -= 32) {
    const scale = half(load<u16>(from));
    store<f32>(to, scale);
    store<f32>(to, hasMinimum ? -half(load<u16>(from, 2)) : 16 * scale, 16);
    from += hasMinimum ? 4 : 2;
    const fifths = load<u32>(from);
    for (let i: u32 = 0; i < 4; i++) {
      const codes = load<u32>(from + (i << 2), 4), at = to + (i << 4);
      store<u32>(at, (codes & LOW) | (spread(fifths >> (4 * i)) << 4), 32);
      store<u32>(at, ((codes >> 4) & LOW) | (spread(fifths >> (16 + 4 * i)) << 4), 96);
    }
    from += 20;
    to += 160;
  }
  return from;
}

/** Minima are stored by 32: products have the sums of 16 activations times 32. */
export function packQ2_K(to: usize, lane: usize, from: usize, columns: i32): usize {
  for (; columns > 0; columns -= 256) {
    store<f32>(to + (lane << 2), half(load<u16>(from, 80)));
    store<f32>(to + (lane << 2), half(load<u16>(from, 82)) / 32, 16);
    for (let i: usize = 0; i < 8; i++) {
      const first = load<u8>(from + 2 * i), second = load<u8>(from + 2 * i, 1), parts = to + (i << 4) + lane;
      store<u8>(parts, first & 15, 32);
      store<u8>(parts, second & 15, 36);
      store<u8>(parts, first >> 4, 40);
      store<u8>(parts, second >> 4, 44);
      packPairs(to + 160 + (i << 6) + (lane << 2), from + 16, i);
    }
    from += 84;
    to += 672;
  }
  return from;
}

/** Two bits of each of 32 columns: of the i-th block, whose half of the superblock has 32 bytes for four blocks. */
// @ts-ignore: decorator
@inline function packPairs(to: usize, codes: usize, i: usize): void {
  codes += (i >> 2) << 5;
  const shift = <u32>(i & 3) << 1;
  for (let j: usize = 0; j < 16; j += 4) {
    const low = (load<u32>(codes + j) >> shift) & TWOS, high = (load<u32>(codes + j, 16) >> shift) & TWOS;
    store<u32>(to + (j << 2), low | (high << 4));
  }
}

export function packQ3_K(to: usize, lane: usize, from: usize, columns: i32): usize {
  for (; columns > 0; columns -= 256) {
    store<f32>(to + (lane << 2), half(load<u16>(from, 108)));
    for (let i: u32 = 0; i < 8; i++) {
      store<u8>(to + (i << 3) + lane, scaleOfQ3(from + 96, 2 * i), 16);
      store<u8>(to + (i << 3) + lane, scaleOfQ3(from + 96, 2 * i + 1), 20);
      const codes = to + 80 + (i << 6) + (lane << 2);
      packPairs(codes, from + 32, i);
      // The third bits: bit i of byte c is that of column c of block i.
      for (let j: usize = 0; j < 16; j += 4) {
        const low = (load<u32>(from + j) >> i) & ONES, high = (load<u32>(from + j, 16) >> i) & ONES;
        const at = codes + (j << 2);
        store<u32>(at, load<u32>(at) | (low << 2) | (high << 6));
      }
    }
    from += 110;
    to += 592;
  }
  return from;
}

/** The k-th of 16 scales of 6 bits in 12 bytes. */
// @ts-ignore: decorator
@inline function scaleOfQ3(scales: usize, k: u32): u8 {
  const low = (load<u8>(scales + (k & 7)) >> <u8>((k >> 3) << 2)) & 15;
  const high = (load<u8>(scales + 8 + (k & 3)) >> <u8>((k >> 2) << 1)) & 3;
  return <u8>((low | (high << 4)) - 32);
}

// What the codes of IQ4_NL and IQ4_XS stand for, and those of MXFP4 doubled, each + 128.
const IQ4: v128 = i8x16(1, 24, 45, 63, 79, 93, 106, 118, -127, -115, -103, -90, -75, -59, -39, -15);
const FP4: v128 = i8x16(-128, -127, -126, -125, -124, -122, -120, -116, -128, 127, 126, 125, 124, 122, 120, 116);

/** 32 codes of 4 bits as the bytes that a table has for them. */
// @ts-ignore: decorator
@inline function packTable(to: usize, from: usize, table: v128): void {
  const codes = v128.load(from);
  let values = i8x16.swizzle(table, v128.and(codes, i8x16.splat(15)));
  storeLanes(to, values);
  values = i8x16.swizzle(table, i8x16.shr_u(codes, 4));
  storeLanes(to + 64, values);
}

// @ts-ignore: decorator
@inline function storeLanes(to: usize, values: v128): void {
  v128.store_lane<u32>(to, values, 0);
  v128.store_lane<u32>(to, values, 1, 16);
  v128.store_lane<u32>(to, values, 2, 32);
  v128.store_lane<u32>(to, values, 3, 48);
}

export function packIQ4_NL(to: usize, lane: usize, from: usize, columns: i32): usize {
  to += lane << 2;
  for (; columns > 0; columns -= 32) {
    store<f32>(to, half(load<u16>(from)));
    packTable(to + 16, from + 2, IQ4);
    from += 18;
    to += 144;
  }
  return from;
}

export function packIQ4_XS(to: usize, lane: usize, from: usize, columns: i32): usize {
  to += lane << 2;
  for (; columns > 0; columns -= 256) {
    const whole = half(load<u16>(from)), high = <u32>load<u16>(from, 2);
    for (let i: u32 = 0; i < 8; i++) {
      const low = (load<u8>(from + (i >> 1), 4) >> <u8>((i & 1) << 2)) & 15;
      store<f32>(to, whole * <f32>(<i32>(<u32>low | (((high >> (2 * i)) & 3) << 4)) - 32));
      packTable(to + 16, from + 8 + (i << 4), IQ4);
      to += 144;
    }
    from += 136;
  }
  return from;
}

export function packMXFP4(to: usize, lane: usize, from: usize, columns: i32): usize {
  to += lane << 2;
  for (; columns > 0; columns -= 32) {
    // Half of 2 to the power of (byte - 127).
    const exponent = <u32>load<u8>(from);
    store<u32>(to, exponent < 2 ? 0x00200000 << exponent : (exponent - 1) << 23);
    packTable(to + 16, from + 1, FP4);
    from += 17;
    to += 144;
  }
  return from;
}
