/** The packed kinds whose codes are integers, for the generator of tiles. @module */

/** A vector of codes, or a half of its bits, times four columns of activations. */
export interface Product {
  /** Index of the vector of 16 bytes in its block. */
  vector: number;
  bits: 'low' | 'high' | 'all';
  /** First of the four columns. */
  column: number;
}

/** Products that are added as integers. */
export interface Sum {
  products: readonly Product[];
  /** What the codes' zero point adds to the sum: by the sum of the whole block, or of its first or second half. */
  zero?: 'block' | 'first' | 'second';
  /** Zero points of halves are 32, or 32 by 2 to the power of this. */
  zeroShift?: number;
}

/** How weights of a kind lie and what they mean; see `packed-kinds.ts`. */
export interface IntegerKind {
  name: string;
  number: number;
  /** Codes are below it. */
  codes: 16 | 32 | 64;
  /** Bytes of a block's codes, and what stands before them. */
  codeBytes: number;
  headBytes: number;
  /** Eight blocks have one head. */
  isSuper: boolean;
  /** Bytes of the head that belong to each of the eight. */
  partBytes?: number;
  sums: readonly Sum[];
  /**
   * AssemblyScript that sets `scale<group>` (for two scaled sums also `second<group>`) and `minimum<group>` for 4 rows, from the
   * head at `p<group>`; the bytes for each block of a superblock begin at `h<group>`.
   */
  scales: (group: number) => readonly string[];
  /** How the sums become numbers: each with its scale, or the second one as 16 x the first. */
  combine: 'one' | 'two-scales' | 'high-low';
  /** By the sum of the block, or of its halves (`minimum<group>` and `other<group>`). */
  minimum: 'none' | 'block' | 'halves';
}

const vectors = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Columns c and c + 16 of a row in one byte. */
const NIBBLES: readonly Product[] = vectors(4).flatMap((vector) => [
  { vector, bits: 'low' as const, column: 4 * vector },
  { vector, bits: 'high' as const, column: 16 + 4 * vector },
]);
/** One column in a byte. */
const bytes = (from: number, to: number, bits: Product['bits'] = 'all'): Product[] =>
  vectors(8)
    .slice(from, to)
    .map((vector) => ({ vector, bits, column: 4 * vector }));

const floatScale = (group: number): string[] => [`scale${group} = v128.load(p${group});`];

/** Eight bytes: of 4 rows scales, then of 4 rows minima, to be multiplied by those of the head. */
const scaleAndMinimum = (group: number): string[] => [
  `v = i16x8.extend_low_i8x16_u(v128.load64_zero(h${group}, 32));`,
  `scale${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(v)), v128.load(p${group}));`,
  `minimum${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_u(v)), v128.load(p${group}, 16));`,
];

/** Eight bytes: of 4 rows the signed scale of the first 16 columns, then that of the others. */
const twoScales = (group: number): string[] => [
  `v = i16x8.extend_low_i8x16_s(v128.load64_zero(h${group}, 16));`,
  `scale${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(v)), v128.load(p${group}));`,
  `second${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(v)), v128.load(p${group}));`,
];

/** Sixteen bytes: of 4 rows two scales, then two minima, each pair for the first and the other 16 columns. */
const twoScalesAndMinima = (group: number): string[] => [
  `v = v128.load(h${group}, 32); y = i16x8.extend_low_i8x16_u(v); v = i16x8.extend_high_i8x16_u(v);`,
  `scale${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(y)), v128.load(p${group}));`,
  `second${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_u(y)), v128.load(p${group}));`,
  `minimum${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(v)), v128.load(p${group}, 16));`,
  `other${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_u(v)), v128.load(p${group}, 16));`,
];

const SIMPLE = { isSuper: false, combine: 'one', minimum: 'none' } as const;
const half = (bits: 'low' | 'high'): Product[] => NIBBLES.filter((product) => product.bits === bits);

/** Numbers as `PackedKind` has them. */
export const INTEGER_KINDS: readonly IntegerKind[] = [
  {
    ...SIMPLE,
    name: 'Q4_0',
    number: 0,
    codes: 16,
    codeBytes: 64,
    headBytes: 16,
    sums: [{ products: NIBBLES, zero: 'block' }],
    scales: floatScale,
  },
  {
    ...SIMPLE,
    name: 'Q8_0',
    number: 1,
    codes: 16,
    codeBytes: 128,
    headBytes: 16,
    combine: 'high-low',
    sums: [{ products: bytes(0, 8, 'low') }, { products: bytes(0, 8, 'high'), zero: 'block' }],
    scales: floatScale,
  },
  {
    ...SIMPLE,
    name: 'Q4_1',
    number: 2,
    codes: 16,
    codeBytes: 64,
    headBytes: 32,
    minimum: 'block',
    sums: [{ products: NIBBLES }],
    scales: (group) => [...floatScale(group), `minimum${group} = v128.load(p${group}, 16);`],
  },
  {
    name: 'Q4_K',
    number: 3,
    codes: 16,
    codeBytes: 64,
    headBytes: 96,
    isSuper: true,
    combine: 'one',
    minimum: 'block',
    sums: [{ products: NIBBLES }],
    scales: scaleAndMinimum,
  },
  {
    name: 'Q5_K',
    number: 4,
    codes: 32,
    codeBytes: 128,
    headBytes: 96,
    isSuper: true,
    combine: 'one',
    minimum: 'block',
    sums: [{ products: bytes(0, 8) }],
    scales: scaleAndMinimum,
  },
  {
    name: 'Q6_K',
    number: 5,
    codes: 64,
    codeBytes: 128,
    headBytes: 80,
    isSuper: true,
    combine: 'two-scales',
    minimum: 'none',
    sums: [
      { products: bytes(0, 4), zero: 'first' },
      { products: bytes(4, 8), zero: 'second' },
    ],
    scales: twoScales,
  },
  {
    ...SIMPLE,
    name: 'Q5_1',
    number: 6,
    codes: 32,
    codeBytes: 128,
    headBytes: 32,
    minimum: 'block',
    sums: [{ products: bytes(0, 8) }],
    scales: (group) => [...floatScale(group), `minimum${group} = v128.load(p${group}, 16);`],
  },
  {
    name: 'Q2_K',
    number: 7,
    codes: 16,
    codeBytes: 64,
    headBytes: 160,
    isSuper: true,
    partBytes: 16,
    combine: 'two-scales',
    minimum: 'halves',
    sums: [{ products: half('low') }, { products: half('high') }],
    scales: twoScalesAndMinima,
  },
  {
    name: 'Q3_K',
    number: 8,
    codes: 16,
    codeBytes: 64,
    headBytes: 80,
    isSuper: true,
    combine: 'two-scales',
    minimum: 'none',
    sums: [
      { products: half('low'), zero: 'first', zeroShift: 3 },
      { products: half('high'), zero: 'second', zeroShift: 3 },
    ],
    scales: twoScales,
  },
];
