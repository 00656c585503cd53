/** Causal convolutions of the last rows, channel by channel. @module */
import { type RecurrentShape, recurrentWidth } from '../../forward-shape.js';
import { mixedRow, RECURRENT_HEAD, spanOf, stateWords, THREADS } from './recurrent.js';
import { each, range } from './sizes.js';

/**
 * A thread takes a channel through the rows of a sequence; the last rows that it saw are registers. A gated short convolution
 * gives what the layer gives; in other layers it changes rows where they are.
 */
export function convolveShader(shape: RecurrentShape): string {
  const { kind, channels, taps } = shape;
  const { stride, mixed, gates } = mixedRow(shape);
  const past = range(taps - 1);
  const isShort = kind === 'convolution';
  const end = isShort
    ? `result[row * ${recurrentWidth(shape)}u + c] = sum * mixing[at + ${gates}u];`
    : 'mixing[at] = silu(sum);';
  return /* wgsl */ `${RECURRENT_HEAD}
@compute @workgroup_size(${THREADS}) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let c = wg.x * ${THREADS}u + t;
  if (c >= ${channels}u) { return; }
  ${spanOf(stateWords(shape).all)}
  ${each(range(taps), (tap) => `let weight${tap} = vectors[p.taps + c * ${taps}u + ${tap}u];`, ' ')}
  ${each(past, (tap) => `var past${tap} = 0.0;`, ' ')}
  if (!isEmpty) { ${each(past, (tap) => `past${tap} = states[before + ${tap * channels}u + c];`, ' ')} }
  var bias = 0.0; if (p.bias != NONE) { bias = vectors[p.bias + c]; }
  for (var row = begin; row < end; row++) {
    let at = row * ${stride}u + ${mixed}u + c;
    let now = mixing[at]${isShort ? ` * mixing[at + ${2 * channels}u]` : ''};
    var sum = bias; ${each(past, (tap) => `sum = fma(past${tap}, weight${tap}, sum);`, ' ')} sum = fma(now, weight${taps - 1}, sum);
    ${end}
    ${each(past, (tap) => `past${tap} = ${tap + 1 < past.length ? `past${tap + 1}` : 'now'};`, ' ')}
  }
  ${each(past, (tap) => `states[behind + ${tap * channels}u + c] = past${tap};`, ' ')}
}`;
}
