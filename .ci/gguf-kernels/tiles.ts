/**
 * The inner loops of the matrix products as AssemblyScript: unrolled, because a tile's sums must stay in registers, and
 * AssemblyScript has no arrays of locals. `src/model/engines/gguf/packed-kinds.ts` describes the layouts of weights,
 * `kernels/activations.ts` those of activations.
 * @module
 */
import { type Accumulator, ARITHMETIC, type KernelBuild } from './arithmetic.js';
import { FLOAT_KIND_NUMBERS, floatTiles } from './float-tiles.js';
import { INTEGER_KINDS, type IntegerKind, type Sum } from './integer-kinds.js';

/** Rows of activations side by side when there is more than one. */
const SIDE_BY_SIDE = 8;

/** Bytes of the numbers behind the codes of a row's block, and their order. */
const NUMBER_BYTES = 20;
const NUMBERS = { scale: 0, block: 1, minusSum: 2, first: 3, second: 4 } as const;

/** What a tile is made for. */
interface Tile {
  build: KernelBuild;
  kind: IntegerKind;
  /** Rows of activations. */
  tokens: number;
  /** Groups of 4 rows of weights. */
  groups: number;
  /** Rows of activations side by side. */
  layout: number;
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const lines = (parts: readonly (string | readonly string[])[]): string => parts.flat().join('\n');

const nameOf = ({ kind, tokens, groups, layout }: Tile): string => `tile${kind.name}_${tokens}x${groups}of${layout}`;

const rowBytes = (build: KernelBuild): number => 32 * ARITHMETIC[build].width;
const blockBytes = (build: KernelBuild, layout: number): number => layout * (rowBytes(build) + NUMBER_BYTES);

/** One of the numbers of a row's block of activations, in all lanes. */
const number = ({ layout }: Tile, which: keyof typeof NUMBERS, token: number): string =>
  `v128.load32_splat(s, ${4 * (NUMBERS[which] * layout + token)})`;

/** Bytes of a group of 4 rows: of 8 blocks in kinds with one head for them, else of one block. */
const stepOf = ({ headBytes, codeBytes, isSuper }: IntegerKind): number => headBytes + codeBytes * (isSuper ? 8 : 1);

/** The chain of additions of one result must not wait for itself: small tiles have two for each. */
const isSplit = ({ build, tokens, groups }: Tile): boolean => build === 'relaxed' && tokens * groups < 8;

/** The accumulators of a sum. */
function accumulators(tile: Tile, index: number, token: number, group: number): Accumulator[] {
  const { zero, products }: Sum = tile.kind.sums[index]!;
  const chains = tile.kind.sums.length === 1 && isSplit(tile) ? 2 : 1;
  return times(chains, (chain) => ({
    name: `a${index}${'ab'[chain]}${token}_${group}`,
    count: products.length / chains,
    codes: tile.kind.codes,
    initial: zero !== undefined && chain === 0 ? number(tile, zero, token) : undefined,
    ofBlock: zero === 'block',
  }));
}

/** Adds up the integers of a block. */
function integers(tile: Tile): string[] {
  const { kind, tokens, groups, build } = tile;
  const { declare, add, load, prepare, width } = ARITHMETIC[build];
  const each = times(groups, (group) => times(tokens, (token) => ({ token, group }))).flat();
  const declared = kind.sums.flatMap((_, sum) =>
    each.flatMap(({ token, group }) => accumulators(tile, sum, token, group).map(declare)),
  );
  const steps = kind.sums.flatMap(({ products }, sum) =>
    products.map((product, index) => ({ sum, index, ...product })),
  );
  const byVector = times(kind.codeBytes / 16, (vector) => steps.filter((step) => step.vector === vector));
  const multiplied = byVector.flatMap((products, vector) =>
    times(groups, (group) => [
      `v = v128.load(c${group}, ${16 * vector});`,
      ...products.flatMap(({ bits, sum, index, column }) => [
        `u = ${bits === 'high' ? 'highNibbles(v)' : bits === 'low' ? 'v128.and(v, NIBBLES)' : 'v'}; ${prepare}`,
        ...times(tokens, (token) => {
          const chains = accumulators(tile, sum, token, group);
          const chain = chains[index % chains.length]!;
          return `${load(token * rowBytes(build) + column * width)} ${add(chain, Math.floor(index / chains.length))}`;
        }),
      ]),
    ]).flat(),
  );
  return [...declared, ...multiplied];
}

/** Multiplies the integers of a block by its scales, and adds them to the results. */
function scaled(tile: Tile, group: number): string[] {
  const { kind, tokens, build } = tile;
  const { total } = ARITHMETIC[build];
  const sum = (index: number, token: number): string =>
    accumulators(tile, index, token, group)
      .map(total)
      .reduce((one, other) => `i32x4.add(${one}, ${other})`);
  const add = (token: number, integer: string, scale: string): string =>
    `f${token}_${group} = fma(f32x4.convert_i32x4_s(${integer}), f32x4.mul(${scale}, y), f${token}_${group});`;
  return [
    ...kind.scales(`p${group}`, `h${group}`),
    ...times(tokens, (token) => [
      `y = ${number(tile, 'scale', token)};`,
      kind.combine === 'high-low'
        ? add(token, `i32x4.add(i32x4.shl(${sum(1, token)}, 4), ${sum(0, token)})`, 'scale')
        : add(token, sum(0, token), 'scale'),
      ...(kind.combine === 'two-scales' ? [add(token, sum(1, token), 'scale2')] : []),
      ...(kind.hasMinimum
        ? [`f${token}_${group} = fma(minimum, ${number(tile, 'minusSum', token)}, f${token}_${group});`]
        : []),
    ]).flat(),
  ];
}

/**
 * A function that multiplies rows of activations by groups of 4 rows of weights. The sums of a row are added in the same order
 * in every tile, so that its bits never depend on the tile.
 */
function tileFunction(tile: Tile): string {
  const { kind, tokens, groups, layout, build } = tile;
  const all = times(groups, (group) => group);
  const step = blockBytes(build, layout);
  const block = [...integers(tile), ...all.flatMap((group) => scaled(tile, group)), `x += ${step}; s += ${step};`];
  const next = all.map((group) => `p${group} += ${stepOf(kind)};`);
  const codes = (group: number): string =>
    kind.isSuper
      ? `const h${group} = p${group} + (i << 3), c${group} = p${group} + ${kind.headBytes} + (i << ${Math.log2(kind.codeBytes)});`
      : `const c${group} = p${group} + ${kind.headBytes};`;
  const loop = kind.isSuper
    ? ['for (; blocks > 0; blocks -= 8) {', 'for (let i: usize = 0; i < 8; i++) {', ...all.map(codes), ...block, '}']
    : ['for (; blocks > 0; blocks--) {', ...all.map(codes), ...block];
  return lines([
    `function ${nameOf(tile)}(out: usize, stride: usize, rows: i32, w: usize, groupBytes: usize, x: usize, s: usize, blocks: i32): void {`,
    'let v: v128, u: v128, y: v128, ul: v128, uh: v128, scale: v128, scale2: v128, minimum: v128;',
    all.map((group) => `let p${group} = w + ${group} * groupBytes;`),
    all.flatMap((group) => times(tokens, (token) => `let f${token}_${group} = f32x4.splat(0);`)),
    [...loop, ...next, '}'],
    times(tokens, (token) => [
      ...(token > 0 ? [`if (rows == ${token}) return;`] : []),
      ...all.map((group) => `v128.store(out, f${token}_${group}, ${16 * group});`),
      'out += stride;',
    ]).flat(),
    '}',
  ]);
}

/** The product of any number of rows, of tiles. */
function product(build: KernelBuild, kind: IntegerKind): string {
  const one = times(2, (index): Tile => ({ build, kind, tokens: 1, groups: index === 0 ? 4 : 1, layout: 1 }));
  const widths = kind.sums.length === 1 ? [8, 4] : [4];
  const many = widths.map((tokens): Tile => ({ build, kind, tokens, groups: 1, layout: SIDE_BY_SIDE }));
  const call = (tile: Tile, more: string): string => `${nameOf(tile)}(${more}, blocks)`;
  const row = rowBytes(build);
  const [widest, half] = many;
  const tiles = half
    ? `if (rows > 4) ${call(widest!, 'o, stride, rows, p, groupBytes, x, s')};
       else ${call(half, 'o, stride, rows, p, groupBytes, x, s')};`
    : `${call(widest!, 'o, stride, rows, p, groupBytes, x, s')};
       if (rows > 4) ${call(widest!, `o + 4 * stride, stride, rows - 4, p, groupBytes, x + ${4 * row}, s + 16`)};`;
  return lines([
    [...one, ...many].map(tileFunction),
    `function multiply${kind.name}(out: usize, stride: usize, w: usize, x: usize, rows: i32, blocks: i32, first: i32, last: i32): void {
      const groupBytes = <usize>(blocks${kind.isSuper ? ' >> 3' : ''}) * ${stepOf(kind)};
      w += <usize>first * groupBytes;
      out += <usize>first << 4;
      if (rows == 1) {
        const s = x + ${row};
        for (; first + 4 <= last; first += 4) {
          ${call(one[0]!, 'out, stride, 1, w, groupBytes, x, s')};
          out += 64; w += 4 * groupBytes;
        }
        for (; first < last; first++) {
          ${call(one[1]!, 'out, stride, 1, w, groupBytes, x, s')};
          out += 16; w += groupBytes;
        }
        return;
      }
      for (; rows > 0; rows -= ${SIDE_BY_SIDE}) {
        let o = out, p = w;
        const s = x + ${SIDE_BY_SIDE * row};
        for (let group = first; group < last; group++) {
          ${tiles}
          o += 16; p += groupBytes;
        }
        x += <usize>blocks * ${blockBytes(build, SIDE_BY_SIDE)};
        out += ${SIDE_BY_SIDE} * stride;
      }
    }`,
  ]);
}

/** A module of AssemblyScript that exports `multiply` (see `KernelExports`) and `multiplyF32`. */
export function tilesOf(build: KernelBuild): string {
  const cases = [...INTEGER_KINDS, ...FLOAT_KIND_NUMBERS].map(
    ({ name, number }) =>
      `case ${number}: multiply${name}(out, <usize>stride << 2, w, x, rows, columns >> 5, first, last); return;`,
  );
  return lines([
    "import { fma, highNibbles, NIBBLES, sumPairs } from './simd';",
    "import { brainFloats, halves } from './kinds';",
    INTEGER_KINDS.map((kind) => product(build, kind)),
    floatTiles(SIDE_BY_SIDE),
    'export function multiply(kind: i32, out: usize, stride: i32, w: usize, x: usize, rows: i32, columns: i32, first: i32, last: i32): void {',
    'switch (kind) {',
    cases,
    'default: unreachable();',
    '}',
    '}',
  ]);
}
