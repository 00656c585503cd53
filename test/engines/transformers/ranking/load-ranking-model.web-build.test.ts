/** Cross-encoders whose graphs are made by hand, so that every score can be computed beside them. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import type { RankingRequest } from '../../../../src/core/request/ranking-request.js';
import { loadRankingModel } from '../../../../src/engines/transformers/ranking/load-ranking-model.js';
import { FLOAT, INT64, OnnxFile } from '../../../support/onnx-file.js';
import { LOAD, modelServer } from '../support/web-build.js';
import { wordTokenizer } from '../support/word-tokenizer.js';

afterEach(() => void vi.unstubAllGlobals());

const WORDS = ['red', 'green', 'blue'];
const [CLS, SEP, RED, GREEN, BLUE] = [1, 2, 4, 5, 6];
/** What a token adds to the logit; so much more in the second text. */
const WEIGHTS = Float32Array.of(9, 0.25, -0.5, 0, 0.5, -0.75, 1.25);
const IN_SECOND = 1.5;

interface Pair {
  ids: number[];
  types: number[];
}

/** What the graph computes for a pair. */
const logitOf = ({ ids, types }: Pair): number =>
  ids.reduce((sum, id, place) => sum + WEIGHTS[id]! * (1 + IN_SECOND * types[place]!), 0);

const pairOf = (query: number[], document: number[]): Pair => ({
  ids: [CLS, ...query, SEP, ...document, SEP],
  types: [...query, 0, 0].map(() => 0).concat([...document, 0].map(() => 1)),
});

const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));

/** @param factors of the logit, one for each label */
function graphOf(factors: readonly number[]): OnnxFile {
  const file = new OnnxFile();
  for (const name of ['input_ids', 'attention_mask', 'token_type_ids']) {
    file.input(name, INT64, ['batch_size', 'sequence_length']);
  }
  file.constant('weights', WEIGHTS);
  file.constant('more', Float32Array.of(IN_SECOND));
  file.constant('one', Float32Array.of(1));
  file.constant('tokens', BigInt64Array.of(1n));
  file.constant('factors', Float32Array.from(factors), [1, factors.length]);
  file.node('Gather', ['weights', 'input_ids'], 'values', { axis: 0 });
  file.node('Cast', ['attention_mask'], 'mask', { to: FLOAT });
  file.node('Cast', ['token_type_ids'], 'types', { to: FLOAT });
  file.node('Mul', ['types', 'more'], 'scaled');
  file.node('Add', ['scaled', 'one'], 'scale');
  file.node('Mul', ['values', 'mask'], 'real');
  file.node('Mul', ['real', 'scale'], 'weighted');
  file.node('ReduceSum', ['weighted', 'tokens'], 'logit', { keepdims: 1 });
  file.node('Mul', ['logit', 'factors'], 'logits');
  file.output('logits', FLOAT, ['batch_size', factors.length]);
  return file;
}

function tokenizerOfPairs(): Record<string, unknown> {
  const files = wordTokenizer(WORDS) as { 'tokenizer.json': Record<string, unknown> };
  const post_processor = { type: 'BertProcessing', cls: ['[CLS]', CLS], sep: ['[SEP]', SEP] };
  return { ...files, 'tokenizer.json': { ...files['tokenizer.json'], post_processor } };
}

const bert = { architectures: ['BertForSequenceClassification'], model_type: 'bert', max_position_embeddings: 32 };

async function load(graph: OnnxFile, config: object = {}, changes: Partial<ModelEntry> = {}) {
  const repository = {
    'config.json': { ...bert, ...config },
    ...tokenizerOfPairs(),
    'onnx/model_quantized.onnx': Buffer.concat(graph.toMessage()),
  };
  vi.stubGlobal('fetch', modelServer({ made: repository }).fetch);
  const entry = { id: 'made', task: 'rerank', backend: 'transformers', source: '/models/made', ...changes } as const;
  return loadRankingModel(entry, LOAD);
}

type Loaded = Awaited<ReturnType<typeof load>>;

const rank = (model: Loaded, documents: string[], more: Partial<RankingRequest> = {}, signal = LOAD.signal) =>
  model.rerank!({ model: 'made', query: 'red blue', documents, ...more }, signal);

const QUERY = [RED, BLUE];
const DOCUMENTS = ['green', 'red green blue blue', '', 'blue', 'green green green green green red'];
const TOKENS = [[GREEN], [RED, GREEN, BLUE, BLUE], [], [BLUE], [GREEN, GREEN, GREEN, GREEN, GREEN, RED]];
const LOGITS = TOKENS.map((tokens) => logitOf(pairOf(QUERY, tokens)));

function expectScores(scores: readonly number[], expected: readonly number[]): void {
  expect(scores).toHaveLength(expected.length);
  for (const [index, score] of expected.entries()) expect(Math.abs(scores[index]! - score)).toBeLessThan(1e-5);
}

describe('a cross-encoder', () => {
  it('[N03] [N06] with one logit gives its sigmoid', async () => {
    const { scores } = await rank(await load(graphOf([1])), DOCUMENTS);
    expectScores(scores, LOGITS.map(sigmoid));
  });

  it.each<[string, object, number]>([
    ['the last', {}, 1],
    ['the one of a known name', { id2label: { 0: 'Relevant', 1: 'other' } }, 0],
    ['the last of unknown names', { id2label: { 0: 'LABEL_0', 1: 'LABEL_1' } }, 1],
  ])('[N03] with two labels gives the share of %s', async (_, config, relevant) => {
    const factors = [-0.5, 2];
    const { scores } = await rank(await load(graphOf(factors), config), DOCUMENTS);
    const shares = LOGITS.map((logit) => {
      const powers = factors.map((factor) => Math.exp(factor * logit));
      return powers[relevant]! / (powers[0]! + powers[1]!);
    });
    expectScores(scores, shares);
  });

  it.each([[[NaN]], [[NaN, 1]], [[Infinity, 1]]])('whose logits give no score is an error (%s)', async (factors) => {
    await expect(rank(await load(graphOf(factors)), DOCUMENTS)).rejects.toMatchObject({
      code: 'model_not_supported',
      message: expect.stringMatching(/outputs are wrong: the logits of a document/) as string,
    });
  });

  it('[N02] counts the tokens of all pairs', async () => {
    const { promptTokens } = await rank(await load(graphOf([1])), DOCUMENTS);
    expect(promptTokens).toBe(TOKENS.reduce((sum, tokens) => sum + pairOf(QUERY, tokens).ids.length, 0));
  });

  it('[N07] scores alone as with others, in any order and beside other requests', async () => {
    const model = await load(graphOf([1]));
    const [together, backwards, ...alone] = await Promise.all([
      rank(model, DOCUMENTS),
      rank(model, DOCUMENTS.toReversed()),
      ...DOCUMENTS.map((document) => rank(model, [document])),
    ]);
    expectScores(backwards.scores.toReversed(), together.scores);
    expectScores(
      alone.map(({ scores: [score] }) => score!),
      together.scores,
    );
  });

  it('[N06] cuts documents, and neither the query nor the last control token', async () => {
    const model = await load(graphOf([1]), {}, { contextLength: 8 });
    const long = `green red blue ${'blue '.repeat(9000)}`;
    const { scores, promptTokens } = await rank(model, [long, DOCUMENTS[1]!]);
    // Three control tokens and two of the query leave three.
    const cut = [
      [GREEN, RED, BLUE],
      [RED, GREEN, BLUE],
    ].map((tokens) => pairOf(QUERY, tokens));
    expectScores(
      scores,
      cut.map((pair) => sigmoid(logitOf(pair))),
    );
    expect(promptTokens).toBe(16);
    const shorter = await rank(model, [long], { maxTokensPerDocument: 1 });
    expectScores(shorter.scores, [sigmoid(logitOf(pairOf(QUERY, [GREEN])))]);
    const filled = rank(model, DOCUMENTS, { query: 'red red red red red' });
    await expect(filled).rejects.toMatchObject({ code: 'context_length_exceeded', param: 'query' });
  });

  it('[N09] leaves a request whose caller goes, and answers the next', async () => {
    const model = await load(graphOf([1]));
    const leaving = new AbortController();
    const many = rank(
      model,
      Array.from({ length: 1000 }, (_, index) => DOCUMENTS[index % 5]!),
      {},
      leaving.signal,
    );
    leaving.abort();
    await expect(many).rejects.toMatchObject({ code: 'cancelled' });
    expectScores((await rank(model, ['green'])).scores, [sigmoid(LOGITS[0]!)]);
  });

  it('of a thousand documents has a score for each', async () => {
    const documents = Array.from({ length: 1000 }, (_, index) => DOCUMENTS[index % 5]!);
    const { scores } = await rank(await load(graphOf([1])), documents);
    expectScores(
      scores,
      documents.map((_, index) => sigmoid(LOGITS[index % 5]!)),
    );
  });

  it('is refused when its graph scores tokens, not pairs', async () => {
    const file = new OnnxFile();
    file.input('input_ids', INT64, ['batch_size', 'sequence_length']);
    file.constant(
      'weights',
      Float32Array.from({ length: 14 }, (_, index) => index),
      [7, 2],
    );
    file.node('Gather', ['weights', 'input_ids'], 'logits', { axis: 0 });
    file.output('logits', FLOAT, ['batch_size', 'sequence_length', 2]);
    await expect(load(file)).rejects.toMatchObject({ code: 'model_not_supported' });
  });
});
