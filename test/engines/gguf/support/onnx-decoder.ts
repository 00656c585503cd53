/** A decoder of plain numbers as an ONNX graph of 32-bit floats, run by ONNX Runtime. @module */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { FLOAT, INT64, OnnxFile, wholeFile } from '../../../support/onnx-file.js';
import type { ReferenceDecoder, ReferenceLayer, Row, Rows } from './reference-decoder.js';

/** What a token does not see. */
const HIDDEN = -1e30;

/** Logits after each token. */
export async function onnxLogits(model: ReferenceDecoder, tokens: readonly number[]): Promise<Float32Array[]> {
  const graph = new DecoderGraph(model, tokens.length).file;
  const session = await InferenceSession.create(wholeFile(graph.toMessage()), { intraOpNumThreads: 1 });
  const ids = new Tensor('int64', BigInt64Array.from(tokens, BigInt), [tokens.length]);
  const { logits } = await session.run({ ids });
  await session.release();
  const numbers = logits!.data as Float32Array;
  const count = model.head.length;
  return tokens.map((_, token) => numbers.slice(token * count, (token + 1) * count));
}

/** Nodes for so many tokens at once; nothing is kept between runs. */
class DecoderGraph {
  readonly file = new OnnxFile();
  readonly #model: ReferenceDecoder;
  readonly #length: number;
  #count = 0;

  constructor(model: ReferenceDecoder, length: number) {
    this.#model = model;
    this.#length = length;
    const { embedding, embeddingScale, head, outputNorm, logitScale, logitCap } = model;
    this.file.input('ids', INT64, [length]);
    let x = this.#times(this.#node('Gather', [this.#matrix(embedding), 'ids'], { axis: 0 }), embeddingScale);
    for (const layer of model.layers) x = this.#layer(x, layer);
    const logits = this.#times(this.#product(this.#norm(x, outputNorm), head), logitScale);
    this.file.node('Identity', [this.#bend(logits, logitCap)], 'logits');
    this.file.output('logits', FLOAT, [length, head.length]);
  }

  #layer(x: string, layer: ReferenceLayer): string {
    const { activation } = this.#model;
    const attended = this.#attend(this.#norm(x, layer.attentionNorm), layer);
    const first = this.#norm(this.#product(attended, layer.output, layer.outputBias), layer.attentionPostNorm);
    const between = this.#addBranch(x, first);
    const inner = this.#norm(between, layer.feedForwardNorm);
    const gate = this.#product(inner, layer.gate, layer.gateBias);
    const up = this.#product(inner, layer.up, layer.upBias);
    const gated = this.#node('Mul', [activation === 'silu' ? this.#silu(gate) : this.#gelu(gate), up]);
    const second = this.#norm(this.#product(gated, layer.down, layer.downBias), layer.feedForwardPostNorm);
    return this.#addBranch(between, second);
  }

  #attend(x: string, layer: ReferenceLayer): string {
    const { heads, kvHeads, attentionScale, attentionCap } = this.#model;
    const queries = this.#heads(this.#product(x, layer.query, layer.queryBias), heads, layer.queryNorm, layer);
    const keys = this.#heads(this.#product(x, layer.key, layer.keyBias), kvHeads, layer.keyNorm, layer);
    const values = this.#heads(this.#product(x, layer.value, layer.valueBias), kvHeads);
    const products = this.#node('MatMul', [queries, this.#transposed(this.#shared(keys), [0, 2, 1])]);
    const scores = this.#bend(this.#times(products, attentionScale), attentionCap);
    const shares = this.#node('Softmax', [this.#node('Add', [scores, this.#mask(layer.window)])], { axis: 2 });
    const given = this.#node('MatMul', [shares, this.#shared(values)]);
    return this.#shaped(this.#transposed(given, [1, 0, 2]), [this.#length, -1]);
  }

  /** Rows as [head][token][number], normed and rotated where a layer says so. */
  #heads(rows: string, count: number, norm?: Row, rotation?: ReferenceLayer): string {
    const { headSize } = this.#model;
    const isOfHead = norm?.length === headSize;
    const whole = norm && !isOfHead ? this.#norm(rows, norm) : rows;
    const cut = this.#shaped(whole, [this.#length, count, headSize]);
    const normed = isOfHead ? this.#norm(cut, norm, 2) : cut;
    return this.#transposed(rotation?.angles ? this.#rotated(normed, rotation) : normed, [1, 0, 2]);
  }

  /** x by cosines, and x with the numbers of each pair exchanged by sines. */
  #rotated(heads: string, { angles, magnitude }: ReferenceLayer): string {
    const { headSize, pairs } = this.#model;
    const count = angles!(0).length;
    const exchange = new Float32Array(headSize * headSize);
    const [cosines, sines] = [1, 0].map((value) => new Float32Array(this.#length * headSize).fill(value));
    for (let pair = 0; pair < count; pair++) {
      const [first, second] = pairs === 'halves' ? [pair, pair + count] : [2 * pair, 2 * pair + 1];
      exchange[second * headSize + first] = -1;
      exchange[first * headSize + second] = 1;
      for (let position = 0; position < this.#length; position++) {
        for (const place of [first, second].map((index) => position * headSize + index)) {
          cosines![place] = magnitude * Math.cos(angles!(position)[pair]!);
          sines![place] = magnitude * Math.sin(angles!(position)[pair]!);
        }
      }
    }
    const table = (values: Float32Array): string => this.#constant(values, [this.#length, 1, headSize]);
    const exchanged = this.#node('MatMul', [heads, this.#constant(exchange, [headSize, headSize])]);
    return this.#node('Add', [
      this.#node('Mul', [heads, table(cosines!)]),
      this.#node('Mul', [exchanged, table(sines!)]),
    ]);
  }

  /** A head of keys or values for each head of queries. */
  #shared(heads: string): string {
    const { heads: count, kvHeads } = this.#model;
    const own = BigInt64Array.from({ length: count }, (_, head) => BigInt(Math.floor((head * kvHeads) / count)));
    return this.#node('Gather', [heads, this.file.constant(this.#name(), own)], { axis: 0 });
  }

  #mask(window: number): string {
    const size = this.#length;
    const values = Float32Array.from({ length: size * size }, (_, index) => {
      const [token, other] = [Math.floor(index / size), index % size];
      return other <= token && other > token - window ? 0 : HIDDEN;
    });
    return this.#constant(values, [1, size, size]);
  }

  #addBranch(x: string, branch: string): string {
    return this.#node('Add', [x, this.#times(branch, this.#model.residualScale)]);
  }

  #norm(x: string, weight: Row | undefined, axis = 1): string {
    if (!weight) return x;
    const { epsilon } = this.#model;
    return this.#node('SimplifiedLayerNormalization', [x, this.#constant(Float32Array.from(weight))], {
      axis,
      stash_type: 1,
      epsilon: { float: epsilon },
    });
  }

  #product(x: string, matrix: Rows, bias?: Row): string {
    const product = this.#node('MatMul', [x, this.#transposed(this.#matrix(matrix), [1, 0])]);
    return bias ? this.#node('Add', [product, this.#constant(Float32Array.from(bias))]) : product;
  }

  #silu(x: string): string {
    return this.#node('Mul', [x, this.#node('Sigmoid', [x])]);
  }

  #gelu(x: string): string {
    const cube = this.#node('Mul', [this.#node('Mul', [x, x]), x]);
    const inside = this.#times(this.#node('Add', [x, this.#times(cube, 0.044715)]), Math.sqrt(2 / Math.PI));
    const one = this.#constant(Float32Array.of(1));
    return this.#node('Mul', [this.#times(x, 0.5), this.#node('Add', [this.#node('Tanh', [inside]), one])]);
  }

  #bend(x: string, cap: number): string {
    return cap > 0 ? this.#times(this.#node('Tanh', [this.#times(x, 1 / cap)]), cap) : x;
  }

  #times(x: string, factor: number): string {
    return factor === 1 ? x : this.#node('Mul', [x, this.#constant(Float32Array.of(factor))]);
  }

  #shaped(x: string, shape: readonly number[]): string {
    return this.#node('Reshape', [x, this.file.constant(this.#name(), BigInt64Array.from(shape, BigInt))]);
  }

  #transposed(x: string, perm: readonly number[]): string {
    return this.#node('Transpose', [x], { perm });
  }

  #matrix(rows: Rows): string {
    const columns = rows[0]!.length;
    const values = new Float32Array(rows.length * columns);
    rows.forEach((row, index) => values.set(row, index * columns));
    return this.#constant(values, [rows.length, columns]);
  }

  #constant(values: Float32Array, shape: readonly number[] = [values.length]): string {
    return this.file.constant(this.#name(), values, shape);
  }

  #node(operator: string, inputs: readonly string[], attributes: Parameters<OnnxFile['node']>[3] = {}): string {
    return this.file.node(operator, inputs, this.#name(), attributes);
  }

  #name(): string {
    this.#count += 1;
    return `v${this.#count}`;
  }
}
