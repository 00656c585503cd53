/**
 * Products of rows of weights with rows of activations. In whatever shader, a sum is made in the same order: as many sums of
 * blocks as there are lanes, in a block one chain over its columns; then the sums one after the other. So the bits of a row do not depend on how
 * many rows are read together.
 * @module
 */
import type { TensorKind } from '../../file/tensor-kinds.js';
import type { PlainGate } from '../plain-layers.js';
import { ACTIVATIONS, CHAIN, opened, rootMeans, squaresOf, vectorOf } from './arithmetic.js';
import { bindings, type LayoutName } from './bindings.js';
import { type ConvolvedChannels, convolveOnce } from './convolve.js';
import { type KindReader, PART, READERS, readerOf } from './kinds.js';
import { each, HEIGHT, MOST_PARTS, NONE, range, TILE } from './sizes.js';
import { type Lanes, productThreads, type ShaderTuning } from './tuning.js';

/** What becomes of sums: each is a number of the result, or opens a number that is there, or two of them are a gate and that. */
export type ProductEnd = 'each' | 'opened' | PlainGate;

export const isPair = (end: ProductEnd): end is PlainGate => end !== 'each' && end !== 'opened';

const activationOf = (end: ProductEnd): string => (end === 'each' ? '' : ACTIVATIONS[end === 'opened' ? 'gelu' : end]);

interface ProductHead {
  /** @default 'product' */
  layout?: LayoutName;
  /** What says which rows there are. */
  list: 'plan' | 'routes';
  /** More parameters, and what the last one of all products is called. */
  more?: string;
  last?: string;
}

/** What products bind. @param others what their layout has behind */
export const productHead = (
  { layout = 'product', list, more = '', last = 'isAdded' }: ProductHead,
  ...others: readonly string[]
): string => /* wgsl */ `${PART}
struct Parameters { blocks: u32, stride: u32, norm: u32, epsilon: f32, list: u32, scale: f32, cap: f32, ${last}: u32, parts: array<Part, ${MOST_PARTS}>${more} }
${bindings(layout, 'codes: array<vec4u>', 'words: array<u32>', 'x: array<vec4f>', 'result: array<f32>', 'vectors: array<f32>', `${list}: array<u32>`, ...others)}
${READERS}${CHAIN}`;

/** @param adds a branch is normalized @param isConvolved channels of the result are convolved */
function headOf(end: ProductEnd, adds = false, isConvolved = false): string {
  const head = { list: 'plan', last: end === 'opened' ? 'openedStride' : 'isAdded' } as const;
  if (adds) return productHead({ ...head, layout: 'openedProduct' }, 'branch: array<vec4f>', 'opened: array<f32>');
  if (!isConvolved) return productHead(head);
  return productHead({ ...head, layout: 'convolvedProduct', more: ', taps: u32, bias: u32' }, 'states: array<f32>');
}

/** @param at row of activations @param n row of the part @param inputs what has the numbers that are opened */
export function finish(end: ProductEnd, at: string, n: string, inputs = 'vectors'): string {
  const place = `${at} * p.stride + s.out + ${n}`;
  if (isPair(end)) return `result[${place}] = ${opened(end, 'v', 'v2')};`;
  if (end === 'opened') return `result[${place}] = activate(v) * ${inputs}[${at} * p.openedStride + s.bias + ${n}];`;
  return `v = v * p.scale; if (p.cap > 0.0) { v = p.cap * tanh(clamp(v / p.cap, -15.0, 15.0)); }
      let place = ${place}; if (p.isAdded == 1u) { v += result[place]; } result[place] = v;`;
}

export const addBias = (part: string, sum: string, n: string): string =>
  `if (${part}.bias != ${NONE}u) { ${sum} += vectors[${part}.bias + ${n}]; }`;

interface ProductOptions {
  /** Kinds of the parts. */
  kinds: readonly TensorKind[];
  /** Most rows of activations. */
  rows: number;
  lanes: Lanes;
  end: ProductEnd;
  /** Activations are normalized here. */
  normed?: boolean;
  /** Or a branch is, and added to them. */
  adds?: boolean;
  /** Channels of the result are convolved: of one row. */
  convolution?: ConvolvedChannels | undefined;
}

/** What becomes of a number of a row where channels of it are convolved. */
const convolved = ({ shape, row }: ConvolvedChannels): string =>
  `let c = s.out + row - ${row.mixed}u; if (c < ${shape.channels}u) { v = convolve(c, v); } result[s.out + row] = v;`;

/** Products of 1 to 8 rows of activations. Weights are read once: a thread has {@link HEIGHT} of their rows. */
export function productShader({
  kinds,
  rows,
  lanes,
  end,
  normed = false,
  adds = false,
  convolution,
}: ProductOptions): string {
  const threads = productThreads(rows, lanes);
  const pair = isPair(end);
  const all = range(rows);
  const height = pair ? HEIGHT / 2 : HEIGHT;
  const inGroup = (threads / lanes) * height;
  const distinct = [...new Set(kinds)];
  const body = (kind: TensorKind): string => sumsOfThread(readerOf(kind), { rows, lanes, pair, normed, adds });
  // What has one kind is one shader, however many parts there are.
  const branch = (kind: TensorKind): string => {
    const parts = kinds.flatMap((other, index) => (other === kind ? [`which == ${index}u`] : []));
    return `if (${parts.join(' || ')}) { ${body(kind)} }`;
  };
  const write = convolution && convolved(convolution);
  return /* wgsl */ `${headOf(end, adds, convolution !== undefined)}
${convolution ? convolveOnce(convolution.shape) : ''}${activationOf(end)}
var<workgroup> sums: array<f32, ${threads * sumsAtOnce(rows) * rows}>;
${normed || adds ? squaresOf(rows) : ''}
@compute @workgroup_size(${threads}) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let lane = t % ${lanes}u; let group = t / ${lanes}u;
  let count = plan[p.list]; let first = wg.y * ${rows}u; let columns4 = p.blocks * 8u;
  ${each(all, (m) => `let origin${m} = min(first + ${m}u, count - 1u) * columns4;`)}
  ${normed || adds ? rootMeans(rows, (m) => `${adds ? 'branch' : 'x'}[origin${m} + k]`) : ''}
  ${each(range(HEIGHT), (r) => each(all, (m) => `var a${r}_${m} = 0.0;`, ' '))}
  ${
    pair
      ? 'let s = p.parts[0]; let s1 = p.parts[1];'
      : `var which = 0u; ${each(range(MOST_PARTS - 1), (i) => `if (wg.x >= p.parts[${i + 1}].group) { which = ${i + 1}u; }`)} let s = p.parts[which];`
  }
  let base = (wg.x - s.group) * ${inGroup}u; let n = base + group * ${height}u;
  ${distinct.length === 1 ? body(distinct[0]!) : each(distinct, branch)}
  ${each(range(HEIGHT / sumsAtOnce(rows)), (round) => joinLanes({ round, rows, lanes, end, height, inputs: adds ? 'opened' : 'vectors', write }))}
}`;
}

/** Rows of a thread whose sums are joined together: workgroup memory is small. */
export const sumsAtOnce = (rows: number): number => (rows <= 2 ? HEIGHT : 2);

interface SumsOptions {
  rows: number;
  lanes: Lanes;
  pair: boolean;
  normed: boolean;
  adds?: boolean;
  /** Expressions: blocks of a row, and where its norm is. */
  blocks?: string;
  norm?: string;
}

/** The sums of a thread: one lane of each of its rows with each row of activations. */
export function sumsOfThread(
  reader: Required<KindReader>,
  { rows, lanes, pair, normed, adds = false, blocks = 'p.blocks', norm = 'p.norm' }: SumsOptions,
): string {
  const { block, half, code, next, factor, factors } = reader;
  const M = range(rows);
  const R = range(HEIGHT);
  // Of a pair of matrices a thread takes rows of both in turn.
  const part = (r: number): string => (pair && r % 2 === 1 ? 's1' : 's');
  const isByHalf = factors === 'half' || factors === 'halfPair';
  const isTwo = factors === 'blockPair' || factors === 'halfPair';
  const normOf = (given: string, m: number): string => `(${given}[origin${m} + at] * inverse${m}) * weight`;
  const load = (m: number): string => {
    if (adds) return `x[origin${m} + at] + (${normOf('branch', m)}) * p.scale`;
    return normed ? normOf('x', m) : `x[origin${m} + at]`;
  };
  const clear = `${each(R, (r) => each(M, (m) => `var d${r}_${m} = 0.0;`, ' '), ' ')} ${isTwo ? each(M, (m) => `var l${m} = 0.0;`, ' ') : ''}`;
  const added = (r: number, m: number): string =>
    isTwo ? `fma(f.y, l${m}, fma(f.x, d${r}_${m}, a${r}_${m}))` : `fma(f, d${r}_${m}, a${r}_${m})`;
  const add =
    factors === 'none'
      ? each(R, (r) => each(M, (m) => `a${r}_${m} = a${r}_${m} + d${r}_${m};`, ' '))
      : each(R, (r) => `{ let f = ${factor(r, part(r))}; ${each(M, (m) => `a${r}_${m} = ${added(r, m)};`, ' ')} }`);
  return /* wgsl */ `
  ${each(R, (r) => `let row${r} = min(n + ${pair ? r >> 1 : r}u, s.rows - 1u) * ${blocks};`)}
  for (var b = lane; b < ${blocks}; b += ${lanes}u) {
    ${each(R, (r) => `let i${r} = row${r} + b; ${block(r, part(r))}`)}
    ${isByHalf ? '' : clear}
    for (var h = 0u; h < 2u; h++) {
      ${each(R, (r) => half(r, part(r)), ' ')}
      ${isByHalf ? clear : ''}
      for (var j = 0u; j < 4u; j++) {
        let at = b * 8u + h * 4u + j;
        ${normed || adds ? `let weight = ${vectorOf(norm, 'at')};` : ''}
        ${each(M, (m) => `let x${m} = ${load(m)};`, ' ')}
        ${isTwo ? each(M, (m) => `l${m} = addUp(x${m}, l${m});`, ' ') : ''}
        ${each(R, (r) => `{ let q = ${code(r, part(r))}; ${next(r, part(r))} ${each(M, (m) => `d${r}_${m} = chain(q, x${m}, d${r}_${m});`, ' ')} }`)}
      }
      ${isByHalf ? add : ''}
    }
    ${isByHalf ? '' : add}
  }`;
}

interface JoinOptions {
  round: number;
  /** Rows of activations, and of weights of a thread. */
  rows: number;
  height: number;
  lanes: Lanes;
  end: ProductEnd;
  /** Expressions: which row of the result that of the activations `m` is, and whether there is one. */
  at?: string;
  isThere?: string;
  /** What has the numbers that are opened. */
  inputs?: string | undefined;
  /** What becomes of a sum `v`, where it is not what `end` says. */
  write?: string | undefined;
}

/** Adds the lanes of some rows, one after the other. */
export function joinLanes({
  round,
  rows,
  lanes,
  end,
  height,
  at = '(first + m)',
  isThere = 'first + m < count',
  inputs,
  write = finish(end, at, 'row', inputs),
}: JoinOptions): string {
  const pair = isPair(end);
  const threads = productThreads(rows, lanes);
  const together = sumsAtOnce(rows);
  const outs = ((threads / lanes) * together * rows) / (pair ? 2 : 1);
  const sum = (name: string, g: string): string =>
    `var ${name} = 0.0; for (var l = 0u; l < ${lanes}u; l++) { ${name} += sums[((${g}) * ${rows}u + m) * ${lanes}u + l]; }`;
  const row = pair ? `${(round * together) / 2}u + (g % ${together}u) / 2u` : `${round * together}u + g % ${together}u`;
  return /* wgsl */ `
  ${round > 0 ? 'workgroupBarrier();' : ''}
  ${each(range(together), (r) => each(range(rows), (m) => `sums[((group * ${together}u + ${r}u) * ${rows}u + ${m}u) * ${lanes}u + lane] = a${round * together + r}_${m};`, ' '))}
  workgroupBarrier();
  for (var o = t; o < ${outs}u; o += ${threads}u) {
    let m = o % ${rows}u; let g = (o / ${rows}u)${pair ? ' * 2u' : ''};
    ${sum('v', 'g')}
    ${pair ? sum('v2', 'g + 1u') : ''}
    let row = base + (g / ${together}u) * ${height}u + ${row};
    if (row < s.rows && ${isThere}) {
      ${end === 'opened' ? '' : addBias('s', 'v', 'row')}
      ${pair ? addBias('s1', 'v2', 'row') : ''}
      ${write}
    }
  }`;
}

/** Rows of weights of a tile from one of a thread to its next one, so that what neighbours read lies in other banks of memory. */
const APART = TILE.rows / 4;

/** Products of many rows of activations: a tile of weights, decoded once into workgroup memory, for {@link TILE} of them. */
export function tileShader(kind: TensorKind, { lanes, halves }: ShaderTuning, end: 'each' | 'opened' = 'each'): string {
  const { rows, tokens, threads } = TILE;
  const R = range(4);
  const reader = readerOf(kind);
  const { block, half, code, next, factors } = reader;
  const packed = halves ? reader.packed : undefined;
  const isTwo = factors === 'blockPair' || factors === 'halfPair';
  return /* wgsl */ `${headOf(end)}${activationOf(end)}
const LINE = 9u;
var<workgroup> weights: array<${packed ? 'vec2u' : 'vec4f'}, ${rows * 9}>;
var<workgroup> tokens: array<vec4f, ${tokens * 9}>;
var<workgroup> factors: array<vec2f, ${2 * 2 * rows}>;
${isTwo ? `var<workgroup> totals: array<f32, ${2 * 2 * tokens}>;` : ''}
@compute @workgroup_size(${threads}) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let s = p.parts[0]; let count = plan[p.list];
  let n0 = wg.x * ${rows}u; let m0 = wg.y * ${tokens}u; let columns4 = p.blocks * 8u;
  if (m0 >= count) { return; }
  let nt = t % ${APART}u; let mt = (t / ${APART}u) * 4u;
  let mine = min(n0 + (t >> 1u), s.rows - 1u) * p.blocks; let h = t & 1u;
  let token0 = min(m0 + (t >> 3u), count - 1u) * columns4 + (t & 7u); let token1 = min(m0 + 16u + (t >> 3u), count - 1u) * columns4 + (t & 7u);
  ${each(R, (r) => each(R, (m) => `var a${r}_${m} = 0.0; var z${r}_${m} = 0.0;`, ' '))}
  // Two blocks in turn, so that a block needs two barriers, not three.
  var parity = 0u;
  for (var lane = 0u; lane < min(${lanes}u, p.blocks); lane++) {
    for (var b = lane; b < p.blocks; b += ${lanes}u) {
      tokens[(t >> 3u) * LINE + (t & 7u)] = x[token0 + b * 8u];
      tokens[(16u + (t >> 3u)) * LINE + (t & 7u)] = x[token1 + b * 8u];
      {
        let i0 = mine + b; ${block(0, 's')} ${half(0, 's')}
        for (var j = 0u; j < 4u; j++) { weights[(t >> 1u) * LINE + h * 4u + j] = ${(packed ?? code)(0, 's')}; ${next(0, 's')} }
        ${keepFactor(reader)}
      }
      workgroupBarrier();
      ${isTwo ? addTokens(factors === 'halfPair') : ''}
      ${blockOfTile(reader, packed !== undefined)}
      parity = 1u - parity;
    }
    ${each(R, (r) => each(R, (m) => `z${r}_${m} += a${r}_${m}; a${r}_${m} = 0.0;`, ' '))}
  }
  // Sums go through workgroup memory, where activations are read no more, of half the tokens at a time: neighbours write neighbouring numbers.
  for (var begin = 0u; begin < ${tokens}u; begin += ${tokens / 2}u) {
    if (mt / ${tokens / 2}u == begin / ${tokens / 2}u) {
      ${each(R, (m) => `tokens[(mt - begin + ${m}u) * ${APART}u + nt] = vec4f(z0_${m}, z1_${m}, z2_${m}, z3_${m});`, ' ')}
    }
    workgroupBarrier();
    for (var o = t; o < ${(rows * tokens) / 2}u; o += ${threads}u) {
      let m = o / ${rows}u; let i = o % ${rows}u; let at = m0 + begin + m; let row = n0 + i;
      if (row < s.rows && at < count) {
        var v = tokens[m * ${APART}u + i % ${APART}u][i / ${APART}u];
        ${end === 'opened' ? '' : addBias('s', 'v', 'row')}
        ${finish(end, 'at', 'row')}
      }
    }
    workgroupBarrier();
  }
}`;
}

/** A thread has half a block of a row: it keeps the factor of the half, or the first one that of the block. */
function keepFactor({ factor, factors }: Required<KindReader>): string {
  const place = `factors[(parity * 2u + h) * ${TILE.rows}u + (t >> 1u)]`;
  switch (factors) {
    case 'none':
      return '';
    case 'block':
      return `if (h == 0u) { ${place} = vec2f(${factor(0, 's')}, 0.0); }`;
    case 'blockPair':
      return `if (h == 0u) { ${place} = ${factor(0, 's')}; }`;
    case 'half':
      return `${place} = vec2f(${factor(0, 's')}, 0.0);`;
    case 'halfPair':
      return `${place} = ${factor(0, 's')};`;
  }
}

/** The sums of activations that second factors multiply: of each block of a token, or of its halves. */
function addTokens(isByHalf: boolean): string {
  const { tokens } = TILE;
  const sum = (from: number, to: number, place: number): string =>
    `{ var l = 0.0; for (var j = ${from}u; j < ${to}u; j++) { l = addUp(tokens[t * LINE + j], l); } totals[(parity * 2u + ${place}u) * ${tokens}u + t] = l; }`;
  return `if (t < ${tokens}u) { ${isByHalf ? sum(0, 4, 0) + sum(4, 8, 1) : sum(0, 8, 0)} }`;
}

/** What a block adds to the 4 × 4 sums of a thread. */
function blockOfTile({ factors }: Required<KindReader>, arePacked: boolean): string {
  const R = range(4);
  const weight = (r: number): string => `weights[(nt + ${r * APART}u) * LINE + j]`;
  const isByHalf = factors === 'half' || factors === 'halfPair';
  const isTwo = factors === 'blockPair' || factors === 'halfPair';
  const add = (half: number): string => {
    if (factors === 'none') return each(R, (r) => each(R, (m) => `a${r}_${m} = a${r}_${m} + d${r}_${m};`, ' '));
    const total = (m: number): string => `totals[(parity * 2u + ${half}u) * ${TILE.tokens}u + mt + ${m}u]`;
    const sum = (r: number, m: number): string =>
      isTwo ? `fma(f.y, ${total(m)}, fma(f.x, d${r}_${m}, a${r}_${m}))` : `fma(f.x, d${r}_${m}, a${r}_${m})`;
    return each(
      R,
      (r) =>
        `{ let f = factors[(parity * 2u + ${half}u) * ${TILE.rows}u + nt + ${r * APART}u]; ${each(R, (m) => `a${r}_${m} = ${sum(r, m)};`, ' ')} }`,
    );
  };
  const clear = each(R, (r) => each(R, (m) => `d${r}_${m} = 0.0;`, ' '), ' ');
  // Totals are made by other threads, and a half is added before the barrier at the end of a block.
  return /* wgsl */ `
      ${each(R, (r) => each(R, (m) => `var d${r}_${m} = 0.0;`, ' '), ' ')}
      ${factors === 'halfPair' ? 'workgroupBarrier();' : ''}
      for (var j = 0u; j < 8u; j++) {
        ${isByHalf ? `if (j == 4u) { ${add(0)} ${clear} }` : ''}
        ${each(R, (r) => `let q${r} = ${arePacked ? `outOfHalves(${weight(r)})` : weight(r)};`, ' ')}
        ${each(R, (m) => `{ let v = tokens[(mt + ${m}u) * LINE + j]; ${each(R, (r) => `d${r}_${m} = chain(q${r}, v, d${r}_${m});`, ' ')} }`)}
      }
      workgroupBarrier();
      ${add(isByHalf ? 1 : 0)}`;
}
