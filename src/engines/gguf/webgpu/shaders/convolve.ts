/** Causal convolutions of the last rows, channel by channel. @module */
import { type RecurrentShape, recurrentWidth } from '../../forward-shape.js';
import { type MixedRow, RECURRENT_HEAD, SILU, spanOf, stateWords, THREADS } from './recurrent.js';
import { each, NONE, range } from './sizes.js';

/** What a channel has of the last rows, which a state keeps; and the sum of it with what is new. */
function channelOf({ taps, channels }: RecurrentShape): Record<'read' | 'add' | 'keep', string> {
  const past = range(taps - 1);
  const from = (tap: number): string => `select(states[before + ${tap * channels}u + c], 0.0, isEmpty)`;
  return {
    read: /* wgsl */ `${each(range(taps), (tap) => `let weight${tap} = vectors[p.taps + c * ${taps}u + ${tap}u];`, ' ')}
  ${each(past, (tap) => `var past${tap} = ${from(tap)};`, ' ')}
  var bias = 0.0; if (p.bias != ${NONE}u) { bias = vectors[p.bias + c]; }`,
    add: `var sum = bias; ${each(past, (tap) => `sum = fma(past${tap}, weight${tap}, sum);`, ' ')} sum = fma(now, weight${taps - 1}, sum);
    ${each(past, (tap) => `past${tap} = ${tap + 1 < past.length ? `past${tap + 1}` : 'now'};`, ' ')}`,
    keep: each(past, (tap) => `states[behind + ${tap * channels}u + c] = past${tap};`, ' '),
  };
}

/**
 * A thread takes a channel through the rows of a sequence; the last rows that it saw are registers. A gated short convolution
 * gives what the layer gives; in other layers it changes rows where they are.
 */
export function convolveShader(shape: RecurrentShape, { stride, mixed, gates }: MixedRow): string {
  const { kind, channels } = shape;
  const { read, add, keep } = channelOf(shape);
  const isShort = kind === 'convolution';
  const end = isShort
    ? `result[row * ${recurrentWidth(shape)}u + c] = sum * mixing[at + ${gates}u];`
    : 'mixing[at] = silu(sum);';
  return /* wgsl */ `${RECURRENT_HEAD}
@compute @workgroup_size(${THREADS}) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let c = wg.x * ${THREADS}u + t;
  if (c >= ${channels}u) { return; }
  ${spanOf(stateWords(shape).all)}
  ${read}
  for (var row = begin; row < end; row++) {
    let at = row * ${stride}u + ${mixed}u + c;
    let now = mixing[at]${isShort ? ` * mixing[at + ${2 * channels}u]` : ''};
    ${add}
    ${end}
  }
  ${keep}
}`;
}

/** Channels that a product gives, and where in a row they are. */
export interface ConvolvedChannels {
  shape: RecurrentShape;
  row: MixedRow;
}

/** The same of the only row of a pass, by the product that gives it: a function of a channel and what is new in it. */
export function convolveOnce(shape: RecurrentShape): string {
  const { read, add, keep } = channelOf(shape);
  return /* wgsl */ `${SILU}
fn convolve(c: u32, now: f32) -> f32 {
  ${spanOf(stateWords(shape).all, '0u')}
  ${read}
  ${add}
  ${keep}
  return silu(sum);
}`;
}
