/** Brings floats to the kinds of tensor of GGUF and back, block by block, as ggml lays them out. Slow and plain. @module */
import { TENSOR_KINDS, type TensorKind } from '../../../../src/engines/gguf/file/tensor-kinds.js';

/** Writes a block's values into its bytes. */
type Write = (values: Float32Array, out: DataView) => void;
/** Reads a block's bytes into its values. */
type Read = (block: DataView, out: Float32Array) => void;

/** Numbers as a tensor of a kind. Their count must be whole blocks. */
export function quantize(kind: TensorKind, values: Float32Array): Uint8Array {
  if (kind === 'F32') return new Uint8Array(values.slice().buffer);
  const { values: size, bytes } = TENSOR_KINDS[kind];
  const write = codecOf(kind).write;
  const out = new Uint8Array((values.length / size) * bytes);
  for (let block = 0; block * size < values.length; block++)
    write(values.subarray(block * size, (block + 1) * size), new DataView(out.buffer, block * bytes, bytes));
  return out;
}

/** The numbers that a tensor of a kind holds. */
export function dequantize(kind: TensorKind, tensor: Uint8Array): Float32Array {
  if (kind === 'F32') return new Float32Array(tensor.slice().buffer);
  const { values: size, bytes } = TENSOR_KINDS[kind];
  const read = codecOf(kind).read;
  const out = new Float32Array((tensor.length / bytes) * size);
  for (let block = 0; block * bytes < tensor.length; block++)
    read(
      new DataView(tensor.buffer, tensor.byteOffset + block * bytes, bytes),
      out.subarray(block * size, (block + 1) * size),
    );
  return out;
}

function codecOf(kind: TensorKind): { write: Write; read: Read } {
  const codec = CODECS[kind];
  if (!codec) throw new Error(`No quantizer for ${kind}`);
  return codec;
}

/** A 16-bit float as a number. */
export function fromHalf(bits: number): number {
  const sign = bits >> 15 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const bitsOf = new DataView(new ArrayBuffer(4));

/** A number as a 16-bit float, rounded to the nearest and ties to even. */
export function toHalf(value: number): number {
  bitsOf.setFloat32(0, value);
  const sign = (bitsOf.getUint32(0) >>> 16) & 0x8000;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return sign | 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  const exponent = Math.max(-14, Math.floor(Math.log2(size || 2 ** -30)));
  const step = 2 ** (exponent - 10);
  const steps = roundToEven(size / step);
  // What rounds up to the next power of two carries into the exponent by itself.
  return sign | (steps + (exponent + 14) * 1024);
}

function roundToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, Math.round(value)));

/** The value farthest from 0, with its sign. */
function farthest(values: ArrayLike<number>): number {
  return Array.from(values).reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
}

/** Stores a 16-bit float. @returns what it holds */
function putHalf(out: DataView, at: number, value: number): number {
  const bits = toHalf(value);
  out.setUint16(at, bits, true);
  return fromHalf(bits);
}

const getHalf = (block: DataView, at: number): number => fromHalf(block.getUint16(at, true));

/** 1 / value, and 0 for 0. */
const inverse = (value: number): number => (value === 0 ? 0 : 1 / value);

/** Codes of a block of 32: the first 16 in the low nibbles, the others in the high ones. */
function putNibbles(out: DataView, at: number, codes: ArrayLike<number>): void {
  for (let index = 0; index < 16; index++)
    out.setUint8(at + index, (codes[index]! & 15) | ((codes[index + 16]! & 15) << 4));
}

function getNibbles(block: DataView, at: number): number[] {
  const bytes = Array.from({ length: 16 }, (_, index) => block.getUint8(at + index));
  return [...bytes.map((byte) => byte & 15), ...bytes.map((byte) => byte >> 4)];
}

/** Kinds of one block of 32 with a scale, and a minimum or not. */
function simple(bits: 4 | 5, hasMinimum: boolean): { write: Write; read: Read } {
  const half = 2 ** (bits - 1);
  const most = 2 ** bits - 1;
  const high = hasMinimum ? 4 : 2;
  const low = bits === 5 ? high + 4 : high;
  return {
    write(values, out) {
      const least = Math.min(...values);
      const scale = hasMinimum ? (Math.max(...values) - least) / most : farthest(values) / -half;
      const factor = inverse(scale);
      putHalf(out, 0, scale);
      if (hasMinimum) putHalf(out, 2, least);
      const codes = Array.from(values, (value) =>
        clamp(hasMinimum ? (value - least) * factor : value * factor + half, 0, most),
      );
      if (bits === 5)
        out.setUint32(
          high,
          codes.reduce((sum, code, index) => sum + (code >> 4) * 2 ** index, 0),
          true,
        );
      putNibbles(out, low, codes);
    },
    read(block, out) {
      const scale = getHalf(block, 0);
      const fifth = bits === 5 ? block.getUint32(high, true) : 0;
      for (const [index, code] of getNibbles(block, low).entries()) {
        const whole = code + ((fifth >>> index) & 1) * 16;
        out[index] = hasMinimum ? whole * scale + getHalf(block, 2) : (whole - half) * scale;
      }
    },
  };
}

/** Scales and minima of 6 bits, eight of each, in 12 bytes: `Q4_K` and `Q5_K`. */
function putScales(out: DataView, at: number, scales: readonly number[], minima: readonly number[]): void {
  for (let index = 0; index < 4; index++) {
    out.setUint8(at + index, scales[index]! | ((scales[index + 4]! >> 4) << 6));
    out.setUint8(at + 4 + index, minima[index]! | ((minima[index + 4]! >> 4) << 6));
    out.setUint8(at + 8 + index, (scales[index + 4]! & 15) | ((minima[index + 4]! & 15) << 4));
  }
}

function getScales(block: DataView, at: number): { scales: number[]; minima: number[] } {
  const byte = (index: number): number => block.getUint8(at + index);
  const four = [0, 1, 2, 3];
  return {
    scales: [...four.map((i) => byte(i) & 63), ...four.map((i) => (byte(8 + i) & 15) | ((byte(i) >> 6) << 4))],
    minima: [...four.map((i) => byte(4 + i) & 63), ...four.map((i) => (byte(8 + i) >> 4) | ((byte(4 + i) >> 6) << 4))],
  };
}

interface WithMinima {
  scaleStep: number;
  minimumStep: number;
  scaleCodes: number[];
  minimumCodes: number[];
  codes: number[];
}

/** Parts of a block, each with a scale and a minimum of its own (`value = scale * code - minimum`), and their codes. */
function withMinima(values: Float32Array, part: number, mostCode: number, mostScale: number): WithMinima {
  const parts = Array.from({ length: values.length / part }, (_, index) =>
    values.subarray(index * part, (index + 1) * part),
  );
  const minima = parts.map((each) => Math.max(0, -Math.min(...each)));
  const scales = parts.map((each, index) => Math.max(0, (Math.max(...each) + minima[index]!) / mostCode));
  const scaleStep = fromHalf(toHalf(Math.max(...scales) / mostScale));
  const minimumStep = fromHalf(toHalf(Math.max(...minima) / mostScale));
  const scaleCodes = scales.map((scale) => clamp(scale * inverse(scaleStep), 0, mostScale));
  const minimumCodes = minima.map((minimum) => clamp(minimum * inverse(minimumStep), 0, mostScale));
  const codes = Array.from(values, (value, index) => {
    const at = Math.floor(index / part);
    const scale = inverse(scaleStep * scaleCodes[at]!);
    return clamp((value + minimumStep * minimumCodes[at]!) * scale, 0, mostCode);
  });
  return { scaleStep, minimumStep, scaleCodes, minimumCodes, codes };
}

/** `Q4_K` and `Q5_K`. */
function superBlock(bits: 4 | 5): { write: Write; read: Read } {
  const low = bits === 5 ? 48 : 16;
  return {
    write(values, out) {
      const { scaleStep, minimumStep, scaleCodes, minimumCodes, codes } = withMinima(values, 32, 2 ** bits - 1, 63);
      putHalf(out, 0, scaleStep);
      putHalf(out, 2, minimumStep);
      putScales(out, 4, scaleCodes, minimumCodes);
      for (const [index, code] of codes.entries()) {
        const pair = index >> 6;
        const shift = ((index >> 5) & 1) * 4;
        const at = low + pair * 32 + (index & 31);
        out.setUint8(at, out.getUint8(at) | ((code & 15) << shift));
        if (bits === 5) {
          const fifth = 16 + (index & 31);
          out.setUint8(fifth, out.getUint8(fifth) | ((code >> 4) << (index >> 5)));
        }
      }
    },
    read(block, out) {
      const { scales, minima } = getScales(block, 4);
      for (let index = 0; index < 256; index++) {
        const part = index >> 5;
        const nibble = (block.getUint8(low + (index >> 6) * 32 + (index & 31)) >> ((part & 1) * 4)) & 15;
        const fifth = bits === 5 ? (block.getUint8(16 + (index & 31)) >> part) & 1 : 0;
        out[index] = getHalf(block, 0) * scales[part]! * (nibble + fifth * 16) - getHalf(block, 2) * minima[part]!;
      }
    },
  };
}

/** Parts of 16 with a signed scale each and no minimum: codes are `-half` to `half - 1`. */
function symmetric(
  values: Float32Array,
  part: number,
  half: number,
  mostScale: number,
): { step: number; scaleCodes: number[]; codes: number[] } {
  const scales = Array.from(
    { length: values.length / part },
    (_, index) => farthest(values.subarray(index * part, (index + 1) * part)) / -half,
  );
  const step = fromHalf(toHalf(farthest(scales) / -mostScale));
  const scaleCodes = scales.map((scale) => clamp(scale * inverse(step), -mostScale, mostScale - 1));
  const codes = Array.from(values, (value, index) =>
    clamp(value * inverse(step * scaleCodes[Math.floor(index / part)]!), -half, half - 1),
  );
  return { step, scaleCodes, codes };
}

const q6k: { write: Write; read: Read } = {
  write(values, out) {
    const { step, scaleCodes, codes } = symmetric(values, 16, 32, 128);
    for (const [index, signed] of codes.entries()) {
      const code = signed + 32;
      const { lowAt, lowShift, highAt, highShift } = placeOfQ6(index);
      out.setUint8(lowAt, out.getUint8(lowAt) | ((code & 15) << lowShift));
      out.setUint8(highAt, out.getUint8(highAt) | ((code >> 4) << highShift));
    }
    for (const [index, scale] of scaleCodes.entries()) out.setInt8(192 + index, scale);
    putHalf(out, 208, step);
  },
  read(block, out) {
    for (let index = 0; index < 256; index++) {
      const { lowAt, lowShift, highAt, highShift } = placeOfQ6(index);
      const code = ((block.getUint8(lowAt) >> lowShift) & 15) | (((block.getUint8(highAt) >> highShift) & 3) << 4);
      out[index] = getHalf(block, 208) * block.getInt8(192 + (index >> 4)) * (code - 32);
    }
  },
};

/** Where a value of `Q6_K` is: halves of 128, each four rows of 32. */
function placeOfQ6(index: number): { lowAt: number; lowShift: number; highAt: number; highShift: number } {
  const half = index >> 7;
  const row = (index >> 5) & 3;
  const column = index & 31;
  return {
    lowAt: half * 64 + (row & 1) * 32 + column,
    lowShift: (row >> 1) * 4,
    highAt: 128 + half * 32 + column,
    highShift: row * 2,
  };
}

/** Where two bits of a value of `Q2_K` and `Q3_K` are: halves of 128, each four rows of 32. */
const placeOfTwoBits = (index: number): { byte: number; shift: number } => ({
  byte: (index >> 7) * 32 + (index & 31),
  shift: ((index >> 5) & 3) * 2,
});

const q2k: { write: Write; read: Read } = {
  write(values, out) {
    const { scaleStep, minimumStep, scaleCodes, minimumCodes, codes } = withMinima(values, 16, 3, 15);
    for (const [index, scale] of scaleCodes.entries()) out.setUint8(index, scale | (minimumCodes[index]! << 4));
    for (const [index, code] of codes.entries()) {
      const { byte, shift } = placeOfTwoBits(index);
      out.setUint8(16 + byte, out.getUint8(16 + byte) | (code << shift));
    }
    putHalf(out, 80, scaleStep);
    putHalf(out, 82, minimumStep);
  },
  read(block, out) {
    for (let index = 0; index < 256; index++) {
      const { byte, shift } = placeOfTwoBits(index);
      const scales = block.getUint8(index >> 4);
      const code = (block.getUint8(16 + byte) >> shift) & 3;
      out[index] = getHalf(block, 80) * (scales & 15) * code - getHalf(block, 82) * (scales >> 4);
    }
  },
};

const q3k: { write: Write; read: Read } = {
  write(values, out) {
    const { step, scaleCodes, codes } = symmetric(values, 16, 4, 32);
    for (const [index, signed] of codes.entries()) {
      const code = signed + 4;
      const { byte, shift } = placeOfTwoBits(index);
      out.setUint8(32 + byte, out.getUint8(32 + byte) | ((code & 3) << shift));
      out.setUint8(index & 31, out.getUint8(index & 31) | ((code >> 2) << (index >> 5)));
    }
    for (const [index, signed] of scaleCodes.entries()) {
      const scale = signed + 32;
      const low = 96 + (index & 7);
      const high = 104 + (index & 3);
      out.setUint8(low, out.getUint8(low) | ((scale & 15) << ((index >> 3) * 4)));
      out.setUint8(high, out.getUint8(high) | ((scale >> 4) << ((index >> 2) * 2)));
    }
    putHalf(out, 108, step);
  },
  read(block, out) {
    for (let index = 0; index < 256; index++) {
      const { byte, shift } = placeOfTwoBits(index);
      const part = index >> 4;
      const low = (block.getUint8(96 + (part & 7)) >> ((part >> 3) * 4)) & 15;
      const high = (block.getUint8(104 + (part & 3)) >> ((part >> 2) * 2)) & 3;
      const third = (block.getUint8(index & 31) >> (index >> 5)) & 1;
      const code = ((block.getUint8(32 + byte) >> shift) & 3) + third * 4 - 4;
      out[index] = getHalf(block, 108) * ((low | (high << 4)) - 32) * code;
    }
  },
};

/** What the codes of `IQ4_NL` and `IQ4_XS` stand for. */
const IQ4 = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];
/** What the codes of `MXFP4` stand for, doubled. */
const FP4 = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

function nearest(table: readonly number[], value: number): number {
  return table.reduce(
    (best, each, index) => (Math.abs(each - value) < Math.abs(table[best]! - value) ? index : best),
    0,
  );
}

const iq4nl: { write: Write; read: Read } = {
  write(values, out) {
    const factor = inverse(putHalf(out, 0, farthest(values) / -127));
    putNibbles(
      out,
      2,
      Array.from(values, (value) => nearest(IQ4, value * factor)),
    );
  },
  read(block, out) {
    for (const [index, code] of getNibbles(block, 2).entries()) out[index] = getHalf(block, 0) * IQ4[code]!;
  },
};

const iq4xs: { write: Write; read: Read } = {
  write(values, out) {
    const parts = Array.from({ length: 8 }, (_, index) => values.subarray(index * 32, (index + 1) * 32));
    const scales = parts.map((part) => farthest(part) / -127);
    const step = putHalf(out, 0, farthest(scales) / -32);
    let high = 0;
    for (const [index, part] of parts.entries()) {
      const scale = clamp(scales[index]! * inverse(step), -32, 31);
      const low = 4 + (index >> 1);
      out.setUint8(low, out.getUint8(low) | (((scale + 32) & 15) << ((index & 1) * 4)));
      high |= ((scale + 32) >> 4) << (index * 2);
      const factor = inverse(step * scale);
      putNibbles(
        out,
        8 + index * 16,
        Array.from(part, (value) => nearest(IQ4, value * factor)),
      );
    }
    out.setUint16(2, high, true);
  },
  read(block, out) {
    for (let part = 0; part < 8; part++) {
      const low = (block.getUint8(4 + (part >> 1)) >> ((part & 1) * 4)) & 15;
      const scale = (low | (((block.getUint16(2, true) >> (part * 2)) & 3) << 4)) - 32;
      for (const [index, code] of getNibbles(block, 8 + part * 16).entries())
        out[part * 32 + index] = getHalf(block, 0) * scale * IQ4[code]!;
    }
  },
};

const mxfp4: { write: Write; read: Read } = {
  write(values, out) {
    const most = Math.abs(farthest(values));
    const exponent = most === 0 ? 0 : clamp(Math.floor(Math.log2(most)) - 2 + 127, 2, 254);
    out.setUint8(0, exponent);
    putNibbles(
      out,
      1,
      Array.from(values, (value) => nearest(FP4, value / 2 ** (exponent - 128))),
    );
  },
  read(block, out) {
    const scale = 2 ** (block.getUint8(0) - 128);
    for (const [index, code] of getNibbles(block, 1).entries()) out[index] = scale * FP4[code]!;
  },
};

const CODECS: Partial<Record<TensorKind, { write: Write; read: Read }>> = {
  F16: {
    write: (values, out) => void putHalf(out, 0, values[0]!),
    read(block, out) {
      out[0] = getHalf(block, 0);
    },
  },
  BF16: {
    write(values, out) {
      bitsOf.setFloat32(0, values[0]!);
      const bits = bitsOf.getUint32(0);
      // To the nearest, ties to even.
      out.setUint16(0, (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16, true);
    },
    read(block, out) {
      bitsOf.setUint32(0, block.getUint16(0, true) * 65_536);
      out[0] = bitsOf.getFloat32(0);
    },
  },
  Q4_0: simple(4, false),
  Q4_1: simple(4, true),
  Q5_0: simple(5, false),
  Q5_1: simple(5, true),
  Q8_0: {
    write(values, out) {
      const factor = inverse(putHalf(out, 0, Math.abs(farthest(values)) / 127));
      for (const [index, value] of values.entries()) out.setInt8(2 + index, clamp(value * factor, -127, 127));
    },
    read(block, out) {
      for (let index = 0; index < 32; index++) out[index] = getHalf(block, 0) * block.getInt8(2 + index);
    },
  },
  Q2_K: q2k,
  Q3_K: q3k,
  Q4_K: superBlock(4),
  Q5_K: superBlock(5),
  Q6_K: q6k,
  IQ4_NL: iq4nl,
  IQ4_XS: iq4xs,
  MXFP4: mxfp4,
};
