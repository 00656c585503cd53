/**
 * Attention of several rows of a prompt: keys and values come into workgroup memory once for all of them. Each row is the work of
 * a team of 64 threads, which adds as `attendShader` does for a row alone: the same numbers in the same order.
 * @module
 */
import {
  type AttendedShape,
  attentionHead,
  eight,
  joinPiece,
  reduced,
  seenScores,
  withSink,
  written,
} from './attention.js';
import { type HeadShape, qkvStride } from './rotate.js';
import { ATTEND_ROWS, each, PLAN, range, SPLIT, tiledHeads } from './sizes.js';

/** Vectors of workgroup memory for keys and values. */
const CHUNK = 64 * ATTEND_ROWS;

// The four scores of a thread, one of each page of a split, without an index that only memory has.
const FOUR = /* wgsl */ `
fn put(v: vec4f, i: u32, s: f32) -> vec4f { return select(v, vec4f(s), vec4u(i) == vec4u(0u, 1u, 2u, 3u)); }
fn pick(v: vec4f, i: u32) -> f32 { return select(select(v.x, v.y, i == 1u), select(v.z, v.w, i == 3u), i > 1u); }
`;

/** A workgroup for heads that share keys, of up to {@link ATTEND_ROWS} rows that follow each other in one sequence. */
export function attendTileShader(shape: AttendedShape): string {
  const { size, heads, kvHeads } = shape;
  const group = tiledHeads(size, heads, kvHeads);
  const G = range(group);
  const lanes = size / 8;
  const dims = range(Math.ceil(size / 64));
  const own = (g: number): string => `(team * ${group}u + ${g}u)`;
  const last = (name: string, step: (g: number) => string, start: string): string =>
    each(G, (g) => `${name}${g} = ${start}; for (var i = 0u; i < 8u; i++) { ${name}${g} = ${step(g)}; }`);
  return /* wgsl */ `${attentionHead(shape)}${FOUR}
const D = ${size}u; const KV = ${kvHeads}u;
var<workgroup> chunk: array<vec4u, ${CHUNK}>;
var<workgroup> line: array<f32, ${64 * group * ATTEND_ROWS}>; var<workgroup> line2: array<f32, ${8 * group * ATTEND_ROWS}>;
@compute @workgroup_size(${CHUNK}) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let kvHead = wg.x / ${heads / kvHeads / group}u; let tile = plan[plan[6] + wg.y]; let row0 = tile & 0xffffu; let rows = tile >> 16u;
  let team = t / 64u; let n = t % 64u; let isHere = team < rows; let row = row0 + min(team, rows - 1u);
  let position = state[row].y; let first = firstSeen(position); let farthest = state[row0 + rows - 1u].y;
  let table = plan[plan[4] + row0 * ${PLAN.rowWords}u]; let lane = n % ${lanes}u; let subset = n / ${lanes}u;
  let queries = row * ${qkvStride(shape) / 4}u + wg.x * ${(group * size) / 4}u;
  ${each(G, (g) => `var most${g} = LOW; var total${g} = 0.0; ${each(dims, (i) => `var run${g}_${i} = 0.0;`, ' ')}`)}
  let end = farthest / ${SPLIT}u;
  for (var split = firstSeen(state[row0].y) / ${SPLIT}u; split <= end; split++) {
    let begin = split * ${SPLIT}u; let pages = (min(${SPLIT}u, farthest + 1u - begin) + 63u) / 64u;
    ${each(G, (g) => `var top${g} = LOW; var scores${g} = vec4f(LOW);`, ' ')}
    ${scoresOfSplit(shape, G)}
    workgroupBarrier();
    ${reduced(G, 'top', 'max(v, line[o * 8u + i])', 'LOW', ATTEND_ROWS)}
    ${last('top', (g) => `max(top${g}, line2[${own(g)} * 8u + i])`, 'LOW')}
    ${each(G, (g) => `var mass${g} = 0.0;`, ' ')}
    for (var page = 0u; page < pages; page++) {
      ${each(G, (g) => `{ let s = pick(scores${g}, page); let e = select(exp(s - top${g}), 0.0, s <= LOW); scores${g} = put(scores${g}, page, e); mass${g} += e; }`)}
    }
    ${reduced(G, 'mass', 'v + line[o * 8u + i]', '0.0', ATTEND_ROWS)}
    ${last('mass', (g) => `mass${g} + line2[${own(g)} * 8u + i]`, '0.0')}
    ${valuesOfSplit(shape, G)}
    ${each(G, (g) => piecesOfTeam(g, dims, lanes))}
    // Another row of the tile may see a split that this one does not.
    if (split >= first / ${SPLIT}u && split <= position / ${SPLIT}u) {
      let isFirst = split == first / ${SPLIT}u;
      ${each(G, (g) => joinPiece(g, dims))}
    }
  }
  if (!isHere) { return; }${each(G, (g) => withSink(shape, g, { head: `wg.x * ${group}u + ${g}u`, dims }), '')}
  ${each(G, (g) => each(dims, (i) => `if (n + ${64 * i}u < D) { ${written(shape, { head: `wg.x * ${group}u + ${g}u`, d: `n + ${64 * i}u`, value: `run${g}_${i} / total${g}` })} }`, ' '))}
}`;
}

/** Vectors of a position's key or value, and of 8 numbers of it. */
const vectorsOf = ({ size, bits }: HeadShape): { all: number; ofEight: number } => ({
  all: (size * bits) / 128,
  ofEight: bits / 16,
});

/** A vector of the number of a page's plane of a head. @param which 0: keys, 1: values */
const plane = ({ size, bits }: HeadShape, which: 0 | 1): string =>
  `((plan[table + split * 4u + page] * 2u + ${which}u) * KV + kvHead) * ${(size * 64 * bits) / 128}u`;

/** A thread has a position of each page; keys come by as many vectors of 64 positions as there are teams. */
function scoresOfSplit(shape: HeadShape, groups: readonly number[]): string {
  const { all, ofEight } = vectorsOf(shape);
  const query = (g: number, vector: number): string => `qkv[q + ${(g * shape.size) / 4 + vector}u]`;
  return /* wgsl */ `
    for (var page = 0u; page < pages; page++) {
      let keys = ${plane(shape, 0)};
      ${each(groups, (g) => `var s${g} = 0.0;`, ' ')}
      for (var from0 = 0u; from0 < ${all}u; from0 += ${ATTEND_ROWS}u) {
        workgroupBarrier();
        if (from0 + team < ${all}u) { chunk[t] = kv[keys + (from0 + team) * 64u + n]; }
        workgroupBarrier();
        if (isHere) {
          let until = min(${ATTEND_ROWS}u, ${all}u - from0);
          for (var at = 0u; at < until; at += ${ofEight}u) {
            ${eight(shape.bits, (vector) => `chunk[(at + ${vector}u) * 64u + n]`)}
            let q = queries + (from0 + at) * ${2 / ofEight}u;
            ${each(groups, (g) => `s${g} = chain(v1, ${query(g, 1)}, chain(v0, ${query(g, 0)}, s${g}));`)}
          }
        }
      }
      let at = begin + page * 64u + n; let isSeen = at >= first && at <= position;
      ${seenScores(groups)}
      ${each(groups, (g) => `scores${g} = put(scores${g}, page, s${g});`, ' ')}
    }`;
}

/** A thread has 8 numbers of every so-many-th position; values come by as many whole positions as there is room for. */
function valuesOfSplit(shape: HeadShape, groups: readonly number[]): string {
  const { all, ofEight } = vectorsOf(shape);
  const subsets = Math.floor(64 / (shape.size / 8));
  const positions = Math.min(64, Math.floor(CHUNK / all));
  const own = (g: number): string => `(team * ${groups.length}u + ${g}u) * 64u`;
  return /* wgsl */ `
    ${each(groups, (g) => `var o${g} = vec4f(); var u${g} = vec4f();`, ' ')}
    let count = select(0u, min(${SPLIT}u, position + 1u - begin), position >= begin);
    var i = subset;
    for (var page = 0u; page < pages; page++) {
      workgroupBarrier();
      ${each(groups, (g) => `line[${own(g)} + n] = pick(scores${g}, page);`, ' ')}
      let values = ${plane(shape, 1)};
      for (var from0 = 0u; from0 < 64u; from0 += ${positions}u) {
        workgroupBarrier();
        if (t < ${positions * all}u && from0 * ${all}u + t < ${64 * all}u) { chunk[t] = kv[values + from0 * ${all}u + t]; }
        workgroupBarrier();
        let before = page * 64u + from0; let until = min(page * 64u + min(from0 + ${positions}u, 64u), count);
        if (isHere && subset < ${subsets}u) {
          for (; i < until; i += ${subsets}u) {
            ${eight(shape.bits, (vector) => `chunk[(i - before) * ${all}u + lane * ${ofEight}u + ${vector}u]`)}
            ${each(groups, (g) => `{ let e = vec4f(line[${own(g)} + (i & 63u)]); o${g} = fma(e, v0, o${g}); u${g} = fma(e, v1, u${g}); }`, ' ')}
          }
        }
      }
    }`;
}

/** Brings the subsets of a team together: the first 4 of each 8 numbers, then the others, where values were. */
function piecesOfTeam(g: number, dims: readonly number[], lanes: number): string {
  const subsets = Math.floor(64 / lanes);
  const add = (half: 0 | 1): string =>
    each(
      dims,
      (i) =>
        `{ let d = n + ${64 * i}u; if (d < D && ((d >> 2u) & 1u) == ${half}u) { for (var part = 0u; part < ${subsets}u; part++) { piece${g}_${i} += bitcast<vec4f>(chunk[team * 64u + part * ${lanes}u + d / 8u])[d & 3u]; } } }`,
    );
  return /* wgsl */ `
    ${each(dims, (i) => `var piece${g}_${i} = 0.0;`, ' ')}
    workgroupBarrier();
    chunk[t] = bitcast<vec4u>(o${g});
    workgroupBarrier();
    ${add(0)}
    workgroupBarrier();
    chunk[t] = bitcast<vec4u>(u${g});
    workgroupBarrier();
    ${add(1)}`;
}
