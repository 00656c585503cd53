/** Which tensor is which weight of a layer. @module */
import type { Architecture, BiasName } from './architectures.js';
import type { GgufTensor } from './file/header.js';
import { type LayerShape, type PlainShape, recurrentWidth } from './forward-shape.js';
import type { MatrixPlan, ModelTensors } from './model-tensors.js';
import type { LayerExperts, LayerMatrices, LayerVectors } from './model-weights.js';
import { hasState } from './read-layers.js';

/** The tensors of a layer. */
export interface LayerPlan {
  matrices: LayerMatrices<MatrixPlan>;
  vectors: LayerVectors<GgufTensor>;
  experts?: LayerExperts<MatrixPlan> | undefined;
}

/** Finds the tensors of one layer. */
class LayerTensors {
  readonly #tensors: ModelTensors;
  readonly #layer: number;

  constructor(tensors: ModelTensors, layer: number) {
    this.#tensors = tensors;
    this.#layer = layer;
  }

  of(part: string): string {
    return `blk.${this.#layer}.${part}`;
  }

  has(part: string): boolean {
    return this.#tensors.has(this.of(part));
  }

  matrix(part: string, columns: number, rows: number): MatrixPlan {
    return this.#tensors.matrix(this.of(`${part}.weight`), columns, rows);
  }

  slices(part: string, columns: number, sizes: readonly number[]): MatrixPlan[] {
    return this.#tensors.slices(this.of(`${part}.weight`), columns, sizes);
  }

  experts(part: string, count: number, columns: number, sizes: readonly number[]): MatrixPlan[][] {
    return this.#tensors.experts(this.of(`${part}.weight`), count, columns, sizes);
  }

  /** @param part its whole name behind that of the layer */
  vector(part: string, size: number): GgufTensor {
    return this.#tensors.vector(this.of(part), size);
  }

  vectorIfThere(part: string, size: number): GgufTensor | undefined {
    return this.#tensors.vectorIfThere(this.of(part), size);
  }

  parts(part: string, sizes: readonly number[]): GgufTensor[] {
    return this.#tensors.parts(this.of(part), sizes);
  }

  grid(part: string, sizes: readonly number[]): GgufTensor {
    return this.#tensors.grid(this.of(part), sizes);
  }

  gridIfThere(part: string, sizes: readonly number[]): GgufTensor | undefined {
    return this.#tensors.gridIfThere(this.of(part), sizes);
  }
}

type Part = Pick<LayerPlan, 'matrices' | 'vectors'>;

export function planLayer(all: ModelTensors, architecture: Architecture, shape: PlainShape, layer: number): LayerPlan {
  const tensors = new LayerTensors(all, layer);
  const own = shape.layerShapes[layer]!;
  const { width } = shape;
  const { norms } = architecture;
  const { mixer = 'attention' } = own;
  const norm = (part: string, isThere: boolean): GgufTensor | undefined =>
    isThere ? tensors.vector(part, width) : undefined;
  const parts: Part[] = [];
  if (mixer === 'attention' || mixer === 'both') parts.push(planAttention(tensors, architecture, shape, own));
  if (hasState(own)) parts.push(planRecurrent(tensors, shape, mixer === 'both' ? 'mixOutput' : 'output'));
  const routed = own.isRouted ? planExperts(tensors, architecture, shape) : undefined;
  if (routed) parts.push(routed);
  const thinks = own.feedForward !== 0 && (!routed || architecture.experts?.isBeside === true);
  if (thinks) parts.push(planFeedForward(tensors, architecture, shape, own));
  if (shape.layerInput) parts.push(planInput(tensors, shape));
  // A layer that is nothing but a feed-forward network has one norm.
  const feedForwardNorm =
    mixer === 'none' ? 'attn_norm.weight' : (architecture.names?.feedForwardNorm ?? 'ffn_norm.weight');
  return {
    matrices: Object.assign({}, ...parts.map(({ matrices }) => matrices)) as LayerPlan['matrices'],
    vectors: {
      ...(Object.assign({}, ...parts.map(({ vectors }) => vectors)) as LayerPlan['vectors']),
      attentionNorm: norm('attn_norm.weight', norms !== 'behind' && mixer !== 'none'),
      attentionPostNorm: norm('post_attention_norm.weight', norms !== 'before' && mixer !== 'none'),
      feedForwardNorm: norm(feedForwardNorm, norms !== 'behind' && (thinks || routed !== undefined)),
      feedForwardPostNorm: norm('post_ffw_norm.weight', norms !== 'before' && thinks),
      outputScale: architecture.isLayered ? tensors.vectorIfThere('layer_output_scale.weight', 1) : undefined,
    },
    experts: routed?.experts,
  };
}

function planAttention(
  tensors: LayerTensors,
  { queryKeyNorm, biases, isQueryGated, hasSinks }: Architecture,
  shape: PlainShape,
  own: LayerShape,
): Part {
  const { width, heads } = shape;
  const { kvHeads = shape.kvHeads, headSize = shape.headSize, kvFrom } = own;
  const [all, shared] = [heads * headSize, kvHeads * headSize];
  const bias = (part: BiasName, size: number): GgufTensor | undefined =>
    biases.includes(part) ? tensors.vectorIfThere(`${part}.bias`, size) : undefined;
  const norm = (part: string, size: number): GgufTensor | undefined =>
    queryKeyNorm && tensors.vector(`${part}.weight`, queryKeyNorm === 'row' ? size : headSize);
  const queries = isQueryGated ? 2 * all : all;
  const outputs = (): Part => ({
    matrices: { output: tensors.matrix('attn_output', all, width) },
    vectors: {
      queryNorm: norm('attn_q_norm', all),
      keyNorm: kvFrom === undefined ? norm('attn_k_norm', shared) : undefined,
      outputBias: bias('attn_output', width),
      sinks: hasSinks ? tensors.vector('attn_sinks.weight', heads) : undefined,
    },
  });
  const sizes = [queries, shared, shared] as const;
  if (kvFrom === undefined && tensors.has('attn_qkv.weight')) {
    const [query, key, value] = tensors.slices('attn_qkv', width, sizes);
    const hasBias = biases.includes('attn_q') && tensors.has('attn_qkv.bias');
    const [queryBias, keyBias, valueBias] = hasBias ? tensors.parts('attn_qkv.bias', sizes) : [];
    const { matrices, vectors } = outputs();
    return { matrices: { query, key, value, ...matrices }, vectors: { ...vectors, queryBias, keyBias, valueBias } };
  }
  const query = tensors.matrix('attn_q', width, queries);
  if (kvFrom !== undefined) {
    const { matrices, vectors } = outputs();
    return { matrices: { query, ...matrices }, vectors };
  }
  const key = tensors.matrix('attn_k', width, shared);
  // What has no values of its own takes the keys, before their norm.
  const value = shape.normsValues && !tensors.has('attn_v.weight') ? key : tensors.matrix('attn_v', width, shared);
  const { matrices, vectors } = outputs();
  return {
    matrices: { query, key, value, ...matrices },
    vectors: {
      ...vectors,
      queryBias: bias('attn_q', queries),
      keyBias: bias('attn_k', shared),
      valueBias: bias('attn_v', shared),
    },
  };
}

function planFeedForward(
  tensors: LayerTensors,
  { activation, biases, isFused }: Architecture,
  { width, feedForward: usual }: PlainShape,
  { feedForward = usual }: LayerShape,
): Part {
  const bias = (part: BiasName, size: number): GgufTensor | undefined =>
    biases.includes(part) ? tensors.vectorIfThere(`${part}.bias`, size) : undefined;
  const down = tensors.matrix('ffn_down', feedForward, width);
  const vectors = {
    gateBias: bias('ffn_gate', feedForward),
    upBias: bias('ffn_up', feedForward),
    downBias: bias('ffn_down', width),
  };
  const isGated = activation !== 'relu-squared' && activation !== 'xielu';
  if (!isGated) return { matrices: { up: tensors.matrix('ffn_up', width, feedForward), down }, vectors };
  const [gate, up] = isFused
    ? tensors.slices('ffn_up', width, [feedForward, feedForward])
    : [tensors.matrix('ffn_gate', width, feedForward), tensors.matrix('ffn_up', width, feedForward)];
  return { matrices: { gate, up, down }, vectors };
}

/** @param output what its output is called: attention of the same layer has one, too */
function planRecurrent(tensors: LayerTensors, { width, recurrent }: PlainShape, output: 'output' | 'mixOutput'): Part {
  const { kind, taps, channels, heads, groups, size, sharesKeys } = recurrent!;
  const inner = recurrentWidth(recurrent!);
  const out = (part: string): Part['matrices'] => ({ [output]: tensors.matrix(part, inner, width) });
  if (kind === 'convolution')
    return {
      matrices: { mixIn: tensors.matrix('shortconv.in_proj', width, 3 * width), ...out('shortconv.out_proj') },
      vectors: { taps: tensors.grid('shortconv.conv.weight', [taps, channels]) },
    };
  const vectors = {
    taps: tensors.grid('ssm_conv1d.weight', [taps, channels]),
    keeping: tensors.vector('ssm_dt.bias', heads),
  };
  if (kind === 'delta') {
    return {
      matrices: {
        ...planDeltaInput(tensors, { width, groups, heads, size }),
        ...(sharesKeys
          ? { betaAlpha: tensors.matrix('ssm_ba', width, 2 * heads) }
          : { beta: tensors.matrix('ssm_beta', width, heads), alpha: tensors.matrix('ssm_alpha', width, heads) }),
        ...out('ssm_out'),
      },
      vectors: { ...vectors, decay: tensors.vector('ssm_a', heads), mixNorm: tensors.vector('ssm_norm.weight', size) },
    };
  }
  // Small models with attention beside it do without.
  const vectorOf = (part: string, sizes: readonly number[]): GgufTensor | undefined =>
    output === 'output' ? tensors.grid(part, sizes) : tensors.gridIfThere(part, sizes);
  return {
    matrices: { mixIn: tensors.matrix('ssm_in', width, inner + channels + heads), ...out('ssm_out') },
    vectors: {
      ...vectors,
      tapsBias: vectorOf('ssm_conv1d.bias', [channels]),
      decay: tensors.grid('ssm_a', [1, heads]),
      skip: tensors.grid('ssm_d', [1, heads]),
      mixNorm: vectorOf('ssm_norm.weight', [inner / groups, groups]),
    },
  };
}

function planDeltaInput(
  tensors: LayerTensors,
  { width, groups, heads, size }: { width: number; groups: number; heads: number; size: number },
): Part['matrices'] {
  return {
    mixIn: tensors.matrix('attn_qkv', width, (2 * groups + heads) * size),
    mixGate: tensors.matrix('attn_gate', width, heads * size),
  };
}

function planExperts(
  tensors: LayerTensors,
  { experts: traits }: Architecture,
  { width, experts }: PlainShape,
): Part & { experts: LayerExperts<MatrixPlan> } {
  const { count, feedForward, sharedFeedForward } = experts!;
  const [gate, up] = tensors.has('ffn_gate_up_exps.weight')
    ? tensors.experts('ffn_gate_up_exps', count, width, [feedForward, feedForward])
    : ['ffn_gate_exps', 'ffn_up_exps'].map((part) => tensors.experts(part, count, width, [feedForward])[0]!);
  const [down] = tensors.experts('ffn_down_exps', count, feedForward, [width]);
  const bias = (part: string, size: number): GgufTensor | undefined =>
    traits!.hasBiases ? tensors.grid(`${part}.bias`, [size, count]) : undefined;
  const shared = sharedFeedForward > 0;
  const beside = traits!.isBeside;
  return {
    experts: { gate: gate!, up: up!, down: down! },
    matrices: {
      router: tensors.matrix('ffn_gate_inp', width, count),
      ...(shared && {
        sharedGate: tensors.matrix('ffn_gate_shexp', width, sharedFeedForward),
        sharedUp: tensors.matrix('ffn_up_shexp', width, sharedFeedForward),
        sharedDown: tensors.matrix('ffn_down_shexp', sharedFeedForward, width),
        ...(traits!.shared === 'gated' && { sharedOpening: tensors.matrix('ffn_gate_inp_shexp', width, 1) }),
      }),
    },
    vectors: {
      routerBias: traits!.hasBiases ? tensors.vector('ffn_gate_inp.bias', count) : undefined,
      choiceBias: traits!.gating === 'sigmoid' ? tensors.vector('exp_probs_b.bias', count) : undefined,
      expertGateBias: bias('ffn_gate_exps', feedForward),
      expertUpBias: bias('ffn_up_exps', feedForward),
      expertDownBias: bias('ffn_down_exps', width),
      ...(beside && {
        routerScale: tensors.vector('ffn_gate_inp.scale', width),
        densePostNorm: tensors.vector('post_ffw_norm_1.weight', width),
        expertNorm: tensors.vector('pre_ffw_norm_2.weight', width),
        expertPostNorm: tensors.vector('post_ffw_norm_2.weight', width),
        expertScale: tensors.vectorIfThere('ffn_down_exps.scale', count),
      }),
    },
  };
}

/** What Gemma 4 adds to each layer. */
function planInput(tensors: LayerTensors, { width, layerInput = 0 }: PlainShape): Part {
  return {
    matrices: {
      inputGate: tensors.matrix('inp_gate', width, layerInput),
      inputOutput: tensors.matrix('proj', layerInput, width),
    },
    vectors: { inputPostNorm: tensors.vector('post_norm.weight', width) },
  };
}
