/** Lists of models and unknown paths as Anthropic's client knows them. */
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { get, post } from './support/call.js';

const VERSION = { 'anthropic-version': '2023-06-01' };
const models: ModelEntry[] = Array.from({ length: 25 }, (_, index) => scriptedChat({ id: `model/${index}` }));
const ids = models.map(({ id }) => id);
const ID = '/v1/models/model%2F3';

describe('[L10] with anthropic-version', () => {
  it('the list is a page of Anthropic’s models', async () => {
    const { app } = await buildApp({ models });
    const page = async (query: string): Promise<any> => (await get(app, `/v1/models${query}`, VERSION)).json;
    const first = await page('');
    expect(first).toMatchObject({ first_id: ids[0], last_id: ids[19], has_more: true });
    expect(first.data[0]).toEqual({
      type: 'model',
      id: ids[0],
      display_name: ids[0],
      created_at: expect.any(String),
      lifecycle: 'active',
    });
    expect(Date.parse(first.data[0].created_at)).toBeLessThanOrEqual(Date.now());
    const idsOf = async (query: string) => {
      const { data, has_more: more } = await page(query);
      return [data.map(({ id }: { id: string }) => id), more];
    };
    expect(await idsOf(`?after_id=${ids[19]}`)).toEqual([ids.slice(20), false]);
    expect(await idsOf(`?limit=2&after_id=${ids[3]}`)).toEqual([ids.slice(4, 6), true]);
    expect(await idsOf(`?limit=2&before_id=${ids[3]}`)).toEqual([ids.slice(1, 3), true]);
    expect(await idsOf(`?limit=9&before_id=${ids[3]}`)).toEqual([ids.slice(0, 3), false]);
    expect(await idsOf('?limit=1000')).toEqual([ids, false]);
    expect(await page(`?after_id=${ids[24]}`)).toEqual({ data: [], first_id: null, last_id: null, has_more: false });
  });

  it('the list can be limited to stages of the lifecycle, of which all models have the first', async () => {
    const { app } = await buildApp({ models });
    const fetch = async (url: URL | RequestInfo, init?: RequestInit) => app.request(new Request(url, init));
    const client = new Anthropic({ baseURL: 'http://localhost/v1', apiKey: 'x', fetch, maxRetries: 0 });
    expect((await client.models.list({ lifecycle: ['deprecated', 'active'] })).data).toHaveLength(20);
    expect((await client.models.list({ lifecycle: ['retired'] })).data).toEqual([]);
    const count = async (query: string): Promise<number> =>
      (await get(app, `/v1/models?${query}`, VERSION)).json.data.length;
    expect(await count('lifecycle=active&lifecycle=retired')).toBe(20);
    expect(await count('lifecycle=deprecated,retired')).toBe(0);
    expect((await get(app, '/v1/models?lifecycle=old', VERSION)).status).toBe(400);
  });

  it('retrieve gives one of them, and errors are Dialect', async () => {
    const { app } = await buildApp({ models });
    expect((await get(app, ID, VERSION)).json).toMatchObject({ type: 'model', id: 'model/3', display_name: 'model/3' });
    const wrong: [string, number, string][] = [
      ['/v1/models/other', 404, 'not_found_error'],
      ['/v1/models?limit=0', 400, 'invalid_request_error'],
      ['/v1/models?limit=1001', 400, 'invalid_request_error'],
      ['/v1/models?limit=x', 400, 'invalid_request_error'],
      ['/v1/models?after_id=other', 400, 'invalid_request_error'],
    ];
    for (const [path, status, type] of wrong) {
      const answer = await get(app, path, VERSION);
      expect([path, answer.status, answer.json.type, answer.json.error.type]).toEqual([path, status, 'error', type]);
      expect(answer.headers.get('request-id')).toBe(answer.json.request_id);
    }
    const guarded = await buildApp({ models, apiKeys: ['right'] });
    const { status, json } = await get(guarded.app, '/v1/models', VERSION);
    expect([status, json.type, json.error.type]).toEqual([401, 'error', 'authentication_error']);
  });

  it('without it they are as ever', async () => {
    const { app } = await buildApp({ models });
    expect((await get(app, '/v1/models?limit=1')).json).toMatchObject({ object: 'list', data: { length: 25 } });
    expect((await get(app, ID)).json).toMatchObject({ object: 'model', id: 'model/3' });
  });
});

it('[X01] unknown paths of Anthropic’s API, and with anthropic-version, are Dialect', async () => {
  const { app } = await buildApp();
  const told: [string, Record<string, string>, boolean][] = [
    ['/v1/messages/batches', {}, true],
    ['/v1/complete', {}, true],
    ['/v1/images', {}, false],
    ['/v1/images', VERSION, true],
    ['/v1/messagesx', {}, false],
  ];
  for (const [path, headers, isDialect] of told) {
    const { status, json } = await post(app, path, {}, headers);
    expect([path, status, json.type, json.error.type]).toEqual([
      path,
      404,
      isDialect ? 'error' : undefined,
      'not_found_error',
    ]);
  }
});

it.each(['/v1', '/api/ai'])('Anthropic’s client works with the base of the others: %s', async (prefix) => {
  const { app } = await buildApp({ prefix });
  const fetch = async (url: URL | RequestInfo, init?: RequestInit) => app.request(new Request(url, init));
  const client = new Anthropic({ baseURL: `http://localhost${prefix}`, apiKey: 'x', fetch, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Hello.' }];
  const { content } = await client.messages.create({ model: 'scripted-chat', max_tokens: 50, messages });
  expect(content).toMatchObject([{ type: 'text', text: 'Hello there, friend.' }]);
  expect((await client.messages.countTokens({ model: 'scripted-chat', messages })).input_tokens).toBeGreaterThan(0);
  const listed = [];
  for await (const model of client.models.list({ limit: 1 })) listed.push(model.id);
  expect(listed).toEqual(['scripted-chat']);
  expect((await client.models.retrieve('scripted-chat')).display_name).toBe('scripted-chat');
});
