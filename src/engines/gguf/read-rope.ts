/** Which layers of a file see how far, and how they are rotated, by its metadata. @module */
import { shown } from './file/file-problems.js';
import type { LayerShape } from './forward-shape.js';
import type { ModelKeys } from './model-keys.js';
import type { LayerCounts } from './read-layers.js';
import type { RopeShape } from './rope.js';

/** Which layers see how far, and how they are rotated. */
export function readWindows(
  keys: ModelKeys,
  layers: number,
  rope: RopeShape,
): { layerShapes: LayerShape[]; windowRope: RopeShape | undefined } {
  const { window, unrotatedEvery = 0, hasScales, scales, rope: pairs } = keys.architecture;
  // Where scales are in each file, this key says whether there is RoPE.
  const isSwitch = hasScales && !scales;
  const isRotated = pairs !== 'none' && (!isSwitch || keys.flag('rope.scaling.finetuned', true));
  const given = window ? keys.size('attention.sliding_window', window.size, 0) : 0;
  const size = (window?.layers ?? layers) === layers ? given : 0;
  if (!window || size === 0) {
    const plain = (layer: number): LayerShape => ({
      window: 0,
      rope: isRotated && (layer + 1) % unrotatedEvery !== 0 ? 'usual' : 'none',
    });
    return { layerShapes: Array.from({ length: layers }, (_, layer) => plain(layer)), windowRope: undefined };
  }
  const isNear = keys.pattern('attention.sliding_window_pattern', layers, window.every, (every) => every - 1);
  const base = keys.positive('rope.freq_base_swa', typeof window.rope === 'object' ? window.rope.base : rope.base);
  const plainRope: RopeShape = { size: rope.size, base, factor: 1, magnitude: 1 };
  return {
    layerShapes: isNear.map((near) =>
      near ? { window: size, rope: 'window' } : { window: 0, rope: window.rope === 'unrotated' ? 'none' : 'usual' },
    ),
    windowRope: window.rope === 'same' || window.rope === 'unrotated' ? { ...rope, base } : plainRope,
  };
}

/** Gemma 4: windowed layers have heads of another size, and the last layers read keys and values of others. */
export function readLayered(
  keys: ModelKeys,
  { layers, all }: LayerCounts,
  { headSize, parts }: { headSize: number; parts: readonly Partial<LayerShape>[] },
): { layerShapes: LayerShape[]; windowRope: RopeShape | undefined } {
  const isWindowed = keys.flags('attention.sliding_window_pattern', all) ?? [];
  if (isWindowed.length === 0) keys.refuse('attention.sliding_window_pattern', 'is missing');
  const window = keys.size('attention.sliding_window');
  const windowSize = keys.size('attention.key_length_swa', headSize);
  if (keys.size('attention.value_length_swa', windowSize) !== windowSize)
    keys.refuse('attention.value_length_swa', 'says that its keys and values have different sizes');
  const shared = keys.size('attention.shared_kv_layers', 0, 0);
  const first = layers - shared;
  if (shared > 0 && first < 2) keys.refuse('attention.shared_kv_layers', `is ${shared} of ${layers} layers`);
  const layerShapes = Array.from({ length: layers }, (_, layer): LayerShape => {
    const own = isWindowed[layer]!;
    const from = first - (own ? 2 : 1);
    if (layer >= first && (isWindowed[from] !== own || parts[from]?.kvHeads !== parts[layer]?.kvHeads))
      keys.refuse('attention.shared_kv_layers', `lets layer ${layer} read keys of another kind`);
    return {
      window: own ? window : 0,
      rope: own ? 'window' : 'usual',
      ...(own && windowSize !== headSize && { headSize: windowSize }),
      ...(layer >= first && { kvFrom: from }),
    };
  });
  const base = keys.positive('rope.freq_base_swa', 10_000);
  const size = keys.size('rope.dimension_count_swa', windowSize);
  return { layerShapes, windowRope: { size, base, factor: 1, magnitude: 1 } };
}

const SCALINGS = ['none', 'linear', 'yarn', 'longrope'] as const;

export function originalContext(keys: ModelKeys): number {
  return keys.size('rope.scaling.original_context_length', keys.size('context_length'));
}

export function readRope(keys: ModelKeys, { size, headSize }: { size: number; headSize: number }): RopeShape {
  const named = keys.text('rope.scaling.type') ?? 'linear';
  const type = SCALINGS.find((each) => each === named);
  if (!type) keys.refuse('rope.scaling.type', `is \`${shown(named)}\`, which is not supported`);
  const factor = keys.positiveFactor('rope.scaling.factor', keys.positiveFactor('rope.scale_linear'));
  const yarn = {
    originalContext: originalContext(keys),
    betaFast: keys.positiveFactor('rope.scaling.yarn_beta_fast', 32),
    betaSlow: keys.positiveFactor('rope.scaling.yarn_beta_slow', 1),
  };
  const { scalesBase, hasTemperature } = keys.architecture;
  const alpha = scalesBase ? keys.number('rope.scaling.alpha', 0) : 0;
  const stretch = alpha > 0 ? alpha ** (headSize / (headSize - 2)) : 1;
  // Such models say how much of what follows from YaRN they were trained without.
  const log = hasTemperature ? keys.number('rope.scaling.yarn_log_multiplier', 0) : 0;
  const without = type === 'yarn' && log !== 0 ? 1 + 0.1 * log * Math.log(factor) : 1;
  if (!(without > 0)) keys.refuse('rope.scaling.yarn_log_multiplier', `is ${log}`);
  const base = keys.positive('rope.freq_base', 10_000) * stretch;
  if (!Number.isFinite(base)) keys.refuse('rope.scaling.alpha', `is ${alpha}`);
  return {
    size,
    base,
    factor: type === 'none' ? 1 : factor,
    magnitude: keys.positiveFactor('rope.scaling.attn_factor') / without,
    ...(type === 'yarn' && { yarn }),
  };
}
