import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ReplyRequest, TestServer } from '../../../src/testing/test-server/index.js';
import { chat, chatBody, said, send } from './support/ask.js';
import { importTestServer } from './support/built.js';

const { startTestServer } = await importTestServer();

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

const TOOL = { type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } };

/** The beginning of a chunk: its length. */
const CHUNK = /\r\n([\da-f]+)\r\n/;

describe('replies of a test', () => {
  it('[Y11] come before the models’ own, the last first', async () => {
    const own = await startTestServer({
      models: [
        { id: 'a', task: 'chat', backend: 'scripted', aliases: ['alias'], script: { replies: [{ text: 'own' }] } },
        { id: 'b', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'own' }] } },
      ],
    });
    own.use({ match: 'cat', text: 'first' });
    own.use([{ match: 'cat', text: 'second' }], { model: 'alias' });
    const ask = (model: string, content: string) => said(own, content, { model });
    expect(await Promise.all([ask('a', 'cat'), ask('b', 'cat'), ask('a', 'dog')])).toEqual(['second', 'first', 'own']);
    own.reset();
    expect(await ask('a', 'cat')).toBe('own');
    await own.close();
  });

  it('[Y11] may be slow or fail', async () => {
    server.use({ replies: [{ match: 'slow', text: 'a b' }], tokenDelayMs: 40 });
    server.use({ replies: [{ match: 'fail' }], failWith: 'unavailable' });
    const start = performance.now();
    expect(await said(server, 'slow')).toBe('a b');
    expect(performance.now() - start).toBeGreaterThanOrEqual(120);
    expect((await chat(server, 'fail')).status).toBe(503);
  });

  it.each([
    [[{ text: 3 }], 'replies.0.text'],
    [{ match: { turn: 'one' } }, 'match.turn'],
    [{ replies: [], delay: 3 }, 'delay'],
    [{ error: { status: 418 } }, 'error.status'],
    [{ times: 0 }, 'times'],
  ])('[Y11] are refused at once where they are wrong: %j', (script, param) => {
    let thrown: unknown;
    try {
      server.use(script as never);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'invalid_request', param });
  });

  it('[Y11] end with a reset, and so do requests under way, counts, limits and what is remembered', async () => {
    server.use({ replies: [{ text: 'a b c d' }], tokenDelayMs: 1000 });
    const asked = chat(server, 'Hi').catch((thrown: unknown) => thrown);
    const entry = await server.nextRequest();
    server.reset();
    expect(entry.state).toBe('aborted');
    expect(await asked).toBeInstanceOf(Error);
    expect(server.requests).toHaveLength(0);
    server.use({ text: 'once', times: 1 });
    const { json } = await send(`${server.baseURL}/responses`, { model: 'm', input: 'Hi' });
    const reference = { type: 'item_reference', id: json.output[0].id };
    const follow = () =>
      send(`${server.baseURL}/responses`, { model: 'm', input: [reference, { role: 'user', content: 'x' }] });
    server.use({ text: 'again' });
    expect((await follow()).status).toBe(200);
    server.reset();
    server.use({ text: 'again' });
    expect((await follow()).status).toBe(400);
  });

  it('[Y13] count only requests that they answer', async () => {
    server.use([{ text: 'twice', times: 2 }, { text: 'then' }]);
    await server.faults.set({ fail: { status: 503 } });
    const answers = [];
    for (let turn = 0; turn < 4; turn++) answers.push(await said(server, 'Hi'));
    expect(answers[0]).toContain('Unavailable');
    expect(answers.slice(1)).toEqual(['twice', 'twice', 'then']);
    server.reset();
    server.use([{ text: 'once', times: 1 }, { text: 'then' }]);
    expect((await chat(server, 'Hi', { temperature: 9 })).status).toBe(400);
    expect((await chat(server, 'word '.repeat(5000))).status).toBe(400);
    expect(await said(server, 'Hi')).toBe('once');
  });

  it('[Y14] may be functions, which see the request in one form whatever the dialect', async () => {
    const seen: ReplyRequest[] = [];
    server.use((request) => {
      seen.push(request);
      return { text: `turn ${request.turn}` };
    });
    const conversation = [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'look_up', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'found' },
    ];
    const { json } = await send(
      `${server.baseURL}/chat/completions`,
      { model: 'gpt-5', messages: conversation, tools: [TOOL] },
      { headers: { authorization: 'Bearer sk-1', 'x-app': 'mine' } },
    );
    expect(json.choices[0].message.content).toBe('turn 1');
    await send(`${server.origin}/messages`, {
      model: 'claude',
      max_tokens: 50,
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'look_up', input: { a: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'found' }] },
      ],
      tools: [{ name: 'look_up', input_schema: { type: 'object' } }],
    });
    const [first, second] = seen;
    const messages = [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'look_up', arguments: '{"a":1}' } }],
      },
      { role: 'tool', content: 'found', tool_call_id: 'c' },
    ];
    expect(first).toMatchObject({
      endpoint: '/chat/completions',
      model: 'gpt-5',
      turn: 1,
      hasToolResult: true,
      messages,
      tools: [TOOL],
    });
    expect(first!.body).toMatchObject({ messages: conversation });
    expect(first!.headers).toMatchObject({ authorization: 'Bearer [secret]', 'x-app': 'mine' });
    expect(second).toMatchObject({ endpoint: '/messages', model: 'claude', messages, tools: [TOOL] });
  });

  it('[Y14] pass a request on where they return nothing, at their place', async () => {
    server.use([
      { text: 'else' },
      { match: 'dog', text: 'Woof.' },
      async ({ messages }) => (/cat|dog/.test(JSON.stringify(messages)) ? { text: 'from a function' } : undefined),
    ]);
    expect(await Promise.all([said(server, 'dog'), said(server, 'cat'), said(server, 'cow')])).toEqual([
      'Woof.',
      'from a function',
      'else',
    ]);
    const own = await startTestServer({
      models: [
        { id: 'm', task: 'chat', backend: 'scripted', script: { replies: ({ turn }) => ({ text: `own ${turn}` }) } },
      ],
    });
    expect(await said(own, 'Hi', { model: 'm' })).toBe('own 0');
    await own.close();
  });

  it('[Y14] answer 500 where they throw, and the journal has what', async () => {
    const mine = new Error('mine');
    server.use(() => {
      throw mine;
    });
    expect((await chat(server, 'Hi')).status).toBe(500);
    expect(server.requests[0]!.error).toBe(mine);
    server.use(() => ({ txt: 'x' }) as never);
    expect((await chat(server, 'Hi')).status).toBe(500);
    expect(server.requests[1]!.error).toMatchObject({ param: 'txt' });
  });

  it('[Y14] are told when the client leaves', async () => {
    const left = new Promise<void>((resolve) => {
      server.use(({ signal }) => new Promise(() => signal.addEventListener('abort', () => resolve())));
    });
    const controller = new AbortController();
    const asked = fetch(`${server.baseURL}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(chatBody('Hi')),
      signal: controller.signal,
    }).catch((thrown: unknown) => thrown);
    await server.nextRequest();
    controller.abort();
    await Promise.all([left, asked]);
    server.reset();
    server.use({ text: 'The model is free.' });
    expect(await said(server, 'Hi')).toBe('The model is free.');
  });

  it.each([
    ['/chat/completions', chatBody('Where is the cat?')],
    ['/completions', { model: 'm', prompt: 'Where is the cat?' }],
    ['/messages', { max_tokens: 9, ...chatBody('Where is the cat?') }],
    ['/responses', { model: 'm', input: 'Where is the cat?' }],
  ])('[Y16] that do not fit are named in a 400 of %s', async (path, body) => {
    server.use([{ match: 'Where is the dog?' }, { match: { turn: 3 } }]);
    for (const stream of [false, true]) {
      const { status, text } = await send(server.baseURL + path, { ...body, stream });
      expect(status).toBe(400);
      expect(text).toContain('Where is the cat?');
      expect(text).toContain('Where is the dog?');
      expect(text).toContain('`turn` is 0');
    }
    expect(server.unmatched.map(({ index }) => index)).toEqual([0, 1]);
    expect(server.requests[0]!.unmatched).toBe(true);
  });

  it('[Y16] a request without any reply is not matched either', async () => {
    expect((await chat(server, 'Hi')).status).toBe(400);
    server.use({ replies: [], onUnmatched: 'empty' });
    expect((await chat(server, 'Hi')).status).toBe(200);
    expect(server.unmatched).toHaveLength(1);
    expect((await send(`${server.baseURL}/embeddings`, { model: 'e', input: 'Hi' })).status).toBe(200);
  });

  it('[Y18] leave token by token, in a write of its own, not before its time', async () => {
    server.use({ match: 'fast', text: 'one two three four five' });
    server.use({ match: 'slow', text: 'one two three four five', tokenDelayMs: 25, firstTokenDelayMs: 20 });
    /** The chunks of HTTP in which an answer was written, however late they are read. */
    const pieces = async (content: string): Promise<{ text: string; at: number }[]> => {
      const body = JSON.stringify(chatBody(content, { stream: true }));
      const start = performance.now();
      const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      const found: { text: string; at: number }[] = [];
      let unread = '';
      for await (const bytes of socket as AsyncIterable<Buffer>) {
        unread += bytes.toString();
        for (let next = CHUNK.exec(unread); next; next = CHUNK.exec(unread)) {
          const from = next.index + next[0].length;
          const length = Number.parseInt(next[1]!, 16);
          if (unread.length < from + length + 2) break;
          found.push({ text: unread.slice(from, from + length), at: performance.now() - start });
          unread = unread.slice(from + length);
        }
      }
      return found;
    };
    const slow = (await pieces('slow')).filter(({ text }) => /"content":"[^"]/.test(text));
    expect(slow.map(({ text }) => [...text.matchAll(/"content":"([^"]+)"/g)].map(([, word]) => word))).toEqual([
      ['one'],
      [' two'],
      [' three'],
      [' four'],
      [' five'],
    ]);
    for (const [index, { at }] of slow.entries()) expect(at).toBeGreaterThanOrEqual(20 + 25 * (index + 1));
    const fast = await pieces('fast');
    expect(fast.map(({ text }) => text).join('')).toContain('[DONE]');
  });
});
