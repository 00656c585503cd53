/** The reference of a made file: what its architecture computes, as its authors describe it. @module */
import { dequantize, quantize } from './quantize.js';
import type { ReferenceDecoder, ReferenceLayer, Row, Rows } from './reference-decoder.js';
import type { GgufInput } from './write-gguf.js';

/** Decoders whose pairs of rotated numbers are neighbours. */
const NEIGHBOURS = ['llama', 'granite', 'smollm3'];

export function referenceOf({ metadata, tensors }: GgufInput): ReferenceDecoder {
  const architecture = metadata['general.architecture'] as string;
  const value = (key: string): unknown => {
    const given = metadata[`${architecture}.${key}`];
    return typeof given === 'object' && 'value' in given ? given.value : given;
  };
  const number = (key: string, otherwise: number): number => Number(value(key) ?? otherwise);
  const numbers = (name: string): Float32Array | undefined => {
    const tensor = tensors.find((each) => each.name === name);
    if (!tensor) return undefined;
    const { kind, data } = tensor;
    return dequantize(kind, data instanceof Float32Array ? quantize(kind, data) : data);
  };
  const vector = (name: string): Row | undefined => {
    const found = numbers(name);
    return found && [...found];
  };
  const matrix = (name: string): Rows | undefined => {
    const found = numbers(name);
    const columns = tensors.find((tensor) => tensor.name === name)?.shape[0] ?? 1;
    return (
      found &&
      Array.from({ length: found.length / columns }, (_, row) => [
        ...found.subarray(row * columns, (row + 1) * columns),
      ])
    );
  };
  const width = number('embedding_length', 0);
  const heads = number('attention.head_count', 0);
  const kvHeads = number('attention.head_count_kv', heads);
  const headSize = number('attention.key_length', width / heads);
  const layers = number('block_count', 0);
  const inner = number('feed_forward_length', 0);
  const isGemma = architecture.startsWith('gemma');
  const isGranite = architecture === 'granite';
  const embedding = matrix('token_embd.weight')!;

  const layerOf = (layer: number): ReferenceLayer => {
    const of = (part: string): string => `blk.${layer}.${part}`;
    const qkv = matrix(of('attn_qkv.weight'));
    const gateUp = architecture === 'phi3' ? matrix(of('ffn_up.weight')) : undefined;
    const [queries, keys] = [heads * headSize, kvHeads * headSize];
    return {
      attentionNorm: vector(of('attn_norm.weight')),
      attentionPostNorm: vector(of('post_attention_norm.weight')),
      query: qkv?.slice(0, queries) ?? matrix(of('attn_q.weight'))!,
      key: qkv?.slice(queries, queries + keys) ?? matrix(of('attn_k.weight'))!,
      value: qkv?.slice(queries + keys) ?? matrix(of('attn_v.weight'))!,
      output: matrix(of('attn_output.weight'))!,
      queryBias: vector(of('attn_q.bias')),
      keyBias: vector(of('attn_k.bias')),
      valueBias: vector(of('attn_v.bias')),
      outputBias: vector(of('attn_output.bias')),
      queryNorm: vector(of('attn_q_norm.weight')),
      keyNorm: vector(of('attn_k_norm.weight')),
      feedForwardNorm: vector(of('ffn_norm.weight')),
      feedForwardPostNorm: vector(of('post_ffw_norm.weight')),
      gate: gateUp?.slice(0, inner) ?? matrix(of('ffn_gate.weight'))!,
      up: gateUp?.slice(inner) ?? matrix(of('ffn_up.weight'))!,
      down: matrix(of('ffn_down.weight'))!,
      gateBias: vector(of('ffn_gate.bias')),
      upBias: vector(of('ffn_up.bias')),
      downBias: vector(of('ffn_down.bias')),
      ...seenAndRotated(layer),
    };
  };

  /** Which layers see how far, and how they are rotated. */
  const seenAndRotated = (layer: number): Pick<ReferenceLayer, 'window' | 'angles' | 'magnitude'> => {
    const window = number('attention.sliding_window', 0);
    const size = number('rope.dimension_count', headSize);
    const usual = ropeOf(size);
    const unscaled = (base: number): ReturnType<typeof ropeOf> => ({
      angles: (position) => Array.from({ length: size / 2 }, (_, pair) => position / base ** ((2 * pair) / size)),
      magnitude: 1,
    });
    const everywhere = { window: Infinity, ...usual };
    if ((architecture === 'smollm3' && layer % 4 === 3) || value('rope.scaling.finetuned') === false)
      return { window: Infinity, angles: undefined, magnitude: 1 };
    if (window === 0) return everywhere;
    if (architecture === 'gemma2') return layer % 2 === 0 ? { window, ...usual } : everywhere;
    if (architecture === 'gemma3')
      return (layer + 1) % number('attention.sliding_window_pattern', 6) === 0
        ? everywhere
        : { window, ...unscaled(number('rope.freq_base_swa', 10_000)) };
    if (architecture === 'olmo2')
      return (layer + 1) % 4 === 0 ? everywhere : { window, ...unscaled(number('rope.freq_base', 10_000)) };
    return everywhere;
  };

  const ropeOf = (size: number): Pick<ReferenceLayer, 'angles' | 'magnitude'> => {
    const base = number('rope.freq_base', 10_000);
    const type = value('rope.scaling.type') ?? 'linear';
    const factor = type === 'none' ? 1 : number('rope.scaling.factor', 1);
    const trained = number('context_length', 0);
    const original = number('rope.scaling.original_context_length', trained);
    const factors =
      vector('rope_freqs.weight') ??
      vector(trained > original ? 'rope_factors_long.weight' : 'rope_factors_short.weight');
    const turnsToPair = (turns: number): number =>
      (size * Math.log(original / (turns * 2 * Math.PI))) / (2 * Math.log(base));
    const low = Math.max(0, Math.floor(turnsToPair(number('rope.scaling.yarn_beta_fast', 32))));
    const high = Math.min(size - 1, Math.ceil(turnsToPair(number('rope.scaling.yarn_beta_slow', 1))));
    const frequency = (pair: number): number => {
      const plain = 1 / base ** ((2 * pair) / size) / (factors?.[pair] ?? 1);
      if (type !== 'yarn') return plain / factor;
      const ramp = Math.min(1, Math.max(0, (pair - low) / Math.max(0.001, high - low)));
      return (plain / factor) * ramp + plain * (1 - ramp);
    };
    const attention = number('rope.scaling.attn_factor', 1);
    return {
      angles: (position) => Array.from({ length: size / 2 }, (_, pair) => position * frequency(pair)),
      magnitude: type === 'yarn' ? attention * (1 + 0.1 * Math.log(factor)) : attention,
    };
  };

  return {
    heads,
    kvHeads,
    headSize,
    epsilon: Math.fround(number('attention.layer_norm_rms_epsilon', 0)),
    pairs: NEIGHBOURS.includes(architecture) ? 'neighbours' : 'halves',
    activation: isGemma ? 'gelu' : 'silu',
    attentionScale: isGranite ? number('attention.scale', 1) : 1 / Math.sqrt(headSize),
    attentionCap: number('attn_logit_softcapping', 0),
    logitCap: number('final_logit_softcapping', 0),
    logitScale: isGranite ? 1 / number('logit_scale', 1) : 1,
    embeddingScale: isGemma ? Math.sqrt(width) : number('embedding_scale', 1),
    residualScale: number('residual_scale', 1),
    embedding,
    head: matrix('output.weight') ?? embedding,
    outputNorm: vector('output_norm.weight')!,
    layers: Array.from({ length: layers }, (_, layer) => layerOf(layer)),
  };
}
