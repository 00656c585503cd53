import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/service/http/app.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { postJson } from '../../support/http-client.js';
import { post } from './support/call.js';
import { embedder } from './support/models.js';

async function build(overrides: Partial<ModelEntry> = {}): Promise<App> {
  return (await buildApp({ models: [scriptedChat(), { ...embedder, ...overrides }] })).app;
}

const valid = { model: 'scripted-embed', input: 'The cat sleeps.' };

async function embed(body: object = {}): Promise<any> {
  const answer = await postJson(await build(), '/embeddings', { ...valid, ...body });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function expectRefused(body: object, param: string | RegExp): Promise<void> {
  const { status, body: answer } = await postJson(await build(), '/embeddings', body);
  expect(status).toBe(400);
  expect(answer.request_id).toBeTypeOf('string');
  expect(answer.error.param).toMatch(typeof param === 'string' ? new RegExp(`^${param}$`) : param);
}

const vectorsOf = (answer: any): number[][] => answer.data.map((item: { embedding: number[] }) => item.embedding);

describe('POST /embeddings', () => {
  it('[E01] answers a list of embeddings', async () => {
    const answer = await embed();
    expect(Object.keys(answer).toSorted()).toEqual(['data', 'model', 'object', 'usage']);
    expect(answer).toMatchObject({ object: 'list', model: 'scripted-embed' });
    expect(answer.data).toEqual([{ object: 'embedding', index: 0, embedding: expect.any(Array) }]);
    expect(answer.data[0].embedding.every(Number.isFinite)).toBe(true);
  });

  it('[E02] takes one text or several, and answers in their order', async () => {
    const texts = ['The cat sleeps.', 'Trains are late.', 'a'];
    const together = await embed({ input: texts });
    expect(together.data.map((item: { index: number }) => item.index)).toEqual([0, 1, 2]);
    for (const [index, input] of texts.entries()) {
      expect(vectorsOf(together)[index]).toEqual(vectorsOf(await embed({ input }))[0]);
    }
  });

  it('[E02] takes token arrays, one or several', async () => {
    expect((await embed({ input: [65, 66] })).data).toHaveLength(1);
    expect((await embed({ input: [[65, 66], [67]] })).data).toHaveLength(2);
  });

  it('[E03] counts prompt_tokens and total_tokens only', async () => {
    const { usage } = await embed({ input: ['one two', 'three'] });
    expect(Object.keys(usage).toSorted()).toEqual(['prompt_tokens', 'total_tokens']);
    expect(usage.prompt_tokens).toBeGreaterThan(0);
    expect(usage.total_tokens).toBe(usage.prompt_tokens);
  });

  it('[E04] refuses a missing input and one of another type', async () => {
    await expectRefused({ model: 'scripted-embed' }, 'input');
    for (const input of [5, null, true, {}, [], [[]]]) await expectRefused({ ...valid, input }, /^input/);
    for (const input of [['a', 5], [null], [1.5], [-1], [['a']]]) await expectRefused({ ...valid, input }, /^input/);
  });

  it('[E04] names the index of an empty input', async () => {
    await expectRefused({ ...valid, input: '' }, 'input');
    await expectRefused({ ...valid, input: ['a', 'b', ''] }, 'input.2');
    await expectRefused({ ...valid, input: [[65], []] }, 'input.1');
  });

  it('[E04] names the index of an over-long input', async () => {
    const app = await build({ contextLength: 8 });
    const long = 'word '.repeat(50);
    const several = await postJson(app, '/embeddings', { ...valid, input: ['a', long] });
    expect([several.status, several.body.error.param]).toEqual([400, 'input.1']);
    const single = await postJson(app, '/embeddings', { ...valid, input: long });
    expect([single.status, single.body.error.param]).toEqual([400, 'input']);
  });

  it('[E05] refuses a model that makes no embeddings', async () => {
    const { status, body } = await postJson(await build(), '/embeddings', { ...valid, model: 'scripted-chat' });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ param: 'model', code: 'model_not_supported', type: 'invalid_request_error' });
  });

  it('[E06] base64 holds the same values as float, little-endian', async () => {
    const plain = vectorsOf(await embed())[0]!;
    expect(vectorsOf(await embed({ encoding_format: 'float' }))[0]).toEqual(plain);
    const base64: string = (await embed({ encoding_format: 'base64' })).data[0].embedding;
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    expect(Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(i * 4, true))).toEqual(plain);
    await expectRefused({ ...valid, encoding_format: 'hex' }, 'encoding_format');
  });

  it('[E07] gives equal inputs equal vectors of one length', async () => {
    const [first, second, third] = vectorsOf(await embed({ input: ['same words', 'other', 'same words'] }));
    expect(third).toEqual(first);
    expect(second).toHaveLength(first!.length);
    expect(vectorsOf(await embed({ input: 'same words' }))[0]).toEqual(first);
  });

  it('shortens to `dimensions` and scales again', async () => {
    const [vector] = vectorsOf(await embed({ dimensions: 16 }));
    expect(vector).toHaveLength(16);
    expect(Math.hypot(...vector!)).toBeCloseTo(1, 5);
    for (const dimensions of [0, -1, 1.5, '16']) await expectRefused({ ...valid, dimensions }, 'dimensions');
  });

  it('[E09] accepts user and unknown fields', async () => {
    const answer = await embed({ user: 'someone', unknown: { a: [1] }, encoding_format: null, dimensions: null });
    expect(vectorsOf(answer)).toHaveLength(1);
  });

  it.each([
    [{ truncate: true }, 4],
    [{ truncate: 'END' }, 4],
    [{ truncate: 'START' }, 4],
    [{ truncation: true }, 4],
    [{ truncate_prompt_tokens: -1 }, 4],
    [{ truncate_prompt_tokens: 2 }, 2],
    [{ truncate_prompt_tokens: 99 }, 4],
    [{ truncate: false }, undefined],
    [{ truncate: 'NONE' }, undefined],
    [{ truncation: false }, undefined],
    [{}, undefined],
  ])('[E12] %j cuts texts that are too long to %s tokens', async (fields, tokens) => {
    const short = { ...embedder, contextLength: 4 };
    const send = async (entry: object, model = embedder.id) => {
      const { app } = await buildApp({ models: [{ ...short, ...entry }] });
      return postJson(app, '/embeddings', { model, input: ['one two three four five', 'a'], ...fields });
    };
    const answer = await send({});
    const { usage, error } = answer.body;
    expect([answer.status, usage?.prompt_tokens, error?.param]).toEqual(
      tokens === undefined ? [400, undefined, 'input.0'] : [200, tokens + 1, undefined],
    );
    const cutting = await send({ truncate: true });
    const says = Object.keys(fields).length > 0;
    expect(cutting.status).toBe(says && tokens === undefined ? 400 : 200);
  });

  it('[E12] refuses other values by name', async () => {
    const { app } = await buildApp({ models: [embedder] });
    const bad = [
      ['truncate', 'LEFT'],
      ['truncate', 1],
      ['truncation', 'yes'],
      ['truncate_prompt_tokens', 0],
      ['truncate_prompt_tokens', -2],
    ] as const;
    for (const [param, value] of bad) {
      const answer = await postJson(app, '/embeddings', { model: embedder.id, input: 'a', [param]: value });
      expect([answer.status, answer.body.error.param]).toEqual([400, param]);
    }
  });

  it('[E10] `input_type` asks for a prompt of the model', async () => {
    const app = await build({ prompts: { query: 'find this: ', passage: 'a text: ' } });
    const ask = async (fields: object) => (await postJson(app, '/embeddings', { ...valid, ...fields })).body;
    const byHand = await ask({ input: 'find this: The cat sleeps.' });
    expect(await ask({ input_type: 'query' })).toEqual(byHand);
    expect(await ask({ input_type: 'search_query' })).toEqual(byHand);
    expect(await ask({ input_type: 'document' })).toEqual(await ask({ input: 'a text: The cat sleeps.' }));
    expect(await ask({ input_type: null })).toEqual(await ask({}));
    for (const input_type of ['nothing', 5, ['query']]) {
      const { status, body } = await postJson(app, '/embeddings', { ...valid, input_type });
      expect([status, body.error.param]).toEqual([400, 'input_type']);
    }
    expect(await embed({ input_type: 'nothing' })).toEqual(await embed());
  });

  it('refuses a body without model', async () => {
    await expectRefused({ input: 'a' }, 'model');
  });
});

it('[X27] a text that is too long is told in the words that programs look for', async () => {
  const entry = { id: 'e', task: 'embeddings', backend: 'scripted', contextLength: 5 } as const;
  const { app } = await buildApp({ models: [entry] });
  const { status, json } = await post(app, '/v1/embeddings', { model: 'e', input: ['a', 'a b c d e f g h i j'] });
  expect([status, json.error.param]).toEqual([400, 'input.1']);
  expect(json.error.message).toContain('maximum context length is 5 tokens');
});
