/**
 * Kinds of tensors without kernels of their own: rows are brought to a kind that has some while they are packed. Where a scale has
 * more bits than that kind's, it is rounded to 11.
 * @module
 */
import type { TensorKind } from '../file/tensor-kinds.js';
import { gridOf } from './gguf-grids.js';

/** A block of a file: where its bytes begin. */
interface Block {
  bytes: DataView;
  at: number;
}

/** Puts the numbers of a block as whole ones, and the scale of each {@link Unpacker.span} of them. */
type Unpack = (block: Block, codes: Int8Array, scales: Float32Array) => void;

interface Unpacker {
  /** Numbers of a block that have a scale. */
  span: 16 | 32 | 64 | 128 | 256;
  unpack: Unpack;
}

const byteAt = ({ bytes, at }: Block, index: number): number => bytes.getUint8(at + index);
const wordAt = ({ bytes, at }: Block, index: number): number => bytes.getUint16(at + index, true);
const longAt = ({ bytes, at }: Block, index: number): number => bytes.getUint32(at + index, true);

/** A 16-bit float. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return exponent === 31 ? sign * Infinity : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const halfAt = (block: Block, index: number): number => half(wordAt(block, index));

/** 8 signs of 7 bits: the last one makes their number even. */
function withParity(bits: number): number {
  let odd = bits ^ (bits >> 4);
  odd ^= odd >> 2;
  odd ^= odd >> 1;
  return bits | ((odd & 1) << 7);
}

/** Puts numbers of a grid, with their signs. */
function putSigned(codes: Int8Array, to: number, numbers: Int8Array, signs: number): void {
  for (let index = 0; index < numbers.length; index++) {
    const value = numbers[index]!;
    codes[to + index] = (signs >> index) & 1 ? -value : value;
  }
}

const Q1_0: Unpack = (block, codes, scales) => {
  scales[0] = halfAt(block, 0);
  for (let index = 0; index < 128; index++)
    codes[index] = (byteAt(block, 2 + (index >> 3)) >> (index & 7)) & 1 ? 1 : -1;
};

const Q2_0: Unpack = (block, codes, scales) => {
  scales[0] = halfAt(block, 0);
  for (let index = 0; index < 64; index++)
    codes[index] = ((byteAt(block, 2 + (index >> 2)) >> (2 * (index & 3))) & 3) - 1;
};

const TQ2_0: Unpack = (block, codes, scales) => {
  scales[0] = halfAt(block, 64);
  for (let index = 0; index < 256; index++) {
    const [part, place, byte] = [index >> 7, (index >> 5) & 3, index & 31];
    codes[index] = ((byteAt(block, 32 * part + byte) >> (2 * place)) & 3) - 1;
  }
};

/** Digits of base 3: five in a byte. */
const TQ1_0: Unpack = (block, codes, scales) => {
  scales[0] = halfAt(block, 52);
  let to = 0;
  for (const [from, count, digits] of [
    [0, 32, 5],
    [32, 16, 5],
    [48, 4, 4],
  ] as const)
    for (let digit = 0; digit < digits; digit++)
      for (let index = 0; index < count; index++)
        codes[to++] = ((((byteAt(block, from + index) * 3 ** digit) & 255) * 3) >> 8) - 1;
};

const FP4 = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

const NVFP4: Unpack = (block, codes, scales) => {
  for (let part = 0; part < 4; part++) {
    const bits = byteAt(block, part);
    const [exponent, fraction] = [(bits >> 3) & 15, bits & 7];
    const scale = exponent === 0 ? fraction * 2 ** -9 : (1 + fraction / 8) * 2 ** (exponent - 7);
    scales[part] = bits === 0 || bits === 0x7f ? 0 : scale / 2;
    for (let index = 0; index < 8; index++) {
      const byte = byteAt(block, 4 + 8 * part + index);
      codes[16 * part + index] = FP4[byte & 15]!;
      codes[16 * part + 8 + index] = FP4[byte >> 4]!;
    }
  }
};

const IQ2_XXS: Unpack = (block, codes, scales) => {
  const [d, grid] = [halfAt(block, 0), gridOf('iq2_xxs')];
  for (let group = 0; group < 8; group++) {
    const word = longAt(block, 6 + 8 * group);
    scales[group] = (d * (0.5 + (word >>> 28))) / 4;
    for (let part = 0; part < 4; part++) {
      const from = byteAt(block, 2 + 8 * group + part) * 8;
      putSigned(codes, 32 * group + 8 * part, grid.subarray(from, from + 8), withParity((word >>> (7 * part)) & 127));
    }
  }
};

const IQ2_XS: Unpack = (block, codes, scales) => {
  const [d, grid] = [halfAt(block, 0), gridOf('iq2_xs')];
  for (let part = 0; part < 32; part++) {
    const word = wordAt(block, 2 + 2 * part);
    const from = (word & 511) * 8;
    putSigned(codes, 8 * part, grid.subarray(from, from + 8), withParity(word >> 9));
    const nibble = (byteAt(block, 66 + (part >> 2)) >> (4 * ((part >> 1) & 1))) & 15;
    scales[part >> 1] = (d * (0.5 + nibble)) / 4;
  }
};

const IQ2_S: Unpack = (block, codes, scales) => {
  const [d, grid] = [halfAt(block, 0), gridOf('iq2_s')];
  for (let part = 0; part < 32; part++) {
    const high = (byteAt(block, 66 + (part >> 2)) >> (2 * (part & 3))) & 3;
    const from = (byteAt(block, 2 + part) | (high << 8)) * 8;
    putSigned(codes, 8 * part, grid.subarray(from, from + 8), byteAt(block, 34 + part));
    const nibble = (byteAt(block, 74 + (part >> 2)) >> (4 * ((part >> 1) & 1))) & 15;
    scales[part >> 1] = (d * (0.5 + nibble)) / 4;
  }
};

const IQ3_XXS: Unpack = (block, codes, scales) => {
  const [d, grid] = [halfAt(block, 0), gridOf('iq3_xxs')];
  for (let group = 0; group < 8; group++) {
    const word = longAt(block, 66 + 4 * group);
    scales[group] = (d * (0.5 + (word >>> 28))) / 2;
    for (let part = 0; part < 8; part++) {
      const signs = withParity((word >>> (7 * (part >> 1))) & 127) >> (4 * (part & 1));
      const from = byteAt(block, 2 + 8 * group + part) * 4;
      putSigned(codes, 32 * group + 4 * part, grid.subarray(from, from + 4), signs);
    }
  }
};

const IQ3_S: Unpack = (block, codes, scales) => {
  const [d, grid] = [halfAt(block, 0), gridOf('iq3_s')];
  for (let group = 0; group < 8; group++) {
    scales[group] = d * (1 + 2 * ((byteAt(block, 106 + (group >> 1)) >> (4 * (group & 1))) & 15));
    for (let part = 0; part < 8; part++) {
      const high = (byteAt(block, 66 + group) >> part) & 1;
      const signs = byteAt(block, 74 + 4 * group + (part >> 1)) >> (4 * (part & 1));
      const from = (byteAt(block, 2 + 8 * group + part) | (high << 8)) * 4;
      putSigned(codes, 32 * group + 4 * part, grid.subarray(from, from + 4), signs);
    }
  }
};

/** Numbers of a grid with an eighth more or less: eight times that. */
function putShifted(codes: Int8Array, to: number, index: number, isMinus: boolean): void {
  const grid = gridOf('iq1_s');
  for (let place = 0; place < 8; place++) codes[to + place] = 8 * grid[index * 8 + place]! + (isMinus ? -1 : 1);
}

const IQ1_S: Unpack = (block, codes, scales) => {
  const d = halfAt(block, 0);
  for (let group = 0; group < 8; group++) {
    const word = wordAt(block, 34 + 2 * group);
    scales[group] = (d * (2 * ((word >> 12) & 7) + 1)) / 8;
    for (let part = 0; part < 4; part++) {
      const index = byteAt(block, 2 + 4 * group + part) | (((word >> (3 * part)) & 7) << 8);
      putShifted(codes, 32 * group + 8 * part, index, (word & 0x8000) !== 0);
    }
  }
};

const IQ1_M: Unpack = (block, codes, scales) => {
  const words = [0, 1, 2, 3].map((index) => wordAt(block, 48 + 2 * index));
  const d = half(words.reduce((bits, word, index) => bits | ((word >> 12) << (4 * index)), 0));
  for (let part = 0; part < 32; part++) {
    const field = part >> 1;
    scales[field] = (d * (2 * ((words[field >> 2]! >> (3 * (field & 3))) & 7) + 1)) / 8;
    const nibble = (byteAt(block, 32 + (part >> 1)) >> (4 * (part & 1))) & 15;
    putShifted(codes, 8 * part, byteAt(block, part) | ((nibble & 7) << 8), (nibble & 8) !== 0);
  }
};

const UNPACKERS: Readonly<Partial<Record<TensorKind, Unpacker>>> = {
  Q1_0: { span: 128, unpack: Q1_0 },
  Q2_0: { span: 64, unpack: Q2_0 },
  TQ1_0: { span: 256, unpack: TQ1_0 },
  TQ2_0: { span: 256, unpack: TQ2_0 },
  NVFP4: { span: 16, unpack: NVFP4 },
  IQ1_S: { span: 32, unpack: IQ1_S },
  IQ1_M: { span: 16, unpack: IQ1_M },
  IQ2_XXS: { span: 32, unpack: IQ2_XXS },
  IQ2_XS: { span: 16, unpack: IQ2_XS },
  IQ2_S: { span: 16, unpack: IQ2_S },
  IQ3_XXS: { span: 32, unpack: IQ3_XXS },
  IQ3_S: { span: 32, unpack: IQ3_S },
};

/** What blocks are of, and what they become. */
interface Repacking {
  kind: TensorKind;
  as: 'Q8_0' | 'F16' | 'F32';
  /** Of a block. */
  values: number;
  bytes: number;
}

/** Whole blocks as blocks of another kind. Those of `Q8_0` need a scale for 32 numbers or more. */
export function repackRare({ kind, as, values, bytes }: Repacking, given: Uint8Array): Uint8Array<ArrayBuffer> {
  const { span, unpack } = UNPACKERS[kind]!;
  const view = new DataView(given.buffer, given.byteOffset, given.byteLength);
  const count = given.length / bytes;
  const [codes, scales] = [new Int8Array(values), new Float32Array(values / span)];
  const out = new Uint8Array(count * values * { Q8_0: 34 / 32, F16: 2, F32: 4 }[as]);
  const written = new DataView(out.buffer);
  for (let block = 0; block < count; block++) {
    unpack({ bytes: view, at: block * bytes }, codes, scales);
    const first = block * values;
    if (as === 'Q8_0') {
      for (let from = 0; from < values; from += 32) {
        const to = ((first + from) / 32) * 34;
        written.setUint16(to, toHalf(scales[Math.floor(from / span)]!), true);
        out.set(new Uint8Array(codes.buffer, from, 32), to + 2);
      }
      continue;
    }
    for (let index = 0; index < values; index++) {
      const value = codes[index]! * scales[Math.floor(index / span)]!;
      if (as === 'F16') written.setUint16((first + index) * 2, toHalf(value), true);
      else written.setFloat32((first + index) * 4, value, true);
    }
  }
  return out;
}

const FLOAT = new Float32Array(1);
const AS_BITS = new Uint32Array(FLOAT.buffer);

/** The nearest 16-bit float; what is too large for one is the largest. */
function toHalf(value: number): number {
  FLOAT[0] = value;
  const bits = AS_BITS[0]!;
  const sign = (bits >>> 16) & 0x8000;
  const size = bits & 0x7fffffff;
  if (size >= 0x477ff000) return sign | 0x7bff;
  // Below the smallest normal one the fraction's unit is fixed.
  if (size < 0x38800000) return sign | Math.round(Math.abs(value) * 2 ** 24);
  return sign | ((size - 0x38000000 + 0xfff + ((size >> 13) & 1)) >> 13);
}
