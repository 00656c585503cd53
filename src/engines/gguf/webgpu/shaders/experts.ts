/**
 * Products with the matrices of the experts that a row takes. All experts of a piece lie one behind the other; which one is meant
 * `routes` says. A sum is made as in `product.ts`, so its bits depend neither on what other rows take nor on how many there are.
 * @module
 */
import type { TensorKind } from '../../file/tensor-kinds.js';
import type { PlainGate } from '../plain-layers.js';
import { ACTIVATIONS, opened, rootMeans, squaresOf } from './arithmetic.js';
import { readerOf } from './kinds.js';
import {
  addBias,
  finish,
  isPair,
  joinLanes,
  type ProductEnd,
  productHead,
  sumsAtOnce,
  sumsOfThread,
} from './product.js';
import { each, EXPERT_ROWS, HEIGHT, NONE, range } from './sizes.js';
import { type Lanes, productRows, productThreads } from './tuning.js';

/**
 * Of the experts of a piece the first one and how many, rows of one and from one to the next; of the slots of a row the first that
 * is meant, how many, and all; vectors of a slot's inside; and where the list of workgroups is. Of what all rows take beside them
 * where the norm of its rows is, and its blocks of a row.
 */
const HEAD = productHead({
  list: 'routes',
  more: ', first: u32, count: u32, rows: u32, each: u32, slot: u32, slots: u32, allSlots: u32, inner4: u32, groups: u32, share: u32, besideNorm: u32, besideBlocks: u32',
});

/** A part as the rows of one expert: `begin` is the first of them. */
const partOfExpert = (index: number): string =>
  `Part(p.parts[${index}].codes, p.parts[${index}].extra, p.parts[${index}].scales, p.parts[${index}].supers, begin + p.rows, p.parts[${index}].out - begin, 0u, select(p.parts[${index}].bias + id * p.rows - begin, ${NONE}u, p.parts[${index}].bias == ${NONE}u))`;

const IS_ELSEWHERE = 'id < p.first || id - p.first >= p.count';

/** What becomes of a product with experts. */
export interface ExpertEnd {
  end: ProductEnd;
  /** The other matrix' numbers are there, and open what this one gives. */
  opens?: PlainGate;
}

interface ExpertShader extends ExpertEnd {
  kind: TensorKind;
  lanes: Lanes;
  /** Activations are normalized here: of one row at a time. */
  normed?: boolean;
  /** The kind of what all rows take, in the slot behind those of experts. */
  beside?: TensorKind | undefined;
}

/** Sums of an expert, or of what all rows take. */
function sumsOf(
  { kind, beside }: Pick<ExpertShader, 'kind' | 'beside'>,
  options: Parameters<typeof sumsOfThread>[1],
): string {
  const body = (of: TensorKind): string => sumsOfThread(readerOf(of), options);
  if (beside === undefined || beside === kind) return body(kind);
  return `if (isBeside) { ${body(beside)} } else { ${body(kind)} }`;
}

/** Rows of an expert that a workgroup has. @param rows of activations */
export const expertRows = (rows: number, lanes: Lanes, end: ProductEnd): number =>
  productRows(rows, lanes) / (isPair(end) ? 2 : 1);

/** What goes into experts: rows of a gate and of what it opens, or of one matrix. A workgroup for some rows of a slot of a row. */
export function expertShader({ normed = false, ...options }: ExpertShader): string {
  const { end, beside, lanes } = options;
  const height = expertRows(1, lanes, end);
  return shaderOf(options, {
    rows: 1,
    normed,
    find: /* wgsl */ `
  let groups = (p.rows + ${height - 1}u) / ${height}u; let all = groups * p.slots;
  ${beside ? 'let isBeside = wg.x >= all; let place = select(wg.x % groups, wg.x - all, isBeside);' : 'let place = wg.x % groups;'}
  let slot = p.slot + min(wg.x / groups, p.slots); let id = routes[wg.y * p.allSlots * 2u + slot];
  ${beside ? '' : `if (${IS_ELSEWHERE}) { return; }`}
  let first = wg.y * p.allSlots + slot; let count = first + 1u; let origin0 = wg.y * columns4;`,
  });
}

/**
 * The same of up to {@link EXPERT_ROWS} slots that take an expert, which is read once for all; and what comes out of it, slot by
 * slot. A workgroup for some rows of what is listed.
 */
export function sharedExpertShader(options: ExpertShader): string {
  const M = range(EXPERT_ROWS);
  return shaderOf(options, {
    rows: EXPERT_ROWS,
    normed: false,
    find: /* wgsl */ `
  if (wg.y >= routes[p.groups]) { return; }
  let entry = p.groups + 4u + wg.y * 4u; let id = routes[entry];
  if (${IS_ELSEWHERE}) { return; }
  let place = wg.x; let first = routes[entry + 1u]; let count = routes[entry + 2u];
  ${each(M, (m) => `let origin${m} = routes[first + min(${m}u, count - 1u)] / p.share * p.inner4;`)}`,
    listed: { at: 'routes[first + m]', isThere: 'm < count' },
  });
}

interface Found {
  rows: number;
  normed: boolean;
  /** Finds an expert and the rows that take it. */
  find: string;
  listed?: { at: string; isThere: string };
}

function shaderOf({ kind, lanes, end, opens, beside }: ExpertShader, { rows, normed, find, listed }: Found): string {
  const pair = isPair(end);
  const height = pair ? HEIGHT / 2 : HEIGHT;
  const threads = productThreads(rows, lanes);
  const together = sumsAtOnce(rows);
  const gate = pair ? end : opens;
  const at = listed?.at ?? '(first + m)';
  const write = opens && `let to = ${at} * p.stride + s.out + row; result[to] = ${opened(opens, 'result[to]', 'v')};`;
  return /* wgsl */ `${HEAD}
${gate ? ACTIVATIONS[gate] : ''}
var<workgroup> sums: array<f32, ${threads * together * rows}>;
${normed ? squaresOf(1) : ''}
@compute @workgroup_size(${threads}) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let lane = t % ${lanes}u; let group = t / ${lanes}u; let columns4 = p.blocks * 8u;${find}
  let begin = ${beginOf(beside)};
  ${normed ? rootMeans(1, () => 'x[origin0 + k]') : ''}
  ${each(range(HEIGHT), (r) => each(range(rows), (m) => `var a${r}_${m} = 0.0;`, ' '))}
  var s = ${partOfExpert(0)};
  ${pair ? `var s1 = ${partOfExpert(1)};` : ''}
  ${beside ? 'if (isBeside) { s = p.parts[2]; s1 = p.parts[3]; }' : ''}
  ${normed ? `let norm = ${beside ? 'select(p.norm, p.besideNorm, isBeside)' : 'p.norm'};` : ''}
  let base = begin + place * ${expertRows(rows, lanes, end)}u; let n = base + group * ${height}u;
  ${sumsOf({ kind, beside }, { rows, lanes, pair, normed, norm: 'norm' })}
  ${each(range(HEIGHT / together), (round) => joinLanes({ round, rows, lanes, end, height, ...listed, ...(write && { write }) }))}
}`;
}

/** Where the rows of an expert begin; what all rows take is a part of its own. */
const beginOf = (beside: TensorKind | undefined): string =>
  beside ? 'select((id - p.first) * p.each, 0u, isBeside)' : '(id - p.first) * p.each';

/** @param isApart what all rows take is no expert: its sums have a place of their own */
interface ExpertSum extends Pick<ExpertShader, 'kind' | 'lanes' | 'beside'> {
  isApart?: boolean;
}

/** What comes out of the experts of a row, by their weights, one slot after the other. A workgroup for some of its numbers. */
export function expertSumShader({ kind, lanes, beside, isApart = false }: ExpertSum): string {
  const [threads, rows] = [productThreads(1, lanes), productRows(1, lanes)];
  const add = 'v = fma(sum, bitcast<f32>(routes[route + p.allSlots]), v);';
  return /* wgsl */ `${HEAD}
var<workgroup> sums: array<f32, ${threads * HEIGHT}>;
@compute @workgroup_size(${threads}) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let lane = t % ${lanes}u; let group = t / ${lanes}u;
  var v = 0.0; ${isApart ? 'var apart = 0.0;' : ''}
  for (var slot = p.slot; slot < p.slot + p.slots${beside ? ' + 1u' : ''}; slot++) {
    let route = wg.y * p.allSlots * 2u + slot; let id = routes[route];
    ${beside ? 'let isBeside = slot == p.slot + p.slots;' : `if (${IS_ELSEWHERE}) { continue; }`}
    let blocks = ${beside ? 'select(p.blocks, p.besideBlocks, isBeside)' : 'p.blocks'};
    let begin = ${beginOf(beside)}; var s = ${partOfExpert(0)};
    ${beside ? 'if (isBeside) { s = p.parts[1]; }' : ''}
    let origin0 = (wg.y * p.allSlots + slot) * p.inner4;
    let base = begin + wg.x * ${rows}u; let n = base + group * ${HEIGHT}u;
    ${each(range(HEIGHT), (r) => `var a${r}_0 = 0.0;`, ' ')}
    ${sumsOf({ kind, beside }, { rows: 1, lanes, pair: false, normed: false, blocks: 'blocks' })}
    workgroupBarrier();
    ${each(range(HEIGHT), (r) => `sums[(group * ${HEIGHT}u + ${r}u) * ${lanes}u + lane] = a${r}_0;`, ' ')}
    workgroupBarrier();
    if (t < ${rows}u && base + t < s.rows) {
      var sum = 0.0; for (var l = 0u; l < ${lanes}u; l++) { sum += sums[t * ${lanes}u + l]; }
      ${addBias('s', 'sum', '(base + t)')}
      ${isApart ? `if (isBeside) { apart = sum; } else { ${add} }` : add}
    }
  }
  let s = p.parts[0]; let row = wg.x * ${rows}u + t;
  if (t < ${rows}u && row < p.rows) {
    ${finish('each', 'wg.y', 'row')}
    ${isApart ? 'result[wg.y * p.stride + p.parts[1].out + row] = apart;' : ''}
  }
}`;
}

/** The same where what comes out of each slot is there: in the same order. A workgroup for 64 numbers of a row. */
export const ADD_EXPERTS_SHADER = /* wgsl */ `${HEAD}
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let s = p.parts[0]; let row = wg.x * 64u + t; var v = 0.0;
  if (row >= p.rows) { return; }
  for (var slot = p.slot; slot < p.slot + p.slots; slot++) {
    let route = wg.y * p.allSlots * 2u + slot; let id = routes[route];
    if (${IS_ELSEWHERE}) { continue; }
    let sum = x[((wg.y * p.allSlots + slot) * p.rows + row) / 4u][row & 3u];
    v = fma(sum, bitcast<f32>(routes[route + p.allSlots]), v);
  }
  ${finish('each', 'wg.y', 'row')}
}`;
