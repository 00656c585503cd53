/**
 * What a file's encoder is made of, by its head. Whatever of the file would not be computed is refused here, before its weights
 * are fetched.
 * @module
 */
import { unsupported } from './file/file-problems.js';
import type { GgufHeader, GgufTensor } from './file/header.js';
import type { WantedTensors } from './load-tensors.js';
import { ENCODERS } from './architectures.js';
import { ModelKeys } from './model-keys.js';
import { type MatrixPlan, ModelTensors } from './model-tensors.js';

export interface EncoderShape {
  layers: number;
  /** Numbers of a token between layers. */
  width: number;
  heads: number;
  headSize: number;
  /** Numbers inside a feed-forward layer. */
  feedForward: number;
  /** Of the norms. */
  epsilon: number;
  /** Tokens of a text. */
  contextLength: number;
}

/** The weights of an encoder. */
export interface EncoderParts<Matrix, Vector> {
  /** A row for each token, position and kind of text. */
  tokens: Matrix;
  positions: Matrix;
  types: Matrix | undefined;
  norm: NormParts<Vector>;
  layers: readonly EncoderLayer<Matrix, Vector>[];
  /** What makes a score of the first token. */
  score: ScoreParts<Matrix, Vector> | undefined;
}

export interface NormParts<Vector> {
  weight: Vector;
  bias: Vector;
}

/** A matrix and what is added to its products. */
export interface Projection<Matrix, Vector> {
  weight: Matrix;
  bias: Vector | undefined;
}

export interface EncoderLayer<Matrix, Vector> {
  query: Projection<Matrix, Vector>;
  key: Projection<Matrix, Vector>;
  value: Projection<Matrix, Vector>;
  output: Projection<Matrix, Vector>;
  attentionNorm: NormParts<Vector>;
  up: Projection<Matrix, Vector>;
  down: Projection<Matrix, Vector>;
  outputNorm: NormParts<Vector>;
}

export interface ScoreParts<Matrix, Vector> {
  /** Before the score, passed through tanh. */
  dense: Projection<Matrix, Vector> | undefined;
  output: Projection<Matrix, Vector>;
}

export interface EncoderPlan {
  architecture: string;
  shape: EncoderShape;
  parts: EncoderParts<MatrixPlan, GgufTensor>;
  /** Tokens that there are. */
  vocabulary: number;
}

/** Rows of matrices are multiples of it, heads of the other. */
const [ROW_STEP, HEAD_STEP] = [32, 8];

/**
 * @param isScored the model gives scores of pairs of texts
 * @throws InferenceError `model_not_supported`, permanent; its message names the file and what is wrong
 */
export function planEncoder(
  header: GgufHeader,
  { contextLength = Infinity, isScored }: { contextLength?: number | undefined; isScored: boolean },
): EncoderPlan {
  const { file } = header;
  const keys = new ModelKeys(header, ENCODERS);
  const shape = readShape(keys, header);
  const { width } = shape;
  const tensors = new ModelTensors(header);
  const projection = (name: string, columns: number, rows: number): Projection<MatrixPlan, GgufTensor> => ({
    weight: tensors.matrix(`${name}.weight`, columns, rows),
    bias: tensors.vectorIfThere(`${name}.bias`, rows),
  });
  const norm = (name: string): NormParts<GgufTensor> => ({
    weight: tensors.vector(`${name}.weight`, width),
    bias: tensors.vector(`${name}.bias`, width),
  });
  const tokens = tensors.table('token_embd.weight', width);
  const positions = tensors.table('position_embd.weight', width);
  const parts: EncoderPlan['parts'] = {
    tokens,
    positions,
    types: tensors.has('token_types.weight') ? tensors.table('token_types.weight', width) : undefined,
    norm: norm('token_embd_norm'),
    layers: Array.from({ length: shape.layers }, (_, layer) => {
      const of = (part: string): string => `blk.${layer}.${part}`;
      return {
        query: projection(of('attn_q'), width, width),
        key: projection(of('attn_k'), width, width),
        value: projection(of('attn_v'), width, width),
        output: projection(of('attn_output'), width, width),
        attentionNorm: norm(of('attn_output_norm')),
        up: projection(of('ffn_up'), width, shape.feedForward),
        down: projection(of('ffn_down'), shape.feedForward, width),
        outputNorm: norm(of('layer_output_norm')),
      };
    }),
    score: isScored ? planScore(tensors, width, file) : undefined,
  };
  tensors.refuseOthers();
  keys.refuseOthers();
  const most = Math.min(contextLength, shape.contextLength, positions.rows);
  return { architecture: keys.name, shape: { ...shape, contextLength: most }, parts, vocabulary: tokens.rows };
}

type EncoderKeys = ModelKeys<(typeof ENCODERS)[string]>;

function readShape(keys: EncoderKeys, { file, tensors }: GgufHeader): EncoderShape {
  const width = keys.size('embedding_length');
  const heads = keys.size('attention.head_count');
  const headSize = width / heads;
  const feedForward = keys.size('feed_forward_length');
  if (headSize % HEAD_STEP !== 0) throw unsupported(file, `its heads have ${headSize} numbers`);
  if (width % ROW_STEP !== 0 || feedForward % ROW_STEP !== 0)
    throw unsupported(file, `its rows are no multiples of ${ROW_STEP} numbers`);
  if (keys.flag('attention.causal', false)) throw unsupported(file, 'its attention is causal');
  return {
    layers: keys.layers(tensors.length),
    width,
    heads,
    headSize,
    feedForward,
    epsilon: keys.epsilon('attention.layer_norm_epsilon'),
    contextLength: keys.size('context_length'),
  };
}

function planScore(tensors: ModelTensors, width: number, file: string): ScoreParts<MatrixPlan, GgufTensor> {
  if (!tensors.has('cls.output.weight'))
    throw unsupported(file, 'it has no tensor `cls.output.weight`, without which there are no scores');
  const weight = tensors.table('cls.output.weight', width);
  const dense = tensors.matrixIfThere('cls.weight', width, width);
  return {
    dense: dense && { weight: dense, bias: tensors.vectorIfThere('cls.bias', width) },
    output: { weight, bias: tensors.vectorIfThere('cls.output.bias', weight.rows) },
  };
}

/** All of an encoder's tensors. */
export function encoderTensors({ tokens, positions, types, norm, layers, score }: EncoderPlan['parts']): WantedTensors {
  const projections = [
    ...layers.flatMap(({ query, key, value, output, up, down }) => [query, key, value, output, up, down]),
    ...(score ? [score.output] : []),
    ...(score?.dense ? [score.dense] : []),
  ];
  const norms = [norm, ...layers.flatMap(({ attentionNorm, outputNorm }) => [attentionNorm, outputNorm])];
  return {
    matrices: [tokens, positions, ...(types ? [types] : []), ...projections.map(({ weight }) => weight)],
    vectors: [
      ...norms.flatMap(({ weight, bias }) => [weight, bias]),
      ...projections.flatMap(({ bias }) => (bias ? [bias] : [])),
    ],
  };
}
