// Rows of a tensor, as a GGUF file has them, to the layouts of `packed-kinds.ts`. Columns of a row stay in their order; four rows
// are woven into each other.
import { BF16, F16, F32, groupBytes, half, Q4_0, Q4_1, Q4_K, Q5_K, Q6_K, Q8_0 } from './kinds';

/** `count` rows from `from` become rows `row`, `row` + 1, ... of the matrix at `to`. */
export function packRows(kind: i32, to: usize, from: usize, row: i32, count: i32, columns: i32): void {
  const bytes = groupBytes(kind, columns);
  for (; count > 0; count--) {
    const at = to + <usize>(row >> 2) * bytes, lane = <usize>(row & 3);
    switch (kind) {
      case Q4_0: from = packQ4_0(at, lane, from, columns); break;
      case Q4_1: from = packQ4_1(at, lane, from, columns); break;
      case Q8_0: from = packQ8_0(at, lane, from, columns); break;
      case Q4_K: from = packQ4_K(at, lane, from, columns); break;
      case Q5_K: from = packQ5_K(at, lane, from, columns); break;
      case Q6_K: from = packQ6_K(at, lane, from, columns); break;
      case F32:
        for (let i: usize = 0; i < <usize>columns; i++) store<u32>(at + (i << 4) + (lane << 2), load<u32>(from + (i << 2)));
        from += <usize>columns << 2;
        break;
      case F16:
      case BF16:
        for (let i: usize = 0; i < <usize>columns; i++) store<u16>(at + (i << 3) + (lane << 1), load<u16>(from + (i << 1)));
        from += <usize>columns << 1;
        break;
      default: unreachable();
    }
    row++;
  }
}

function packQ4_0(to: usize, lane: usize, from: usize, columns: i32): usize {
  to += lane << 2;
  for (; columns > 0; columns -= 32) {
    store<f32>(to, half(load<u16>(from)));
    for (let i: usize = 0; i < 4; i++) store<u32>(to + (i << 4), load<u32>(from + (i << 2), 2), 16);
    from += 18;
    to += 80;
  }
  return from;
}

/** The minimum is stored with the other sign, as K-quants have it. */
function packQ4_1(to: usize, lane: usize, from: usize, columns: i32): usize {
  to += lane << 2;
  for (; columns > 0; columns -= 32) {
    store<f32>(to, half(load<u16>(from)));
    store<f32>(to, -half(load<u16>(from, 2)), 16);
    for (let i: usize = 0; i < 4; i++) store<u32>(to + (i << 4), load<u32>(from + (i << 2), 4), 32);
    from += 20;
    to += 96;
  }
  return from;
}

function packQ8_0(to: usize, lane: usize, from: usize, columns: i32): usize {
  to += lane << 2;
  for (; columns > 0; columns -= 32) {
    store<f32>(to, half(load<u16>(from)));
    for (let i: usize = 0; i < 8; i++) store<u32>(to + (i << 4), load<u32>(from + (i << 2), 2) ^ 0x80808080, 16);
    from += 34;
    to += 144;
  }
  return from;
}

/** Head of Q4_K and Q5_K: two scales of the superblock, then 6 bits of scale and minimum for each of 8 blocks in 12 bytes. */
// @ts-ignore: decorator
@inline function packHead(to: usize, lane: usize, from: usize): void {
  store<f32>(to + (lane << 2), half(load<u16>(from)));
  store<f32>(to + (lane << 2), half(load<u16>(from, 2)), 16);
  const packed = from + 4;
  for (let i: usize = 0; i < 8; i++) {
    let scale: u32, minimum: u32;
    if (i < 4) {
      scale = load<u8>(packed + i) & 63;
      minimum = load<u8>(packed + i, 4) & 63;
    } else {
      scale = (load<u8>(packed + i, 4) & 15) | ((load<u8>(packed + i - 4) >> 6) << 4);
      minimum = (load<u8>(packed + i, 4) >> 4) | ((load<u8>(packed + i) >> 6) << 4);
    }
    store<u8>(to + (i << 3) + lane, <u8>scale, 32);
    store<u8>(to + (i << 3) + lane, <u8>minimum, 36);
  }
}

const LOW: u32 = 0x0f0f0f0f;

function packQ4_K(to: usize, lane: usize, from: usize, columns: i32): usize {
  for (; columns > 0; columns -= 256) {
    packHead(to, lane, from);
    // 32 bytes hold two blocks: the low nibbles one, the high ones the other.
    for (let pair: usize = 0; pair < 4; pair++) {
      const codes = from + 16 + (pair << 5), out = to + 96 + (pair << 7) + (lane << 2);
      for (let i: usize = 0; i < 4; i++) {
        const a = load<u32>(codes + (i << 2)), b = load<u32>(codes + (i << 2), 16);
        store<u32>(out + (i << 4), (a & LOW) | ((b & LOW) << 4));
        store<u32>(out + (i << 4), ((a >> 4) & LOW) | (b & ~LOW), 64);
      }
    }
    from += 144;
    to += 608;
  }
  return from;
}

function packQ5_K(to: usize, lane: usize, from: usize, columns: i32): usize {
  for (; columns > 0; columns -= 256) {
    packHead(to, lane, from);
    // The fifth bits: bit b of byte i is that of column i of block b.
    const fifths = from + 16;
    for (let pair: u32 = 0; pair < 4; pair++) {
      const codes = from + 48 + (pair << 5), out = to + 96 + (pair << 8) + (lane << 2);
      for (let i: usize = 0; i < 8; i++) {
        const a = load<u32>(codes + (i << 2)), bits = load<u32>(fifths + (i << 2)) >> (2 * pair);
        store<u32>(out + (i << 4), (a & LOW) | ((bits & 0x01010101) << 4));
        store<u32>(out + (i << 4), ((a >> 4) & LOW) | ((bits & 0x02020202) << 3), 128);
      }
    }
    from += 176;
    to += 1120;
  }
  return from;
}

function packQ6_K(to: usize, lane: usize, from: usize, columns: i32): usize {
  for (; columns > 0; columns -= 256) {
    store<f32>(to + (lane << 2), half(load<u16>(from, 208)));
    for (let i: usize = 0; i < 8; i++) {
      store<u8>(to + (i << 3) + lane, load<u8>(from + 2 * i, 192), 16);
      store<u8>(to + (i << 3) + lane, load<u8>(from + 2 * i, 193), 20);
    }
    // Each half of 128 columns: 64 bytes with low bits of blocks 0 and 2, 1 and 3; 32 bytes with two high bits of all four.
    for (let part: usize = 0; part < 2; part++) {
      const low = from + (part << 6), high = from + 128 + (part << 5), out = to + 80 + (part << 9) + (lane << 2);
      for (let i: usize = 0; i < 8; i++) {
        const a = load<u32>(low + (i << 2)), b = load<u32>(low + (i << 2), 32), h = load<u32>(high + (i << 2));
        store<u32>(out + (i << 4), (a & LOW) | ((h & 0x03030303) << 4));
        store<u32>(out + (i << 4), (b & LOW) | ((h & 0x0c0c0c0c) << 2), 128);
        store<u32>(out + (i << 4), ((a >> 4) & LOW) | (h & 0x30303030), 256);
        store<u32>(out + (i << 4), ((b >> 4) & LOW) | ((h >> 2) & 0x30303030), 384);
      }
    }
    from += 210;
    to += 1104;
  }
  return from;
}
