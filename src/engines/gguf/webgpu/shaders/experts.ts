/**
 * Products with the matrices of the experts that a row takes. All experts of a piece lie one behind the other; which one is meant
 * `routes` says. A sum is made as in `product.ts`, for one row at a time, so its bits do not depend on what others take.
 * @module
 */
import type { TensorKind } from '../../file/tensor-kinds.js';
import { ACTIVATIONS, rootMeans, squaresOf } from './arithmetic.js';
import { readerOf } from './kinds.js';
import { addBias, finish, isPair, joinLanes, type ProductEnd, productHead, sumsOfThread } from './product.js';
import { each, HEIGHT, LANES, NONE, productRows, productThreads, range } from './sizes.js';

const THREADS = productThreads(1);

/**
 * Of the experts of a piece the first one and how many, rows of one and from one to the next; of the slots of a row the first that
 * is meant, how many, and all; and vectors of a slot's inside.
 */
const HEAD = productHead(
  'routes',
  ', first: u32, count: u32, rows: u32, each: u32, slot: u32, slots: u32, allSlots: u32, inner4: u32',
);

/** A part as the rows of one expert: `begin` is the first of them. */
const partOfExpert = (index: number): string =>
  `Part(p.parts[${index}].codes, p.parts[${index}].extra, p.parts[${index}].scales, p.parts[${index}].supers, begin + p.rows, p.parts[${index}].out - begin, 0u, select(p.parts[${index}].bias + id * p.rows - begin, ${NONE}u, p.parts[${index}].bias == ${NONE}u))`;

const isElsewhere = 'id < p.first || id - p.first >= p.count';

interface ExpertShader {
  kind: TensorKind;
  end: ProductEnd;
  /** Activations are normalized here. */
  normed: boolean;
}

/** What goes into experts: rows of a gate and of what it opens, or of one matrix. A workgroup for some rows of a slot of a row. */
export function expertShader({ kind, end, normed }: ExpertShader): string {
  const pair = isPair(end);
  const height = pair ? HEIGHT / 2 : HEIGHT;
  const inGroup = (THREADS / LANES) * height;
  return /* wgsl */ `${HEAD}
${pair ? ACTIVATIONS[end] : ''}
var<workgroup> sums: array<f32, ${THREADS * HEIGHT}>;
${normed ? squaresOf(1) : ''}
@compute @workgroup_size(${THREADS}) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let lane = t % ${LANES}u; let group = t / ${LANES}u; let columns4 = p.blocks * 8u;
  let groups = (p.rows + ${inGroup - 1}u) / ${inGroup}u; let slot = p.slot + wg.x / groups;
  let id = routes[wg.y * p.allSlots * 2u + slot];
  if (${isElsewhere}) { return; }
  let first = wg.y * p.allSlots + slot; let count = first + 1u; let origin0 = wg.y * columns4;
  let begin = (id - p.first) * p.each;
  ${normed ? rootMeans(1, () => 'x[origin0 + k]') : ''}
  ${each(range(HEIGHT), (r) => `var a${r}_0 = 0.0;`, ' ')}
  let s = ${partOfExpert(0)};
  ${pair ? `let s1 = ${partOfExpert(1)};` : ''}
  let base = begin + (wg.x % groups) * ${inGroup}u; let n = base + group * ${height}u;
  ${sumsOfThread(readerOf(kind), { rows: 1, pair, normed })}
  ${joinLanes({ round: 0, rows: 1, end, height })}
}`;
}

/** What comes out of the experts of a row, by their weights, one slot after the other. A workgroup for some of its numbers. */
export function expertSumShader(kind: TensorKind): string {
  const rows = productRows(1);
  return /* wgsl */ `${HEAD}
var<workgroup> sums: array<f32, ${THREADS * HEIGHT}>;
@compute @workgroup_size(${THREADS}) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let lane = t % ${LANES}u; let group = t / ${LANES}u;
  var v = 0.0;
  for (var slot = p.slot; slot < p.slot + p.slots; slot++) {
    let route = wg.y * p.allSlots * 2u + slot; let id = routes[route];
    if (${isElsewhere}) { continue; }
    let begin = (id - p.first) * p.each; let s = ${partOfExpert(0)};
    let origin0 = (wg.y * p.allSlots + slot) * p.inner4;
    let base = begin + wg.x * ${rows}u; let n = base + group * ${HEIGHT}u;
    ${each(range(HEIGHT), (r) => `var a${r}_0 = 0.0;`, ' ')}
    ${sumsOfThread(readerOf(kind), { rows: 1, pair: false, normed: false })}
    workgroupBarrier();
    ${each(range(HEIGHT), (r) => `sums[(group * ${HEIGHT}u + ${r}u) * ${LANES}u + lane] = a${r}_0;`, ' ')}
    workgroupBarrier();
    if (t < ${rows}u && base + t < s.rows) {
      var sum = 0.0; for (var l = 0u; l < ${LANES}u; l++) { sum += sums[t * ${LANES}u + l]; }
      ${addBias('s', 'sum', '(base + t)')}
      v += sum * bitcast<f32>(routes[route + p.allSlots]);
    }
  }
  let s = p.parts[0]; let row = wg.x * ${rows}u + t;
  if (t < ${rows}u && row < p.rows) {
    ${finish('each', 'wg.y', 'row')}
  }
}`;
}
