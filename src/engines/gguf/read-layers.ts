/** What a file's layers are, one by one, by its metadata. @module */
import type { Architecture } from './architectures.js';
import {
  type Curve,
  type ExpertsShape,
  type LayerShape,
  type RecurrentShape,
  recurrentBytes,
} from './forward-shape.js';
import type { KvLayer } from './kv-pages.js';
import type { ModelKeys } from './model-keys.js';

/** Layers that run, and all that keys may speak of: those of a predictor do not run. */
export interface LayerCounts {
  layers: number;
  all: number;
}

export function readLayerCounts(keys: ModelKeys, tensors: number): LayerCounts {
  const all = keys.layers(tensors);
  const left = keys.architecture.hasPredictor ? keys.size('nextn_predict_layers', 0, 0) : 0;
  if (left >= all) keys.refuse('nextn_predict_layers', `is ${left} of ${all} layers`);
  return { layers: all - left, all };
}

type LayerParts = Pick<LayerShape, 'mixer' | 'kvHeads' | 'feedForward'>;

/** Sizes of layers where they differ, and which are recurrent. */
export function readLayerParts(
  keys: ModelKeys,
  { layers, all }: LayerCounts,
  { heads }: { heads: number },
): { parts: LayerParts[]; kvHeads: number; feedForward: number } {
  const { recurrent, isLayered } = keys.architecture;
  const where = recurrent?.where;
  const mayLack = where === 'without-keys' || where === 'one-of-three';
  const kvHeads =
    mayLack || isLayered
      ? keys.sizes('attention.head_count_kv', all, heads, mayLack ? 0 : 1).slice(0, layers)
      : Array<number>(layers).fill(keys.size('attention.head_count_kv', heads));
  const feedForward = readFeedForward(keys, { layers, all }, where === 'one-of-three' ? 0 : 1);
  const isAttention = readInterval(keys, { layers, all });
  const parts = kvHeads.map((own, layer): LayerParts => {
    const inner = feedForward[layer]!;
    const base = { kvHeads: own, feedForward: inner };
    if (where === undefined) return base;
    if (where === 'all') return { ...base, mixer: 'both' };
    if (where === 'one-of-three' && inner > 0) return { ...base, kvHeads: 0, mixer: 'none' };
    const attends = where === 'interval' ? isAttention[layer]! : own > 0;
    return attends ? { ...base, mixer: 'attention' } : { ...base, kvHeads: 0, mixer: 'recurrent' };
  });
  return { parts, kvHeads: Math.max(...kvHeads) || heads, feedForward: Math.max(...feedForward) };
}

/** Models of experts alone may have no size of another network. */
function readFeedForward(keys: ModelKeys, { layers, all }: LayerCounts, least: number): number[] {
  const { experts, recurrent, isLayered } = keys.architecture;
  const isRouted = experts !== undefined && keys.size('expert_count', 0, 0) > 0;
  if (experts?.isRequired && !isRouted) keys.refuse('expert_count', 'is 0, where experts are needed');
  if (!isRouted && !recurrent && !isLayered) return Array<number>(layers).fill(keys.size('feed_forward_length'));
  return keys.sizes('feed_forward_length', all, isRouted ? 0 : undefined, isRouted ? 0 : least).slice(0, layers);
}

/** Of models with attention in one layer of so many, the last of them; or as the file lists them. */
function readInterval(keys: ModelKeys, { layers, all }: LayerCounts): boolean[] {
  if (keys.architecture.recurrent?.where !== 'interval') return [];
  const listed = keys.flags('attention.recurrent_layers', all);
  const every = keys.size('full_attention_interval', 4);
  return Array.from({ length: layers }, (_, layer) => (listed ? !listed[layer] : (layer + 1) % every === 0));
}

export function readRecurrent(keys: ModelKeys, { width }: { width: number }): RecurrentShape | undefined {
  const { recurrent } = keys.architecture;
  if (!recurrent) return undefined;
  const sharesKeys = recurrent.sharesKeys ?? false;
  if (recurrent.kind === 'convolution') {
    const taps = keys.size('shortconv.l_cache', undefined, 2);
    return { kind: 'convolution', taps, channels: width, heads: 0, headSize: 0, groups: 0, size: 0, sharesKeys };
  }
  const [taps, inner] = [keys.size('ssm.conv_kernel', undefined, 2), keys.size('ssm.inner_size')];
  const [size, groups, heads] = [
    keys.size('ssm.state_size'),
    keys.size('ssm.group_count'),
    keys.size('ssm.time_step_rank'),
  ];
  const check = (isRight: boolean, key: string, why: string): void => {
    if (!isRight) keys.refuse(`ssm.${key}`, why);
  };
  check(heads % groups === 0, 'group_count', `is ${groups}, which ${heads} heads of its memory cannot share`);
  check(inner % heads === 0 && inner % 32 === 0, 'inner_size', `is ${inner}, of ${heads} heads`);
  const headSize = inner / heads;
  check(size % 8 === 0, 'state_size', `is ${size}, which is not a multiple of 8`);
  const isDelta = recurrent.kind === 'delta';
  check(!isDelta || headSize === size, 'inner_size', `gives each of its ${heads} heads ${headSize} numbers of ${size}`);
  const channels = inner + 2 * groups * size;
  return { kind: recurrent.kind, taps, channels, heads, headSize, groups, size, sharesKeys };
}

/** Bytes of the state of all layers that have one. */
export function statesOf(recurrent: RecurrentShape | undefined, layers: readonly LayerShape[]): number | undefined {
  if (!recurrent) return undefined;
  const [convolution, memory] = recurrentBytes(recurrent);
  return (convolution + memory) * layers.filter((layer) => hasState(layer)).length;
}

export const hasState = ({ mixer }: LayerShape): boolean => mixer === 'recurrent' || mixer === 'both';

/** Keys and values of each layer, where any differ. */
export function kvLayersOf(layers: readonly LayerShape[], usual: KvLayer): readonly KvLayer[] | undefined {
  const all = layers.map((layer): KvLayer => {
    const { kvHeads = usual.kvHeads, headSize = usual.headSize, kvFrom } = layer;
    return { kvHeads: kvFrom === undefined ? kvHeads : 0, headSize };
  });
  const isUsual = ({ kvHeads, headSize }: KvLayer): boolean => kvHeads === usual.kvHeads && headSize === usual.headSize;
  return all.every(isUsual) ? undefined : all;
}

/** Undefined: there are none. @throws InferenceError `model_not_supported` for experts of another kind */
export function readExperts(
  keys: ModelKeys,
  { layers, all }: LayerCounts,
  { feedForward }: { feedForward: number },
): { experts: ExpertsShape; dense: number } | undefined {
  const { experts: traits } = keys.architecture;
  const count = keys.size('expert_count', 0, 0);
  if (!traits) {
    // One expert is none.
    if (count > 1 || (count === 1 && keys.name !== 'hunyuan-dense'))
      keys.refuse('expert_count', `is ${count}, and mixtures of experts are not supported for its architecture`);
    return undefined;
  }
  if (count === 0) return undefined;
  const used = keys.sizes('expert_used_count', all, undefined, 1).slice(0, layers);
  if (used.some((each) => each > count)) keys.refuse('expert_used_count', `is more than its ${count} experts`);
  if (keys.size('expert_group_count', 0, 0) > 1) keys.refuse('expert_group_count', 'groups its experts');
  keys.size('expert_group_used_count', 0, 0);
  readGating(keys, traits);
  if (keys.factor('expert_weights_scale') !== 1) keys.refuse('expert_weights_scale', 'is not 1');
  const isNormed = traits.isNormed ?? false;
  if (keys.has('expert_weights_norm') && keys.flag('expert_weights_norm', isNormed) !== isNormed)
    keys.refuse('expert_weights_norm', `is ${!isNormed}`);
  const share = traits.size === 'share' ? feedForward / used[0]! : feedForward;
  const dense = traits.dense === undefined ? 0 : keys.size(traits.dense, 0, 0);
  const own = keys.size('expert_feed_forward_length', share);
  const sharedSize = traits.shared === 'gated' ? own : 0;
  return {
    experts: {
      count,
      used,
      feedForward: own,
      sharedFeedForward: traits.shared ? keys.size('expert_shared_feed_forward_length', sharedSize, 0) : 0,
      ...(traits.isBeside && { beside: feedForward }),
      gating: traits.gating,
      isNormed,
    },
    dense,
  };
}

/** By their numbers in files. */
const GATINGS = ['none', 'softmax', 'sigmoid', 'chosen'];

function readGating(keys: ModelKeys, { gating }: NonNullable<Architecture['experts']>): void {
  const given = keys.size('expert_gating_func', 0, 0);
  if (given !== 0 && GATINGS[given] !== gating) keys.refuse('expert_gating_func', `is ${given}`);
}

/** What `xielu` needs, layer by layer. */
export function readCurves(keys: ModelKeys, layers: number): Curve[] | undefined {
  if (keys.architecture.activation !== 'xielu') return undefined;
  const [an, ap, beta, eps] = ['alpha_n', 'alpha_p', 'beta', 'eps'].map((name) =>
    keys.numbersOf(`xielu.${name}`, layers),
  );
  const softplus = (x: number): number => (x > 20 ? x : Math.log1p(Math.exp(x)));
  return Array.from({ length: layers }, (_, layer) => ({
    a: softplus(ap![layer]!),
    b: beta![layer]! + softplus(an![layer]!),
    c: beta![layer]!,
    e: eps![layer]!,
  }));
}
