/** Attention. @module */
import { bindings } from './bindings.js';
import { type HeadShape, qkvStride } from './rotate.js';
import { attendedHeads, each, PLAN, range, SPLIT } from './sizes.js';

/** Heads of attention. */
export interface AttendedShape extends HeadShape {
  /** Each head of queries has a logit that no position has. */
  hasSinks: boolean;
}

/** What shaders of attention bind. */
export const attentionHead = ({ hasSinks }: Pick<AttendedShape, 'hasSinks'>): string => /* wgsl */ `
${bindings(hasSinks ? 'attendWithSinks' : 'attend', 'qkv: array<vec4f>', 'kv: array<vec4u>', 'result: array<f32>', 'pieces: array<f32>', 'plan: array<u32>', 'state: array<vec4u>', ...(hasSinks ? ['vectors: array<f32>'] : []))}
struct Parameters { window: u32, cap: f32, isSplit: u32, ${hasSinks ? 'sinks' : 'spare'}: u32 }
const LOW = -1e30;
fn chain(a: vec4f, b: vec4f, s: f32) -> f32 { return fma(a.w, b.w, fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, s)))); }
fn firstSeen(position: u32) -> u32 { return select(0u, position + 1u - p.window, p.window > 0u && position + 1u > p.window); }
`;

/** What a sink takes of the mass of a head, when all positions are joined. @param head an expression for its number */
export const withSink = (
  { hasSinks }: Pick<AttendedShape, 'hasSinks'>,
  g: number,
  { head, dims }: { head: string; dims: readonly number[] },
): string =>
  hasSinks
    ? `{ let sink = vectors[p.sinks + ${head}]; let now = max(most${g}, sink); let keep = exp(most${g} - now); total${g} = total${g} * keep + exp(sink - now); ${each(dims, (i) => `run${g}_${i} *= keep;`, ' ')} }`
    : '';

/**
 * Writes a number that attention gives, opened by the gate behind its query where queries have gates.
 * @param head an expression for the head of queries @param d for the number in it
 */
export function written(shape: HeadShape, { head, d, value }: { head: string; d: string; value: string }): string {
  const { size, heads, kvHeads, isGated } = shape;
  const place = `result[row * ${heads * size}u + (${head}) * ${size}u + ${d}]`;
  if (!isGated) return `${place} = ${value};`;
  const gate = `row * ${qkvStride(shape)}u + ${(heads + 2 * kvHeads) * size}u + ((${head}) * 2u + 1u) * ${size}u + ${d}`;
  return `let gate = ${gate}; ${place} = (${value}) / (1.0 + exp(-clamp(qkv[gate / 4u][gate & 3u], -80.0, 80.0)));`;
}

/** What a piece adds to what was joined before it: the same arithmetic one after the other and side by side. */
const joined = (g: number, i: number): string =>
  `{ let v = piece${g}_${i}; run${g}_${i} = select(run${g}_${i} * keep + v * take, v, isFirst); }`;

/** 8 numbers, in a vector of halves or in two of floats. @param vector an expression for the first or the second */
export const eight = (bits: HeadShape['bits'], vector: (index: 0 | 1) => string): string =>
  bits === 16
    ? `let w = ${vector(0)}; let v0 = vec4f(unpack2x16float(w.x), unpack2x16float(w.y)); let v1 = vec4f(unpack2x16float(w.z), unpack2x16float(w.w));`
    : `let v0 = bitcast<vec4f>(${vector(0)}); let v1 = bitcast<vec4f>(${vector(1)});`;

/** A score that a cap bends, of a position that the row sees. */
export const seenScores = (groups: readonly number[]): string => /* wgsl */ `
      if (p.cap > 0.0) { ${each(groups, (g) => `s${g} = p.cap * tanh(clamp(s${g} / p.cap, -15.0, 15.0));`, ' ')} }
      ${each(groups, (g) => `s${g} = select(LOW, s${g}, isSeen); top${g} = max(top${g}, s${g});`)}`;

/**
 * Attention of the queries that share a head of keys: a workgroup for a head of keys of a row, and for {@link SPLIT} positions
 * (`isSplit`) or for all, SPLIT after SPLIT. The pieces are joined in the same order by the same arithmetic in both.
 */
export function attendShader(shape: AttendedShape): string {
  const { size, heads, kvHeads, bits } = shape;
  const group = attendedHeads(size, heads, kvHeads);
  const shares = heads / kvHeads / group;
  const G = range(group);
  const lanes = size / 8;
  const dims = range(Math.ceil(size / 64));
  const key = (vector: number): string =>
    bits === 16 ? 'kv[keys + d * 64u + t]' : `kv[keys + (d * 2u + ${vector}u) * 64u + t]`;
  const plane = planeVectors(shape);
  const query = (g: number, vector: number): string => `queries[${(g * size) / 4}u + d * 2u + ${vector}u]`;
  return /* wgsl */ `${attentionHead(shape)}
const D = ${size}u; const KV = ${kvHeads}u;
var<workgroup> queries: array<vec4f, ${(group * size) / 4}>; var<workgroup> scores: array<f32, ${group * SPLIT}>;
var<workgroup> line: array<f32, ${64 * group}>; var<workgroup> line2: array<f32, ${8 * group}>; var<workgroup> parts: array<vec4f, 128>;
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let kvHead = wg.x / ${shares}u; let row = wg.y; let position = state[row].y; let first = firstSeen(position);
  let table = plan[plan[4] + row * ${PLAN.rowWords}u];
  let lane = t % ${lanes}u; let subset = t / ${lanes}u;
  for (var i = t; i < ${(group * size) / 4}u; i += 64u) { queries[i] = qkv[row * ${qkvStride(shape) / 4}u + wg.x * ${(group * size) / 4}u + i]; }
  var split = first / ${SPLIT}u; var end = position / ${SPLIT}u;
  if (p.isSplit == 1u) { split += wg.z; if (split > end) { return; } end = split; }
  ${each(G, (g) => `var most${g} = LOW; var total${g} = 0.0; ${each(dims, (i) => `var run${g}_${i} = 0.0;`, ' ')}`)}
  var isFirst = true;
  for (; split <= end; split++) {
    let begin = split * ${SPLIT}u; let count = min(${SPLIT}u, position + 1u - begin); let pages = (count + 63u) / 64u;
    workgroupBarrier();
    ${each(G, (g) => `var top${g} = LOW;`, ' ')}
    for (var page = 0u; page < pages; page++) {
      let keys = ((plan[table + split * 4u + page] * 2u) * KV + kvHead) * ${plane}u;
      ${each(G, (g) => `var s${g} = 0.0;`, ' ')}
      for (var d = 0u; d < ${lanes}u; d++) {
        ${eight(bits, key)}
        ${each(G, (g) => `s${g} = chain(v1, ${query(g, 1)}, chain(v0, ${query(g, 0)}, s${g}));`)}
      }
      let at = begin + page * 64u + t; let isSeen = at >= first && at <= position;
      ${seenScores(G)}
      ${each(G, (g) => `scores[${g * SPLIT}u + page * 64u + t] = s${g};`, ' ')}
    }
    ${reduced(G, 'top', 'max(v, line[o * 8u + i])', 'LOW')}
    ${each(G, (g) => `top${g} = LOW; for (var i = 0u; i < 8u; i++) { top${g} = max(top${g}, line2[${g * 8}u + i]); } var mass${g} = 0.0;`)}
    for (var page = 0u; page < pages; page++) {
      ${each(G, (g) => `{ let s = scores[${g * SPLIT}u + page * 64u + t]; let e = select(exp(s - top${g}), 0.0, s <= LOW); scores[${g * SPLIT}u + page * 64u + t] = e; mass${g} += e; }`)}
    }
    ${reduced(G, 'mass', 'v + line[o * 8u + i]', '0.0')}
    ${each(G, (g) => `mass${g} = 0.0; for (var i = 0u; i < 8u; i++) { mass${g} += line2[${g * 8}u + i]; } var o${g} = vec4f(); var u${g} = vec4f();`)}
    ${piecesOfRow(shape, G)}
    if (p.isSplit == 1u) ${keepPieces(G, dims, { heads, size })} else { ${each(G, (g) => joinPiece(g, dims))} }
    isFirst = false;
  }
  if (p.isSplit == 1u) { return; }${each(G, (g) => withSink(shape, g, { head: `wg.x * ${group}u + ${g}u`, dims }), '')}
  ${each(G, (g) => each(dims, (i) => `if (t + ${64 * i}u < D) { ${written(shape, { head: `wg.x * ${group}u + ${g}u`, d: `t + ${64 * i}u`, value: `run${g}_${i} / total${g}` })} }`, ' '))}
}`;
}

/** Vectors of the keys or the values of a head in a page. */
const planeVectors = ({ size, bits }: HeadShape): number => (size * 64 * bits) / 128;

/** The values of a split by their scores: a thread has 8 numbers of every so-many-th position. */
function piecesOfRow(shape: HeadShape, G: readonly number[]): string {
  const { size, bits } = shape;
  const lanes = size / 8;
  const subsets = Math.floor(64 / lanes);
  const dims = range(Math.ceil(size / 64));
  const plane = planeVectors(shape);
  const value = (vector: number): string =>
    bits === 16
      ? `kv[values + (i & 63u) * ${lanes}u + lane]`
      : `kv[values + (i & 63u) * ${2 * lanes}u + lane * 2u + ${vector}u]`;
  return /* wgsl */ `
    if (subset < ${subsets}u) {
      for (var i = subset; i < count; i += ${subsets}u) {
        let values = ((plan[table + split * 4u + (i >> 6u)] * 2u + 1u) * KV + kvHead) * ${plane}u;
        ${eight(bits, value)}
        ${each(G, (g) => `{ let e = vec4f(scores[${g * SPLIT}u + i]); o${g} = fma(e, v0, o${g}); u${g} = fma(e, v1, u${g}); }`, ' ')}
      }
    }
    ${each(
      G,
      (g) => `workgroupBarrier();
    parts[t * 2u] = o${g}; parts[t * 2u + 1u] = u${g};
    workgroupBarrier();
    ${each(dims, (i) => `var piece${g}_${i} = 0.0; { let d = t + ${64 * i}u; if (d < D) { for (var part = 0u; part < ${subsets}u; part++) { piece${g}_${i} += parts[part * ${2 * lanes}u + d / 4u][d & 3u]; } } }`)}`,
    )}`;
}

/** Brings a number of each thread together: 64, then 8. @param teams of 64 threads, each with numbers of its own */
export function reduced(groups: readonly number[], name: string, step: string, start: string, teams = 1): string {
  const own = teams > 1 ? `team * ${groups.length}u + ` : '';
  return /* wgsl */ `${each(groups, (g) => `line[(${own}${g}u) * 64u + t % 64u] = ${name}${g};`, ' ')}
    workgroupBarrier();
    for (var o = t; o < ${8 * groups.length * teams}u; o += ${64 * teams}u) { var v = ${start}; for (var i = 0u; i < 8u; i++) { v = ${step}; } line2[o] = v; }
    workgroupBarrier();`;
}

function keepPieces(
  groups: readonly number[],
  dims: readonly number[],
  { heads, size }: { heads: number; size: number },
): string {
  const keep = (g: number): string =>
    `{ let o = (at + ${g}u) * ${size + 2}u; if (t == 0u) { pieces[o] = top${g}; pieces[o + 1u] = mass${g}; } ${each(dims, (i) => `if (t + ${64 * i}u < D) { pieces[o + 2u + t + ${64 * i}u] = piece${g}_${i}; }`, ' ')} }`;
  return `{ let at = (row * plan[5] + wg.z) * ${heads}u + wg.x * ${groups.length}u; ${each(groups, keep)} }`;
}

export const joinPiece = (g: number, dims: readonly number[]): string => /* wgsl */ `
    { let now = max(most${g}, top${g}); let keep = exp(most${g} - now); let take = exp(top${g} - now);
      total${g} = select(total${g} * keep + mass${g} * take, mass${g}, isFirst); ${each(dims, (i) => joined(g, i), ' ')} most${g} = now; }`;

/** Joins the pieces that {@link attendShader} with `split` gave. A workgroup for a head of a row. */
export function joinShader(shape: AttendedShape): string {
  const { size, heads } = shape;
  const dims = range(Math.ceil(size / 64));
  return /* wgsl */ `${attentionHead(shape)}
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let row = wg.y; let position = state[row].y; let first = firstSeen(position);
  let count = position / ${SPLIT}u - first / ${SPLIT}u + 1u;
  var most0 = LOW; var total0 = 0.0; ${each(dims, (i) => `var run0_${i} = 0.0;`, ' ')}
  for (var split = 0u; split < count; split++) {
    let at = ((row * plan[5] + split) * ${heads}u + wg.x) * ${size + 2}u; let isFirst = split == 0u;
    let top0 = pieces[at]; let mass0 = pieces[at + 1u];
    ${each(dims, (i) => `var piece0_${i} = 0.0; if (t + ${64 * i}u < ${size}u) { piece0_${i} = pieces[at + 2u + t + ${64 * i}u]; }`)}
    ${joinPiece(0, dims)}
  }${withSink(shape, 0, { head: 'wg.x', dims })}
  ${each(dims, (i) => `if (t + ${64 * i}u < ${size}u) { ${written(shape, { head: 'wg.x', d: `t + ${64 * i}u`, value: `run0_${i} / total0` })} }`)}
}`;
}
