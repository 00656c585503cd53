/** Graphs that give the logits of all tokens are asked for the last ones; what looks unusual stays as it is. */
import * as fc from 'fast-check';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { keepLastLogits } from '../../../../src/engines/transformers/onnx-file/keep-last-logits.js';
import { GRAPH, graphEdits, MODEL, replaced } from '../../../../src/engines/transformers/onnx-file/graph-edits.js';
import { bytes, fieldsOf, lastField, spliceBytes } from '../../../../src/engines/transformers/onnx-file/protobuf.js';
import { readGraph } from '../../../../src/engines/transformers/onnx-file/read-graph.js';
import { rewriteGraph } from '../../../../src/engines/transformers/onnx-file/write-graph.js';
import { FLOAT, INT64 } from '../../../support/onnx-file.js';
import { RandomGraph } from '../../../vision/random-graph.js';

const ofLast = (file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => rewriteGraph(file, [keepLastLogits]);

const MICROSOFT = 'com.microsoft';
const [SIZE, VOCABULARY] = [32, 50];
const SHAPE = ['batch_size', 'sequence_length'];
const ROWS = [
  [3, 14, 15, 9, 2],
  [6, 5, 35, 8, 9],
];

/** Makes `logits` of `vectors`, `[batch, tokens, SIZE]`. */
type Head = (graph: RandomGraph) => void;

const floats: Head = (graph) => {
  graph.node('MatMul', ['vectors', graph.weights('head', [SIZE, VOCABULARY], 1)], 'logits');
};

const eightBits: Head = (graph) => {
  const weights = Int8Array.from({ length: SIZE * VOCABULARY }, (_, index) => ((index * 37) % 201) - 100);
  graph.constant('head', weights, [SIZE, VOCABULARY]);
  graph.constant('scale', new Float32Array(VOCABULARY).fill(0.01));
  graph.constant('zero', new Int8Array(VOCABULARY));
  graph.node('DynamicQuantizeLinear', ['vectors'], ['bytes', 'bytes.scale', 'bytes.zero']);
  graph.node('MatMulInteger', ['bytes', 'head', 'bytes.zero', 'zero'], 'product');
  graph.node('Cast', ['product'], 'float', { to: FLOAT });
  graph.node('Mul', ['bytes.scale', 'scale'], 'scales');
  graph.node('Mul', ['float', 'scales'], 'logits');
};

const HEADS: [string, Head][] = [
  ['floats', floats],
  ['8 bits', eightBits],
  [
    'a matrix that is the embedding as well',
    (graph) => {
      graph.node('Transpose', ['embedding'], 'head', { perm: [1, 0] });
      graph.node('MatMul', ['vectors', 'head'], 'logits');
    },
  ],
  [
    '4 bits',
    (graph) => {
      const packed = Uint8Array.from({ length: (VOCABULARY * SIZE) / 2 }, (_, index) => (index * 73) % 256);
      graph.constant('head', packed, [VOCABULARY, 1, SIZE / 2]);
      graph.constant('scale', new Float32Array(VOCABULARY).fill(0.1));
      const attributes = { K: SIZE, N: VOCABULARY, bits: 4, block_size: SIZE };
      graph.node('MatMulNBits', ['vectors', 'head', 'scale'], 'logits', attributes, MICROSOFT);
    },
  ],
  [
    'a bound, an offset and casts',
    (graph) => {
      const product = graph.product('vectors', 'product', [SIZE, VOCABULARY], 10);
      const offset = graph.op('Add', [graph.weights('offset', [VOCABULARY], 1), product]);
      const part = graph.op('Div', [offset, graph.number(3)]);
      const bound = graph.op('Mul', [graph.op('Tanh', [part]), graph.number(3)]);
      graph.node('Cast', [graph.op('Cast', [bound], { to: 10 })], 'logits', { to: FLOAT });
    },
  ],
  [
    'values whose shapes are told',
    (graph) => {
      graph.describe('bytes', 2, [...SHAPE, SIZE]);
      graph.describe('product', 6, [...SHAPE, VOCABULARY]);
      graph.describe('float', FLOAT, [...SHAPE, VOCABULARY]);
      eightBits(graph);
    },
  ],
];

interface Decoder {
  head: Head;
  /** Of the logits. */
  shape?: readonly (number | string)[];
  /** More inputs, outputs or nodes. */
  more?: (graph: RandomGraph) => void;
}

function decoder({ head, shape = [...SHAPE, VOCABULARY], more }: Decoder): Uint8Array<ArrayBuffer> {
  const graph = new RandomGraph(7);
  graph.node('Gather', [graph.weights('embedding', [VOCABULARY, SIZE], 1), 'input_ids'], 'vectors', { axis: 0 });
  head(graph);
  graph.input('input_ids', INT64, SHAPE);
  graph.output('logits', FLOAT, shape);
  more?.(graph);
  return Uint8Array.from(Buffer.concat(graph.toMessage()));
}

interface Logits {
  dims: readonly number[];
  data: Float32Array;
}

/** @param keep how many tokens, once for each run; undefined: the graph is not asked for so many */
async function logitsOf(file: Uint8Array, keep: readonly (number | undefined)[]): Promise<Logits[]> {
  const session = await InferenceSession.create(file);
  const ids = new Tensor('int64', BigInt64Array.from(ROWS.flat(), BigInt), [ROWS.length, ROWS[0]!.length]);
  const runs: Logits[] = [];
  for (const count of keep) {
    const { logits } = await session.run({
      input_ids: ids,
      ...(count !== undefined && { num_logits_to_keep: new Tensor('int64', BigInt64Array.of(BigInt(count)), []) }),
    });
    runs.push({ dims: logits!.dims, data: logits!.data as Float32Array });
  }
  return runs;
}

/** Of the last tokens of each row. */
function lastOf({ data }: Logits, keep: number): Float32Array {
  const row = ROWS[0]!.length * VOCABULARY;
  const parts = ROWS.map((_, index) => data.subarray((index + 1) * row - keep * VOCABULARY, (index + 1) * row));
  return Float32Array.from(parts.flatMap((part) => [...part]));
}

it.each(HEADS)('the last tokens have the same logits after a product with the vocabulary of %s', async (_, head) => {
  const [all] = await logitsOf(decoder({ head }), [undefined]);
  const [one, three, every] = await logitsOf(ofLast(decoder({ head })), [1, 3, 0]);
  expect(one).toEqual({ dims: [ROWS.length, 1, VOCABULARY], data: lastOf(all!, 1) });
  expect(three).toEqual({ dims: [ROWS.length, 3, VOCABULARY], data: lastOf(all!, 3) });
  expect(every).toEqual(all);
});

/** The same file with a long name for its first operator, which a changed graph can do without. */
function withRoom(file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const graph = lastField(file, 0, file.length, MODEL.graph)!;
  const [first] = [...fieldsOf(file, graph.start, graph.end)].filter(({ number }) => number === GRAPH.node);
  const name = bytes(3, 'a long name '.repeat(60));
  const named = replaced(first!, bytes(GRAPH.node, [file.subarray(first!.start, first!.end), ...name]));
  return spliceBytes(file, graphEdits(graph, [named], []));
}

it.each([
  ['in front of a graph that is changed in its place', true, withRoom],
  ['behind a graph that is changed in its place', false, withRoom],
  ['in front of a graph that grows', true, undefined],
  ['behind a graph that grows', false, undefined],
])('large metadata stays %s', async (_, isFirst, change) => {
  const metadata = Buffer.concat(bytes(14, [...bytes(1, 'notes'), ...bytes(2, 'what it is good for. '.repeat(500))]));
  const graph = decoder({ head: floats });
  const [all] = await logitsOf(graph, [undefined]);
  const parts = [metadata, change?.(graph) ?? graph];
  const file = Uint8Array.from(Buffer.concat(isFirst ? parts : parts.toReversed()));
  const changed = ofLast(file);
  expect(changed === file).toBe(change !== undefined);
  expect(await logitsOf(changed, [2])).toMatchObject([{ data: lastOf(all!, 2) }]);
  expect(Buffer.from(changed).toString('latin1').split(metadata.toString('latin1')).length).toBe(2);
});

describe('a graph stays as it is', () => {
  const cases: Record<string, Decoder> = {
    'that has the input already': { head: floats, more: (graph) => graph.input('num_logits_to_keep', INT64, []) },
    'whose logits are read by somebody else': {
      head: floats,
      more: (graph) => {
        graph.node('Tanh', ['logits'], 'others');
        graph.output('others', FLOAT, [...SHAPE, VOCABULARY]);
      },
    },
    'whose values before the logits go out': {
      head: eightBits,
      more: (graph) => graph.output('float', FLOAT, [...SHAPE, VOCABULARY]),
    },
    'whose scale depends on all tokens after the product': {
      head: (graph) => {
        const product = graph.product('vectors', 'product', [SIZE, VOCABULARY]);
        graph.node('Mul', [product, graph.op('ReduceMax', [product], { keepdims: 0 })], 'logits');
      },
    },
    'that chooses the scale of all rows in its last product': {
      head: (graph) => {
        graph.constant('head', new Int8Array(SIZE * VOCABULARY).fill(3), [SIZE, VOCABULARY]);
        graph.constant('scale', Float32Array.of(0.1));
        graph.node('DynamicQuantizeMatMul', ['vectors', 'head', 'scale'], 'logits', {}, MICROSOFT);
      },
    },
    'with an offset for each token': {
      head: (graph) => {
        const product = graph.product('vectors', 'product', [SIZE, VOCABULARY]);
        graph.node('Add', [product, graph.weights('offset', [5, 1], 1)], 'logits');
      },
    },
    'that multiplies by no weights': {
      head: (graph) => {
        const turned = graph.op('Transpose', ['vectors'], { perm: [0, 2, 1] });
        graph.node('MatMul', ['vectors', turned], 'logits');
      },
    },
    'whose last operator is not known': {
      head: (graph) => {
        graph.node('Softmax', [graph.product('vectors', 'product', [SIZE, VOCABULARY])], 'logits');
      },
    },
    'that says how many tokens it reads': { head: floats, shape: ['batch_size', 5, VOCABULARY] },
    'whose logits have two dimensions': { head: floats, shape: ['tokens', VOCABULARY] },
    'that says something else of a value on the way': {
      head: eightBits,
      more: (graph) => graph.describe('float', FLOAT, ['tokens', VOCABULARY]),
    },
    'without logits': {
      head: (graph) => {
        graph.node('Identity', ['vectors'], 'hidden');
      },
    },
  };

  it.each(Object.entries(cases))('%s', (_, parts) => {
    const file = decoder(parts);
    expect(ofLast(file)).toBe(file);
    expect(Buffer.compare(file, decoder(parts))).toBe(0);
  });

  it('whose file ends too early, wherever', () => {
    const whole = decoder({ head: eightBits });
    const { end } = readGraph(whole)!.field;
    for (let length = 0; length < end; length += 7) {
      const part = whole.slice(0, length);
      expect(ofLast(part)).toBe(part);
    }
  });

  it('or is edited, but nothing is thrown for whatever bytes', () => {
    const whole = decoder({ head: eightBits });
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const damaged = whole.slice();
        for (const [place, byte] of changes) damaged[place] = byte;
        expect(ofLast(damaged)).toBeInstanceOf(Uint8Array);
      }),
      { numRuns: 300 },
    );
  });
});
