/** Each row of a product in 8 bits gets a scale of its own, in the forms that published files have; others stay. */
import * as fc from 'fast-check';
import * as ort from 'onnxruntime-web';
import { describe, expect, it } from 'vitest';
import { keepLastLogits } from '../../../../src/engines/transformers/onnx-file/keep-last-logits.js';
import { quantizeByRow } from '../../../../src/engines/transformers/onnx-file/quantize-by-row.js';
import { readGraph } from '../../../../src/engines/transformers/onnx-file/read-graph.js';
import { rewriteGraph } from '../../../../src/engines/transformers/onnx-file/write-graph.js';
import {
  type EmbeddingSession,
  runEmbeddingBatch,
} from '../../../../src/engines/transformers/embeddings/embedding-batch.js';
import { BOOL, FLOAT, INT64, OnnxFile } from '../../../support/onnx-file.js';
import { randomDecoder, SHAPE } from '../../../bench/real/random-decoder.js';

const byRow = (file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => rewriteGraph(file, [quantizeByRow]);

const [SIZE, OUT] = [48, 40];
const ROWS = [1, 1000, 0.001, 0, 30];

/** Rows of very different sizes, `[1, rows, SIZE]`. */
const vectors = ROWS.map((size, row) =>
  Float32Array.from({ length: SIZE }, (_, place) => size * Math.sin(row + place * 1.7)),
);
const numbers = (seed: number, count = SIZE * OUT): number[] =>
  Array.from({ length: count }, (_, index) => ((index * 37 + seed * 11) % 201) - 100);

interface Form {
  /** Numbers of 8 bits without a sign, around a zero point. */
  unsigned?: boolean;
  /** Zero points of the weights: one, one per column, or none. */
  zeros?: 'one' | 'columns' | 'none';
  /** Scales of the weights. */
  scales?: 'one' | 'columns';
  /** The factors of both products change places. */
  swapped?: boolean;
  /** Products of the same vectors. */
  count?: number;
  versions?: Record<string, number>;
}

const FORMS: Record<string, Form> = {
  'with a scale and a zero point per column': {},
  'that share what is quantized, as queries, keys and values do': { count: 3 },
  'with one scale and one zero point': { zeros: 'one', scales: 'one' },
  'without zero points': { zeros: 'none' },
  'of weights without a sign': { unsigned: true, zeros: 'one' },
  'whose factors are in the other order': { swapped: true },
  'in a file of older operators that names no others': { versions: { '': 11 } },
};

const scaleOf = ({ scales }: Form, column: number): number => (scales === 'one' ? 0.02 : 0.01 + column / 4000);

/** Adds products with 8-bit weights in the form that quantizers write them. @returns names of the products */
function addProducts(file: OnnxFile, input: string, form: Form): string[] {
  const { unsigned, zeros = 'columns', scales = 'columns', swapped = false, count = 1 } = form;
  const turned = <T>(pair: [T, T]): [T, T] => (swapped ? [pair[1], pair[0]] : pair);
  const middle = unsigned ? 128 : 0;
  file.node('DynamicQuantizeLinear', [input], [`${input}.u`, `${input}.s`, `${input}.z`]);
  return Array.from({ length: count }, (_, index) => {
    const name = `${input}.${index}`;
    const bytes = (values: number[]) => (unsigned ? Uint8Array.from(values) : Int8Array.from(values));
    const weights = numbers(index).map((value) => value + middle);
    file.constant(`${name}.w`, bytes(weights), [SIZE, OUT]);
    const columns = scales === 'one' ? 1 : OUT;
    file.constant(
      `${name}.ws`,
      Float32Array.from({ length: columns }, (__, column) => scaleOf(form, column)),
      scales === 'one' ? [] : [OUT],
    );
    const points = bytes(Array.from({ length: zeros === 'columns' ? OUT : 1 }, () => middle));
    if (zeros !== 'none') file.constant(`${name}.wz`, points, zeros === 'columns' ? [OUT] : []);
    const zero = zeros === 'none' ? [] : [`${name}.wz`];
    file.node('MatMulInteger', [`${input}.u`, `${name}.w`, `${input}.z`, ...zero], `${name}.i`);
    file.node('Cast', [`${name}.i`], `${name}.f`, { to: FLOAT });
    file.node('Mul', turned([`${input}.s`, `${name}.ws`]), `${name}.m`);
    return file.node('Mul', turned([`${name}.f`, `${name}.m`]), `${name}.y`);
  });
}

const fileOf = (file: OnnxFile, versions?: Record<string, number>): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.concat(file.toMessage(versions)));

function products(form: Form): Uint8Array<ArrayBuffer> {
  const file = new OnnxFile();
  file.input('x', FLOAT, ['batch', 'rows', SIZE]);
  for (const name of addProducts(file, 'x', form)) file.output(name, FLOAT, ['batch', 'rows', OUT]);
  return fileOf(file, form.versions);
}

/** Per product, its rows. */
async function run(file: Uint8Array, rows: readonly Float32Array[]): Promise<number[][][]> {
  const session = await ort.InferenceSession.create(file);
  const data = Float32Array.from(rows.flatMap((row) => [...row]));
  const outputs = await session.run({ x: new ort.Tensor('float32', data, [1, rows.length, SIZE]) });
  await session.release();
  return session.outputNames.map((name) => {
    const made = [...(outputs[name]!.data as Float32Array)];
    return rows.map((_, row) => made.slice(row * OUT, (row + 1) * OUT));
  });
}

/** What a product would be without rounding. */
function exact(form: Form, row: Float32Array, index: number): number[] {
  const weights = numbers(index);
  return Array.from({ length: OUT }, (_, column) =>
    row.reduce((sum, value, place) => sum + value * weights[place * OUT + column]! * scaleOf(form, column), 0),
  );
}

describe.each(Object.entries(FORMS))('products %s', (_, form) => {
  it('give a row the same whatever rows are beside it', async () => {
    const file = byRow(products(form));
    const together = await run(file, vectors);
    for (const [index, row] of vectors.entries()) {
      const alone = await run(file, [row]);
      expect(together.map((rows) => rows[index])).toEqual(alone.map(([only]) => only));
    }
  });

  it('are near those without rounding, however large a row is', async () => {
    const made = await run(byRow(products(form)), vectors);
    for (const [index, rows] of made.entries())
      for (const [row, values] of rows.entries()) {
        const expected = exact(form, vectors[row]!, index);
        const scale = Math.max(...expected.map(Math.abs));
        const error = Math.max(...values.map((value, column) => Math.abs(value - expected[column]!)));
        expect(error).toBeLessThanOrEqual(scale * 0.02);
      }
  });
});

it('the file as it is lets a row depend on the others', async () => {
  const [together] = await run(products({}), vectors);
  const [alone] = await run(products({}), [vectors[0]!]);
  expect(together![0]).not.toEqual(alone![0]);
});

it('the last tokens have the same logits when the other ones are not computed', async () => {
  const decoder = (): Uint8Array<ArrayBuffer> => {
    const file = new OnnxFile();
    file.input('x', FLOAT, ['batch', 'rows', SIZE]);
    file.node('Identity', addProducts(file, 'x', {}), 'logits');
    file.output('logits', FLOAT, ['batch', 'rows', OUT]);
    return byRow(fileOf(file));
  };
  const data = Float32Array.from([...vectors[0]!, ...vectors[1]!, ...vectors[2]!, ...vectors[4]!]);
  const x = new ort.Tensor('float32', data, [2, 2, SIZE]);
  const all = await (await ort.InferenceSession.create(decoder())).run({ x });
  const session = await ort.InferenceSession.create(rewriteGraph(decoder(), [keepLastLogits]));
  const { logits } = await session.run({ x, num_logits_to_keep: new ort.Tensor('int64', [1n], []) });
  expect(logits!.dims).toEqual([2, 1, OUT]);
  const [first, second] = [1, 3].map((row) => (all['logits']!.data as Float32Array).slice(row * OUT, (row + 1) * OUT));
  expect([...(logits!.data as Float32Array)]).toEqual([...first!, ...second!]);
});

it('[E07] a text has the same vector alone and in a batch', async () => {
  const file = new OnnxFile();
  file.constant('table', Float32Array.from(numbers(3, 60 * SIZE)), [60, SIZE]);
  file.input('input_ids', INT64, ['batch', 'tokens']);
  file.node('Gather', ['table', 'input_ids'], 'x', { axis: 0 });
  const [hidden] = addProducts(file, 'x', {});
  file.node('Tanh', [hidden!], 'last_hidden_state');
  file.output('last_hidden_state', FLOAT, ['batch', 'tokens', OUT]);
  const own = await ort.InferenceSession.create(byRow(fileOf(file)));
  const session = {
    inputNames: own.inputNames,
    outputNames: own.outputNames,
    inputMetadata: own.inputMetadata,
    run: async ({ input_ids: ids }: Record<string, { data: unknown; dims: readonly number[] }>) =>
      own.run({ input_ids: new ort.Tensor('int64', ids!.data as BigInt64Array, ids!.dims) }),
  };
  const texts = [[1, 2, 3], [40], [7, 8, 9, 10, 11, 12, 59], [5, 5]];
  const options = { poolings: ['mean'], layers: [], padToken: 0, inputs: {} } as const;
  const embed = (batch: readonly (readonly number[])[]) =>
    runEmbeddingBatch(
      session as unknown as EmbeddingSession,
      batch.map((ids) => ({ ids, pooledFrom: 0, length: ids.length })),
      options,
    );
  const together = await embed(texts);
  for (const [index, text] of texts.entries()) expect([together[index]]).toEqual(await embed([text]));
});

describe('a graph stays as it is', () => {
  /** Reads the three outputs of the quantizer of `x` in another way. */
  type Change = (file: OnnxFile) => void;
  const changes: Record<string, Change> = {
    'whose bytes go into a convolution': (file) => {
      file.constant('kernel', new Int8Array(9), [1, 1, 3, 3]);
      file.node('ConvInteger', ['x.u', 'kernel', 'x.z'], 'convolved');
    },
    'whose scale is read elsewhere': (file) => void file.node('Neg', ['x.s'], 'other'),
    'whose zero point goes out': (file) => file.output('x.z', 2, []),
    'whose products go out before they are floats': (file) => file.output('x.0.i', 6, ['batch', 'rows', OUT]),
    'that multiplies by other vectors': (file) => {
      file.node('DynamicQuantizeLinear', ['y'], ['y.u', 'y.s', 'y.z']);
      file.node('MatMulInteger', ['x.u', 'y.u', 'x.z', 'y.z'], 'scores');
    },
    'with branches, which may read anything': (file) => {
      const branch = new OnnxFile();
      branch.node('Identity', ['x.u'], 'chosen');
      branch.output('chosen', 2, ['rows']);
      file.input('c', BOOL, [1]);
      file.node('If', ['c'], 'z', { then_branch: { graph: branch }, else_branch: { graph: branch } });
    },
  };

  const changed = (change: Change): Uint8Array<ArrayBuffer> => {
    const file = new OnnxFile();
    addProducts(file, 'x', {});
    change(file);
    return fileOf(file);
  };

  it.each(Object.entries(changes))('%s', (_, change) => {
    const file = changed(change);
    expect(byRow(file)).toBe(file);
    expect(Buffer.compare(file, changed(change))).toBe(0);
  });

  it('that is changed already', () => {
    const once = byRow(products({}));
    expect(byRow(once)).toBe(once);
  });

  it('whose file ends too early, wherever, or is damaged: nothing is thrown', () => {
    const whole = products({});
    const { end } = readGraph(whole)!.field;
    for (let length = 0; length < end; length += 7) {
      const part = whole.slice(0, length);
      expect(byRow(part)).toBe(part);
    }
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (places) => {
        const damaged = whole.slice();
        for (const [place, byte] of places) damaged[place] = byte;
        expect(byRow(damaged)).toBeInstanceOf(Uint8Array);
      }),
      { numRuns: 300 },
    );
  });
});

it('two plans at once make the graph that they make one after the other', async () => {
  const bytes = Buffer.concat(
    randomDecoder(3, { ...SHAPE, hidden: 64, layers: 2, inner: 96, vocabulary: 300 }).toMessage(),
  );
  const file = (): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes);
  const apart = rewriteGraph(rewriteGraph(file(), [quantizeByRow]), [keepLastLogits]);
  const together = rewriteGraph(file(), [quantizeByRow, keepLastLogits]);
  const shown = (each: Uint8Array): object => {
    const { nodes, inputs: given, weightRanks } = readGraph(each)!;
    const operators = nodes.map(({ operator, inputs, outputs }) => [operator, inputs, outputs]);
    return { operators, inputs: new Set(given.map(({ name }) => name)), weights: new Set(weightRanks.keys()) };
  };
  expect(shown(together)).toEqual(shown(apart));
  expect((await ort.InferenceSession.create(together)).inputNames).toContain('num_logits_to_keep');
});

it('a graph with room for the new operators is changed where it stands, and computes the same', async () => {
  const name = 'model.layers.0.self_attn.q_proj.'.repeat(4);
  const made = (versions?: Record<string, number>): Uint8Array<ArrayBuffer> => {
    const file = new OnnxFile();
    file.input('x', FLOAT, ['batch', 'rows', SIZE]);
    file.node('Identity', ['x'], name);
    for (const each of addProducts(file, name, { count: 3 })) file.output(each, FLOAT, ['batch', 'rows', OUT]);
    return fileOf(file, versions);
  };
  const file = made();
  const changed = byRow(file);
  expect(changed).toBe(file);
  expect(Buffer.compare(changed, made())).not.toBe(0);
  // A file that does not name the domain of the new operators is made longer.
  const other = made({ '': 18 });
  const longer = byRow(other);
  expect(longer).not.toBe(other);
  expect(await run(changed, vectors)).toEqual(await run(longer, vectors));
  expect(byRow(changed)).toBe(changed);
});
