/** What a decoder computes, in plain loops over 64-bit floats: written from descriptions of the models, not from the engine. */

export type Row = readonly number[];
/** [rows][columns]. */
export type Rows = readonly Row[];

export interface ReferenceLayer {
  attentionNorm?: Row | undefined;
  attentionPostNorm?: Row | undefined;
  query: Rows;
  key: Rows;
  value: Rows;
  output: Rows;
  queryBias?: Row | undefined;
  keyBias?: Row | undefined;
  valueBias?: Row | undefined;
  outputBias?: Row | undefined;
  /** As long as a head, or as all heads together. */
  queryNorm?: Row | undefined;
  keyNorm?: Row | undefined;
  feedForwardNorm?: Row | undefined;
  feedForwardPostNorm?: Row | undefined;
  gate: Rows;
  up: Rows;
  down: Rows;
  gateBias?: Row | undefined;
  upBias?: Row | undefined;
  downBias?: Row | undefined;
  /** Tokens that one sees. */
  window: number;
  /** Angles of the pairs at a position; undefined: nothing is rotated. */
  angles: ((position: number) => Row) | undefined;
  /** Of the rotated numbers. */
  magnitude: number;
}

export interface ReferenceDecoder {
  heads: number;
  kvHeads: number;
  headSize: number;
  epsilon: number;
  pairs: 'halves' | 'neighbours';
  activation: 'silu' | 'gelu';
  attentionScale: number;
  attentionCap: number;
  logitCap: number;
  logitScale: number;
  embeddingScale: number;
  residualScale: number;
  embedding: Rows;
  head: Rows;
  outputNorm: Row;
  layers: readonly ReferenceLayer[];
}

/**
 * Logits after each token.
 * @param product how a matrix is multiplied, where it is not exact
 */
export function referenceLogits(model: ReferenceDecoder, tokens: readonly number[], product = multiply): number[][] {
  const { outputNorm, epsilon, head, logitScale, logitCap } = model;
  return referenceRows(model, tokens, product).map((row) =>
    product(head, rmsNorm(row, outputNorm, epsilon)).map((logit) => bend(logit * logitScale, logitCap)),
  );
}

/** What the last layer gives for each token. */
export function referenceRows(model: ReferenceDecoder, tokens: readonly number[], product = multiply): Row[] {
  const { embedding, embeddingScale, residualScale, epsilon, activation } = model;
  let rows: Row[] = tokens.map((token) => embedding[token]!.map((value) => value * embeddingScale));
  const into = (row: Row, norm: Row | undefined): Row => (norm ? rmsNorm(row, norm, epsilon) : row);
  for (const layer of model.layers) {
    const attended = attend(
      model,
      layer,
      rows.map((row) => into(row, layer.attentionNorm)),
      product,
    );
    rows = rows.map((row, position) => {
      const first = into(sum(product(layer.output, attended[position]!), layer.outputBias), layer.attentionPostNorm);
      const between = row.map((value, index) => value + residualScale * first[index]!);
      const inner = into(between, layer.feedForwardNorm);
      const gates = sum(product(layer.gate, inner), layer.gateBias);
      const ups = sum(product(layer.up, inner), layer.upBias);
      const gated = gates.map((gate, index) => activate(activation, gate) * ups[index]!);
      const second = into(sum(product(layer.down, gated), layer.downBias), layer.feedForwardPostNorm);
      return between.map((value, index) => value + residualScale * second[index]!);
    });
  }
  return rows;
}

function attend(model: ReferenceDecoder, layer: ReferenceLayer, rows: readonly Row[], product: typeof multiply): Row[] {
  const { heads, kvHeads, headSize, epsilon, pairs, attentionScale, attentionCap } = model;
  const project = (matrix: Rows, bias: Row | undefined, norm: Row | undefined): Row[] =>
    rows.map((row) => {
      const plain = sum(product(matrix, row), bias);
      if (norm === undefined) return plain;
      const pieces = plain.length / norm.length;
      return cut(plain, pieces).flatMap((piece) => rmsNorm(piece, norm, epsilon));
    });
  const turn = (projected: Row[], count: number): Row[][] =>
    projected.map((row, position) =>
      cut(row, count).map((head) =>
        layer.angles ? rotate(head, layer.angles(position), layer.magnitude, pairs) : head,
      ),
    );
  const queries = turn(project(layer.query, layer.queryBias, layer.queryNorm), heads);
  const keys = turn(project(layer.key, layer.keyBias, layer.keyNorm), kvHeads);
  const values = project(layer.value, layer.valueBias, undefined).map((row) => cut(row, kvHeads));
  return rows.map((_, position) =>
    queries[position]!.flatMap((query, head) => {
      const own = Math.floor((head * kvHeads) / heads);
      const first = Math.max(0, position + 1 - layer.window);
      const seen = Array.from({ length: position + 1 - first }, (__, index) => first + index);
      const scores = seen.map((other) => bend(dot(query, keys[other]![own]!) * attentionScale, attentionCap));
      const top = Math.max(...scores);
      const weights = scores.map((score) => Math.exp(score - top));
      const total = weights.reduce((all, weight) => all + weight, 0);
      return Array.from({ length: headSize }, (__, index) =>
        seen.reduce((all, other, place) => all + (weights[place]! / total) * values[other]![own]![index]!, 0),
      );
    }),
  );
}

/** Products of a row with the rows of a matrix. */
export const multiply = (matrix: Rows, row: Row): number[] => matrix.map((weights) => dot(weights, row));

function dot(a: Row, b: Row): number {
  let total = 0;
  for (let index = 0; index < a.length; index++) total += a[index]! * b[index]!;
  return total;
}

const sum = (row: number[], other: Row | undefined): number[] =>
  other ? row.map((value, index) => value + other[index]!) : row;

const cut = (row: Row, count: number): Row[] =>
  Array.from({ length: count }, (_, index) =>
    row.slice((index * row.length) / count, ((index + 1) * row.length) / count),
  );

const bend = (value: number, cap: number): number => (cap > 0 ? cap * Math.tanh(value / cap) : value);

function activate(kind: 'silu' | 'gelu', x: number): number {
  if (kind === 'silu') return x / (1 + Math.exp(-x));
  return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
}

function rmsNorm(row: Row, weight: Row, epsilon: number): number[] {
  const scale = 1 / Math.sqrt(dot(row, row) / row.length + epsilon);
  return row.map((value, index) => value * scale * weight[index]!);
}

function rotate(head: Row, angles: Row, magnitude: number, pairs: 'halves' | 'neighbours'): Row {
  const out = [...head];
  for (const [pair, angle] of angles.entries()) {
    const [first, second] = pairs === 'halves' ? [pair, pair + angles.length] : [2 * pair, 2 * pair + 1];
    const [a, b] = [head[first]!, head[second]!];
    out[first] = magnitude * (a * Math.cos(angle) - b * Math.sin(angle));
    out[second] = magnitude * (b * Math.cos(angle) + a * Math.sin(angle));
  }
  return out;
}
