/** Cross-encoders whose head takes the first token's vector compute no other of the last layer; what is unusual stays. */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { keepFirstToken } from '../../../../../src/model/engines/transformers/onnx-file/keep-first-token.js';
import { quantizeByRow } from '../../../../../src/model/engines/transformers/onnx-file/quantize-by-row.js';
import { readGraph } from '../../../../../src/model/engines/transformers/onnx-file/read-graph.js';
import { rewriteGraph } from '../../../../../src/model/engines/transformers/onnx-file/write-graph.js';
import { FLOAT, INT64 } from '../../../../support/onnx-file.js';
import { int64, RandomGraph } from '../../../../vision/random-graph.js';

const [SIZE, HEADS, INNER, VOCABULARY] = [16, 2, 24, 20];
const SHAPE = ['batch_size', 'sequence_length'];
const ROWS = [
  [1, 14, 15, 9, 2],
  [1, 6, 5, 2, 0],
];

type Part = (graph: RandomGraph, input: string, name: string) => string;

/** How a model computes, as exporters write it. */
interface Form {
  norm: Part;
  /** A product with weights, and its bias. */
  product: (graph: RandomGraph, input: string, name: string, size: readonly [number, number]) => string;
  /** From the vectors to the score. */
  head: (graph: RandomGraph, vectors: string) => void;
  /** After the last layer. */
  after?: Part;
  /** Of axes that are attributes before version 18. */
  version?: number;
}

const wholeNorm: Part = (graph, input, name) => {
  const weights = ['scale', 'shift'].map((part) => graph.weights(`${name}.${part}`, [SIZE], 1));
  return graph.op('LayerNormalization', [input, ...weights], { axis: -1 });
};

const axes: Record<
  string,
  (graph: RandomGraph) => { inputs: string[]; attributes: Record<string, readonly number[]> }
> = {
  input: (graph) => ({ inputs: [graph.ints(-1)], attributes: {} }),
  attribute: () => ({ inputs: [], attributes: { axes: [-1] } }),
};

const normInParts =
  (place: string): Part =>
  (graph, input, name) => {
    const { inputs, attributes } = axes[place]!(graph);
    const middle = graph.op('Sub', [input, graph.op('ReduceMean', [input, ...inputs], attributes)]);
    const squares = graph.op('Pow', [middle, graph.number(2)]);
    const variance = graph.op('Add', [graph.op('ReduceMean', [squares, ...inputs], attributes), graph.number(0.001)]);
    const even = graph.op('Div', [middle, graph.op('Sqrt', [variance])]);
    const scaled = graph.op('Mul', [even, graph.weights(`${name}.scale`, [SIZE], 1)]);
    return graph.op('Add', [scaled, graph.weights(`${name}.shift`, [SIZE], 1)]);
  };

const floatProduct: Form['product'] = (graph, input, name, size) =>
  graph.op('Add', [graph.product(input, name, size), graph.weights(`${name}.bias`, [size[1]], 1)]);

const bytesProduct: Form['product'] = (graph, input, name, [rows, columns]) => {
  const weights = Int8Array.from({ length: rows * columns }, (_, index) => ((index * 37) % 201) - 100);
  graph.constant(`${name}.weight`, weights, [rows, columns]);
  graph.constant(`${name}.scale`, new Float32Array(columns).fill(0.004));
  graph.constant('zero', Int8Array.of(0), []);
  const parts = [`${name}.bytes`, `${name}.bytes.scale`, `${name}.bytes.zero`];
  graph.node('DynamicQuantizeLinear', [input], parts);
  graph.node('MatMulInteger', [parts[0]!, `${name}.weight`, parts[2]!, 'zero'], `${name}.sum`);
  graph.node('Cast', [`${name}.sum`], `${name}.floats`, { to: FLOAT });
  graph.node('Mul', [parts[1]!, `${name}.scale`], `${name}.scales`);
  graph.node('Mul', [`${name}.floats`, `${name}.scales`], `${name}.scaled`);
  return graph.op('Add', [`${name}.scaled`, graph.weights(`${name}.bias`, [columns], 1)]);
};

const first = (graph: RandomGraph, vectors: string, index = 0): string =>
  graph.op('Gather', [vectors, graph.index(index)], { axis: 1 });

const labels = (graph: RandomGraph): string[] => [
  graph.weights('label', [SIZE, 1], 1),
  graph.weights('offset', [1], 1),
];

const pooler: Form['head'] = (graph, vectors) => {
  const pooled = graph.op('Tanh', [floatProduct(graph, first(graph, vectors), 'pooler', [SIZE, SIZE])]);
  graph.node('Gemm', [pooled, ...labels(graph)], 'logits');
};

const plain: Form = { norm: wholeNorm, product: floatProduct, head: pooler };

/** A model of two layers, each with an attention and a perceptron. */
function encoder({
  norm,
  product,
  head,
  after = (_, vectors) => vectors,
  version = 18,
}: Form): Uint8Array<ArrayBuffer> {
  const graph = new RandomGraph(11);
  const ids = graph.op('Gather', [graph.weights('embedding', [VOCABULARY, SIZE], 1), 'input_ids'], { axis: 0 });
  let vectors = norm(graph, ids, 'norm');
  for (const layer of ['first', 'second']) {
    const parts = ['query', 'key', 'value'].map((name) => {
      const flat = product(graph, vectors, `${layer}.${name}`, [SIZE, SIZE]);
      const perm = name === 'key' ? [0, 2, 3, 1] : [0, 2, 1, 3];
      return graph.op('Transpose', [graph.reshape(flat, 0, 0, HEADS, SIZE / HEADS)], { perm });
    });
    const shares = graph.op('Softmax', [graph.op('MatMul', [parts[0]!, parts[1]!])], { axis: -1 });
    const seen = graph.op('Transpose', [graph.op('MatMul', [shares, parts[2]!])], { perm: [0, 2, 1, 3] });
    graph.node('Reshape', [seen, graph.ints(0, 0, SIZE)], `${layer}.seen`);
    const answer = product(graph, `${layer}.seen`, `${layer}.out`, [SIZE, SIZE]);
    vectors = norm(graph, graph.op('Add', [vectors, answer]), `${layer}.norm1`);
    const wide = product(graph, vectors, `${layer}.up`, [SIZE, INNER]);
    const share = graph.op('Add', [graph.op('Erf', [graph.op('Mul', [wide, graph.number(0.7)])]), graph.number(1)]);
    const narrow = product(graph, graph.op('Mul', [wide, share]), `${layer}.down`, [INNER, SIZE]);
    vectors = norm(graph, graph.op('Add', [narrow, vectors]), `${layer}.norm2`);
    graph.node('Identity', [vectors], layer);
    vectors = layer;
  }
  head(graph, after(graph, vectors, 'after'));
  graph.input('input_ids', INT64, SHAPE);
  graph.describe('second.out', FLOAT, [...SHAPE, SIZE]);
  graph.output('logits', FLOAT, ['batch_size', 1]);
  return Uint8Array.from(Buffer.concat(graph.toMessage({ '': version, 'com.microsoft': 1 })));
}

async function logitsOf(file: Uint8Array): Promise<number[]> {
  const session = await InferenceSession.create(file, { logSeverityLevel: 3 });
  const ids = new Tensor('int64', BigInt64Array.from(ROWS.flat(), BigInt), [ROWS.length, ROWS[0]!.length]);
  const { logits } = await session.run({ input_ids: ids });
  return Array.from(logits!.data as Float32Array);
}

/** Names of the values of which a rewritten graph takes the first token. */
function taken(file: Uint8Array): string[] {
  const { nodes } = readGraph(file)!;
  return nodes.filter(({ operator }) => operator === 'Slice').map(({ inputs }) => inputs[0]!);
}

const keepFirst = (file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  rewriteGraph(file, [quantizeByRow, keepFirstToken]);

describe('the score is the same, and the last layer is computed for the first token alone, of a model', () => {
  it.each<[string, Partial<Form>]>([
    ['in floats', {}],
    ['in 8 bits', { product: bytesProduct }],
    ['whose norm is written in parts', { norm: normInParts('input') }],
    ['whose norm is written in parts of an older version', { norm: normInParts('attribute'), version: 13 }],
    [
      'without a pooler',
      { head: (graph, vectors) => void graph.node('Gemm', [first(graph, vectors), ...labels(graph)], 'logits') },
    ],
  ])('%s', async (_, form) => {
    const whole = encoder({ ...plain, ...form });
    const expected = await logitsOf(rewriteGraph(encoder({ ...plain, ...form }), [quantizeByRow]));
    const rewritten = keepFirst(whole);
    // What comes back from the attention, and what the layer was given.
    expect(taken(rewritten)).toHaveLength(2);
    expect(taken(rewritten)).toEqual(expect.arrayContaining(['second.seen', 'first']));
    const scores = await logitsOf(rewritten);
    for (const [index, score] of expected.entries()) expect(Math.abs(scores[index]! - score)).toBeLessThan(1e-5);
  });
});

describe('a graph stays as it is', () => {
  const mean: Form['head'] = (graph, vectors) => {
    const middle = graph.op('ReduceMean', [vectors, graph.ints(1)], { keepdims: 0 });
    graph.node('Gemm', [middle, ...labels(graph)], 'logits');
  };
  it.each<[string, Partial<Form>]>([
    ['whose head takes the mean', { head: mean }],
    [
      'whose head takes another token',
      { head: (graph, vectors) => void graph.node('Gemm', [first(graph, vectors, 1), ...labels(graph)], 'logits') },
    ],
    [
      'whose first label is taken, not its first token',
      {
        head: (graph, vectors) => {
          const middle = graph.op('ReduceMean', [vectors, graph.ints(1)], { keepdims: 0 });
          const scores = graph.product(middle, 'scores', [SIZE, SIZE]);
          graph.node('Unsqueeze', [first(graph, scores), graph.ints(1)], 'logits');
        },
      },
    ],
    [
      'whose vectors go out too',
      { after: (graph, vectors) => (graph.output(vectors, FLOAT, [...SHAPE, SIZE]), vectors) },
    ],
    [
      'whose vectors are mixed at last',
      { after: (graph, vectors) => graph.op('Add', [vectors, graph.op('CumSum', [vectors, graph.index(1)])]) },
    ],
    [
      'that adds something else to each token',
      { after: (graph, vectors) => graph.op('Add', [vectors, graph.weights('places', [ROWS[0]!.length, SIZE], 1)]) },
    ],
    [
      'that normalises over the tokens',
      {
        after: (graph, vectors) => {
          const middle = graph.op('ReduceMean', [vectors, graph.constant('over', int64(1))]);
          return graph.op('Sub', [vectors, middle]);
        },
      },
    ],
  ])('%s', async (_, form) => {
    const file = encoder({ ...plain, ...form });
    expect(keepFirst(file)).toBe(file);
    // It is a model that runs, and not left alone because it is broken.
    expect((await logitsOf(file)).every(Number.isFinite)).toBe(true);
  });
});
