import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Script } from '../../../../src/core/models/script.js';
import type { App } from '../../../../src/service/http/app.js';
import { clearStore, ResponseStorage } from '../../../../src/service/response-storage.js';
import { tryLock } from '../../../../src/service/http/responses/hold-lock.js';
import { lockOf } from '../../../../src/service/http/responses/stop-run.js';
import { createMemoryTables } from '../../../../src/service/state/tables.js';
import { ResponseStore } from '../../../../src/service/state/response-store.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { postJson } from '../../../support/http-client.js';
import { create, post, send, start, startHosted } from './stored-support.js';
import { valid } from './support.js';

const SLOW = { tokenDelayMs: 30 };
const background = { background: true };

async function poll(
  app: App,
  id: string,
  until = (status: string) => !/queued|in_progress/.test(status),
): Promise<any> {
  for (;;) {
    const { status, body } = await send(app, 'GET', `/responses/${id}`);
    if (status !== 200 || until(body.status)) return body;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function events(app: App, id: string, query = ''): Promise<any[]> {
  const response = await app.request(`/v1/responses/${id}?stream=true${query}`);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return eventsIn(await response.text());
}

const eventsIn = (text: string): any[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as unknown);

const openStream = async (app: App, body: object = {}, signal?: AbortSignal): Promise<Response> => {
  const text = JSON.stringify({ ...valid, ...background, stream: true, ...body });
  return app.request('/v1/responses', { method: 'POST', body: text, ...(signal && { signal }) });
};

describe.each([
  ['hosted', (script?: Partial<Script>) => startHosted({ ...(script && { script }) })],
  ['service with storeResponses', (script?: Partial<Script>) => start({ store: 'memory', ...(script && { script }) })],
])('background: %s', (_, build) => {
  it('[H13] answers at once and is polled to its end', async () => {
    const app = await build(SLOW);
    const answer = await create(app, background);
    expect(answer).toMatchObject({ status: expect.stringMatching(/queued|in_progress/), background: true, output: [] });
    const done = await poll(app, answer.id);
    expect(done).toMatchObject({ id: answer.id, status: 'completed', background: true, store: true });
    const usual = await create(app);
    expect([done.output[0].content, done.usage]).toEqual([usual.output[0].content, usual.usage]);
    expect((await send(app, 'GET', `/responses/${answer.id}`)).body).toEqual(done);
    const next = await create(app, { previous_response_id: answer.id });
    expect(next.status).toBe('completed');
  });

  it('[H13] closing its stream stops nothing, and neither does a client that leaves', async () => {
    const app = await build(SLOW);
    const leaving = new AbortController();
    const reader = (await openStream(app, {}, leaving.signal)).body!.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    const { id } = eventsIn(first)[0].response;
    leaving.abort();
    await reader.cancel();
    expect((await poll(app, id)).status).toBe('completed');
    expect((await events(app, id)).at(-1).type).toBe('response.completed');
  });

  it('[H13] what is wrong is refused at once, and what fails later is `failed`', async () => {
    const app = await build();
    const refused = async (body: object): Promise<unknown[]> => {
      const { status, body: answer } = await postJson(app, '/responses', { ...valid, ...background, ...body });
      return [status, answer.error.param];
    };
    expect(await refused({ store: false })).toEqual([400, 'background']);
    expect(await refused({ background: 'yes' })).toEqual([400, 'background']);
    expect(await refused({ temperature: 9 })).toEqual([400, 'temperature']);
    expect((await refused({ model: 'unknown' }))[0]).toBe(404);
    const failing = await build({ failWith: 'internal' });
    const { id } = await create(failing, background);
    expect(await poll(failing, id)).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: expect.any(String) },
    });
    const streamed = eventsIn(await (await openStream(failing)).text());
    expect(streamed.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } });
  });

  it('[H14] its stream is taken up again after any number, live and later', async () => {
    const app = await build(SLOW);
    const response = await openStream(app);
    const live = response.text();
    const id = (await create(app)).id;
    const all = eventsIn(await live);
    expect(all.map((event) => event.sequence_number)).toEqual(all.map((_event, index) => index));
    const made = all[0].response.id;
    expect(await events(app, made)).toEqual(all);
    expect(await events(app, made, '&starting_after=3')).toEqual(all.slice(4));
    expect(await events(app, made, '&starting_after=99')).toEqual([]);
    expect((await send(app, 'GET', `/responses/${made}`)).body).toEqual(all.at(-1).response);
    for (const after of ['x', '-1', '1.5']) {
      const { status, body } = await send(app, 'GET', `/responses/${made}?stream=true&starting_after=${after}`);
      expect([status, body.error.param]).toEqual([400, 'starting_after']);
    }
    const quiet = await create(app, background);
    for (const other of [id, quiet.id]) {
      const { status, body } = await send(app, 'GET', `/responses/${other}?stream=true`);
      expect([status, body.error.param]).toEqual([400, 'stream']);
    }
    expect((await send(app, 'GET', '/responses/resp_unknown?stream=true')).status).toBe(404);
  });

  it('[H14] while it runs, who asks gets what came and what comes', async () => {
    const app = await build(SLOW);
    const response = await openStream(app);
    const reader = response.body!.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    const { id } = eventsIn(first)[0].response;
    await reader.cancel();
    const all = await events(app, id);
    expect([all[0].type, all.at(-1).type]).toEqual(['response.created', 'response.completed']);
  });

  it('[H15] is cancelled, and its engine is free', async () => {
    const app = await build({ tokenDelayMs: 60_000 });
    const { id } = await create(app, background);
    const cancel = (of: string) => send(app, 'POST', `/responses/${of}/cancel`);
    const { status, body } = await cancel(id);
    expect([status, body.status, body.id]).toEqual([200, 'cancelled', id]);
    expect((await cancel(id)).body).toEqual(body);
    expect((await send(app, 'GET', `/responses/${id}`)).body).toEqual(body);
    const usual = await build();
    expect((await send(usual, 'POST', `/responses/${(await create(usual)).id}/cancel`)).status).toBe(400);
    expect((await send(usual, 'POST', '/responses/resp_unknown/cancel')).status).toBe(404);
    const completed = await poll(usual, (await create(usual, background)).id);
    expect((await send(usual, 'POST', `/responses/${completed.id}/cancel`)).body).toEqual(completed);
  });

  it('[H15] an open stream of what is cancelled ends, and so does what is deleted', async () => {
    const app = await build({ tokenDelayMs: 100 });
    for (const [method, path] of [
      ['POST', '/cancel'],
      ['DELETE', ''],
    ] as const) {
      const reader = (await openStream(app)).body!.getReader();
      const { id } = eventsIn(new TextDecoder().decode((await reader.read()).value))[0].response;
      expect((await send(app, method, `/responses/${id}${path}`)).status).toBe(200);
      let last = '';
      for (let step = await reader.read(); !step.done; step = await reader.read())
        last = new TextDecoder().decode(step.value);
      expect(last).not.toContain('response.completed');
      expect((await send(app, 'GET', `/responses/${id}`)).body.status).toBe(
        method === 'POST' ? 'cancelled' : undefined,
      );
    }
  });

  it('[H07] what is not finished is not followed', async () => {
    const app = await build({ tokenDelayMs: 200 });
    const { id } = await create(app, background);
    const { status, body } = await postJson(app, '/responses', { ...valid, previous_response_id: id });
    expect([status, body.error.param, body.error.code]).toEqual([400, 'previous_response_id', null]);
    await send(app, 'DELETE', `/responses/${id}`);
  });

  it('is made in a conversation, in its turn', async () => {
    const app = await build(SLOW);
    const { id: conversation } = await post(app, '/conversations', { items: [{ role: 'user', content: 'Hi' }] });
    const made = await Promise.all([1, 2].map(() => create(app, { ...background, conversation })));
    const done = await Promise.all(made.map(({ id }) => poll(app, id)));
    expect(new Set(done.map(({ usage }) => usage.input_tokens)).size).toBe(2);
    const { body } = await send(app, 'GET', `/conversations/${conversation}/items`);
    expect(body.data).toHaveLength(1 + done.reduce((sum, { output }) => sum + 1 + output.length, 0));
  });
});

describe('an engine that is lost', () => {
  const tables = createMemoryTables();
  /** Each of them knows nothing of what the others run. */
  const engine = async (script: Partial<Script> = {}): Promise<App> => {
    const store = new ResponseStore(tables, { maxBytes: 1e6, now: Date.now, service: '/v1' });
    const models = [scriptedChat({ script: { replies: [{ text: 'Done at last.' }], ...script } })];
    return (await buildApp({ models, compatibility: 'hosted', responses: () => Promise.resolve(store) })).app;
  };
  /** As it is left by an engine that ended. */
  const leave = async (starts: number, change: object = {}): Promise<string> => {
    const store = new ResponseStore(tables, { maxBytes: 1e6, now: Date.now, service: '/v1' });
    const app = await engine({ tokenDelayMs: 1 });
    const like = await create(app);
    const id = `resp_lost${starts}${Object.keys(change).join('')}`;
    const json = { ...valid, ...background, ...change };
    const body = { ...like, id, status: 'queued', background: true, output: [], completed_at: null, usage: null };
    await store.save('anyone', { body, input: [], job: { json, starts } });
    return id;
  };

  it('[H16] is replaced by the next poll, with the same id', async () => {
    const id = await leave(1);
    const app = await engine();
    expect(await poll(app, id)).toMatchObject({ id, status: 'completed', background: true });
    const streamed = await leave(2, { stream: true });
    const again = await events(app, streamed);
    expect([again[0].response.id, again.at(-1).type]).toEqual([streamed, 'response.completed']);
  });

  it('[H08] its items are still found by their ids', async () => {
    const { id, output } = await create(await engine(), { input: [{ role: 'user', content: 'Hi', id: 'mine' }] });
    const input = ['mine', output[0].id].map((each) => ({ type: 'item_reference', id: each }));
    const byId = await create(await engine(), { input });
    expect(byId.usage).toEqual((await create(await engine(), { previous_response_id: id, input: undefined })).usage);
  });

  it('[H16] after three starts it is failed, and nothing begins it', async () => {
    const id = await leave(3);
    const body = await poll(await engine(), id);
    expect(body).toMatchObject({ id, status: 'failed', error: { code: 'server_error' } });
  });

  it('[H16] one whose engine lives is begun by nobody else, and what cannot be begun is failed', async () => {
    const app = await engine({ tokenDelayMs: 60_000 });
    const { id } = await create(app, background);
    expect((await send(await engine(), 'GET', `/responses/${id}`)).body.status).toMatch(/queued|in_progress/);
    // Another engine may end it, too.
    const ended = await send(await engine(), 'POST', `/responses/${id}/cancel`);
    expect([ended.body.status, (await send(app, 'GET', `/responses/${id}`)).body]).toEqual(['cancelled', ended.body]);
    const gone = await leave(1, { previous_response_id: 'resp_gone' });
    expect(await poll(app, gone)).toMatchObject({ status: 'failed', error: { code: 'previous_response_not_found' } });
  });
});

it('what is removed altogether is cancelled first', async () => {
  const kept = new ResponseStorage('memory', { now: Date.now, service: '/v1' });
  const models = [scriptedChat({ script: { replies: [{ text: 'One two three four' }], tokenDelayMs: 100 } })];
  const { app } = await buildApp({ models, compatibility: 'hosted', ...kept.optionsFor('hosted') });
  const { id } = await create(app, background);
  await kept.clear();
  expect(await kept.usage()).toEqual({ responses: 0, conversations: 0, bytes: 0 });
  expect((await send(app, 'GET', `/responses/${id}`)).status).toBe(404);
});

it('what another engine makes is cancelled first, too, and does not come back', async () => {
  const tables = createMemoryTables();
  const engine = async () => {
    const store = new ResponseStore(tables, { maxBytes: 1e6, now: Date.now, service: '/v1' });
    const models = [scriptedChat({ script: { replies: [{ text: 'One two' }], tokenDelayMs: 60_000 } })];
    const { app } = await buildApp({ models, compatibility: 'hosted', responses: () => Promise.resolve(store) });
    return { app, store };
  };
  const [one, other] = await Promise.all([engine(), engine()]);
  const { id } = await create(one.app, background);
  await clearStore(other.store);
  expect(await one.store.usage()).toEqual({ responses: 0, conversations: 0, bytes: 0 });
  expect(one.store.runOf('anyone', id)?.ended).toBe(true);
  expect((await send(one.app, 'GET', `/responses/${id}`)).status).toBe(404);
});

it.each(['save', 'findStored'] as const)('[H13] a store that rejects `%s` leaves no lock behind', async (method) => {
  const store = new ResponseStore(createMemoryTables(), { maxBytes: 1e6, now: Date.now, service: '/v1' });
  const failing = vi.spyOn(store, method).mockRejectedValue(new Error('The disk is gone.'));
  onTestFinished(() => failing.mockRestore());
  const models = [scriptedChat({ script: { replies: [{ text: 'One' }] } })];
  const responses = (): Promise<ResponseStore> => Promise.resolve(store);
  const createId = (): string => '11111111-2222-4333-8444-555555555555';
  const { app } = await buildApp({ models, compatibility: 'hosted', responses, createId });
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => error.mockRestore());
  expect((await postJson(app, '/responses', { ...valid, ...background })).status).toBe(500);
  const release = await tryLock(lockOf('resp_11111111222243338444555555555555'));
  expect(release).toBeDefined();
  release?.();
});

it('where nothing is kept there is no background', async () => {
  for (const app of [await start(), await startHosted({ store: false })])
    expect((await postJson(app, '/responses', { ...valid, ...background })).body.error.param).toBe('background');
});
