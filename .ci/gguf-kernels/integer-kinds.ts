/** The packed kinds whose codes are integers, for the generator of tiles. @module */

/** A vector of codes, or some bits of each of its bytes, times four columns of activations. */
export interface Product {
  /** Index of the vector of 16 bytes in its block. */
  vector: number;
  /** The first of the bits, and how many they are. */
  bit: number;
  bits: 2 | 4 | 8;
  /** Name of a table in `kernels/kinds.ts`: what the bits stand for. Absent: they are the code. */
  table?: string;
  /** Which bit of each byte of the block's last vector is the third one of the code, whose first two are in `bits`. */
  thirdBit?: number;
  /** First of the four columns. */
  column: number;
}

/** Products that are added as integers. */
export interface Sum {
  products: readonly Product[];
  /** What the codes' zero point adds to the sum: by the sum of the whole block, or of its first or second half. */
  zero?: 'block' | 'first' | 'second';
  /** Zero points of blocks are 8 and those of halves are 32, or these by 2 to the power of this. */
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
  /** Few files have it. */
  isRare?: boolean;
  /** Eight blocks have one head. */
  isSuper: boolean;
  /** Bytes of the head that belong to each of the eight; by default 8. */
  partBytes?: number;
  sums: readonly Sum[];
  /**
   * AssemblyScript that sets `scale<group>` (for two scaled sums also `second<group>`) and `minimum<group>` for 4 rows, from the
   * head at `p<group>`; in superblocks from `whole<group>` and `low<group>`, what the head begins with as floats, and the bytes for each
   * block at `h<group>`.
   */
  scales: (group: number) => readonly string[];
  /** How the sums become numbers: each with its scale, or the second one as 16 x the first. */
  combine: 'one' | 'two-scales' | 'high-low';
  /** By the sum of the block, or of its halves (`minimum<group>` and `other<group>`). */
  minimum: 'none' | 'block' | 'halves';
  /** The products of activations of 16 bits, for which no code of 8 bits is too large; absent: those of the others. */
  whole?: Pick<IntegerKind, 'sums' | 'combine'>;
}

const vectors = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Columns c and c + 16 of a row in one byte. */
const nibbles = (table?: string): Product[] =>
  vectors(4).flatMap((vector) =>
    [0, 4].map((bit) => ({ vector, bit, bits: 4 as const, column: 4 * bit + 4 * vector, ...(table && { table }) })),
  );
const NIBBLES = nibbles();
/** One column in a byte, of which some bits are taken. */
const bytes = (from: number, to: number, { bit = 0, bits = 8 }: Partial<Product> = {}): Product[] =>
  vectors(8)
    .slice(from, to)
    .map((vector) => ({ vector, bit, bits, column: 4 * vector }));
/** Columns c, c + 8, c + 16 and c + 24 in one byte: those of one half of the block. */
const pairsOfBits = (half: 0 | 1): Product[] =>
  vectors(2).flatMap((vector) =>
    [0, 1].map((place) => {
      const bit = 4 * half + 2 * place;
      return { vector, bit, bits: 2 as const, column: 4 * bit + 4 * vector };
    }),
  );
const withThirdBit = (products: readonly Product[]): Product[] =>
  products.map((product) => ({ ...product, thirdBit: product.bit + product.vector }));

const halfScale = (group: number): string[] => [`scale${group} = halves(p${group});`];
/** The zero point of the codes as a minimum. */
const withZero = (scale: readonly string[], group: number, zero: number): string[] => [
  ...scale,
  `minimum${group} = f32x4.mul(scale${group}, f32x4.splat(${zero}));`,
];

/** Eight bytes: of 4 rows scales, then of 4 rows minima, to be multiplied by those of the head. */
const scaleAndMinimum = (group: number): string[] => [
  `v = i16x8.extend_low_i8x16_u(v128.load64_zero(h${group}, 16));`,
  `scale${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(v)), whole${group});`,
  `minimum${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_u(v)), low${group});`,
];

/** Eight bytes: of 4 rows the signed scale of the first 16 columns, then that of the others. */
const twoScales = (group: number): string[] => [
  `v = i16x8.extend_low_i8x16_s(v128.load64_zero(h${group}, 8));`,
  `scale${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(v)), whole${group});`,
  `second${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(v)), whole${group});`,
];

/**
 * Eight bytes: of 4 rows the scale (low four bits) and the minimum (high ones) of the first 16 columns, then of the others. Products
 * have the sums of 16 activations times 32.
 */
const twoScalesAndMinima = (group: number): string[] => [
  `u${group} = v128.load64_zero(h${group}, 16); v = i16x8.extend_low_i8x16_u(highNibbles(u${group})); u${group} = i16x8.extend_low_i8x16_u(v128.and(u${group}, NIBBLES));`,
  `scale${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(u${group})), whole${group});`,
  `second${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_u(u${group})), whole${group});`,
  `y = f32x4.mul(low${group}, f32x4.splat(1.0 / 32.0));`,
  `minimum${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(v)), y);`,
  `other${group} = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_u(v)), y);`,
];

/** Four bytes: of 4 rows a signed scale. */
const signedScale = (group: number): string[] => [
  `v = i32x4.extend_low_i16x8_s(i16x8.extend_low_i8x16_s(v128.load32_zero(h${group}, 8)));`,
  `scale${group} = f32x4.mul(f32x4.convert_i32x4_s(v), whole${group});`,
];

/** Codes + 128. */
const wholeCodes = (products: readonly Product[]): Pick<IntegerKind, 'sums' | 'combine'> => ({
  combine: 'one',
  sums: [{ products, zero: 'block', zeroShift: -4 }],
});

const SIMPLE = { isSuper: false, combine: 'one', minimum: 'none' } as const;
const IQ4: Pick<IntegerKind, 'combine' | 'sums' | 'whole'> = {
  combine: 'high-low',
  sums: [{ products: nibbles('IQ4_LOW') }, { products: nibbles('IQ4_HIGH'), zero: 'block' }],
  whole: wholeCodes(nibbles('IQ4')),
};

/** Numbers as `PackedKind` has them. */
export const INTEGER_KINDS: readonly IntegerKind[] = [
  {
    ...SIMPLE,
    name: 'Q4_0',
    number: 0,
    codes: 16,
    codeBytes: 64,
    headBytes: 8,
    sums: [{ products: NIBBLES, zero: 'block' }],
    scales: halfScale,
  },
  {
    ...SIMPLE,
    name: 'Q8_0',
    number: 1,
    codes: 16,
    codeBytes: 128,
    headBytes: 8,
    combine: 'high-low',
    sums: [{ products: bytes(0, 8, { bits: 4 }) }, { products: bytes(0, 8, { bit: 4, bits: 4 }), zero: 'block' }],
    whole: wholeCodes(bytes(0, 8)),
    // A block of weights below 0.008 has a subnormal scale.
    scales: (group) => [`scale${group} = smallHalves(p${group});`],
  },
  {
    ...SIMPLE,
    name: 'Q4_1',
    isRare: true,
    number: 2,
    codes: 16,
    codeBytes: 64,
    headBytes: 16,
    minimum: 'block',
    sums: [{ products: NIBBLES }],
    scales: (group) => [...halfScale(group), `minimum${group} = halves(p${group} + 8);`],
  },
  {
    name: 'Q4_K',
    number: 3,
    codes: 16,
    codeBytes: 64,
    headBytes: 80,
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
    headBytes: 80,
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
    headBytes: 72,
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
    isRare: true,
    number: 6,
    codes: 32,
    codeBytes: 128,
    headBytes: 16,
    minimum: 'block',
    sums: [{ products: bytes(0, 8) }],
    scales: (group) => [...halfScale(group), `minimum${group} = halves(p${group} + 8);`],
  },
  {
    name: 'Q2_K',
    isRare: true,
    number: 7,
    codes: 16,
    codeBytes: 32,
    headBytes: 80,
    isSuper: true,
    combine: 'two-scales',
    minimum: 'halves',
    sums: [{ products: pairsOfBits(0) }, { products: pairsOfBits(1) }],
    scales: twoScalesAndMinima,
  },
  {
    name: 'Q3_K',
    isRare: true,
    number: 8,
    codes: 16,
    codeBytes: 48,
    headBytes: 72,
    isSuper: true,
    combine: 'two-scales',
    minimum: 'none',
    sums: [
      { products: withThirdBit(pairsOfBits(0)), zero: 'first', zeroShift: 3 },
      { products: withThirdBit(pairsOfBits(1)), zero: 'second', zeroShift: 3 },
    ],
    scales: twoScales,
  },
  {
    ...SIMPLE,
    name: 'Q5_0',
    number: 9,
    codes: 32,
    codeBytes: 128,
    headBytes: 8,
    minimum: 'block',
    sums: [{ products: bytes(0, 8) }],
    scales: (group) => withZero(halfScale(group), group, 16),
  },
  {
    ...SIMPLE,
    ...IQ4,
    name: 'IQ4_NL',
    isRare: true,
    number: 10,
    codes: 16,
    codeBytes: 64,
    headBytes: 8,
    scales: halfScale,
  },
  {
    ...SIMPLE,
    ...IQ4,
    name: 'IQ4_XS',
    isRare: true,
    number: 11,
    codes: 16,
    codeBytes: 64,
    headBytes: 40,
    isSuper: true,
    partBytes: 4,
    scales: signedScale,
  },
  {
    ...SIMPLE,
    name: 'MXFP4',
    isRare: true,
    number: 12,
    codes: 32,
    codeBytes: 64,
    headBytes: 4,
    minimum: 'block',
    sums: [{ products: nibbles('FP4') }],
    scales: (group) => withZero([`scale${group} = powers(p${group});`], group, 12),
  },
];
