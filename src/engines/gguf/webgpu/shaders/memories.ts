/**
 * Memories that each token changes: of gated delta nets and of Mamba 2. A workgroup holds a part of a head's memory and takes it
 * through the rows of a sequence.
 * @module
 */
import { type RecurrentShape, recurrentWidth } from '../../forward-shape.js';
import { blockOf, type MixedRow, RECURRENT_HEAD, SOFTPLUS, spanOf, stateWords, THREADS } from './recurrent.js';

/** Workgroups of a sequence. */
export const memoryGroups = ({ heads, headSize, size }: RecurrentShape): number =>
  (heads * headSize) / blockOf(headSize, size);

/**
 * What both shaders have: `cells` [depth][block] is the part of the memory whose sums give `block` numbers of the head from
 * `column` on. Thread `t` has every so-many-th of the sum of one of them, `c`: the same cells always.
 */
function memoryShader(shape: RecurrentShape, { memory, code }: { memory: string; code: string }): string {
  const { headSize, size } = shape;
  const block = blockOf(headSize, size);
  const cells = block * size;
  const { all, memory: start } = stateWords(shape);
  return /* wgsl */ `${RECURRENT_HEAD}${SOFTPLUS}
var<workgroup> cells: array<f32, ${cells}>; var<workgroup> parts: array<f32, ${THREADS}>;
${memory}
@compute @workgroup_size(${THREADS}) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  ${spanOf(all)}
  let head = wg.x / ${headSize / block}u; let column = (wg.x % ${headSize / block}u) * ${block}u; let place = ${start}u + wg.x * ${cells}u;
  let c = t % ${block}u; let part = t / ${block}u;
  for (var i = t; i < ${cells}u; i += ${THREADS}u) { if (isEmpty) { cells[i] = 0.0; } else { cells[i] = states[before + place + i]; } }
  let keeping = vectors[p.keeping + head]; let decaying = vectors[p.decay + head];
  ${code}
  for (var i = t; i < ${cells}u; i += ${THREADS}u) { states[behind + place + i] = cells[i]; }
}`;
}

/** Sums of the threads of a number, one after the other. */
const joined = (name: string, from: string, block: number): string =>
  `var ${name} = 0.0; for (var i = 0u; i < ${THREADS / block}u; i++) { ${name} += ${from}[i * ${block}u + c]; }`;

/** M = decay M; d = beta (value - M^T key); M = M + key d^T; out = M^T query / root of the size. Keys and queries have length 1. */
export function deltaShader(shape: RecurrentShape, row: MixedRow): string {
  const { heads, groups, headSize, size, sharesKeys } = shape;
  const block = blockOf(headSize, size);
  const step = THREADS / block;
  const share = heads / groups;
  // Where both factors come of one matrix, those of the heads that share keys stand together.
  const [beta, alpha] = sharesKeys
    ? [
        `${row.betas}u + head + head / ${share}u * ${share}u`,
        `${row.betas + share}u + head + head / ${share}u * ${share}u`,
      ]
    : [`${row.betas}u + head`, `${row.alphas}u + head`];
  const squares = (name: string, of: string): string =>
    `var ${name} = 0.0; for (var i = 0u; i < ${THREADS}u; i++) { ${name} += ${of}[i]; } ${name} = 1.0 / max(sqrt(${name}), p.epsilon);`;
  return memoryShader(shape, {
    memory: `var<workgroup> keys: array<f32, ${size}>; var<workgroup> queries: array<f32, ${size}>;
var<workgroup> keySquares: array<f32, ${THREADS}>; var<workgroup> querySquares: array<f32, ${THREADS}>; var<workgroup> parts2: array<f32, ${THREADS}>;`,
    code: /* wgsl */ `let own = ${sharesKeys ? `head / ${share}u` : `head % ${groups}u`};
  for (var row = begin; row < end; row++) {
    let at = row * ${row.stride}u;
    var keySquare = 0.0; var querySquare = 0.0;
    for (var i = t; i < ${size}u; i += ${THREADS}u) {
      let query = mixing[at + ${row.mixed}u + own * ${size}u + i]; let key = mixing[at + ${row.mixed + groups * size}u + own * ${size}u + i];
      queries[i] = query; keys[i] = key; querySquare = fma(query, query, querySquare); keySquare = fma(key, key, keySquare);
    }
    keySquares[t] = keySquare; querySquares[t] = querySquare;
    workgroupBarrier();
    ${squares('keyScale', 'keySquares')}
    ${squares('queryScale', 'querySquares')}
    let decay = exp(softplus(mixing[at + ${alpha}] + keeping) * decaying); let beta = sigmoid(mixing[at + ${beta}]);
    var known = 0.0;
    for (var i = part; i < ${size}u; i += ${step}u) { known = fma(keys[i] * keyScale, cells[i * ${block}u + c] * decay, known); }
    parts[t] = known;
    workgroupBarrier();
    ${joined('all', 'parts', block)}
    let change = beta * (mixing[at + ${row.mixed + 2 * groups * size}u + head * ${size}u + column + c] - all);
    var given = 0.0;
    for (var i = part; i < ${size}u; i += ${step}u) {
      let cell = fma(keys[i] * keyScale, change, cells[i * ${block}u + c] * decay);
      cells[i * ${block}u + c] = cell; given = fma(queries[i] * queryScale, cell, given);
    }
    parts2[t] = given;
    workgroupBarrier();
    if (part == 0u) { ${joined('sum', 'parts2', block)} result[row * ${recurrentWidth(shape)}u + head * ${size}u + column + c] = sum * ${size ** -0.5}; }
  }`,
  });
}

/** h = decay h + (delta value) B^T; out = h C + skip value. @param isGated what comes out is gated here */
export function scanShader(shape: RecurrentShape, row: MixedRow, isGated: boolean): string {
  const { heads, groups, headSize, size } = shape;
  const block = blockOf(headSize, size);
  const step = THREADS / block;
  const width = recurrentWidth(shape);
  return memoryShader(shape, {
    memory: `var<workgroup> taken: array<f32, ${size}>; var<workgroup> shown: array<f32, ${size}>;`,
    code: /* wgsl */ `let own = head / ${heads / groups}u; let skip = vectors[p.skip + head]; let place2 = head * ${headSize}u + column + c;
  for (var row = begin; row < end; row++) {
    let at = row * ${row.stride}u;
    for (var i = t; i < ${size}u; i += ${THREADS}u) {
      taken[i] = mixing[at + ${row.mixed + width}u + own * ${size}u + i]; shown[i] = mixing[at + ${row.mixed + width + groups * size}u + own * ${size}u + i];
    }
    workgroupBarrier();
    let delta = softplus(mixing[at + ${row.alphas}u + head] + keeping); let decay = exp(delta * decaying);
    let value = mixing[at + ${row.mixed}u + place2]; let added = delta * value;
    var given = 0.0;
    for (var i = part; i < ${size}u; i += ${step}u) {
      let cell = fma(added, taken[i], cells[i * ${block}u + c] * decay);
      cells[i * ${block}u + c] = cell; given = fma(cell, shown[i], given);
    }
    parts[t] = given;
    workgroupBarrier();
    if (part == 0u) { ${joined('sum', 'parts', block)} let v = sum + skip * value; result[row * ${width}u + place2] = v${isGated ? ` * silu(mixing[at + ${row.gates}u + place2])` : ''}; }
  }`,
  });
}

/** Norms and gates what memories give: deltas first normalize each head, scans first open the gate. A workgroup for each. */
export function gatedNormShader(shape: RecurrentShape, { stride, gates }: MixedRow): string {
  const { kind, heads, groups, headSize } = shape;
  const width = recurrentWidth(shape);
  const isDelta = kind === 'delta';
  const size = isDelta ? headSize : (heads * headSize) / groups;
  const gate = `silu(mixing[wg.y * ${stride}u + ${gates}u + wg.x * ${size}u + d])`;
  return /* wgsl */ `${RECURRENT_HEAD}
var<workgroup> sums: array<f32, ${THREADS}>;
@compute @workgroup_size(${THREADS}) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let origin = wg.y * ${width}u + wg.x * ${size}u;
  var square = 0.0;
  for (var d = t; d < ${size}u; d += ${THREADS}u) {
    let v = result[origin + d]${isDelta ? '' : ` * ${gate}`}; ${isDelta ? '' : 'result[origin + d] = v;'} square = fma(v, v, square);
  }
  sums[t] = square;
  workgroupBarrier();
  var total = 0.0; for (var i = 0u; i < ${THREADS}u; i++) { total += sums[i]; }
  let inverse = 1.0 / sqrt(total / ${size}.0 + p.epsilon);
  for (var d = t; d < ${size}u; d += ${THREADS}u) {
    result[origin + d] = (result[origin + d] * inverse) * vectors[p.norm + ${isDelta ? '' : `wg.x * ${size}u + `}d]${isDelta ? ` * ${gate}` : ''};
  }
}`;
}
