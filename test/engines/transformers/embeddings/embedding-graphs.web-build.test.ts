/** Repositories whose graphs answer with what they were fed: their inputs, caches, poolings and dense layers. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { loadEmbeddingModel } from '../../../../src/engines/transformers/embeddings/load-embedding-model.js';
import { fetchFiles } from '../../../../src/engines/transformers/repository/load-from-source.js';
import { normaliseVector } from '../../../../src/language/embedding/normalise-vector.js';
import { FLOAT, INT64, OnnxFile } from '../../../support/onnx-file.js';
import { LOAD, modelServer } from '../support/web-build.js';
import { wordTokenizer } from '../support/word-tokenizer.js';

afterEach(() => void vi.unstubAllGlobals());

const WORDS = ['red', 'green', 'blue'];
/** `[CLS] red green blue [SEP]`. */
const TEXT = 'red green blue';
const IDS = [1, 4, 5, 6, 2];

/** The vector of each token in the graph, before those of its inputs: three numbers that no other token has. */
const vectorOf = (id: number): number[] => [id, id * id, -id];
const table = Float32Array.from({ length: 3 * 7 }, (_, index) => vectorOf(Math.floor(index / 3))[index % 3]!);

/** `last_hidden_state`: of each token its vector, and behind it the values that `echo` adds. */
function graphWith(echo: (file: OnnxFile) => string[], output = 'last_hidden_state'): OnnxFile {
  const file = new OnnxFile();
  file.input('input_ids', INT64, ['batch_size', 'sequence_length']);
  file.input('attention_mask', INT64, ['batch_size', 'sequence_length']);
  file.constant('table', table, [7, 3]);
  file.node('Gather', ['table', 'input_ids'], 'vectors', { axis: 0 });
  file.node('Concat', ['vectors', ...echo(file)], output, { axis: 2 });
  file.output(output, FLOAT, ['batch_size', 'sequence_length', 'width']);
  return file;
}

/** One number for each token: what the graph was fed for it. */
function echoOfTokens(file: OnnxFile, name: string): string {
  file.input(name, INT64, ['batch_size', 'sequence_length']);
  return echoed(file, name);
}

function echoed(file: OnnxFile, name: string): string {
  file.constant('last', BigInt64Array.of(-1n));
  file.node('Cast', [name], `${name}_float`, { to: FLOAT });
  return file.node('Unsqueeze', [`${name}_float`, 'last'], `${name}_echo`);
}

/** For each token the dimensions of a tensor of the batch. */
function echoOfShape(file: OnnxFile, name: string): string {
  file.node('Shape', [name], `${name}_shape`);
  file.node('Cast', [`${name}_shape`], `${name}_dims`, { to: FLOAT });
  echoed(file, 'input_ids');
  file.constant('none', Float32Array.of(0));
  file.node('Mul', ['input_ids_echo', 'none'], `${name}_zeros`);
  return file.node('Add', [`${name}_zeros`, `${name}_dims`], `${name}_echo`);
}

/** For each token the same number. */
function echoOf(file: OnnxFile, value: number): string {
  file.constant('value', Float32Array.of(value));
  file.node('Add', [echoed(file, 'attention_mask'), 'value'], 'values_echo');
  return 'values_echo';
}

const bert = { architectures: ['BertModel'], model_type: 'bert', max_position_embeddings: 32, vocab_size: 7 };

/** @param files beside those that every repository has */
async function load(graph: OnnxFile, files: Record<string, unknown> = {}, changes: Partial<ModelEntry> = {}) {
  const repository = {
    'config.json': bert,
    ...wordTokenizer(WORDS),
    'onnx/model_quantized.onnx': Buffer.concat(graph.toMessage()),
    ...files,
  };
  const server = modelServer({ made: repository, 'granite-embedding-small-english-r2-ONNX': repository });
  vi.stubGlobal('fetch', server.fetch);
  vi.spyOn(console, 'warn').mockReturnValue();
  const entry: ModelEntry = {
    id: 'made',
    task: 'embeddings',
    backend: 'transformers',
    source: '/models/made',
    ...changes,
  };
  return { model: await loadEmbeddingModel(entry, LOAD), server };
}

type Loaded = Awaited<ReturnType<typeof load>>['model'];

const ask = (model: Loaded, inputs: (string | number[])[], inputType?: string) =>
  model.embed!({ model: 'made', inputs, ...(inputType !== undefined && { inputType }) }, LOAD.signal);

const embed = async (model: Loaded, inputs: string[]): Promise<number[][]> => {
  const { vectors } = await ask(model, inputs);
  return vectors.map((vector) => [...vector]);
};

/** Vectors are given with length 1. */
function expectDirection(vector: readonly number[] | undefined, expected: readonly number[]): void {
  const unit = normaliseVector(Float32Array.from(expected));
  expect(vector).toHaveLength(expected.length);
  for (const [index, value] of unit.entries()) expect(vector![index]).toBeCloseTo(value, 5);
}

const meanOf = (vectors: number[][]): number[] =>
  vectors[0]!.map((_, index) => vectors.reduce((sum, vector) => sum + vector[index]!, 0) / vectors.length);
const plain = (): OnnxFile => graphWith(() => []);

const tokens = IDS.map(vectorOf);
const MEAN = meanOf(tokens);
const MOST = [6, 36, -1];
const WEIGHTED = meanOf(tokens.flatMap((vector, place) => Array.from({ length: place + 1 }, () => vector)));

it('vectors that a request cut are a warning, unless its files say that it was trained for that', async () => {
  const warningOf = async (files: Record<string, unknown>, dimensions?: number): Promise<string | undefined> => {
    const { model } = await load(plain(), files);
    const cut = dimensions === undefined ? {} : { dimensions };
    return (await model.embed!({ model: 'made', inputs: [TEXT], ...cut }, LOAD.signal)).warning;
  };
  expect(await warningOf({}, 2)).toMatch(/`dimensions`/);
  expect(await warningOf({}, 3)).toBeUndefined();
  expect(await warningOf({})).toBeUndefined();
  expect(await warningOf({ 'config.json': { ...bert, matryoshka_dimensions: [2, 3] } }, 2)).toBeUndefined();
});

it.each([NaN, Infinity, -Infinity])('vectors that contain %s are an error', async (value) => {
  const { model } = await load(graphWith((file) => [echoOf(file, value)]));
  await expect(ask(model, [TEXT])).rejects.toMatchObject({ code: 'model_not_supported' });
});

describe('a table of vectors (Model2Vec)', () => {
  /** The mean of each text's vectors, as `EmbeddingBag` is exported. */
  function tableGraph(): OnnxFile {
    const file = new OnnxFile();
    file.input('input_ids', INT64, ['num_tokens']);
    file.input('offsets', INT64, ['batch_size']);
    file.constant('table', table, [7, 3]);
    for (const [name, value] of [
      ['zero', 0n],
      ['first', 1n],
      ['far', 1000n],
      ['last', -1n],
    ] as const)
      file.constant(name, BigInt64Array.of(value));
    file.constant('begin', BigInt64Array.of(0n), []);
    file.constant('step', BigInt64Array.of(1n), []);
    file.node('Gather', ['table', 'input_ids'], 'vectors', { axis: 0 });
    file.node('Shape', ['input_ids'], 'length');
    file.node('Squeeze', ['length'], 'count');
    file.node('Range', ['begin', 'count', 'step'], 'places');
    file.node('Slice', ['offsets', 'first', 'far', 'zero'], 'later');
    file.node('Concat', ['later', 'length'], 'ends', { axis: 0 });
    file.node('Unsqueeze', ['offsets', 'last'], 'begin_column');
    file.node('Unsqueeze', ['ends', 'last'], 'end_column');
    file.node('GreaterOrEqual', ['places', 'begin_column'], 'behind');
    file.node('Less', ['places', 'end_column'], 'before');
    file.node('And', ['behind', 'before'], 'inside');
    file.node('Cast', ['inside'], 'shares', { to: FLOAT });
    file.node('MatMul', ['shares', 'vectors'], 'sums');
    file.node('ReduceSum', ['shares', 'last'], 'sizes', { keepdims: 1 });
    file.node('Div', ['sums', 'sizes'], 'embeddings');
    file.output('embeddings', FLOAT, ['batch_size', 3]);
    return file;
  }
  const files = {
    'config.json': { model_type: 'model2vec', architectures: ['StaticModel'], hidden_dim: 3, normalize: true },
    'onnx/model_quantized.onnx': undefined,
    'onnx/model.onnx': Buffer.concat(tableGraph().toMessage()),
  };

  it('gives the mean of the tokens of each text, without control tokens and unknown words', async () => {
    const { model } = await load(tableGraph(), files);
    expect(model.info).toMatchObject({ device: 'wasm', dtype: 'fp32', dimensions: 3 });
    expect(model.info.warning).not.toMatch(/pooling/);
    const vectors = await embed(model, ['red', TEXT, 'blue unheard', 'green green red']);
    expectDirection(vectors[0], vectorOf(4));
    expectDirection(vectors[1], meanOf([4, 5, 6].map(vectorOf)));
    expectDirection(vectors[2], vectorOf(6));
    expectDirection(vectors[3], meanOf([5, 5, 4].map(vectorOf)));
    expect((await ask(model, [TEXT])).promptTokens).toBe(3);
    const alone = await embed(model, ['green green red']);
    expect(alone[0]).toEqual(vectors[3]);
  });
});

describe('a file whose name has `q8`', () => {
  const message = Buffer.concat(plain().toMessage());
  const files = { 'onnx/model_quantized.onnx': undefined, 'onnx/model_q8.onnx': message };

  it('is found before other precisions', async () => {
    const { model, server } = await load(plain(), { ...files, 'onnx/model_q4.onnx': message });
    expect(model.info).toMatchObject({ dtype: 'q8' });
    expect(model.info.warning ?? '').not.toMatch(/slower|best for/);
    expect(server.asked).not.toContain('onnx/model_q4.onnx');
    expectDirection((await embed(model, [TEXT]))[0], MEAN);
  });

  /** What a server was asked of weights, in this order. */
  const weightsOf = (asked: readonly string[]) => asked.filter((file) => file.startsWith('onnx/'));
  const [USUAL, OTHER] = ['onnx/model_quantized.onnx', 'onnx/model_q8.onnx'];

  it('is asked for once the server has none of the usual name, where 8 bits are asked for', async () => {
    const { model, server } = await load(plain(), files, { dtype: 'q8' });
    expect(model.info).toMatchObject({ dtype: 'q8' });
    expectDirection((await embed(model, [TEXT]))[0], MEAN);
    const asked = weightsOf(server.asked);
    expect([...new Set(asked)]).toEqual([USUAL, OTHER]);
    expect(asked.lastIndexOf(USUAL)).toBeLessThan(asked.indexOf(OTHER));
  });

  it('is not missed where there is none of either name: the usual one is', async () => {
    const loading = load(plain(), { 'onnx/model_quantized.onnx': undefined }, { dtype: 'q8' });
    await expect(loading).rejects.toMatchObject({
      code: 'unavailable',
      details: { url: expect.stringContaining(USUAL) as string, httpStatus: 404 },
    });
  });

  it('is downloaded in place of the usual one', async () => {
    const server = modelServer({
      made: { 'config.json': bert, ...wordTokenizer(WORDS), 'onnx/model_q8.onnx': message },
    });
    vi.stubGlobal('fetch', server.fetch);
    const entry = {
      id: 'made',
      task: 'embeddings',
      backend: 'transformers',
      source: '/models/made',
      dtype: 'q8',
    } as const;
    await fetchFiles(entry, LOAD);
    const asked = weightsOf(server.asked);
    expect([...new Set(asked)]).toEqual([USUAL, OTHER]);
    expect(asked.lastIndexOf(USUAL)).toBeLessThan(asked.indexOf(OTHER));
    const empty = modelServer({ made: { 'config.json': bert } });
    vi.stubGlobal('fetch', empty.fetch);
    await expect(fetchFiles(entry, LOAD)).rejects.toMatchObject({ message: expect.stringContaining(USUAL) as string });
  });

  it('is not asked for where there is one of the usual name', async () => {
    for (const dtype of ['auto', 'q8'] as const) {
      const { server } = await load(plain(), { 'onnx/model_q8.onnx': new Uint8Array(8) }, { dtype });
      expect(server.asked).not.toContain('onnx/model_q8.onnx');
    }
  });
});

describe('the pooling of a repository', () => {
  it.each<[string, object, number[]]>([
    [
      'cls, as sentence-transformers 5.4 and later write it',
      { pooling_mode: 'cls', embedding_dimension: 3 },
      vectorOf(1),
    ],
    ['lasttoken', { pooling_mode: 'lasttoken' }, vectorOf(2)],
    ['max', { pooling_mode: 'max' }, MOST],
    ['mean', { pooling_mode: 'mean' }, MEAN],
    ['mean_sqrt_len_tokens', { pooling_mode: 'mean_sqrt_len_tokens' }, MEAN],
    ['weightedmean', { pooling_mode: 'weightedmean' }, WEIGHTED],
    ['several in a list', { pooling_mode: ['cls', 'mean'] }, [...vectorOf(1), ...MEAN]],
    ['cls in the old form', { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }, vectorOf(1)],
    ['lasttoken in the old form', { pooling_mode_mean_tokens: false, pooling_mode_lasttoken: true }, vectorOf(2)],
    ['max in the old form', { pooling_mode_max_tokens: true }, MOST],
    ['weightedmean in the old form', { pooling_mode_weightedmean_tokens: true }, WEIGHTED],
    [
      'several in the old form',
      { pooling_mode_mean_tokens: true, pooling_mode_cls_token: true },
      [...vectorOf(1), ...MEAN],
    ],
    ['none in the old form, which is the mean', { pooling_mode_cls_token: false }, MEAN],
  ])('%s', async (_, pooling, expected) => {
    const { model } = await load(plain(), { '1_Pooling/config.json': pooling });
    const [alone] = await embed(model, [TEXT]);
    expectDirection(alone, expected);
    expect(model.info.warning).toBeUndefined();
    // Padding at the end of a shorter text is not pooled.
    expectDirection((await embed(model, [TEXT, 'red green']))[0], expected);
  });

  it('that is not known is refused by its name', async () => {
    const loading = load(plain(), { '1_Pooling/config.json': { pooling_mode: 'attention' } });
    await expect(loading).rejects.toMatchObject({
      code: 'model_not_supported',
      message: expect.stringContaining('`attention`'),
    });
  });

  it('is of another folder where `modules.json` says so', async () => {
    const { model } = await load(plain(), {
      'modules.json': [
        { idx: 0, name: '0', path: '0_Transformer', type: 'sentence_transformers.models.Transformer' },
        { idx: 1, name: '1', path: '2_Pooling', type: 'sentence_transformers.models.Pooling' },
      ],
      '2_Pooling/config.json': { pooling_mode: 'cls' },
    });
    expectDirection((await embed(model, [TEXT]))[0], vectorOf(1));
  });

  it('that nobody states is the one of a known family', async () => {
    const { model } = await load(plain(), {}, { source: '/models/granite-embedding-small-english-r2-ONNX' });
    expectDirection((await embed(model, [TEXT]))[0], vectorOf(1));
    expect(model.info.warning).toBeUndefined();
  });

  it('that nobody states is the last token of a decoder', async () => {
    const { model } = await load(plain(), { 'config.json': { ...bert, architectures: ['Qwen3ForCausalLM'] } });
    expectDirection((await embed(model, [TEXT]))[0], vectorOf(2));
    expect(model.info.warning).toBeUndefined();
  });

  it('that nothing tells is the mean, and a warning says so; its entry can say it', async () => {
    const guessed = await load(plain());
    expectDirection((await embed(guessed.model, [TEXT]))[0], MEAN);
    expect(guessed.model.info.warning).toContain('pooling');
    const said = await load(plain(), {}, { pooling: 'cls' });
    expectDirection((await embed(said.model, [TEXT]))[0], vectorOf(1));
    expect(said.model.info.warning).toBeUndefined();
  });

  it('is left to a graph that pools by itself', async () => {
    const file = plain();
    file.constant('first', BigInt64Array.of(1n));
    file.node('ReduceMax', ['last_hidden_state', 'first'], 'sentence_embedding', { keepdims: 0 });
    file.output('sentence_embedding', FLOAT, ['batch_size', 'width']);
    const { model } = await load(file, { '1_Pooling/config.json': { pooling_mode: 'cls' } });
    expectDirection((await embed(model, [TEXT]))[0], MOST);
    expect(model.info.warning).toBeUndefined();
  });
});

/** `model.safetensors` of a dense layer. */
function safetensors(tensors: Record<string, { dtype: string; bytes: Uint8Array }>): Uint8Array {
  let end = 0;
  const header = Object.fromEntries(
    Object.entries(tensors).map(([name, { dtype, bytes }]) => [
      name,
      { dtype, shape: [], data_offsets: [end, (end += bytes.length)] },
    ]),
  );
  const text = Buffer.from(JSON.stringify({ __metadata__: { format: 'pt' }, ...header }));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([size, text, ...Object.values(tensors).map(({ bytes }) => bytes)]);
}

const float32 = (...values: number[]) => ({ dtype: 'F32', bytes: new Uint8Array(Float32Array.from(values).buffer) });
/** The upper halves of 32-bit floats. */
const bfloat16 = (...values: number[]) => ({
  dtype: 'BF16',
  bytes: new Uint8Array(
    Uint16Array.from(new Uint32Array(Float32Array.from(values).buffer), (bits) => bits >>> 16).buffer,
  ),
});

const modules = (...kinds: string[]): object[] =>
  ['Transformer', ...kinds].map((kind, idx) => ({
    idx,
    name: String(idx),
    path: idx === 0 ? '' : `${idx}_${kind}`,
    type: `sentence_transformers.models.${kind}`,
  }));

describe('the modules behind the pooling', () => {
  const CLS = { '1_Pooling/config.json': { pooling_mode: 'cls' } };
  const dense = {
    in_features: 3,
    out_features: 2,
    bias: true,
    activation_function: 'torch.nn.modules.linear.Identity',
  };

  it('dense layers are applied, one after the other', async () => {
    const { model } = await load(plain(), {
      ...CLS,
      'modules.json': modules('Pooling', 'Dense', 'Dense', 'Normalize'),
      '2_Dense/config.json': dense,
      '2_Dense/model.safetensors': safetensors({
        'linear.weight': float32(1, 2, 3, 4, 5, 6),
        'linear.bias': float32(10, 20),
      }),
      '3_Dense/config.json': {
        in_features: 2,
        out_features: 2,
        bias: false,
        activation_function: 'torch.nn.modules.activation.Tanh',
      },
      '3_Dense/model.safetensors': safetensors({ 'linear.weight': bfloat16(0.125, 0, 0, -0.03125) }),
    });
    // The vector of `[CLS]` is 1, 1, -1.
    expectDirection((await embed(model, [TEXT]))[0], [Math.tanh(10 / 8), Math.tanh(-23 / 32)]);
    expect(model.info.dimensions).toBe(2);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['of an unknown kind', { 'modules.json': modules('Pooling', 'LayerNorm') }, '`LayerNorm`'],
    ['with weights that are not there', { 'modules.json': modules('Pooling', 'Dense') }, '`2_Dense`'],
    [
      'with an unknown activation',
      {
        'modules.json': modules('Pooling', 'Dense'),
        '2_Dense/config.json': { ...dense, activation_function: 'torch.nn.modules.activation.GELU' },
        '2_Dense/model.safetensors': safetensors({ 'linear.weight': float32(1, 2, 3) }),
      },
      'GELU',
    ],
    ['that give no vector of a text', { 'modules.json': modules('Dense') }, 'a vector for each token'],
    [
      'in a folder of somebody else',
      { 'modules.json': [{}, { type: 'a.Pooling', path: '//other.example/1_Pooling' }] },
      'does not have its own folder',
    ],
  ])('%s are refused by name', async (_, files, reason) => {
    await expect(load(plain(), { ...CLS, ...files })).rejects.toMatchObject({
      code: 'model_not_supported',
      message: expect.stringContaining(reason),
    });
  });
});

describe('the inputs of a graph', () => {
  const CLS = { '1_Pooling/config.json': { pooling_mode: 'cls' } };
  const LAST = { '1_Pooling/config.json': { pooling_mode: 'lasttoken' } };

  it('a decoder with a cache gets positions and an empty cache of each text', async () => {
    const graph = graphWith((file) => {
      file.input('past_key_values.0.key', FLOAT, ['batch_size', 2, 'past_sequence_length', 4]);
      file.input('past_key_values.0.value', FLOAT, ['batch_size', 2, 'past_sequence_length', 4]);
      const echoes = [echoOfTokens(file, 'position_ids'), echoed(file, 'attention_mask')];
      return [...echoes, echoOfShape(file, 'past_key_values.0.value')];
    });
    const { model } = await load(graph, LAST);
    // The last of five tokens is at place 4; caches have a row for each of the batch's texts.
    expectDirection((await embed(model, [TEXT]))[0], [...vectorOf(2), 4, 1, 1, 2, 0, 4]);
    expectDirection((await embed(model, [TEXT, 'red green red']))[0], [...vectorOf(2), 4, 1, 2, 2, 0, 4]);
  });

  it('token types are fed where the graph wants them', async () => {
    const { model } = await load(
      graphWith((file) => [echoOfTokens(file, 'token_type_ids')]),
      CLS,
    );
    expectDirection((await embed(model, [TEXT]))[0], [...vectorOf(1), 0]);
  });

  const withTask = (shape: readonly string[]): OnnxFile =>
    graphWith((file) => {
      file.input('task_id', INT64, shape);
      file.node('Cast', ['task_id'], 'task', { to: FLOAT });
      echoed(file, 'input_ids');
      file.constant('none', Float32Array.of(0));
      file.node('Mul', ['input_ids_echo', 'none'], 'zeros');
      file.constant('ends', BigInt64Array.of(1n, 2n));
      const task = shape.length === 0 ? 'task' : file.node('Unsqueeze', ['task', 'ends'], 'tasks');
      return [file.node('Add', ['zeros', task], 'task_echo')];
    });

  it.each([[[]], [['batch_size']]])('one that its entry says is filled, of shape %j', async (shape) => {
    const { model } = await load(withTask(shape), CLS, { inputs: { task_id: 4 } });
    expectDirection((await embed(model, [TEXT, 'red green red']))[1], [...vectorOf(1), 4]);
  });

  it('one that nothing fills is refused by name, with what would serve', async () => {
    await expect(load(withTask([]), CLS)).rejects.toMatchObject({
      code: 'model_not_supported',
      message: expect.stringMatching(/`task_id`.*inputs: \{ task_id: 0 \}/),
    });
  });
});

it('a repository without 8-bit weights, as sentence-transformers makes them, is loaded with those that it has', async () => {
  const graph = Buffer.concat(plain().toMessage());
  const { model } = await load(plain(), {
    '1_Pooling/config.json': { pooling_mode: 'cls' },
    'onnx/model_quantized.onnx': undefined,
    'onnx/model.onnx': graph,
    'onnx/model_O4.onnx': graph,
  });
  expectDirection((await embed(model, [TEXT]))[0], vectorOf(1));
  expect(model.info).toMatchObject({ dtype: 'fp32', warning: expect.stringContaining('no `q8`') });
});

describe('the length of texts', () => {
  const LENGTH = { 'sentence_bert_config.json': { max_seq_length: 5 } };
  const long = 'red green blue red';

  it('is what sentence-transformers reads', async () => {
    const { model } = await load(plain(), LENGTH);
    expect(model.info.contextLength).toBe(5);
    await expect(ask(model, [long])).rejects.toMatchObject({ code: 'invalid_request', param: 'input.0' });
  });

  it('is the model’s own where the entry says it, or the file says no length', async () => {
    const { model } = await load(plain(), LENGTH, { contextLength: 32 });
    expect(model.info.contextLength).toBe(32);
    expect((await ask(model, [long])).vectors).toHaveLength(1);
    const without = await load(plain(), { 'sentence_bert_config.json': { max_seq_length: null } });
    expect(without.model.info.contextLength).toBe(32);
  });
});

describe('the prompts of a repository', () => {
  const MEAN_POOLING = { '1_Pooling/config.json': { pooling_mode: 'mean' } };
  const prompts = (said: object) => ({ ...MEAN_POOLING, 'config_sentence_transformers.json': said });
  const named = prompts({ prompts: { query: 'red ', passage: 'green ' }, default_prompt_name: null });

  it.each([
    ['query', 'red blue'],
    ['search_query', 'red blue'],
    ['document', 'green blue'],
    ['search_document', 'green blue'],
    ['passage', 'green blue'],
    [undefined, 'blue'],
  ])('[E10] [E11] stand before each text of `%s`, as if written by hand', async (type, byHand) => {
    const { model } = await load(plain(), named);
    expect(await ask(model, ['blue', 'green'], type)).toEqual(
      await ask(model, [byHand, byHand.replace('blue', 'green')]),
    );
  });

  it('[E10] stand before no token ids', async () => {
    const { model } = await load(plain(), named);
    expect(await ask(model, [[6]], 'query')).toEqual(await ask(model, [[6]]));
  });

  it('[E10] have a default', async () => {
    const { model } = await load(plain(), prompts({ prompts: { query: 'red ' }, default_prompt_name: 'query' }));
    expect((await ask(model, ['blue'])).promptTokens).toBe(4);
    // There is no prompt for documents, and the default is not for them.
    expect((await ask(model, ['blue'], 'document')).promptTokens).toBe(3);
  });

  it('[E10] give way to those of the entry', async () => {
    const { model } = await load(plain(), named, { prompts: { query: 'green green ', clustering: 'red ' } });
    expect(await ask(model, ['blue'], 'query')).toEqual(await ask(model, ['green green blue']));
    expect(await ask(model, ['blue'], 'clustering')).toEqual(await ask(model, ['red blue']));
  });

  it('[E10] are asked for by a known name, where there are any', async () => {
    const { model } = await load(plain(), named);
    for (const type of ['Query', 'constructor', '']) {
      await expect(ask(model, ['blue'], type)).rejects.toMatchObject({
        code: 'invalid_request',
        param: 'input_type',
        message: expect.stringMatching(/`query`.*`document`.*`passage`/),
      });
    }
    const none = await load(plain(), MEAN_POOLING);
    expect(await ask(none.model, ['blue'], 'anything')).toEqual(await ask(none.model, ['blue']));
  });

  it('are read, but not pooled, where the model says so', async () => {
    const pooling = { pooling_mode: 'mean', include_prompt: false };
    const { model } = await load(plain(), { ...named, '1_Pooling/config.json': pooling });
    const { vectors, promptTokens } = await ask(model, ['blue'], 'query');
    // `[CLS] red` is left out; `blue [SEP]` is pooled.
    expectDirection([...vectors[0]!], meanOf([6, 2].map(vectorOf)));
    expect(promptTokens).toBe(4);
    expectDirection([...(await ask(model, ['blue'])).vectors[0]!], meanOf([1, 6, 2].map(vectorOf)));
  });
});
