// Rows of the kinds of tensor whose codes are brought to another form when they are packed (see `repack.ts`).

const LOW: u32 = 0x0f0f0f0f;
const ONES: u32 = 0x01010101;
const TWOS: u32 = 0x03030303;

/** Bits 0 to 3 of a word as the lowest bits of four bytes. */
// @ts-ignore: decorator
@inline function spread(bits: u32): u32 {
  return ((bits & 15) * 0x00204081) & ONES;
}

/** Q5_0 and Q5_1, whose minimum is stored with the other sign, as K-quants have it. */
export function packQ5(to: usize, lane: usize, from: usize, columns: i32, hasMinimum: bool): usize {
  const head: usize = hasMinimum ? 16 : 8;
  for (; columns > 0; columns -= 32) {
    store<u16>(to + (lane << 1), load<u16>(from));
    if (hasMinimum) store<u16>(to + (lane << 1), load<u16>(from, 2) ^ 0x8000, 8);
    from += hasMinimum ? 4 : 2;
    to += head;
    const fifths = load<u32>(from);
    for (let i: u32 = 0; i < 4; i++) {
      const codes = load<u32>(from + (i << 2), 4), at = to + (i << 4) + (lane << 2);
      store<u32>(at, (codes & LOW) | (spread(fifths >> (4 * i)) << 4));
      store<u32>(at, ((codes >> 4) & LOW) | (spread(fifths >> (16 + 4 * i)) << 4), 64);
    }
    from += 20;
    to += 128;
  }
  return from;
}

export function packQ2_K(to: usize, lane: usize, from: usize, columns: i32): usize {
  for (; columns > 0; columns -= 256) {
    store<u16>(to + (lane << 1), load<u16>(from, 80));
    store<u16>(to + (lane << 1), load<u16>(from, 82), 8);
    for (let i: usize = 0; i < 8; i++) {
      // A byte has both, as in the file.
      store<u8>(to + (i << 3) + lane, load<u8>(from + 2 * i), 16);
      store<u8>(to + (i << 3) + lane, load<u8>(from + 2 * i, 1), 20);
      packPairs(to + 80 + (i << 5) + (lane << 2), from + 16, i);
    }
    from += 84;
    to += 336;
  }
  return from;
}

/** Two bits of each of 32 columns: of the i-th block, whose half of the superblock has 32 bytes for four blocks. */
// @ts-ignore: decorator
@inline function packPairs(to: usize, codes: usize, i: usize): void {
  codes += (i >> 2) << 5;
  const shift = <u32>(i & 3) << 1;
  for (let j: usize = 0; j < 8; j += 4) {
    const a = (load<u32>(codes + j) >> shift) & TWOS, b = (load<u32>(codes + j, 8) >> shift) & TWOS;
    const c = (load<u32>(codes + j, 16) >> shift) & TWOS, d = (load<u32>(codes + j, 24) >> shift) & TWOS;
    store<u32>(to + (j << 2), a | (b << 2) | (c << 4) | (d << 6));
  }
}

export function packQ3_K(to: usize, lane: usize, from: usize, columns: i32): usize {
  for (; columns > 0; columns -= 256) {
    store<u16>(to + (lane << 1), load<u16>(from, 108));
    for (let i: u32 = 0; i < 8; i++) {
      store<u8>(to + (i << 3) + lane, scaleOfQ3(from + 96, 2 * i), 8);
      store<u8>(to + (i << 3) + lane, scaleOfQ3(from + 96, 2 * i + 1), 12);
      const codes = to + 72 + <usize>i * 48 + (lane << 2);
      packPairs(codes, from + 32, i);
      // The third bits: bit i of byte c is that of column c of block i.
      let third: u32 = 0;
      for (let j: u32 = 0; j < 8; j++) third |= ((load<u32>(from + (j << 2)) >> i) & ONES) << j;
      store<u32>(codes, third, 32);
    }
    from += 110;
    to += 456;
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

export function packIQ4_XS(to: usize, lane: usize, from: usize, columns: i32): usize {
  for (; columns > 0; columns -= 256) {
    store<u16>(to + (lane << 1), load<u16>(from));
    const high = <u32>load<u16>(from, 2);
    for (let i: u32 = 0; i < 8; i++) {
      const low = (load<u8>(from + (i >> 1), 4) >> <u8>((i & 1) << 2)) & 15;
      store<u8>(to + (i << 2) + lane, <u8>((<u32>low | (((high >> (2 * i)) & 3) << 4)) - 32), 8);
      packNibbles(to + 40 + (i << 6) + (lane << 2), from + 8 + (i << 4));
    }
    from += 136;
    to += 552;
  }
  return from;
}

export function packMXFP4(to: usize, lane: usize, from: usize, columns: i32): usize {
  for (; columns > 0; columns -= 32) {
    store<u8>(to + lane, load<u8>(from));
    packNibbles(to + 4 + (lane << 2), from + 1);
    from += 17;
    to += 68;
  }
  return from;
}

// @ts-ignore: decorator
@inline function packNibbles(to: usize, codes: usize): void {
  for (let i: usize = 0; i < 16; i += 4) store<u32>(to + (i << 2), load<u32>(codes + i));
}
