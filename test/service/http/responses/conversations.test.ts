import { describe, expect, it } from 'vitest';
import { ResumeState } from '../../../../src/service/answer/resume-state.js';
import type { ResumeCheckpoint } from '../../../../src/core/events/resume-checkpoint.js';
import type { App } from '../../../../src/service/http/app.js';
import { postJson, postStream } from '../../../support/http-client.js';
import { create, post, send, start, startHosted } from './stored-support.js';
import { valid } from './support.js';

const says = (content: string, role = 'user') => ({ role, content });
const conversationWith = async (app: App, ...items: object[]): Promise<string> =>
  (await post(app, '/conversations', { items })).id;
const itemsOf = async (app: App, id: string): Promise<any[]> =>
  (await send(app, 'GET', `/conversations/${id}/items?order=asc&limit=100`)).body.data;
const textsOf = (items: any[]): string[] =>
  items.map(({ type, content }) => (type === 'message' ? content[0].text : type));

describe.each([
  ['hosted', () => startHosted()],
  ['service with storeResponses', () => start({ store: 'memory' })],
])('conversations: %s', (_, build) => {
  it('[H09] are made, read, described anew and removed', async () => {
    const app = await build();
    const empty = await app.request('/v1/conversations', { method: 'POST' });
    expect([empty.status, await empty.json()]).toEqual([
      200,
      {
        id: expect.stringMatching(/^conv_/),
        object: 'conversation',
        created_at: expect.closeTo(Date.now() / 1000, -1),
        metadata: {},
      },
    ]);
    const made = await post(app, '/conversations', { items: [says('Hi')], metadata: { topic: 'a' } });
    const path = `/conversations/${made.id}`;
    expect((await send(app, 'GET', path)).body).toEqual({ ...made, metadata: { topic: 'a' } });
    expect(await post(app, path, { metadata: { other: 'b' } })).toEqual({ ...made, metadata: { other: 'b' } });
    expect(await post(app, path, { metadata: null })).toEqual({ ...made, metadata: {} });
    expect((await postJson(app, path, {})).body.error.param).toBe('metadata');
    const [item] = await itemsOf(app, made.id);
    expect((await send(app, 'DELETE', path)).body).toEqual({
      id: made.id,
      object: 'conversation.deleted',
      deleted: true,
    });
    for (const method of ['GET', 'DELETE']) expect((await send(app, method, path)).status).toBe(404);
    expect((await postJson(app, path, { metadata: {} })).status).toBe(404);
    const input = [{ type: 'item_reference', id: item.id }];
    expect((await postJson(app, '/responses', { ...valid, input })).status).toBe(400);
  });

  it('[H09] [H10] take at most 20 items, each as in `input`', async () => {
    const app = await build();
    const items = Array.from({ length: 21 }, (_each, index) => says(String(index)));
    const id = await conversationWith(app, ...items.slice(1));
    expect(textsOf(await itemsOf(app, id))).toEqual(items.slice(1).map(({ content }) => content));
    for (const path of ['/conversations', `/conversations/${id}/items`]) {
      const refused = async (body: object): Promise<string> => {
        const answer = await postJson(app, path, body);
        expect([answer.status, answer.body.error.type]).toEqual([400, 'invalid_request_error']);
        return answer.body.error.param;
      };
      expect(await refused({ items })).toBe('items');
      expect(await refused({ items: 'Hi' })).toBe('items');
      expect(await refused({ items: [says('a'), { role: 'nobody', content: 'b' }] })).toBe('items.1.role');
      expect(await refused({ items: [{ type: 'item_reference', id: 'msg_unknown' }] })).toBe('items.0');
    }
    expect((await postJson(app, `/conversations/${id}/items`, { items: [] })).body.error.param).toBe('items');
  });

  it('[H10] items have what clients find in those of OpenAI, also where they came without', async () => {
    const app = await build();
    const said = { type: 'output_text', text: 'b' };
    const id = await conversationWith(
      app,
      says('a', 'assistant'),
      { type: 'message', role: 'assistant', status: 'incomplete', content: [said] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'x', status: 'incomplete' },
    );
    const whole = { annotations: [], logprobs: [] };
    expect(await itemsOf(app, id)).toMatchObject([
      { status: 'completed', content: [{ ...said, ...whole, text: 'a' }] },
      { status: 'incomplete', content: [{ ...said, ...whole }] },
      { status: 'completed' },
      { status: 'incomplete' },
    ]);
  });

  it('[H10] items are added, listed, read and removed one by one', async () => {
    const app = await build();
    const id = await conversationWith(app, says('first'));
    const path = `/conversations/${id}/items`;
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', note: 1 };
    const added = await post(app, path, {
      items: [call, { ...says('mine'), id: 'mine' }, { ...says('again'), id: 'mine' }],
    });
    expect(added).toMatchObject({ object: 'list', has_more: false, first_id: added.data[0].id });
    expect(added.data).toEqual([
      { ...call, status: 'completed', id: expect.stringMatching(/^fc_/) },
      {
        ...says('mine'),
        type: 'message',
        status: 'completed',
        id: 'mine',
        content: [{ type: 'input_text', text: 'mine' }],
      },
      expect.objectContaining({ id: expect.not.stringMatching(/^mine$/) }),
    ]);
    const all = await itemsOf(app, id);
    expect(all.slice(1)).toEqual(added.data);
    const page = (await send(app, 'GET', `${path}?limit=1&after=${all[3].id}`)).body;
    expect(page).toMatchObject({ data: [all[2]], has_more: true });
    expect((await send(app, 'GET', `${path}?limit=0`)).body.error.param).toBe('limit');
    expect((await send(app, 'GET', `${path}/mine`)).body).toEqual(all[2]);
    expect((await send(app, 'DELETE', `${path}/mine`)).body).toMatchObject({ id, object: 'conversation' });
    expect(textsOf(await itemsOf(app, id))).toEqual(['first', 'function_call', 'again']);
    for (const method of ['GET', 'DELETE']) expect((await send(app, method, `${path}/mine`)).status).toBe(404);
    expect((await send(app, 'GET', '/conversations/conv_x/items')).status).toBe(404);
    expect((await postJson(app, '/conversations/conv_x/items', { items: [says('a')] })).status).toBe(404);
  });

  it('[H11] a response reads its items, and adds what it was sent and made', async () => {
    const app = await build();
    const id = await conversationWith(app, says('Hi'), says('Hello', 'assistant'));
    for (const [conversation, body] of [
      [id, {}],
      [{ id }, { store: false }],
    ] as const) {
      const before = await itemsOf(app, id);
      const answer = await create(app, { conversation, ...body });
      expect(answer.conversation).toEqual({ id });
      const inFull = await create(app, { input: [...before, says(valid.input)] });
      expect([answer.output[0].content, answer.usage]).toEqual([inFull.output[0].content, inFull.usage]);
      const after = await itemsOf(app, id);
      expect(after.slice(0, before.length)).toEqual(before);
      expect(textsOf([after[before.length]])).toEqual([valid.input]);
      expect(after.slice(before.length + 1)).toEqual(answer.output);
      const listed = await send(app, 'GET', `/responses/${answer.id}/input_items?order=asc`);
      expect(listed.body.data).toEqual(answer.store ? after.slice(0, before.length + 1) : undefined);
    }
    const streamed = (await postStream(app, 'responses', { ...valid, conversation: id })).at(-1).response;
    expect((await itemsOf(app, id)).at(-1)).toEqual(streamed.output.at(-1));
    // No input: it goes on from what is there.
    expect((await create(app, { conversation: id, input: undefined })).status).toBe('completed');
  });

  it('[H07] [H11] what does not exist, or is no conversation, is refused', async () => {
    const app = await build();
    const id = await conversationWith(app);
    const refused = async (body: object): Promise<unknown[]> => {
      const answer = await postJson(app, '/responses', { ...valid, ...body });
      return [answer.status, answer.body.error.param];
    };
    expect(await refused({ conversation: 'conv_unknown' })).toEqual([404, 'conversation']);
    expect(await refused({ conversation: 5 })).toEqual([400, 'conversation']);
    expect(await refused({ conversation: {} })).toEqual([400, expect.stringMatching(/^conversation/)]);
    expect(await refused({ conversation: id, input: undefined })).toEqual([400, 'input']);
    const { id: previous } = await create(app);
    expect(await refused({ conversation: id, previous_response_id: previous })).toEqual([400, 'conversation']);
  });

  it('[H05] what is removed of a conversation is listed no longer, and what follows it cannot go on without it', async () => {
    const app = await build();
    const id = await conversationWith(app, { ...says('secret'), id: 'secret' });
    const first = await create(app, { conversation: id });
    const next = await create(app, { previous_response_id: first.id });
    const list = async (of: string): Promise<string[]> =>
      textsOf((await send(app, 'GET', `/responses/${of}/input_items?order=asc`)).body.data);
    expect((await list(next.id)).slice(0, 2)).toEqual(['secret', valid.input]);
    await send(app, 'DELETE', `/conversations/${id}/items/secret`);
    expect(await list(first.id)).toEqual([valid.input]);
    await send(app, 'DELETE', `/conversations/${id}`);
    expect(await list(first.id)).toEqual([]);
    const refused = await postJson(app, '/responses', { ...valid, previous_response_id: next.id });
    expect(refused.body.error.code).toBe('previous_response_not_found');
  });

  it('[H04] items that a removed response gave to a conversation stay there', async () => {
    const app = await build();
    const id = await conversationWith(app);
    const answer = await create(app, { conversation: id });
    await send(app, 'DELETE', `/responses/${answer.id}`);
    expect((await itemsOf(app, id)).slice(1)).toEqual(answer.output);
    const input = [{ type: 'item_reference', id: answer.output[0].id }];
    expect((await create(app, { input })).status).toBe('completed');
  });
});

it('[H12] responses on one conversation are made one after the other', async () => {
  const app = await startHosted({ script: { tokenDelayMs: 2 } });
  const id = await conversationWith(app, says('Hi'));
  const asked = ['a', 'b', 'c'];
  const answers = await Promise.all(asked.map((input) => create(app, { input, conversation: id })));
  const items = await itemsOf(app, id);
  const inputs = items.filter(({ role }) => role === 'user').slice(1);
  expect(new Set(inputs.map(({ content }) => content[0].text))).toEqual(new Set(asked));
  for (const { output } of answers) {
    const at = items.findIndex((item) => item.id === output[0].id);
    expect(items[at - 1].role).toBe('user');
  }
  // The later one reads what the earlier one added.
  expect(new Set(answers.map(({ usage }) => usage.input_tokens)).size).toBe(3);
});

it('[H12] one that is given up while it waits lets the next one on', async () => {
  const app = await startHosted({ script: { tokenDelayMs: 20 } });
  const id = await conversationWith(app, says('Hi'));
  const first = create(app, { conversation: id });
  const leaving = new AbortController();
  const given = app.request('/v1/responses', {
    method: 'POST',
    body: JSON.stringify({ ...valid, conversation: id }),
    signal: leaving.signal,
  });
  setTimeout(() => leaving.abort(), 20);
  await Promise.allSettled([given]);
  await first;
  await create(app, { conversation: id });
  expect((await itemsOf(app, id)).filter(({ role }) => role === 'user')).toHaveLength(3);
});

it('[H11] one that another host goes on with adds its items once', async () => {
  const app = await startHosted();
  const id = await conversationWith(app, says('Hi'));
  const body = JSON.stringify({ ...valid, stream: true, conversation: id });
  const run = async (earlier: ResumeState): Promise<ResumeState> => {
    const request = new Request('http://localhost/v1/responses', { method: 'POST', body });
    await (await app.fetch(request, { resumeState: earlier })).text();
    return earlier;
  };
  const values: ResumeCheckpoint['values'] = [];
  const noting = new ResumeState();
  const replay = noting.replay.bind(noting);
  noting.replay = (kind, make) => {
    const value = replay(kind, make);
    values.push([kind, value]);
    return value;
  };
  await run(noting);
  const items = await itemsOf(app, id);
  // The first host died when everything was added, but before the reader had the last event.
  await run(new ResumeState([{ events: 2, keepAlives: 0, values, tokens: [] }]));
  expect(await itemsOf(app, id)).toEqual(items);
});

it('[H11] what fails adds nothing', async () => {
  const app = await startHosted({ script: { failWith: 'internal' } });
  const id = await conversationWith(app, says('Hi'));
  expect((await postJson(app, '/responses', { ...valid, conversation: id })).status).toBe(500);
  expect(await itemsOf(app, id)).toHaveLength(1);
});

it('[H22] each key has its own conversations', async () => {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const app = await startHosted({ apiKeys: ['a', 'b'] });
  const { id } = await post(app, '/conversations', {}, bearer('a'));
  expect((await send(app, 'GET', `/conversations/${id}`, bearer('a'))).status).toBe(200);
  expect((await send(app, 'GET', `/conversations/${id}`, bearer('b'))).status).toBe(404);
});

it('[H19] counting reads the conversation and adds nothing', async () => {
  const app = await startHosted();
  const id = await conversationWith(app, says('Hi'));
  const count = async (body: object): Promise<number> =>
    (await post(app, '/responses/input_tokens', body)).input_tokens;
  const { model, input } = valid;
  expect(await count({ model, input, conversation: id })).toBe(
    await count({ model, input: [says('Hi'), says(input)] }),
  );
  expect(await count({ model, conversation: id })).toBe(await count({ model, input: [says('Hi')] }));
  expect(await itemsOf(app, id)).toHaveLength(1);
  const unknown = await postJson(app, '/responses/input_tokens', { model, input, conversation: 'conv_unknown' });
  expect(unknown.status).toBe(404);
});

it('where nothing is kept there are none', async () => {
  for (const app of [await start(), await startHosted({ store: false })]) {
    expect((await postJson(app, '/conversations', {})).status).toBe(404);
    expect((await postJson(app, '/responses', { ...valid, conversation: 'conv_1' })).body.error.param).toBe(
      'conversation',
    );
  }
});

it('[H17] metadata has at most 16 pairs, of keys up to 64 and texts up to 512 characters', async () => {
  const app = await startHosted();
  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
  const most = { ...pairs(15), ['k'.repeat(64)]: 'v'.repeat(512) };
  expect((await create(app, { metadata: most })).metadata).toEqual(most);
  expect((await post(app, '/conversations', { metadata: most })).metadata).toEqual(most);
  const { id } = await post(app, '/conversations', {});
  const wrong = [pairs(17), { '': 'v' }, { ['k'.repeat(65)]: 'v' }, { k: 'v'.repeat(513) }, { k: 1 }, [], 'x'];
  for (const metadata of wrong) {
    for (const [path, body] of [
      ['/responses', valid],
      ['/conversations', {}],
      [`/conversations/${id}`, {}],
    ] as const) {
      const { status, body: answer } = await postJson(app, path, { ...body, metadata });
      expect([status, answer.error.param]).toEqual([400, expect.stringMatching(/^metadata/)]);
    }
  }
});

it('[H09] [H10] a file that no response could read is refused when it comes', async () => {
  const app = await startHosted();
  const file = { type: 'input_file', filename: 'a.txt' };
  const called = (output: object) => ({ type: 'custom_tool_call_output', call_id: 'call_1', output: [output] });
  const id = await conversationWith(app, { role: 'user', content: [{ ...file, file_data: btoa('Hi') }] });
  for (const path of ['/conversations', `/conversations/${id}/items`]) {
    for (const [expected, item, param] of [
      [400, { role: 'user', content: [file] }, 'items.0.content.0.file_data'],
      [400, called({ ...file, file_data: btoa('\0') }), 'items.0.output.0.file_data'],
      [404, called({ ...file, file_id: 'file_1' }), 'items.0.output.0.file_id'],
    ] as const) {
      const { status, body } = await postJson(app, path, { items: [item] });
      expect([status, body.error.param]).toEqual([expected, param]);
    }
  }
});
