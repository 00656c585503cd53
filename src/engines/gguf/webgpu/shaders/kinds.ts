/**
 * How shaders read the numbers of each kind of weights: 32 columns are a block, 16 of them a half, 4 of them a step. Weights of a
 * kind lie in planes (`planes.ts`): codes in vectors of 16 bytes, the others in words.
 * @module
 */
import type { TensorKind } from '../../file/tensor-kinds.js';

/** WGSL by the row's number `r` (its block of the matrix is `i{r}`) and the name `s` of its part. */
type Code = (r: number, s: string) => string;

/** Numbers of a row are code × factor, or code × factor.x + factor.y. */
export interface KindReader {
  /** Before the columns of a block. */
  block?: Code;
  /** Before those of the half `h`. */
  half?: Code;
  /** An expression: 4 codes of step `j` of half `h`, as `vec4f`. */
  code: Code;
  /** The same as two words of 16-bit floats, which hold them exactly; undefined where they do not. */
  packed?: Code | undefined;
  /** After a step. */
  next?: Code;
  /** Whether all columns of a block share a factor, or of a half; and whether there is a second one to add. */
  factors: 'none' | 'block' | 'blockPair' | 'half' | 'halfPair';
  /** An expression: `f32`, or `vec2f` of a pair. */
  factor: Code;
}

const NIBBLES = {
  block: (r: number, s: string) => `var c${r} = codes[${s}.codes + i${r}];`,
  next: (r: number) => `c${r} = c${r}.yzwx;`,
};
const nibble = (r: number): string => `((c${r}.x >> (4u * h)) & 0x0f0f0f0fu)`;
const fifth = (r: number): string => `(((e${r} >> (j + 4u * h)) & 0x01010101u) << 4u)`;
const pairOfBits = (r: number): string => `((e${r} >> (2u * j)) & 0x03030303u)`;
const extra =
  (words: number): Code =>
  (r, s) =>
    `let e${r} = words[${s}.extra + ${words}u * i${r} + h];`;
const withFifth = {
  ...NIBBLES,
  block: (r: number, s: string) => `${NIBBLES.block(r, s)} let e${r} = words[${s}.extra + i${r}];`,
};
const halfFloat: Code = (r, s) => `half(${s}.scales, i${r})`;
const twoHalves: Code = (r, s) => `unpack2x16float(words[${s}.scales + i${r}])`;
const superPair: Code = (r, s) => `superPair(${s}, i${r})`;
const superScale: Code = (r, s) => `superScale(${s}, i${r}, h)`;

const KINDS: Partial<Record<TensorKind, KindReader>> = {
  Q4_0: { ...NIBBLES, code: (r) => `(bytes(${nibble(r)}) - 8.0)`, factors: 'block', factor: halfFloat },
  Q4_1: { ...NIBBLES, code: (r) => `bytes(${nibble(r)})`, factors: 'blockPair', factor: twoHalves },
  Q5_0: {
    ...withFifth,
    code: (r) => `(bytes(${nibble(r)} | ${fifth(r)}) - 16.0)`,
    factors: 'block',
    factor: halfFloat,
  },
  Q5_1: { ...withFifth, code: (r) => `bytes(${nibble(r)} | ${fifth(r)})`, factors: 'blockPair', factor: twoHalves },
  Q8_0: {
    half: (r, s) => `var c${r} = codes[${s}.codes + 2u * i${r} + h];`,
    next: NIBBLES.next,
    code: (r) => `(bytes(c${r}.x) - 128.0)`,
    factors: 'block',
    factor: halfFloat,
  },
  Q2_K: {
    half: extra(2),
    code: (r) => `bytes(${pairOfBits(r)})`,
    factors: 'halfPair',
    factor: (r, s) => `nibblePair(${s}, i${r}, h)`,
  },
  Q3_K: {
    block: (r, s) => `let t${r} = words[${s}.extra + 3u * i${r} + 2u];`,
    half: extra(3),
    code: (r) => `(bytes(${pairOfBits(r)} | (((t${r} >> (j + 4u * h)) & 0x01010101u) << 2u)) - 4.0)`,
    factors: 'half',
    factor: (r, s) => `sixBitScale(${s}, i${r}, h)`,
  },
  Q4_K: { ...NIBBLES, code: (r) => `bytes(${nibble(r)})`, factors: 'blockPair', factor: superPair },
  Q5_K: { ...withFifth, code: (r) => `bytes(${nibble(r)} | ${fifth(r)})`, factors: 'blockPair', factor: superPair },
  Q6_K: {
    ...NIBBLES,
    half: extra(2),
    code: (r) => `(bytes(${nibble(r)} | (${pairOfBits(r)} << 4u)) - 32.0)`,
    factors: 'half',
    factor: superScale,
  },
  IQ4_NL: { ...NIBBLES, code: (r) => `fromTable(${nibble(r)})`, factors: 'block', factor: halfFloat },
  IQ4_XS: {
    ...NIBBLES,
    code: (r) => `fromTable(${nibble(r)})`,
    factors: 'block',
    factor: (r, s) => `half(${s}.supers, i${r} >> 3u) * f32(signedByte(${s}.scales, i${r}))`,
  },
  MXFP4: {
    ...NIBBLES,
    code: (r) => `fromFloats(${nibble(r)})`,
    factors: 'block',
    factor: (r, s) => `powerOfTwo(byteAt(${s}.scales, i${r}))`,
  },
  F16: {
    code: (r, s) => `halves(codes[${s}.codes + 4u * i${r} + 2u * h + (j >> 1u)], j)`,
    packed: (r, s) => `twoOf(codes[${s}.codes + 4u * i${r} + 2u * h + (j >> 1u)], j)`,
    factors: 'none',
    factor: () => '1.0',
  },
  BF16: {
    code: (r, s) => `brainFloats(codes[${s}.codes + 4u * i${r} + 2u * h + (j >> 1u)], j)`,
    factors: 'none',
    factor: () => '1.0',
  },
  F32: {
    code: (r, s) => `bitcast<vec4f>(codes[${s}.codes + 8u * i${r} + 4u * h + j])`,
    factors: 'none',
    factor: () => '1.0',
  },
};

const NOTHING: Code = () => '';

/** How a kind is read. @throws RangeError for one without shaders: what runs is decided before */
export function readerOf(kind: TensorKind): Required<KindReader> {
  const reader = KINDS[kind];
  if (!reader) throw new RangeError(`No shader reads ${kind}.`);
  // Codes with factors are small integers.
  const packed: Code = (r, s) => `inHalves(${reader.code(r, s)})`;
  const none = reader.factors === 'none';
  return { block: NOTHING, half: NOTHING, next: NOTHING, packed: none ? undefined : packed, ...reader };
}

/** Whether shaders read a kind. */
export const hasShaders = (kind: TensorKind): boolean => KINDS[kind] !== undefined;

/** A matrix, or one of those that a product takes together. Offsets count vectors (codes) or words. */
export const PART = /* wgsl */ `
struct Part { codes: u32, extra: u32, scales: u32, supers: u32, rows: u32, out: u32, group: u32, bias: u32 }
`;

/** What the expressions above call. Weights are bound twice, as vectors and as words. */
export const READERS = /* wgsl */ `
fn bytes(u: u32) -> vec4f { return vec4f((vec4u(u) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(255u)); }
fn half(base: u32, i: u32) -> f32 { let w = unpack2x16float(words[base + (i >> 1u)]); return select(w.x, w.y, (i & 1u) == 1u); }
fn twoOf(v: vec4u, j: u32) -> vec2u { return select(v.xy, v.zw, vec2<bool>((j & 1u) == 1u)); }
fn outOfHalves(u: vec2u) -> vec4f { return vec4f(unpack2x16float(u.x), unpack2x16float(u.y)); }
fn inHalves(v: vec4f) -> vec2u { return vec2u(pack2x16float(v.xy), pack2x16float(v.zw)); }
fn halves(v: vec4u, j: u32) -> vec4f { return outOfHalves(twoOf(v, j)); }
fn brainFloats(v: vec4u, j: u32) -> vec4f {
  let u = twoOf(v, j);
  return bitcast<vec4f>(vec4u(u.x << 16u, u.x & 0xffff0000u, u.y << 16u, u.y & 0xffff0000u));
}
fn byteAt(base: u32, i: u32) -> u32 { return (words[base + (i >> 2u)] >> (8u * (i & 3u))) & 255u; }
fn signedByte(base: u32, i: u32) -> i32 { return bitcast<i32>(byteAt(base, i) << 24u) >> 24u; }
// Arrays that are indexed by what is read are not everywhere: the 16 bytes of IQ4's table in four words, the 8 sizes of FP4 in one.
fn tableByte(c: u32) -> f32 {
  let w = select(select(0xbfad9881u, 0xf6eaddcfu, (c & 4u) != 0u), select(0x26190d01u, 0x71594535u, (c & 4u) != 0u), (c & 8u) != 0u);
  return f32(bitcast<i32>(w << (24u - 8u * (c & 3u))) >> 24u);
}
fn fromTable(u: u32) -> vec4f { return vec4f(tableByte(u & 15u), tableByte((u >> 8u) & 15u), tableByte((u >> 16u) & 15u), tableByte((u >> 24u) & 15u)); }
fn smallFloat(u: u32) -> f32 { let v = f32((0xc8643210u >> (4u * (u & 7u))) & 15u); return select(v, -v, (u & 8u) != 0u); }
fn fromFloats(u: u32) -> vec4f { return vec4f(smallFloat(u), smallFloat(u >> 8u), smallFloat(u >> 16u), smallFloat(u >> 24u)); }
// Half of 2 to the power of byte - 127, because the sizes of FP4 are doubled.
fn powerOfTwo(byte: u32) -> f32 { return bitcast<f32>(select((max(byte, 1u) - 1u) << 23u, 0x00200000u << byte, byte < 2u)); }
fn superPair(s: Part, i: u32) -> vec2f {
  let j = i & 7u; let at = s.scales + 3u * (i >> 3u); let d = unpack2x16float(words[s.supers + (i >> 3u)]);
  let low = words[at + (j >> 2u)] >> (8u * (j & 3u)); let high = words[at + 2u] >> (4u * j);
  return vec2f(d.x * f32((low & 15u) | ((high & 3u) << 4u)), -(d.y * f32(((low >> 4u) & 15u) | ((high & 12u) << 2u))));
}
fn sixBitScale(s: Part, i: u32, h: u32) -> f32 {
  let k = 2u * (i & 7u) + h; let at = s.scales + 3u * (i >> 3u);
  let low = (words[at + (k >> 3u)] >> (4u * (k & 7u))) & 15u; let high = (words[at + 2u] >> (2u * k)) & 3u;
  return half(s.supers, i >> 3u) * (f32(low | (high << 4u)) - 32.0);
}
fn superScale(s: Part, i: u32, h: u32) -> f32 { return half(s.supers, i >> 3u) * f32(signedByte(s.scales, 2u * i + h)); }
fn nibblePair(s: Part, i: u32, h: u32) -> vec2f {
  let d = unpack2x16float(words[s.supers + (i >> 3u)]); let b = byteAt(s.scales, 2u * i + h);
  return vec2f(d.x * f32(b & 15u), -(d.y * f32(b >> 4u)));
}
`;
