import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from '../../../src/testing/test-server/index.js';
import { chat, chatBody, said, send } from './support/ask.js';
import { importTestServer } from './support/built.js';

const { startTestServer } = await importTestServer();

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ apiKeys: ['sk-secret-key', { key: 'sk-old-key', revoked: true }] });
});
afterEach(() => server.reset());
afterAll(() => server.close());

const authorization = 'Bearer sk-secret-key';

const ask = (content: string, more: Record<string, unknown> = {}) =>
  send(`${server.baseURL}/chat/completions`, chatBody(content, more), { headers: { authorization } });

describe('the journal of a test server', () => {
  it('[Y06] has what was asked and answered', async () => {
    server.use({ text: 'Hello there!' });
    await send(`${server.baseURL}/chat/completions?trace=1`, chatBody('Hi'), { headers: { authorization } });
    expect(server.requests).toHaveLength(1);
    const [entry] = server.requests;
    expect(entry).toMatchObject({
      index: 0,
      method: 'POST',
      path: '/v1/chat/completions',
      query: { trace: '1' },
      headers: { authorization: 'Bearer [secret]' },
      body: chatBody('Hi'),
      model: 'gpt-5',
      status: 200,
      state: 'done',
      unmatched: false,
      error: undefined,
      startedAt: Date.parse('2026-01-01T00:00:00Z'),
    });
    expect(entry!.answer!.body).toMatchObject({ choices: [{ message: { content: 'Hello there!' } }] });
    expect(entry!.answer!.headers['content-type']).toBe('application/json');
    expect(JSON.parse(entry!.answer!.text!)).toEqual(entry!.answer!.body);
    expect(entry!.durationMs).toBeGreaterThanOrEqual(entry!.firstByteMs!);
    expect(await entry!.finished).toBe(entry);
  });

  it('[Y06] has the events of streams', async () => {
    server.use({ text: 'Hello there!' });
    await ask('Hi', { stream: true });
    const { events, body, text } = server.requests[0]!.answer!;
    expect(body).toBeUndefined();
    expect(events!.at(-1)).toBe('[DONE]');
    expect(events![0]).toMatchObject({ object: 'chat.completion.chunk' });
    expect(text).toContain('data: [DONE]');
  });

  it('[Y06] has refused requests, in the order in which they came', async () => {
    const statuses = [
      await send(`${server.baseURL}/chat/completions`, chatBody('Hi')),
      await send(`${server.baseURL}/nothing`, chatBody('Hi'), { headers: { authorization } }),
      await send(`${server.baseURL}/chat/completions`, undefined, { headers: { authorization } }),
      await send(`${server.baseURL}/chat/completions`, 'no json', { headers: { authorization } }),
      await ask('Hi'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 404, 405, 400, 400]);
    expect(server.requests.map(({ status }) => status)).toEqual(statuses);
    expect(server.requests.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(server.requests[0]!.body).toEqual(chatBody('Hi'));
    expect(server.requests[3]!.body).toBe('no json');
    expect(server.requests.map(({ unmatched }) => unmatched)).toEqual([false, false, false, false, true]);
  });

  it('[Y06] has forms as objects', async () => {
    const form = new FormData();
    form.set('model', 'whisper-1');
    form.set('file', new File([new Uint8Array(9)], 'voice.wav', { type: 'audio/wav' }));
    form.append('timestamp_granularities[]', 'word');
    form.append('timestamp_granularities[]', 'segment');
    await fetch(`${server.baseURL}/audio/transcriptions`, { method: 'POST', body: form, headers: { authorization } });
    expect(server.requests[0]).toMatchObject({
      model: 'whisper-1',
      body: {
        file: { name: 'voice.wav', type: 'audio/wav', size: 9 },
        'timestamp_granularities[]': ['word', 'segment'],
      },
    });
  });

  it('[Y06] says when a client has left', async () => {
    server.use({ replies: [{ text: 'word '.repeat(1000) }], tokenDelayMs: 20 });
    const controller = new AbortController();
    const response = await fetch(`${server.baseURL}/chat/completions`, {
      method: 'POST',
      headers: { authorization },
      body: JSON.stringify(chatBody('Hi', { stream: true })),
      signal: controller.signal,
    });
    const reader = response.body!.getReader();
    await reader.read();
    expect(server.requests[0]).toMatchObject({ state: 'open', status: 200 });
    controller.abort();
    const entry = await server.requests[0]!.finished;
    expect(entry).toMatchObject({ state: 'aborted' });
    expect(entry.answer!.events!.length).toBeGreaterThan(0);
  });

  it('[Y07] is complete as soon as the client has the answer', async () => {
    server.use({ text: 'Hello there, my dear friend!' });
    for (let turn = 0; turn < 50; turn++) {
      await ask('Hi', { stream: turn % 2 === 0 });
      expect(server.requests.at(-1)).toMatchObject({ index: turn, state: 'done' });
    }
  });

  it('[Y07] is complete when a client stops at the last event', async () => {
    server.use({ text: 'Hello there!' });
    for (let turn = 0; turn < 20; turn++) {
      const response = await fetch(`${server.baseURL}/chat/completions`, {
        method: 'POST',
        headers: { authorization },
        body: JSON.stringify(chatBody('Hi', { stream: true })),
      });
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ''; !text.includes('[DONE]');) text += (await reader.read()).value ?? '';
      expect(server.requests.at(-1)).toMatchObject({ state: 'done' });
      expect(server.requests.at(-1)!.answer!.events!.at(-1)).toBe('[DONE]');
      await reader.cancel();
    }
  });

  it('[Y07] what changes the server holds for the next request', async () => {
    for (let turn = 0; turn < 20; turn++) {
      server.use({ text: `Turn ${turn}` });
      expect((await ask('Hi')).text).toContain(`Turn ${turn}`);
      void server.faults.set({ fail: { status: 503 } });
      expect((await ask('Hi')).status).toBe(503);
      void server.faults.clear();
      server.advance(1000);
    }
  });

  it('[Y08] shows no secrets', async () => {
    server.use({ text: 'Your key is sk-secret-key, keep sk-old-key.' });
    await send(
      `${server.baseURL}/chat/completions?key=abc123&api_key=abc123&token=abc123&q=sk-secret-key`,
      chatBody('My key is sk-secret-key.'),
      {
        headers: {
          authorization,
          'proxy-authorization': 'Basic abc123',
          'x-api-key': 'abc123',
          'api-key': 'abc123',
          'x-goog-api-key': 'abc123',
          cookie: 'session=abc123',
          'x-note': 'sk-secret-key',
        },
      },
    );
    const [entry] = server.requests;
    expect(JSON.stringify(entry)).not.toMatch(/sk-secret-key|sk-old-key|abc123/);
    expect(entry!.headers).toMatchObject({
      authorization: 'Bearer [secret]',
      cookie: '[secret]',
      'x-note': '[secret]',
    });
    expect(entry!.query).toEqual({ key: '[secret]', api_key: '[secret]', token: '[secret]', q: '[secret]' });
    expect(JSON.stringify(entry!.body)).toContain('My key is [secret].');
    expect(entry!.answer!.text).toContain('[secret]');
  });

  it('[Y09] keeps the newest 1,000 entries', async () => {
    const get = () => send(`${server.baseURL}/models`, undefined, { headers: { authorization } });
    for (let done = 0; done < 1005; done += 67) await Promise.all(Array.from({ length: 67 }, get));
    expect(server.requests).toHaveLength(1000);
    expect(server.requests[0]!.index).toBe(5);
    server.requests.clear();
    expect(server.requests).toHaveLength(0);
    await get();
    expect(server.requests[0]!.index).toBe(1005);
    server.reset();
    await get();
    expect(server.requests[0]!.index).toBe(0);
  });

  it('[Y09] keeps the first megabyte of a body and of an answer', async () => {
    server.use({ text: 'word '.repeat(300_000) });
    await ask('x'.repeat(1_200_000), { max_tokens: 5 });
    expect(server.requests[0]!.cut).toBe(true);
    expect(server.requests[0]!.body).toHaveLength(1_000_000);
    expect(server.requests[0]!.model).toBe('gpt-5');
  });

  it('[Y10] gives each request once, also one that came before', async () => {
    server.use({ text: 'Yes.' });
    await ask('one');
    const both = [
      server.nextRequest(),
      server.nextRequest({ method: 'post', path: '/v1/chat/completions', model: 'gpt-5' }),
    ];
    await ask('two');
    const [first, second] = await Promise.all(both);
    expect([first!.index, second!.index]).toEqual([0, 1]);
    const third = server.nextRequest(({ body }) => JSON.stringify(body).includes('three'));
    await ask('other');
    await ask('three');
    expect((await third).index).toBe(3);
    expect((await server.nextRequest()).index).toBe(2);
    expect((await (await third).finished).status).toBe(200);
  });

  it('[Y10] gives a request before its answer', async () => {
    server.use({ replies: [{ text: 'a b c d' }], tokenDelayMs: 250 });
    const asked = ask('Hi');
    const entry = await server.nextRequest();
    expect(entry).toMatchObject({ state: 'open', body: chatBody('Hi'), status: undefined });
    await asked;
    expect((await entry.finished).state).toBe('done');
  });

  it('[Y10] ends its wait', async () => {
    server.use({ text: 'Yes.' });
    await ask('Hi');
    await expect(server.nextRequest({ path: '/v1/messages' }, { timeout: 20 })).rejects.toThrow(
      /20 ms.*POST \/v1\/chat\/completions/,
    );
    const controller = new AbortController();
    const waiting = server.nextRequest({ model: 'other' }, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const { startTestServer: startAnother } = await importTestServer();
    const another = await startAnother();
    const forever = another.nextRequest();
    await Promise.all([expect(forever).rejects.toThrow(/closed/), another.close()]);
  });

  it('is what a test looks at in one line', async () => {
    server.use({ text: 'Yes.' });
    expect(await said({ baseURL: server.baseURL }, 'Hi')).toContain('API key');
    await chat(server, 'Hi');
    expect(server.requests.map(({ path, status }) => [path, status])).toEqual([
      ['/v1/chat/completions', 401],
      ['/v1/chat/completions', 401],
    ]);
  });
});
