/** Tiles of weights that are floats: products with activations of 32 bits, in the order of the columns. @module */

/** How four rows of one column are read, by kind. */
const FLOAT_KINDS = [
  { name: 'F16', number: 16, columnBytes: 8, read: 'halvesBy' },
  { name: 'BF16', number: 17, columnBytes: 8, read: 'brainFloats' },
  { name: 'F32', number: 18, columnBytes: 16, read: 'v128.load' },
] as const;
type FloatKind = (typeof FLOAT_KINDS)[number];

/** Columns that a loop's round has. */
const UNROLLED = 4;

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

function tileFunction({ name, columnBytes, read }: FloatKind, tokens: number, groups: number, layout: number): string {
  const all = times(groups, (group) => times(tokens, (token) => ({ group, token }))).flat();
  // Constants of a loop are made anew for every use.
  const constants = name === 'F16' ? 'const mask = HALF_MASK, bias = HALF_BIAS;' : '';
  const round = times(UNROLLED, (column) => [
    ...(tokens === 1 ? [`y = v128.load32_splat(x, ${4 * column});`] : []),
    ...times(groups, (group) => [
      `w = ${read}(p${group} + ${columnBytes * column}${name === 'F16' ? ', mask, bias' : ''});`,
      ...times(tokens, (token) => {
        const y = tokens === 1 ? 'y' : `v128.load32_splat(x, ${4 * (layout * column + token)})`;
        return `f${token}_${group} = fma(${y}, w, f${token}_${group});`;
      }),
    ]).flat(),
  ]).flat();
  return `
function tile${name}_${tokens}x${groups}of${layout}(out: usize, stride: usize, rows: i32, weights: usize, groupBytes: usize, x: usize, blocks: i32): void {
  let w: v128, y: v128;
  ${constants}
  ${times(groups, (group) => `let p${group} = weights + ${group} * groupBytes;`).join('\n')}
  ${all.map(({ token, group }) => `let f${token}_${group} = f32x4.splat(0);`).join('\n')}
  for (let columns = blocks << 5; columns > 0; columns -= ${UNROLLED}) {
    ${round.join('\n')}
    ${times(groups, (group) => `p${group} += ${UNROLLED * columnBytes};`).join(' ')}
    x += ${4 * UNROLLED * layout};
  }
  ${times(tokens, (token) =>
    [
      token > 0 ? `if (rows == ${token}) return;` : '',
      ...times(groups, (group) => `v128.store(out, f${token}_${group}, ${16 * group});`),
      'out += stride;',
    ].join('\n'),
  ).join('\n')}
}
`;
}

function product(kind: FloatKind, sideBySide: number): string {
  const { name, columnBytes } = kind;
  return `
${tileFunction(kind, 1, 4, 1)}${tileFunction(kind, 1, 1, 1)}${tileFunction(kind, sideBySide, 1, sideBySide)}
export function multiply${name}(out: usize, stride: usize, w: usize, x: usize, rows: i32, blocks: i32, first: i32, last: i32): void {
  const groupBytes = <usize>blocks * ${32 * columnBytes};
  w += <usize>first * groupBytes;
  out += <usize>first << 4;
  for (; first < last && rows > 0;) {
    const isFour = rows == 1 && first + 4 <= last;
    if (isFour) tile${name}_1x4of1(out, stride, 1, w, groupBytes, x, blocks);
    else if (rows == 1) tile${name}_1x1of1(out, stride, 1, w, groupBytes, x, blocks);
    else {
      let o = out, a = x;
      for (let left = rows; left > 0; left -= ${sideBySide}) {
        tile${name}_${sideBySide}x1of${sideBySide}(o, stride, left, w, groupBytes, a, blocks);
        o += ${sideBySide} * stride;
        a += <usize>blocks * ${128 * sideBySide};
      }
    }
    const step = isFour ? 4 : 1;
    first += step; out += <usize>step << 4; w += <usize>step * groupBytes;
  }
}
`;
}

/** AssemblyScript of `multiply<kind>` for each. */
export const floatTiles = (sideBySide: number): string => FLOAT_KINDS.map((kind) => product(kind, sideBySide)).join('');

/** Number and name of each. */
export const FLOAT_KIND_NUMBERS: readonly { name: string; number: number }[] = FLOAT_KINDS;
