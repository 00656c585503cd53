/**
 * The inner loops of the matrix products as AssemblyScript: unrolled, because a tile's sums must stay in registers, and
 * AssemblyScript has no arrays of locals. `src/engines/gguf/packed-kinds.ts` describes the layouts of weights,
 * `kernels/activations.ts` those of activations.
 * @module
 */
import { type Accumulator, ARITHMETIC, type KernelBuild } from './arithmetic.js';
import { FLOAT_KIND_NUMBERS, floatTiles } from './float-tiles.js';
import { INTEGER_KINDS, type IntegerKind, type Product, type Sum } from './integer-kinds.js';

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
  /** Rows are finished one after the other, see {@link rowByRow}. */
  isByRow?: boolean;
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const lines = (parts: readonly (string | readonly string[])[]): string => parts.flat().join('\n');

const nameOf = ({ kind, tokens, groups, layout, isByRow }: Tile): string =>
  `${isByRow ? 'rows' : 'tile'}${kind.name}_${tokens}x${groups}of${layout}`;

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
  const { zero, zeroShift = 0, products }: Sum = tile.kind.sums[index]!;
  const zeroPoint = zero === undefined ? undefined : number(tile, zero, token);
  const shift = zeroShift > 0 ? 'i32x4.shr_s' : 'i32x4.shl';
  const shifted = zeroShift === 0 ? zeroPoint : `${shift}(${zeroPoint}, ${Math.abs(zeroShift)})`;
  const chains = tile.kind.sums.length === 1 && isSplit(tile) ? 2 : 1;
  return times(chains, (chain) => ({
    name: `a${index}${'ab'[chain]}${token}_${group}`,
    count: products.length / chains,
    codes: tile.kind.codes,
    initial: chain === 0 ? shifted : undefined,
    ofBlock: zero === 'block',
  }));
}

/** Expression of the codes of a product. @param group whose vector is in `v<group>` */
function codesOf({ bit, bits, table, thirdBit }: Product, group: number): string {
  const moved = bit > 0 ? `i16x8.shr_u(v${group}, ${bit})` : `v${group}`;
  const mask = bits === 4 ? 'nibbles' : 'pairs';
  const own = bits === 8 ? moved : `v128.and(${moved}, ${mask})`;
  if (table !== undefined) return `lookUp(table${table}, ${own})`;
  if (thirdBit === undefined) return own;
  const third = thirdBit < 2 ? `i16x8.shl(t${group}, ${2 - thirdBit})` : `i16x8.shr_u(t${group}, ${thirdBit - 2})`;
  return `v128.or(${own}, v128.and(${third}, i8x16.splat(4)))`;
}

/** Adds up the integers of a block. */
function integers(tile: Tile): string[] {
  const { kind, tokens, groups, build } = tile;
  const { declare, add, load, prepare, width } = ARITHMETIC[build];
  const all = times(groups, (group) => group);
  const each = all.flatMap((group) => times(tokens, (token) => ({ token, group })));
  const declared = kind.sums.flatMap((_, sum) =>
    each.flatMap(({ token, group }) => accumulators(tile, sum, token, group).map(declare)),
  );
  const steps = kind.sums.flatMap(({ products }, sum) =>
    products.map((product, index) => ({ sum, index, ...product })),
  );
  type Step = (typeof steps)[number];
  const take = (vector: number, group: number): string => `v${group} = v128.load(c${group}, ${16 * vector});`;
  const part = (step: Step, group: number): string => `u${group} = ${codesOf(step, group)}; ${prepare(`u${group}`)}`;
  const bring = ({ column }: Step, token: number): string => load(token * rowBytes(build) + column * width);
  const multiply = ({ sum, index }: Step, token: number, group: number, y: string): string => {
    const chains = accumulators(tile, sum, token, group);
    return add(chains[index % chains.length]!, Math.floor(index / chains.length), y, `u${group}`);
  };
  const multiplied = times(kind.codeBytes / 16, (vector) => {
    const products = steps.filter((step) => step.vector === vector);
    // A single row: its activations serve all groups, whose codes are read one by one.
    if (tokens === 1) {
      return [
        ...products.map((step, index) => `const y${vector}_${index} = ${bring(step, 0)};`),
        ...all.flatMap((group) => [
          take(vector, group),
          ...products.flatMap((step, index) => [part(step, group), multiply(step, 0, group, `y${vector}_${index}`)]),
        ]),
      ];
    }
    return [
      ...all.map((group) => take(vector, group)),
      ...products.flatMap((step) => [
        ...all.map((group) => part(step, group)),
        ...times(tokens, (token) => [
          `y = ${bring(step, token)};`,
          ...all.map((group) => multiply(step, token, group, 'y')),
        ]).flat(),
      ]),
    ];
  }).flat();
  const last = kind.codeBytes - 16;
  const thirdBits = steps.some(({ thirdBit }) => thirdBit !== undefined)
    ? all.map((group) => `const t${group} = v128.load(c${group}, ${last});`)
    : [];
  return [...declared, ...thirdBits, ...multiplied];
}

const KINDS = [...INTEGER_KINDS, ...FLOAT_KIND_NUMBERS];

/**
 * Adds up the integers of a block and scales them, row by row. V8 without Turboshaft (Node 22 and before) computes a sum when it is used,
 * but loads in the order in which they are written: whatever was loaded before a sum's last number had to lie on the stack.
 */
function rowByRow(tile: Tile): string[] {
  const { kind, tokens, groups, build } = tile;
  const { declare, add, load, prepare, width } = ARITHMETIC[build];
  const all = times(groups, (group) => group);
  const steps = kind.sums.flatMap(({ products }, sum) =>
    products.map((product, index) => ({ ...product, sum, index })),
  );
  const last = kind.codeBytes - 16;
  const hasThirdBits = steps.some(({ thirdBit }) => thirdBit !== undefined);
  return [
    ...all.flatMap((group) => [
      ...(hasThirdBits ? [`const t${group} = v128.load(c${group}, ${last});`] : []),
      ...steps.flatMap((step, at) => [
        ...(step.vector === steps[at - 1]?.vector ? [] : [`v${group} = v128.load(c${group}, ${16 * step.vector});`]),
        `let k${at}_${group} = ${codesOf(step, group)}, k${at}_${group}l: v128, k${at}_${group}h: v128;`,
        prepare(`k${at}_${group}`),
      ]),
    ]),
    ...times(tokens, (token) => [
      ...kind.sums.flatMap((_, sum) => all.flatMap((group) => accumulators(tile, sum, token, group).map(declare))),
      ...steps.flatMap(({ sum, index, column }, at) => [
        `y = ${load(token * rowBytes(build) + column * width)};`,
        ...all.map((group) => {
          const chains = accumulators(tile, sum, token, group);
          return add(chains[index % chains.length]!, Math.floor(index / chains.length), 'y', `k${at}_${group}`);
        }),
      ]),
      ...all.flatMap((group) => scaled(tile, group, token)),
    ]).flat(),
  ];
}

/** Multiplies the integers of a block by its scales, and adds them to the results. */
function scaled(tile: Tile, group: number, token: number): string[] {
  const { kind, build } = tile;
  const { total } = ARITHMETIC[build];
  const sum = (index: number, token: number): string =>
    accumulators(tile, index, token, group)
      .map(total)
      .reduce((one, other) => `i32x4.add(${one}, ${other})`);
  const add = (token: number, integer: string, scale: string): string =>
    `f${token}_${group} = fma(f32x4.convert_i32x4_s(${integer}), f32x4.mul(${scale}, y), f${token}_${group});`;
  const subtract = (token: number, minimum: string, half: 'first' | 'second'): string =>
    `f${token}_${group} = fma(${minimum}${group}, f32x4.mul(f32x4.convert_i32x4_s(${number(tile, half, token)}), y), f${token}_${group});`;
  return [
    `y = ${number(tile, 'scale', token)};`,
    kind.combine === 'high-low'
      ? add(token, `i32x4.add(i32x4.shl(${sum(1, token)}, 4), ${sum(0, token)})`, `scale${group}`)
      : add(token, sum(0, token), `scale${group}`),
    ...(kind.combine === 'two-scales' ? [add(token, sum(1, token), `second${group}`)] : []),
    ...(kind.minimum === 'block'
      ? [`f${token}_${group} = fma(minimum${group}, ${number(tile, 'minusSum', token)}, f${token}_${group});`]
      : []),
    ...(kind.minimum === 'halves' ? [subtract(token, 'minimum', 'first'), subtract(token, 'other', 'second')] : []),
  ];
}

/** Declares what codes are looked up in and cut out with. As a constant in the loop, V8 would make it anew for every use. */
function constantsOf({ sums }: IntegerKind): string[] {
  const tables = new Set(sums.flatMap(({ products }) => products.flatMap(({ table }) => table ?? [])));
  return [
    'let nibbles = NIBBLES, pairs = i8x16.splat(3);',
    ...[...tables].map((table) => `let table${table} = ${table};`),
  ];
}

/** Brings what a superblock's head begins with to floats, once for its eight blocks. */
function headOf({ kind, groups }: Tile): string[] {
  const hasLow = kind.minimum !== 'none';
  return [
    'if (!(blocks & 7)) {',
    ...times(
      groups,
      (group) => `whole${group} = smallHalves(p${group}); ${hasLow ? `low${group} = smallHalves(p${group} + 8);` : ''}`,
    ),
    '}',
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
  const block = [
    // First, because they take a while.
    ...(kind.isSuper ? headOf(tile) : []),
    ...(kind.isSuper || tile.isByRow ? all.flatMap((group) => kind.scales(group)) : []),
    ...(tile.isByRow
      ? rowByRow(tile)
      : [
          ...integers(tile),
          ...all.flatMap((group) => [
            ...(kind.isSuper ? [] : kind.scales(group)),
            ...times(tokens, (token) => scaled(tile, group, token)).flat(),
          ]),
        ]),
    `x += ${step}; s += ${step};`,
  ];
  // The codes of a block are at `c`, its head at `p`, what the head of a superblock has of the block at `h`.
  const { headBytes, codeBytes, isSuper } = kind;
  const begin = all.map((group) =>
    isSuper
      ? `const p${group} = w${group} + head, h${group} = w${group} + part, c${group} = w${group} + codes;`
      : `const c${group} = p${group} + ${headBytes};`,
  );
  // One loop for blocks and superblocks: V8 keeps fewer sums in registers across two. Every eighth step is a longer one.
  const next = isSuper
    ? [
        'const isLast: usize = 0 - <usize>((blocks & 7) == 1);',
        `head += isLast & ${stepOf(kind)}; part += ${kind.partBytes ?? 8} + (isLast & ${stepOf(kind) - 8 * (kind.partBytes ?? 8)}); codes += ${codeBytes} + (isLast & ${headBytes});`,
      ]
    : all.map((group) => `p${group} += ${stepOf(kind)};`);
  return lines([
    `function ${nameOf(tile)}(out: usize, stride: usize, rows: i32, w: usize, groupBytes: usize, x: usize, s: usize, blocks: i32): void {`,
    'let v: v128, y: v128;',
    all.map(
      (group) =>
        `let v${group}: v128, u${group}: v128, u${group}l: v128, u${group}h: v128, scale${group}: v128, second${group}: v128, minimum${group}: v128, other${group}: v128;`,
    ),
    all.map((group) => `let ${isSuper ? 'w' : 'p'}${group} = w + ${group} * groupBytes;`),
    isSuper
      ? [
          `let head: usize = 0, part: usize = 0, codes: usize = ${headBytes};`,
          ...all.map((group) => `let whole${group} = f32x4.splat(0), low${group} = whole${group};`),
        ]
      : [],
    constantsOf(kind),
    all.flatMap((group) => times(tokens, (token) => `let f${token}_${group} = f32x4.splat(0);`)),
    ['for (; blocks > 0; blocks--) {', ...begin, ...block, ...next, '}'],
    times(tokens, (token) => [
      ...(token > 0 ? [`if (rows == ${token}) return;`] : []),
      ...all.map((group) => `v128.store(out, f${token}_${group}, ${16 * group});`),
      'out += stride;',
    ]).flat(),
    '}',
  ]);
}

/** The product of any number of rows, of tiles. @param isByRow its tiles of eight rows are; all others are those of the one that is not */
function productOf(build: KernelBuild, given: IntegerKind, isByRow: boolean): string {
  const kind = { ...given, ...(ARITHMETIC[build].width > 1 && given.whole) };
  const tile = (tokens: number, groups: number, layout: number): Tile => ({ build, kind, tokens, groups, layout });
  const one = tile(1, 1, 1);
  // Rows that are not there cost as much as others: few have small tiles. Two sums for each result leave no room for eight, and the
  // kinds that few files have, which have two elsewhere, are not worth a larger file.
  const wide = isByRow
    ? [{ ...tile(8, 1, SIDE_BY_SIDE), isByRow }]
    : kind.sums.length === 1 && !(kind.isRare && kind.whole)
      ? [tile(8, 1, SIDE_BY_SIDE)]
      : [];
  const half = tile(4, 1, SIDE_BY_SIDE);
  // Kinds that few files have get no tile of their own for two rows.
  const two = kind.isRare ? half : tile(2, 1, SIDE_BY_SIDE);
  const call = (called: Tile, parameters: string): string => `${nameOf(called)}(${parameters}, blocks);`;
  const row = rowBytes(build);
  /** The call for rows from `first` on, of which there may be fewer than the tile has. */
  const from = (called: Tile, first: number): string => {
    const [rows, place] = first === 0 ? ['rows', 'o'] : [`rows - ${first}`, `o + ${first} * stride`];
    return call(called, `${place}, stride, ${rows}, p, groupBytes, x + ${first * row}, s + ${first * 4}`);
  };
  const all = wide[0] ? from(wide[0], 0) : `${from(half, 0)} ${from(half, 4)}`;
  const product = (condition: string, tiles: string): string =>
    `${condition} for (; p < end; p += groupBytes) { ${tiles} o += 16; }`;
  return lines([
    (isByRow ? wide : [...new Set([one, two, half, ...wide])]).map(tileFunction),
    `function ${isByRow ? 'multiplyByRow' : 'multiply'}${kind.name}(out: usize, stride: usize, w: usize, x: usize, rows: i32, blocks: i32, first: i32, last: i32): void {
      const groupBytes = <usize>(blocks${kind.isSuper ? ' >> 3' : ''}) * ${stepOf(kind)};
      const end = w + <usize>last * groupBytes;
      w += <usize>first * groupBytes;
      out += <usize>first << 4;
      if (rows == 1) {
        const s = x + ${row};
        for (; w < end; w += groupBytes) {
          ${call(one, 'out, stride, 1, w, groupBytes, x, s')}
          out += 16;
        }
        return;
      }
      for (; rows > 0; rows -= ${SIDE_BY_SIDE}) {
        let o = out, p = w;
        const s = x + ${SIDE_BY_SIDE * row};
        ${product('if (rows > 6)', all)}
        ${product('else if (rows > 4)', `${from(half, 0)} ${from(two, 4)}`)}
        ${product('else if (rows > 2)', from(half, 0))}
        ${product('else', from(two, 0))}
        x += <usize>blocks * ${blockBytes(build, SIDE_BY_SIDE)};
        out += ${SIDE_BY_SIDE} * stride;
      }
    }`,
  ]);
}

/** A module of AssemblyScript that exports `multiply` (see `KernelExports`), `multiplyF32`, and if wanted `multiplyByRow`. */
export function tilesOf(build: KernelBuild, isByRow: boolean): string {
  const multiply = (name: string, ofKind: (kind: (typeof KINDS)[number]) => string): string =>
    lines([
      `export function ${name}(kind: i32, out: usize, stride: i32, w: usize, x: usize, rows: i32, columns: i32, first: i32, last: i32): void {`,
      'switch (kind) {',
      KINDS.map(
        (kind) =>
          `case ${kind.number}: ${ofKind(kind)}(out, <usize>stride << 2, w, x, rows, columns >> 5, first, last); return;`,
      ),
      'default: unreachable();',
      '}',
      '}',
    ]);
  const usual = ({ name }: { name: string }): string => `multiply${name}`;
  const integerKinds = new Set(INTEGER_KINDS.map(({ name }) => name));
  return lines([
    "import { fma, highNibbles, lookUp, NIBBLES, sumPairs } from './simd';",
    "import { brainFloats, FP4, HALF_BIAS, HALF_MASK, halves, halvesBy, IQ4, IQ4_HIGH, IQ4_LOW, powers, smallHalves } from './kinds';",
    INTEGER_KINDS.map((kind) => productOf(build, kind, false)),
    isByRow ? INTEGER_KINDS.map((kind) => productOf(build, kind, true)) : [],
    floatTiles(SIDE_BY_SIDE),
    multiply('multiply', usual),
    isByRow
      ? multiply('multiplyByRow', ({ name }) => (integerKinds.has(name) ? `multiplyByRow${name}` : usual({ name })))
      : [],
  ]);
}
