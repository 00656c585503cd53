import { describe, expect, it } from 'vitest';
import { ResponseStorage } from '../../../../src/service/response-storage.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { postJson, postStream } from '../../../support/http-client.js';
import { create, send, start, startHosted } from './stored-support.js';
import { valid } from './support.js';

const asked = { input: undefined };

describe('where nothing is kept', () => {
  it('[R20] [R21] [R30] a service by the letter refuses what asks for it', async () => {
    const app = await start();
    const { body } = await postJson(app, '/responses', { ...valid, store: true });
    expect(body.error).toMatchObject({ type: 'invalid_request_error', param: 'store' });
    const { id, store } = await create(app);
    expect(store).toBe(false);
    expect((await send(app, 'GET', `/responses/${id}`)).status).toBe(404);
    const next = await postJson(app, '/responses', { ...valid, previous_response_id: id });
    expect([next.status, next.body.error.param]).toEqual([400, 'previous_response_id']);
  });

  it('a hosted one that was told so reads `store` as false', async () => {
    const app = await startHosted({ store: false });
    const { id, store } = await create(app, { store: true });
    expect(store).toBe(false);
    expect((await send(app, 'GET', `/responses/${id}`)).status).toBe(404);
    const next = await postJson(app, '/responses', { ...valid, previous_response_id: id });
    expect([next.status, next.body.error.param]).toEqual([400, 'previous_response_id']);
  });
});

describe.each([
  ['hosted', () => startHosted()],
  ['service with storeResponses', () => start({ store: 'memory' })],
])('a service that keeps responses: %s', (_, build) => {
  it('[H02] [H03] gives back what was answered, whole or streamed', async () => {
    const app = await build();
    const whole = await create(app);
    expect(whole.store).toBe(true);
    const got = await send(app, 'GET', `/responses/${whole.id}?include=x&include_obfuscation=false`);
    expect([got.status, got.body]).toEqual([200, whole]);
    expect(got.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    const last = (await postStream(app, 'responses', valid)).at(-1).response;
    expect((await send(app, 'GET', `/responses/${last.id}`)).body).toEqual(last);
    expect((await send(app, 'GET', '/responses/resp_unknown')).status).toBe(404);
  });

  it('[H02] keeps nothing of what says `store: false`, and takes no other type', async () => {
    const app = await build();
    const { id, store } = await create(app, { store: false });
    expect(store).toBe(false);
    expect((await send(app, 'GET', `/responses/${id}`)).status).toBe(404);
    expect((await postJson(app, '/responses', { ...valid, store: 'yes' })).body.error.param).toBe('store');
  });

  it('[H06] answers a chained turn as one with all items', async () => {
    const app = await build();
    const first = await create(app, {
      input: 'How is the weather?',
      tools: [{ type: 'function', name: 'get_weather' }],
    });
    const call = first.output.find(({ type }: any) => type === 'function_call');
    const result = { type: 'function_call_output', call_id: call.call_id, output: 'sunny' };
    const chained = await create(app, { input: [result], previous_response_id: first.id });
    const inFull = await create(app, {
      input: [{ role: 'user', content: 'How is the weather?' }, ...first.output, result],
    });
    expect(chained.previous_response_id).toBe(first.id);
    expect(chained.output[0].content).toEqual(inFull.output[0].content);
    expect(chained.usage).toEqual(inFull.usage);
    // Two responses may follow one, and nothing but the items is inherited.
    const other = await create(app, { input: [result], previous_response_id: first.id, instructions: 'Be brief.' });
    expect([other.tools, other.usage.input_tokens > chained.usage.input_tokens]).toEqual([[], true]);
  });

  it('[H07] refuses to follow what is not kept', async () => {
    const app = await build();
    const { id } = await create(app);
    const second = await create(app, { previous_response_id: id });
    await send(app, 'DELETE', `/responses/${id}`);
    const unkept = await create(app, { store: false });
    for (const previous of ['resp_unknown', id, second.id, unkept.id]) {
      const { status, body } = await postJson(app, '/responses', { ...valid, previous_response_id: previous });
      expect([status, body.error.code, body.error.param]).toEqual([
        400,
        'previous_response_not_found',
        'previous_response_id',
      ]);
    }
    const wrong = await postJson(app, '/responses', { ...valid, previous_response_id: 5 });
    expect(wrong.body.error.param).toBe('previous_response_id');
  });

  it('[H08] needs no input where another response is followed, and finds items by their ids', async () => {
    const app = await build();
    const first = await create(app);
    expect((await create(app, { ...asked, previous_response_id: first.id })).status).toBe('completed');
    const missing = await postJson(app, '/responses', { ...valid, ...asked });
    expect(missing.body.error).toMatchObject({ code: 'missing_required_field', param: 'input' });
    const { body: list } = await send(app, 'GET', `/responses/${first.id}/input_items`);
    const references = [...list.data, ...first.output].map(({ id }: any) => ({ type: 'item_reference', id }));
    const byId = await create(app, { input: references });
    const inFull = await create(app, { input: [{ role: 'user', content: valid.input }, ...first.output] });
    expect(byId.usage).toEqual(inFull.usage);
  });

  it('[H04] removes a response, and the texts that could be named', async () => {
    const app = await build();
    const { id, output } = await create(app);
    expect(await send(app, 'DELETE', `/responses/${id}`)).toMatchObject({
      status: 200,
      body: { id, object: 'response', deleted: true },
    });
    expect((await send(app, 'GET', `/responses/${id}`)).status).toBe(404);
    expect((await send(app, 'DELETE', `/responses/${id}`)).status).toBe(404);
    const input = [{ type: 'item_reference', id: output[0].id }];
    expect((await postJson(app, '/responses', { ...valid, input })).status).toBe(400);
  });

  it('[H05] lists the items that a response read', async () => {
    const app = await build();
    const foreign = { role: 'user', content: [{ type: 'input_text', text: 'Hi' }], id: 'mine', note: 1 };
    const first = await create(app, { input: [foreign, { role: 'assistant', content: 'Hello' }] });
    const second = await create(app, { input: 'More', previous_response_id: first.id });
    const list = async (query = ''): Promise<any> =>
      (await send(app, 'GET', `/responses/${second.id}/input_items${query}`)).body;
    const { data, ...page } = await list('?order=asc');
    expect(data).toEqual([
      { ...foreign, type: 'message', status: 'completed' },
      {
        id: expect.stringMatching(/^msg_/),
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
      },
      ...first.output,
      {
        id: expect.stringMatching(/^msg_/),
        type: 'message',
        role: 'user',
        status: 'completed',
        content: [{ type: 'input_text', text: 'More' }],
      },
    ]);
    expect(page).toEqual({ object: 'list', first_id: 'mine', last_id: data.at(-1).id, has_more: false });
    expect((await list()).data).toEqual(data.toReversed());
    const middle = await list(`?order=asc&limit=1&after=${data[0].id}`);
    expect([middle.data, middle.has_more]).toEqual([[data[1]], true]);
    expect(await list(`?after=mine`)).toMatchObject({ data: [], first_id: null, last_id: null, has_more: false });
    for (const [query, param] of [
      ['limit=0', 'limit'],
      ['limit=x', 'limit'],
      ['order=up', 'order'],
      ['after=none', 'after'],
    ])
      expect((await list(`?${query}`)).error).toMatchObject({ type: 'invalid_request_error', param });
  });

  it('[H24] other methods get a 405, also where an operation has the form of an id', async () => {
    const app = await build();
    const put = await send(app, 'PUT', '/responses/resp_1');
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, DELETE']);
    for (const path of ['/responses/input_tokens', '/responses/compact'])
      expect((await send(app, 'GET', path)).status).toBe(405);
    const { body } = await send(app, 'GET', '/openapi.json');
    expect(Object.keys(body.paths['/responses/{id}'])).toEqual(['get', 'delete']);
    for (const [path, allow] of [
      ['/responses/resp_1/input_items', 'GET, HEAD'],
      ['/responses/resp_1/cancel', 'POST'],
      ['/conversations', 'POST'],
      ['/conversations/conv_1', 'GET, HEAD, POST, DELETE'],
      ['/conversations/conv_1/items', 'GET, HEAD, POST'],
      ['/conversations/conv_1/items/msg_1', 'GET, HEAD, DELETE'],
    ]) {
      const patched = await send(app, 'PATCH', path!);
      expect([path, patched.status, patched.headers.get('allow')]).toEqual([path, 405, allow]);
      expect(patched.headers.get('x-request-id')).not.toBeNull();
      expect(body.paths).toHaveProperty([path!.replace(/resp_1|conv_1/, '{id}').replace('msg_1', '{item_id}')]);
    }
  });

  it('[H19] counts and shortens what a response follows', async () => {
    const app = await build();
    const first = await create(app);
    const count = async (body: object): Promise<number> =>
      (await postJson(app, '/responses/input_tokens', { ...valid, ...body })).body.input_tokens;
    expect(await count({ previous_response_id: first.id })).toBe(
      await count({
        input: [{ role: 'user', content: valid.input }, ...first.output, { role: 'user', content: valid.input }],
      }),
    );
    const { status } = await postJson(app, '/responses/compact', { ...valid, previous_response_id: first.id });
    expect(status).toBe(200);
  });
});

it('[H22] each key has its own responses; made-up keys share them', async () => {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const parted = await startHosted({ apiKeys: ['a', 'b'] });
  const { id } = await create(parted, {}, bearer('a'));
  expect((await send(parted, 'GET', `/responses/${id}`, bearer('a'))).status).toBe(200);
  expect((await send(parted, 'GET', `/responses/${id}`, bearer('b'))).status).toBe(404);
  expect((await send(parted, 'GET', `/responses/${id}`)).status).toBe(401);
  const open = await startHosted();
  const { id: shared } = await create(open, {}, bearer('a'));
  expect((await send(open, 'GET', `/responses/${shared}`, bearer('b'))).status).toBe(200);
});

it('[H24] look-ups need a key and do not count against the limits; what is made in the background counts once', async () => {
  const rateLimits = { requestsPerMinute: 2 };
  const app = await startHosted({ apiKeys: ['a'], rateLimits });
  const key = { authorization: 'Bearer a' };
  const { id } = await create(app, { background: true }, key);
  for (let look = 0; look < 5; look += 1) expect((await send(app, 'GET', `/responses/${id}`, key)).status).toBe(200);
  const conversation = await postJson(app, '/conversations', {}, key);
  expect(conversation.status).toBe(200);
  await create(app, {}, key);
  expect((await postJson(app, '/responses', valid, key)).status).toBe(429);
  for (const path of [`/responses/${id}`, `/responses/${id}/input_items`, `/conversations/${conversation.body.id}`])
    expect((await send(app, 'GET', path)).status).toBe(401);
});

it('[H24] where nothing is kept they are unknown paths', async () => {
  for (const app of [await start(), await startHosted({ store: false })]) {
    for (const path of ['/responses/resp_1', '/responses/resp_1/input_items', '/conversations/conv_1'])
      expect((await send(app, 'PUT', path)).status).toBe(404);
    const { body } = await send(app, 'GET', '/openapi.json');
    expect(
      Object.keys(body.paths).filter((path) => path.includes('conversations') || path.includes('input_items')),
    ).toEqual([]);
  }
});

it('[H21] what is larger than the bound alone is answered with `store: false`, and can be asked for again', async () => {
  const app = await startHosted({ store: 3000 });
  expect((await create(app)).store).toBe(true);
  const large = await create(app, { input: 'x'.repeat(2000) });
  expect([large.status, large.store]).toEqual(['completed', false]);
  expect((await send(app, 'GET', `/responses/${large.id}`)).status).toBe(404);
  const input = [
    { type: 'item_reference', id: large.output[0].id },
    { role: 'user', content: 'And?' },
  ];
  expect((await create(app, { input, store: false })).status).toBe('completed');
});

it('[H25] chat completions take `store` and `metadata` and keep nothing', async () => {
  const kept = new ResponseStorage('memory', { now: Date.now, service: '/v1' });
  const { app } = await buildApp({
    models: [scriptedChat()],
    compatibility: 'hosted',
    ...kept.optionsFor('hosted'),
  });
  const body = {
    model: 'scripted-chat',
    messages: [{ role: 'user', content: 'Hi' }],
    store: true,
    metadata: { a: 'b' },
  };
  expect((await postJson(app, '/chat/completions', body)).status).toBe(200);
  expect(await kept.usage()).toEqual({ responses: 0, conversations: 0, bytes: 0 });
  expect((await send(app, 'GET', '/chat/completions')).status).toBe(405);
});

it('[H02] what fails is not kept', async () => {
  const kept = new ResponseStorage('memory', { now: Date.now, service: '/v1' });
  const models = [scriptedChat({ script: { replies: [{ text: 'x' }], failWith: 'internal' } })];
  const { app } = await buildApp({ models, compatibility: 'hosted', ...kept.optionsFor('hosted') });
  expect((await postJson(app, '/responses', valid)).status).toBe(500);
  expect(await kept.usage()).toEqual({ responses: 0, conversations: 0, bytes: 0 });
});
