/** Which tensor is which weight of an encoder's layer. @module */
import type { EncoderTraits } from './encoder-architectures.js';
import type { EncoderLayer, EncoderNorms, EncoderShape, NormParts, Projection } from './encoder-parts.js';
import type { GgufHeader, GgufTensor } from './file/header.js';
import { type MatrixPlan, ModelTensors } from './model-tensors.js';

/** Finds tensors as they are called in encoders. */
export class EncoderTensors {
  readonly all: ModelTensors;
  readonly #traits: EncoderTraits;

  constructor(header: GgufHeader, traits: EncoderTraits) {
    this.all = new ModelTensors(header);
    this.#traits = traits;
  }

  projection(name: string, columns: number, rows: number): Projection<MatrixPlan, GgufTensor> {
    return {
      weight: this.all.matrix(`${name}.weight`, columns, rows),
      bias: this.all.vectorIfThere(`${name}.bias`, rows),
    };
  }

  /** Several in one tensor. */
  projections(name: string, columns: number, sizes: readonly number[]): Projection<MatrixPlan, GgufTensor>[] {
    const weights = this.all.slices(`${name}.weight`, columns, sizes);
    const biases = this.all.has(`${name}.bias`) ? this.all.parts(`${name}.bias`, sizes) : [];
    return weights.map((weight, index) => ({ weight, bias: biases[index] }));
  }

  /** Norms around the mean have a bias where rows are normed behind. */
  norm(name: string, size: number): NormParts<GgufTensor> {
    const weight = this.all.vector(`${name}.weight`, size);
    const { norm, norms } = this.#traits;
    const hasBias = norm === 'layer' && norms === 'behind';
    return { weight, bias: hasBias ? this.all.vector(`${name}.bias`, size) : undefined };
  }
}

type PlannedLayer = EncoderLayer<MatrixPlan, GgufTensor>;

export function planEncoderLayer(tensors: EncoderTensors, shape: EncoderShape, layer: number): PlannedLayer {
  const { width, heads, kvHeads, headSize, traits } = shape;
  const of = (part: string): string => `blk.${layer}.${part}`;
  const [all, shared] = [heads * headSize, kvHeads * headSize];
  const [query, key, value] = tensors.all.has(of('attn_qkv.weight'))
    ? tensors.projections(of('attn_qkv'), width, [all, shared, shared])
    : [
        tensors.projection(of('attn_q'), width, all),
        tensors.projection(of('attn_k'), width, shared),
        tensors.projection(of('attn_v'), width, shared),
      ];
  return {
    query: query!,
    key: key!,
    value: value!,
    output: tensors.projection(of('attn_output'), all, width),
    norms: planNorms(tensors, shape, layer),
    ...(traits.hasExperts && layer % 2 === 1 ? planExperts(tensors, shape, of) : planFeedForward(tensors, shape, of)),
  };
}

function planNorms(
  tensors: EncoderTensors,
  { width, heads, kvHeads, headSize, traits }: EncoderShape,
  layer: number,
): EncoderNorms<GgufTensor> {
  const of = (part: string): string => `blk.${layer}.${part}`;
  const norm = (part: string, isThere: boolean, size = width): NormParts<GgufTensor> | undefined =>
    isThere ? tensors.norm(of(part), size) : undefined;
  const isBefore = traits.norms !== 'behind';
  const hasRows = traits.normsRows === true && tensors.all.has(of('attn_q_norm.weight'));
  const hasHeads = traits.normsHeads === true;
  const hasSecond = traits.normsRows === true && tensors.all.has(of('attn_norm_2.weight'));
  const isFirst = layer === 0 && traits.lacksFirstNorm === true;
  return {
    attentionNorm: norm('attn_norm', isBefore && !isFirst),
    attentionPostNorm: norm(isBefore ? 'post_attention_norm' : 'attn_output_norm', traits.norms !== 'before'),
    secondNorm: norm('attn_norm_2', hasSecond),
    queryNorm: norm('attn_q_norm', hasRows || hasHeads, hasRows ? heads * headSize : headSize),
    keyNorm: norm('attn_k_norm', hasRows || hasHeads, hasRows ? kvHeads * headSize : headSize),
    feedForwardNorm: norm('ffn_norm', isBefore),
    feedForwardPostNorm: norm(isBefore ? 'post_ffw_norm' : 'layer_output_norm', traits.norms !== 'before'),
  };
}

function planFeedForward(
  tensors: EncoderTensors,
  { width, feedForward, activation, traits }: EncoderShape,
  of: (part: string) => string,
): Pick<PlannedLayer, 'up' | 'gate' | 'down' | 'router' | 'experts'> {
  const rest = { down: tensors.projection(of('ffn_down'), feedForward, width), router: undefined, experts: undefined };
  if (activation === 'gelu')
    return { up: tensors.projection(of('ffn_up'), width, feedForward), gate: undefined, ...rest };
  if (traits.isUpFused || !tensors.all.has(of('ffn_gate.weight'))) {
    const [gate, up] = tensors.projections(of('ffn_up'), width, [feedForward, feedForward]);
    return { gate, up: up!, ...rest };
  }
  const gate = tensors.projection(of('ffn_gate'), width, feedForward);
  return { gate, up: tensors.projection(of('ffn_up'), width, feedForward), ...rest };
}

function planExperts(
  tensors: EncoderTensors,
  { width, feedForward, experts }: EncoderShape,
  of: (part: string) => string,
): Pick<PlannedLayer, 'up' | 'gate' | 'down' | 'router' | 'experts'> {
  const { count } = experts!;
  const [up] = tensors.all.experts(of('ffn_up_exps.weight'), count, width, [feedForward]);
  const [down] = tensors.all.experts(of('ffn_down_exps.weight'), count, feedForward, [width]);
  const router = tensors.all.matrix(of('ffn_gate_inp.weight'), width, count);
  return { up: undefined, gate: undefined, down: undefined, router, experts: { gate: [], up: up!, down: down! } };
}
