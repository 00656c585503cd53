/**
 * The inner loops of the matrix products as AssemblyScript: unrolled, because a tile's sums must stay in registers, and
 * AssemblyScript has no arrays of locals. The layouts are described in `src/model/engines/gguf/kernel-exports.ts`.
 * @module
 */

/**
 * How products of 8 bits are added. `relaxed`: four at a time to 32 bits (one instruction with AVX-VNNI and on ARM); `pairs`:
 * two at a time to 16 bits, for other x86 processors; `plain`: without relaxed SIMD, on activations of 16 bits.
 */
export type KernelBuild = 'relaxed' | 'pairs' | 'plain';

/** How the weights of one packed kind are laid out, for the generator. */
interface PackedKind {
  /** As `PackedKind` of `packed-kinds.ts`. */
  number: number;
  name: string;
  /** Bytes of a block: 4 rows of 32 columns. */
  blockBytes: number;
  /** Where the vectors of codes begin in a block. */
  codes: number;
  /**
   * What a byte of codes holds. `nibbles`: columns c and c + 16; `high-low`: one column as 16 x high + low.
   */
  byte: 'nibbles' | 'high-low';
}

const KINDS: readonly PackedKind[] = [
  { number: 0, name: 'Q4_0', blockBytes: 80, codes: 16, byte: 'nibbles' },
  { number: 1, name: 'Q8_0', blockBytes: 144, codes: 16, byte: 'high-low' },
];

/** Tokens side by side in packed activations of more than one row. */
const SIDE_BY_SIDE = 8;

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** One accumulator: what it is declared as, how a product is added, and how it becomes four sums of 32 bits. */
interface Sums {
  declare: (name: string) => string;
  /** Adds the products of the activations `y` and the codes in `u`. */
  add: (name: string) => string;
  total: (name: string) => string;
  /** Statement that brings four columns of activations into `y`. */
  load: (offset: number) => string;
  /** Statement after `u` changed. */
  ready: string;
  /** Bytes of an activation. */
  width: number;
}

const SUMS: Record<KernelBuild, Sums> = {
  relaxed: {
    declare: (name) => `${name} = i32x4.splat(0)`,
    add: (name) => `${name} = i32x4.relaxed_dot_i8x16_i7x16_add_s(y, u, ${name});`,
    total: (name) => name,
    load: (offset) => `y = v128.load32_splat(x, ${offset});`,
    ready: '',
    width: 1,
  },
  pairs: {
    declare: (name) => `${name} = i16x8.splat(0)`,
    add: (name) => `${name} = i16x8.add(${name}, i16x8.relaxed_dot_i8x16_i7x16_s(y, u));`,
    total: (name) => `i32x4.extadd_pairwise_i16x8_s(${name})`,
    load: (offset) => `y = v128.load32_splat(x, ${offset});`,
    ready: '',
    width: 1,
  },
  plain: {
    declare: (name) => `${name} = i32x4.splat(0), ${name}h = ${name}`,
    add: (name) =>
      `${name} = i32x4.add(${name}, i32x4.dot_i16x8_s(y, ul)); ${name}h = i32x4.add(${name}h, i32x4.dot_i16x8_s(y, uh));`,
    total: (name) => `sumPairs(${name}, ${name}h)`,
    load: (offset) => `y = v128.load64_splat(x, ${offset});`,
    ready: 'ul = i16x8.extend_low_i8x16_u(u); uh = i16x8.extend_high_i8x16_u(u);',
    width: 2,
  },
};

/**
 * `tokens` rows of activations by `groups` groups of 4 rows of weights. The sums of a row are added in the same order in
 * every tile, so that its bits never depend on the tile.
 * @param layout tokens side by side in the activations
 */
function tile(build: KernelBuild, kind: PackedKind, tokens: number, groups: number, layout: number): string {
  const sums = SUMS[build];
  const rowBytes = 32 * sums.width;
  const planes = kind.byte === 'high-low' || tokens * groups < 8 ? 2 : 1;
  const accumulator = (token: number, group: number, high: boolean): string =>
    `${planes === 2 && high ? 'b' : 'a'}${token}_${group}`;
  const each = <T>(make: (token: number, group: number) => T): T[] =>
    times(tokens, (token) => times(groups, (group) => make(token, group))).flat();

  const products = times(kind.byte === 'nibbles' ? 4 : 8, (vector) => {
    const column = (high: boolean): number => vector * 4 + (high && kind.byte === 'nibbles' ? 16 : 0);
    const codes = (group: number): string => `v = v128.load(p${group}, ${kind.codes + 16 * vector});`;
    const half = (high: boolean): string => `u = ${high ? 'highNibbles(v)' : 'v128.and(v, NIBBLES)'}; ${sums.ready}`;
    return times(groups, (group) =>
      [
        codes(group),
        ...[false, true].map((high) =>
          [
            half(high),
            ...times(
              tokens,
              (token) =>
                sums.load(token * rowBytes + column(high) * sums.width) +
                ' ' +
                sums.add(accumulator(token, group, high)),
            ),
          ].join('\n    '),
        ),
      ].join('\n    '),
    ).join('\n    ');
  });

  const total = (token: number, group: number): string => {
    const offset = `v128.load32_splat(s, ${4 * layout + 4 * token})`;
    const [low, high] = [accumulator(token, group, false), accumulator(token, group, true)].map(sums.total);
    if (kind.byte === 'high-low') return `i32x4.add(i32x4.shl(i32x4.add(${offset}, ${high}), 4), ${low})`;
    return planes === 2 ? `i32x4.add(${offset}, i32x4.add(${low}, ${high}))` : `i32x4.add(${offset}, ${low})`;
  };

  return `
function tile${kind.name}_${tokens}x${groups}of${layout}(out: usize, stride: usize, rows: i32, w: usize, groupBytes: usize, x: usize, s: usize, blocks: i32): void {
  let v: v128, u: v128, y: v128, ul: v128, uh: v128;
  let ${times(groups, (group) => `p${group} = w + ${group} * groupBytes`).join(', ')};
  let ${each((token, group) => `f${token}_${group} = f32x4.splat(0)`).join(', ')};
  for (; blocks; blocks--) {
    let ${times(planes, (plane) => each((token, group) => sums.declare(accumulator(token, group, plane === 1))))
      .flat()
      .join(', ')};
    ${products.join('\n    ')}
    ${times(groups, (group) => `v = v128.load(p${group}); ${times(tokens, (token) => `f${token}_${group} = fma(f32x4.convert_i32x4_s(${total(token, group)}), f32x4.mul(v, v128.load32_splat(s, ${4 * token})), f${token}_${group});`).join('\n    ')}`).join('\n    ')}
    ${times(groups, (group) => `p${group} += ${kind.blockBytes};`).join(' ')} x += ${layout * (rowBytes + 16)}; s += ${layout * (rowBytes + 16)};
  }
  ${each((token, group) => `${token > 0 ? `if (rows > ${token}) ` : ''}v128.store(out + ${token} * stride, f${token}_${group}, ${16 * group});`).join('\n  ')}
}
`;
}

/** The product of any number of rows, of tiles. */
function product(build: KernelBuild, kind: PackedKind): string {
  const { name, byte } = kind;
  const rowBytes = 32 * SUMS[build].width;
  const wide = byte === 'nibbles' ? 8 : 4;
  return `
${tile(build, kind, 1, 4, 1)}${tile(build, kind, 1, 1, 1)}${tile(build, kind, 4, 1, SIDE_BY_SIDE)}${wide === 8 ? tile(build, kind, 8, 1, SIDE_BY_SIDE) : ''}
function multiply${name}(out: usize, stride: usize, w: usize, x: usize, rows: i32, blocks: i32, first: i32, last: i32): void {
  const groupBytes = <usize>blocks * ${kind.blockBytes};
  w += <usize>first * groupBytes;
  out += <usize>first << 4;
  if (rows == 1) {
    for (; first + 4 <= last; first += 4) {
      tile${name}_1x4of1(out, stride, 1, w, groupBytes, x, x + ${rowBytes}, blocks);
      out += 64; w += 4 * groupBytes;
    }
    for (; first < last; first++) {
      tile${name}_1x1of1(out, stride, 1, w, groupBytes, x, x + ${rowBytes}, blocks);
      out += 16; w += groupBytes;
    }
    return;
  }
  for (; rows > 0; rows -= ${SIDE_BY_SIDE}) {
    let o = out, p = w;
    const s = x + ${SIDE_BY_SIDE * rowBytes};
    for (let group = first; group < last; group++) {
      ${
        wide === 8
          ? `if (rows > 4) tile${name}_8x1of8(o, stride, rows, p, groupBytes, x, s, blocks);
      else tile${name}_4x1of8(o, stride, rows, p, groupBytes, x, s, blocks);`
          : `tile${name}_4x1of8(o, stride, rows, p, groupBytes, x, s, blocks);
      if (rows > 4) tile${name}_4x1of8(o + 4 * stride, stride, rows - 4, p, groupBytes, x + ${4 * rowBytes}, s + 16, blocks);`
      }
      o += 16; p += groupBytes;
    }
    x += <usize>blocks * ${SIDE_BY_SIDE * (rowBytes + 16)};
    out += ${SIDE_BY_SIDE} * stride;
  }
}
`;
}

/** A module of AssemblyScript that exports `multiply` (see `KernelExports`). */
export function tilesOf(build: KernelBuild): string {
  const cases = KINDS.map(
    ({ name, number }) =>
      `case ${number}: return multiply${name}(out, <usize>stride << 2, w, x, rows, columns >> 5, first, last);`,
  );
  return `import { fma, highNibbles, NIBBLES, sumPairs } from './simd';
${KINDS.map((kind) => product(build, kind)).join('')}
export function multiply(kind: i32, out: usize, stride: i32, w: usize, x: usize, rows: i32, columns: i32, first: i32, last: i32): void {
  switch (kind) {
    ${cases.join('\n    ')}
    default: unreachable();
  }
}
`;
}
