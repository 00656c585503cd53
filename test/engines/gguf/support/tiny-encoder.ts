/** Made files of encoders, and what they compute in plain loops over 64-bit floats. */
import type { TensorKind } from '../../../../src/engines/gguf/file/tensor-kinds.js';
import { AWKWARD_TEXTS } from './awkward-texts.js';
import { wordPieceVocabulary } from './made-vocabulary.js';
import { dequantize, quantize } from './quantize.js';
import type { Row, Rows } from './reference-decoder.js';
import { type GgufInput, type MetadataInput, type TensorInput, writeGguf } from './write-gguf.js';

export interface TinyEncoder {
  /** Of the matrices of layers. */
  kind?: TensorKind;
  /** 1 mean, 2 the first token, 3 the last one; absent: the file does not say. */
  pooling?: number;
  /** Labels of the scores; absent: none. */
  labels?: number;
  /** There is a layer before the scores. */
  dense?: boolean;
  /** Both kinds of text have the same numbers. */
  alike?: boolean;
  metadata?: Record<string, MetadataInput>;
  without?: readonly string[];
}

const [WIDTH, HEADS, INNER, LAYERS, CONTEXT] = [64, 4, 96, 2, 128];

/** A whole file. */
export const tinyEncoder = (options: TinyEncoder = {}): Uint8Array<ArrayBuffer> => writeGguf(encoderContent(options));

/** What is in it. */
export function encoderContent(options: TinyEncoder = {}): GgufInput {
  const { kind = 'F32', pooling, labels, dense, alike, metadata = {}, without = [] } = options;
  const vocabulary = wordPieceVocabulary(AWKWARD_TEXTS);
  const tokens = (vocabulary['tokenizer.ggml.tokens'] as string[]).length;
  let seed = 11;
  const random = (length: number, size: number, around = 0): Float32Array =>
    Float32Array.from({ length }, () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return around + size * (seed / 2 ** 31 - 1);
    });
  const matrix = (name: string, columns: number, rows: number, size = 1.5 / Math.sqrt(columns)): TensorInput => ({
    name,
    shape: [columns, rows],
    kind,
    data: random(columns * rows, size),
  });
  const vector = (name: string, length: number, around = 0): TensorInput => ({
    name,
    shape: [length],
    kind: 'F32',
    data: random(length, 0.3, around),
  });
  const norm = (name: string): TensorInput[] => [vector(`${name}.weight`, WIDTH, 1), vector(`${name}.bias`, WIDTH)];
  const projection = (name: string, columns: number, rows: number): TensorInput[] => [
    matrix(`${name}.weight`, columns, rows),
    vector(`${name}.bias`, rows),
  ];
  const types = matrix('token_types.weight', WIDTH, 2, 1);
  if (alike) (types.data as Float32Array).copyWithin(WIDTH, 0, WIDTH);
  const tensors = [
    matrix('token_embd.weight', WIDTH, tokens, 1),
    { ...matrix('position_embd.weight', WIDTH, CONTEXT, 0.5), kind: 'F32' as const },
    { ...types, kind: 'F32' as const },
    ...norm('token_embd_norm'),
    ...Array.from({ length: LAYERS }, (_, layer) => {
      const of = (part: string): string => `blk.${layer}.${part}`;
      return [
        ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].flatMap((part) => projection(of(part), WIDTH, WIDTH)),
        ...norm(of('attn_output_norm')),
        ...projection(of('ffn_up'), WIDTH, INNER),
        ...projection(of('ffn_down'), INNER, WIDTH),
        ...norm(of('layer_output_norm')),
      ];
    }).flat(),
    ...(dense ? projection('cls', WIDTH, WIDTH) : []),
    ...(labels === undefined ? [] : projection('cls.output', WIDTH, labels)),
  ];
  return {
    metadata: {
      'general.architecture': 'bert',
      'general.name': 'Tiny encoder',
      'bert.context_length': CONTEXT,
      'bert.embedding_length': WIDTH,
      'bert.block_count': LAYERS,
      'bert.feed_forward_length': INNER,
      'bert.attention.head_count': HEADS,
      'bert.attention.layer_norm_epsilon': 1e-6,
      'bert.attention.causal': false,
      ...(pooling !== undefined && { 'bert.pooling_type': pooling }),
      ...vocabulary,
      ...metadata,
    },
    tensors: tensors.filter(({ name }) => !without.includes(name)),
  };
}

/** States of a text's tokens behind the last layer. @param second where the second text begins */
export function encoderStates(content: GgufInput, ids: readonly number[], second = Infinity): number[][] {
  const of = tensorsOf(content);
  const { tokens, positions, types } = {
    tokens: of.matrix('token_embd.weight'),
    positions: of.matrix('position_embd.weight'),
    types: of.matrix('token_types.weight'),
  };
  let rows: number[][] = ids.map((id, position) => {
    const type = types[position < second ? 0 : 1]!;
    return tokens[id]!.map((value, index) => value + type[index]! + positions[position]![index]!);
  });
  rows = rows.map((row) => of.normalize(row, 'token_embd_norm'));
  const size = WIDTH / HEADS;
  for (let layer = 0; layer < LAYERS; layer++) {
    const name = (part: string): string => `blk.${layer}.${part}`;
    const [queries, keys, values] = ['attn_q', 'attn_k', 'attn_v'].map((part) =>
      rows.map((row) => of.project(row, name(part))),
    ) as [number[][], number[][], number[][]];
    rows = rows.map((row, position) => {
      const attended = Array.from({ length: HEADS }, (_, head) => {
        const cut = (numbers: readonly number[]): number[] => numbers.slice(head * size, (head + 1) * size);
        const scores = keys.map((key) => dot(cut(queries[position]!), cut(key)) / Math.sqrt(size));
        const weights = scores.map((score) => Math.exp(score - Math.max(...scores)));
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        return Array.from({ length: size }, (__, index) =>
          values.reduce((sum, value, other) => sum + (weights[other]! / total) * cut(value)[index]!, 0),
        );
      }).flat();
      const between = of.normalize(add(of.project(attended, name('attn_output')), row), name('attn_output_norm'));
      const inner = of.project(between, name('ffn_up')).map(gelu);
      return of.normalize(add(of.project(inner, name('ffn_down')), between), name('layer_output_norm'));
    });
  }
  return rows;
}

/** Logits of the first token's state. */
export function encoderLogits(content: GgufInput, state: Row): number[] {
  const of = tensorsOf(content);
  const hasDense = content.tensors.some(({ name }) => name === 'cls.weight');
  return of.project(hasDense ? of.project(state, 'cls').map(Math.tanh) : state, 'cls.output');
}

function tensorsOf({ tensors }: GgufInput) {
  const known = new Map<string, Rows>();
  const matrix = (name: string): Rows => {
    const found = known.get(name);
    if (found) return found;
    const { kind, data, shape } = tensors.find((tensor) => tensor.name === name)!;
    const numbers = dequantize(kind, quantize(kind, data as Float32Array));
    const columns = shape[0]!;
    const rows = Array.from({ length: numbers.length / columns }, (_, row) => [
      ...numbers.subarray(row * columns, (row + 1) * columns),
    ]);
    known.set(name, rows);
    return rows;
  };
  return {
    matrix,
    project: (row: Row, name: string): number[] =>
      add(
        matrix(`${name}.weight`).map((weights) => dot(weights, row)),
        matrix(`${name}.bias`)[0]!,
      ),
    normalize(row: Row, name: string): number[] {
      const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
      const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length;
      const [weight, bias] = [matrix(`${name}.weight`)[0]!, matrix(`${name}.bias`)[0]!];
      return row.map((value, index) => ((value - mean) / Math.sqrt(variance + 1e-6)) * weight[index]! + bias[index]!);
    },
  };
}

const dot = (a: Row, b: Row): number => a.reduce((sum, value, index) => sum + value * b[index]!, 0);
const add = (a: Row, b: Row): number[] => a.map((value, index) => value + b[index]!);

/** By the series of the error function, which converges everywhere. */
function gelu(x: number): number {
  if (Math.abs(x) > 8) return Math.max(0, x);
  const z = x / Math.sqrt(2);
  let [term, erf] = [z, 0];
  for (let n = 0; n < 200; n++) {
    erf += term / (2 * n + 1);
    term *= -(z * z) / (n + 1);
  }
  return (x / 2) * (1 + (2 / Math.sqrt(Math.PI)) * erf);
}
