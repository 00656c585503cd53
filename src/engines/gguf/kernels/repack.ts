// Rows of a tensor, as a GGUF file has them, to the layouts of `packed-kinds.ts`. Columns of a row stay in their order; four rows
// are woven into each other.
import {
  BF16, F16, F32, groupBytes, IQ4_NL, IQ4_XS, MXFP4, Q2_K, Q3_K, Q4_0, Q4_1, Q4_K, Q5_0, Q5_1, Q5_K, Q6_K, Q8_0,
} from './kinds';
import { packIQ4_XS, packMXFP4, packQ2_K, packQ3_K, packQ5 } from './repack-rare';

// Kinds of tensors by their numbers in GGUF files, as `tensor-kinds.ts` has them.
const FROM_F32: i32 = 0, FROM_F16: i32 = 1, FROM_Q4_0: i32 = 2, FROM_Q4_1: i32 = 3, FROM_Q5_0: i32 = 6, FROM_Q5_1: i32 = 7;
const FROM_Q8_0: i32 = 8, FROM_Q2_K: i32 = 10, FROM_Q3_K: i32 = 11, FROM_Q4_K: i32 = 12, FROM_Q5_K: i32 = 13, FROM_Q6_K: i32 = 14;
const FROM_IQ4_NL: i32 = 20, FROM_IQ4_XS: i32 = 23, FROM_BF16: i32 = 30, FROM_MXFP4: i32 = 39;

/** The layout that a kind is packed in: `packedKindOf` of `packed-kinds.ts`. */
function layoutOf(kind: i32): i32 {
  switch (kind) {
    case FROM_F32: return F32;
    case FROM_F16: return F16;
    case FROM_BF16: return BF16;
    case FROM_Q4_0: return Q4_0;
    case FROM_Q4_1: return Q4_1;
    case FROM_Q5_0: return Q5_0;
    case FROM_Q5_1: return Q5_1;
    case FROM_Q2_K: return Q2_K;
    case FROM_Q3_K: return Q3_K;
    case FROM_Q4_K: return Q4_K;
    case FROM_Q5_K: return Q5_K;
    case FROM_Q6_K: return Q6_K;
    case FROM_IQ4_NL: return IQ4_NL;
    case FROM_IQ4_XS: return IQ4_XS;
    case FROM_MXFP4: return MXFP4;
    default: return Q8_0;
  }
}

/** `count` rows from `from` become rows `row`, `row` + 1, ... of the matrix at `to`. `kind` is that of the file. */
export function packRows(kind: i32, to: usize, from: usize, row: i32, count: i32, columns: i32): void {
  const bytes = groupBytes(layoutOf(kind), columns);
  for (; count > 0; count--) {
    const at = to + <usize>(row >> 2) * bytes, lane = <usize>(row & 3);
    switch (kind) {
      case FROM_Q4_0:
      // Codes of a table are packed like others.
      case FROM_IQ4_NL: from = packQ4_0(at, lane, from, columns); break;
      case FROM_Q4_1: from = packQ4_1(at, lane, from, columns); break;
      case FROM_Q5_0: from = packQ5(at, lane, from, columns, false); break;
      case FROM_Q5_1: from = packQ5(at, lane, from, columns, true); break;
      case FROM_Q2_K: from = packQ2_K(at, lane, from, columns); break;
      case FROM_Q3_K: from = packQ3_K(at, lane, from, columns); break;
      case FROM_IQ4_XS: from = packIQ4_XS(at, lane, from, columns); break;
      case FROM_MXFP4: from = packMXFP4(at, lane, from, columns); break;
      case FROM_Q8_0: from = packQ8_0(at, lane, from, columns); break;
      case FROM_Q4_K: from = packQ4_K(at, lane, from, columns); break;
      case FROM_Q5_K: from = packQ5_K(at, lane, from, columns); break;
      case FROM_Q6_K: from = packQ6_K(at, lane, from, columns); break;
      case FROM_F32:
        for (let i: usize = 0; i < <usize>columns; i++) store<u32>(at + (i << 4) + (lane << 2), load<u32>(from + (i << 2)));
        from += <usize>columns << 2;
        break;
      case FROM_F16:
      case FROM_BF16:
        for (let i: usize = 0; i < <usize>columns; i++) store<u16>(at + (i << 3) + (lane << 1), load<u16>(from + (i << 1)));
        from += <usize>columns << 1;
        break;
      default: unreachable();
    }
    row++;
  }
}

function packQ4_0(to: usize, lane: usize, from: usize, columns: i32): usize {
  for (; columns > 0; columns -= 32) {
    store<u16>(to + (lane << 1), load<u16>(from));
    for (let i: usize = 0; i < 4; i++) store<u32>(to + (i << 4) + (lane << 2), load<u32>(from + (i << 2), 2), 8);
    from += 18;
    to += 72;
  }
  return from;
}

/** The minimum is stored with the other sign, as K-quants have it. */
function packQ4_1(to: usize, lane: usize, from: usize, columns: i32): usize {
  for (; columns > 0; columns -= 32) {
    store<u16>(to + (lane << 1), load<u16>(from));
    store<u16>(to + (lane << 1), load<u16>(from, 2) ^ 0x8000, 8);
    for (let i: usize = 0; i < 4; i++) store<u32>(to + (i << 4) + (lane << 2), load<u32>(from + (i << 2), 4), 16);
    from += 20;
    to += 80;
  }
  return from;
}

function packQ8_0(to: usize, lane: usize, from: usize, columns: i32): usize {
  for (; columns > 0; columns -= 32) {
    store<u16>(to + (lane << 1), load<u16>(from));
    for (let i: usize = 0; i < 8; i++) store<u32>(to + (i << 4) + (lane << 2), load<u32>(from + (i << 2), 2) ^ 0x80808080, 8);
    from += 34;
    to += 136;
  }
  return from;
}

/** Head of Q4_K and Q5_K: two scales of the superblock, then 6 bits of scale and minimum for each of 8 blocks in 12 bytes. */
// @ts-ignore: decorator
@inline function packHead(to: usize, lane: usize, from: usize): void {
  store<u16>(to + (lane << 1), load<u16>(from));
  store<u16>(to + (lane << 1), load<u16>(from, 2), 8);
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
    store<u8>(to + (i << 3) + lane, <u8>scale, 16);
    store<u8>(to + (i << 3) + lane, <u8>minimum, 20);
  }
}

const LOW: u32 = 0x0f0f0f0f;

function packQ4_K(to: usize, lane: usize, from: usize, columns: i32): usize {
  for (; columns > 0; columns -= 256) {
    packHead(to, lane, from);
    // 32 bytes hold two blocks: the low nibbles one, the high ones the other.
    for (let pair: usize = 0; pair < 4; pair++) {
      const codes = from + 16 + (pair << 5), out = to + 80 + (pair << 7) + (lane << 2);
      for (let i: usize = 0; i < 4; i++) {
        const a = load<u32>(codes + (i << 2)), b = load<u32>(codes + (i << 2), 16);
        store<u32>(out + (i << 4), (a & LOW) | ((b & LOW) << 4));
        store<u32>(out + (i << 4), ((a >> 4) & LOW) | (b & ~LOW), 64);
      }
    }
    from += 144;
    to += 592;
  }
  return from;
}

function packQ5_K(to: usize, lane: usize, from: usize, columns: i32): usize {
  for (; columns > 0; columns -= 256) {
    packHead(to, lane, from);
    // The fifth bits: bit b of byte i is that of column i of block b.
    const fifths = from + 16;
    for (let pair: u32 = 0; pair < 4; pair++) {
      const codes = from + 48 + (pair << 5), out = to + 80 + (pair << 8) + (lane << 2);
      for (let i: usize = 0; i < 8; i++) {
        const a = load<u32>(codes + (i << 2)), bits = load<u32>(fifths + (i << 2)) >> (2 * pair);
        store<u32>(out + (i << 4), (a & LOW) | ((bits & 0x01010101) << 4));
        store<u32>(out + (i << 4), ((a >> 4) & LOW) | ((bits & 0x02020202) << 3), 128);
      }
    }
    from += 176;
    to += 1104;
  }
  return from;
}

function packQ6_K(to: usize, lane: usize, from: usize, columns: i32): usize {
  for (; columns > 0; columns -= 256) {
    store<u16>(to + (lane << 1), load<u16>(from, 208));
    for (let i: usize = 0; i < 8; i++) {
      store<u8>(to + (i << 3) + lane, load<u8>(from + 2 * i, 192), 8);
      store<u8>(to + (i << 3) + lane, load<u8>(from + 2 * i, 193), 12);
    }
    // Each half of 128 columns: 64 bytes with low bits of blocks 0 and 2, 1 and 3; 32 bytes with two high bits of all four.
    for (let part: usize = 0; part < 2; part++) {
      const low = from + (part << 6), high = from + 128 + (part << 5), out = to + 72 + (part << 9) + (lane << 2);
      for (let i: usize = 0; i < 8; i++) {
        const a = load<u32>(low + (i << 2)), b = load<u32>(low + (i << 2), 32), h = load<u32>(high + (i << 2));
        store<u32>(out + (i << 4), (a & LOW) | ((h & 0x03030303) << 4));
        store<u32>(out + (i << 4), (b & LOW) | ((h & 0x0c0c0c0c) << 2), 128);
        store<u32>(out + (i << 4), ((a >> 4) & LOW) | (h & 0x30303030), 256);
        store<u32>(out + (i << 4), ((b >> 4) & LOW) | ((h >> 2) & 0x30303030), 384);
      }
    }
    from += 210;
    to += 1096;
  }
  return from;
}
