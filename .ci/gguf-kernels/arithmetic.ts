/** How products of 8 bits are added, in each build of the kernels. @module */

/**
 * `relaxed`: four products at a time to 32 bits, one instruction with AVX-VNNI and on ARM; `pairs`: two at a time to 16 bits,
 * for other x86 processors; `plain`: without relaxed SIMD, on activations of 16 bits. Integers are exact, so all give the same
 * sums.
 */
export type KernelBuild = 'relaxed' | 'pairs' | 'plain';

/** One accumulator of four sums. */
export interface Accumulator {
  /** Begin of its local names. */
  name: string;
  /** Products that are added to it. */
  count: number;
  /** Codes are below it. */
  codes: number;
  /** Expression of what it begins with; undefined: 0. */
  initial: string | undefined;
  /** The initial value is that of a whole block, which has a form of its own where sums have 16 bits. */
  ofBlock: boolean;
}

interface Arithmetic {
  /** Bytes of an activation. */
  width: number;
  /** Expression of four columns of activations. */
  load: (offset: number) => string;
  /** Statement that makes ready the codes in a variable. */
  prepare: (codes: string) => string;
  declare: (accumulator: Accumulator) => string;
  /** Adds activations x codes, both in variables: the product of this index. */
  add: (accumulator: Accumulator, index: number, activations: string, codes: string) => string;
  /** Expression of the four sums. */
  total: (accumulator: Accumulator) => string;
}

/** Products of 7-bit activations' pairs and codes that fit into 16 bits: 2 x 127 x the largest code each. */
const inSixteenBits = ({ codes }: Accumulator): number => Math.floor(32_767 / (2 * 127 * (codes - 1)));
const isOneRun = (accumulator: Accumulator): boolean =>
  accumulator.count <= inSixteenBits(accumulator) && (accumulator.initial === undefined || accumulator.ofBlock);

export const ARITHMETIC: Readonly<Record<KernelBuild, Arithmetic>> = {
  relaxed: {
    width: 1,
    load: (offset) => `v128.load32_splat(x, ${offset})`,
    prepare: () => '',
    declare: ({ name, initial }) => `let ${name} = ${initial ?? 'i32x4.splat(0)'};`,
    add: ({ name }, _, y, u) => `${name} = i32x4.relaxed_dot_i8x16_i7x16_add_s(${y}, ${u}, ${name});`,
    total: ({ name }) => name,
  },
  pairs: {
    width: 1,
    load: (offset) => `v128.load32_splat(x, ${offset})`,
    prepare: () => '',
    declare: (accumulator) => {
      const { name, initial } = accumulator;
      if (isOneRun(accumulator)) return `let ${name}: v128${initial ? ` = ${initial}` : ''};`;
      return `let ${name}: v128, ${name}w = ${initial ?? 'i32x4.splat(0)'};`;
    },
    add: (accumulator, index, y, u) => {
      const { name, count, initial } = accumulator;
      const product = `i16x8.relaxed_dot_i8x16_i7x16_s(${y}, ${u})`;
      const run = inSixteenBits(accumulator);
      const isFirst = index % run === 0 && !(isOneRun(accumulator) && initial !== undefined);
      const added = isFirst ? `${name} = ${product};` : `${name} = i16x8.add(${name}, ${product});`;
      const isLast = index % run === run - 1 || index === count - 1;
      if (!isLast || isOneRun(accumulator)) return added;
      return `${added} ${name}w = i32x4.add(${name}w, i32x4.extadd_pairwise_i16x8_s(${name}));`;
    },
    total: (accumulator) =>
      isOneRun(accumulator) ? `i32x4.extadd_pairwise_i16x8_s(${accumulator.name})` : `${accumulator.name}w`,
  },
  plain: {
    width: 2,
    load: (offset) => `v128.load64_splat(x, ${offset})`,
    prepare: (u) => `${u}l = i16x8.extend_low_i8x16_u(${u}); ${u}h = i16x8.extend_high_i8x16_u(${u});`,
    declare: ({ name }) => `let ${name} = i32x4.splat(0), ${name}h = ${name};`,
    add: ({ name }, _, y, u) =>
      `${name} = i32x4.add(${name}, i32x4.dot_i16x8_s(${y}, ${u}l)); ${name}h = i32x4.add(${name}h, i32x4.dot_i16x8_s(${y}, ${u}h));`,
    total: ({ name, initial }) => {
      const sums = `sumPairs(${name}, ${name}h)`;
      return initial === undefined ? sums : `i32x4.add(${initial}, ${sums})`;
    },
  },
};
