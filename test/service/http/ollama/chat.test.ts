/** POST /api/chat and what it shares with /api/generate: streams, fields, errors. */
import { describe, expect, it } from 'vitest';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { recordingBackend } from '../../../support/recording-backend.js';
import type { GenerationRequest } from '../../../../src/core/request/generation-request.js';
import { get, post } from '../support/call.js';
import { embedder } from '../support/models.js';
import { ask, linesOf, script } from './support.js';

const TOOL = {
  type: 'function',
  function: { name: 'look', parameters: { type: 'object', properties: { at: { type: 'string' } } } },
};
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DURATIONS = ['total_duration', 'load_duration', 'prompt_eval_duration', 'eval_duration'];

/** The canonical request that a body becomes. */
async function canonical(body: object, path: 'chat' | 'generate' = 'chat'): Promise<GenerationRequest> {
  const { backend, requests } = recordingBackend();
  const { app } = await buildApp({
    models: [scriptedChat({ script: { replies: [{ text: 'Yes.' }], images: true } })],
    backends: { scripted: backend },
  });
  const { status, text } = await ask(app, path, { stream: false, ...body });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return requests[0] as GenerationRequest;
}

describe.each(['chat', 'generate'] as const)('/api/%s', (path) => {
  // oxlint-disable-next-line typescript/no-explicit-any
  const textOf = (object: any): string => (path === 'chat' ? object.message.content : object.response);

  it('[O05] [O06] streams lines, which together are the object of `stream: false`', async () => {
    const app = await script([{ text: 'Hello there, friend.' }]);
    const lines = linesOf(await ask(app, path));
    const last = lines.pop();
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) {
      const answer =
        path === 'chat' ? { message: { role: 'assistant', content: textOf(line) } } : { response: textOf(line) };
      expect(line).toEqual({ model: 'scripted-chat', created_at: expect.stringMatching(ISO), ...answer, done: false });
    }
    expect(textOf(last)).toBe('');
    expect(last).toMatchObject({ done: true, done_reason: 'stop', created_at: expect.stringMatching(ISO) });
    for (const name of DURATIONS) {
      expect(Number.isInteger(last[name])).toBe(true);
      expect(last[name]).toBeLessThanOrEqual(last.total_duration);
    }
    expect(lines.map(textOf).join('')).toBe('Hello there, friend.');

    const { headers, json } = await ask(app, path, { stream: false });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(textOf(json)).toBe('Hello there, friend.');
    expect(Object.keys(json).toSorted()).toEqual(Object.keys(last).toSorted());
    for (const name of ['done', 'done_reason', 'prompt_eval_count', 'eval_count'])
      expect(json[name]).toEqual(last[name]);
  });

  it('[O05] `stream` of another type is 400', async () => {
    const { status, json } = await ask(await script([]), path, { stream: 'no' });
    expect([status, json]).toEqual([400, { error: expect.stringContaining('`stream`') }]);
  });

  it('[O03] a model is meant with `:latest` and without, and the answer repeats the name', async () => {
    const app = await script([{ text: 'Yes.' }], { aliases: ['nick'] });
    for (const model of ['scripted-chat', 'scripted-chat:latest', 'nick', 'nick:latest'])
      expect((await ask(app, path, { model, stream: false })).json.model).toBe(model);
    const unknown = await ask(app, path, { model: 'nobody:1b' });
    expect([unknown.status, unknown.json]).toEqual([404, { error: expect.stringContaining('nobody:1b') }]);
    for (const model of [undefined, '', 5, null]) {
      const { status, json } = await ask(app, path, { model });
      expect([model, status, json]).toEqual([model, 400, { error: expect.any(String) }]);
    }
  });

  it('[O04] an error after the stream began is its last line', async () => {
    const app = await script([{ text: 'Hello there.', error: { status: 500, afterTokens: 2 } }]);
    const lines = linesOf(await ask(app, path));
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.at(-1)).toEqual({ error: expect.any(String) });
  });

  it('a silent stream is kept alive by blanks, which parsers skip', async () => {
    const { app } = await buildApp({
      models: [scriptedChat({ script: { replies: [{ text: 'Yes.', firstTokenDelayMs: 500 }] } })],
      streamTiming: { startDelayMs: 1, keepAliveMs: 5 },
    });
    const answer = await ask(app, path);
    expect(answer.text).toMatch(/^ +\{/);
    expect(linesOf(answer).map(textOf).join('')).toBe('Yes.');
  });

  it('line ends of any kind in a text stay inside its line', async () => {
    const text = 'a\u2028b\u2029c\u0085d\ne';
    const app = await script([{ text }]);
    const answer = await ask(app, path);
    expect(answer.text).not.toMatch(/[\u0085\u2028\u2029]/);
    expect(linesOf(answer).map(textOf).join('')).toBe(text);
  });

  it('[O08] without anything to say it loads and unloads', async () => {
    const { app, inference } = await buildApp();
    const nothing = { messages: [], prompt: '' };
    const state = () => inference.status()[0]!.state;
    const loaded = await ask(app, path, nothing);
    expect(loaded.json).toMatchObject({ model: 'scripted-chat', done: true, done_reason: 'load' });
    expect([textOf(loaded.json), state()]).toEqual(['', 'ready']);
    const unloaded = await ask(app, path, { ...nothing, keep_alive: 0 });
    expect(unloaded.json).toMatchObject({ done: true, done_reason: 'unload' });
    expect(state()).toBe('absent');
  });

  it('[O12] thinks unless it is told not to, where it can', async () => {
    const thoughtsOf = ({ json }: Awaited<ReturnType<typeof ask>>) =>
      path === 'chat' ? json.message.thinking : json.thinking;
    const app = await script([{ text: 'Yes.', reasoning: 'Let me see.' }]);
    for (const think of [undefined, true, 'low', 'medium', 'high', 'max']) {
      const answer = await ask(app, path, { think, stream: false });
      expect([think, textOf(answer.json), thoughtsOf(answer)]).toEqual([think, 'Yes.', 'Let me see.']);
    }
    const quiet = await ask(app, path, { think: false, stream: false });
    expect([textOf(quiet.json), thoughtsOf(quiet)]).toEqual(['Yes.', undefined]);
    const lines = linesOf(await ask(app, path));
    const thought = lines.map((line) => (path === 'chat' ? line.message.thinking : line.thinking) ?? '').join('');
    expect([thought, lines.map((line) => textOf(line) ?? '').join('')]).toEqual(['Let me see.', 'Yes.']);

    const plain = await script([{ text: 'Yes.' }]);
    expect((await ask(plain, path, { stream: false })).status).toBe(200);
    const refused = await ask(plain, path, { think: true });
    expect([refused.status, refused.json]).toEqual([400, { error: expect.stringContaining('think') }]);
    expect((await ask(plain, path, { think: 'much' })).status).toBe(400);
  });

  it('[O10] options mean what the fields of chat mean', async () => {
    const options = {
      temperature: 0.5,
      top_p: 0.9,
      top_k: 0,
      min_p: 0.1,
      seed: 7,
      stop: 'END',
      num_predict: 3,
      repeat_penalty: 1.1,
      presence_penalty: 0.5,
      frequency_penalty: -0.5,
      num_ctx: 8192,
      mirostat: 'whatever',
    };
    const request = await canonical({ options }, path);
    expect(request).toMatchObject({ stop: ['END'], maxTokens: 3 });
    expect(request.sampling).toEqual({
      temperature: 0.5,
      topP: 0.9,
      topK: 0,
      minP: 0.1,
      seed: 7,
      repetitionPenalty: 1.1,
      presencePenalty: 0.5,
      frequencyPenalty: -0.5,
    });
    expect((await canonical({}, path)).sampling).toEqual({ byModel: true });
    expect((await canonical({ options: { num_predict: -1 } }, path)).maxTokens).toBeUndefined();
    const app = await script([]);
    for (const [name, value] of [
      ['temperature', 'hot'],
      ['top_k', 1.5],
      ['stop', 5],
      ['stop', [5]],
      ['num_predict', '5'],
      ['repeat_penalty', 3],
      ['seed', true],
    ] as const) {
      const { status, json } = await ask(app, path, { options: { [name]: value } });
      expect([status, json]).toEqual([400, { error: expect.stringContaining(`options.${name}`) }]);
    }
  });

  it('[O11] formats are those of chat', async () => {
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
    expect((await canonical({ format: schema }, path)).output).toMatchObject({ type: 'json-schema', schema });
    expect((await canonical({ format: 'json' }, path)).output).toEqual({ type: 'json-object' });
    for (const format of [null, '']) expect((await canonical({ format }, path)).output).toEqual({ type: 'text' });
    const app = await script([{ text: '{"a":12345,"b":"many more words"}' }]);
    for (const format of ['xml', 5, [], { type: 'nothing' }]) {
      const { status, json } = await ask(app, path, { format });
      expect([format, status, json]).toEqual([format, 400, { error: expect.stringContaining('format') }]);
    }
    const cut = await ask(app, path, { format: 'json', options: { num_predict: 3 }, stream: false });
    expect(cut.json).toMatchObject({ done: true, done_reason: 'length' });
    expect('{"a":12345,"b":"many more words"}'.startsWith(textOf(cut.json))).toBe(true);
  });

  it('[O16] log-probabilities come with their tokens', async () => {
    const app = await script([{ text: 'Hello there, friend.' }]);
    const lines = linesOf(await ask(app, path, { logprobs: true, top_logprobs: 2 }));
    const told = lines.flatMap((line) => line.logprobs ?? []);
    expect(told.map(({ token }) => token).join('')).toContain('Hello there, friend.');
    for (const entry of told) {
      expect(Object.keys(entry)).toEqual(['token', 'logprob', 'bytes', 'top_logprobs']);
      expect(entry.top_logprobs).toHaveLength(2);
    }
    const whole = await ask(app, path, { logprobs: true, top_logprobs: 2, stream: false });
    expect(whole.json.logprobs).toEqual(told);
    expect((await ask(app, path, { stream: false })).json.logprobs).toBeUndefined();
    for (const top of [-1, 21, 'x'])
      expect((await ask(app, path, { logprobs: true, top_logprobs: top })).status).toBe(400);
  });

  it('[O23] models of embeddings are refused', async () => {
    const { app } = await buildApp({ models: [embedder] });
    const { status, json } = await ask(app, path, { model: 'scripted-embed' });
    expect([status, json]).toEqual([400, { error: expect.stringContaining('scripted-embed') }]);
  });
});

describe('messages', () => {
  const said = async (messages: object[]) => {
    const { prompt } = await canonical({ messages });
    return prompt.type === 'chat' ? prompt.messages : [];
  };

  it('[O07] roles of any case, content that is not there, and calls with arguments as objects', async () => {
    const call = (id: string | undefined, name: string) => ({ id, function: { name, arguments: { at: 1 } } });
    const messages = await said([
      { role: 'System', content: 'Be kind.' },
      { role: 'USER' },
      { role: 'Assistant', thinking: 'Hm.', tool_calls: [call('a', 'one'), call(undefined, 'two'), call('c', 'one')] },
      { role: 'tool', tool_name: 'two', content: '2' },
      { role: 'tool', tool_call_id: 'c', content: '3' },
      { role: 'tool', content: '1' },
    ]);
    expect(messages.slice(0, 2)).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
      { role: 'user', content: [] },
    ]);
    expect(messages[2]).toMatchObject({ role: 'assistant', reasoning: 'Hm.' });
    const [first, second, third] = (messages[2] as { toolCalls: { id: string; arguments: string }[] }).toolCalls;
    expect(first!.arguments).toBe('{"at":1}');
    expect(messages.slice(3).map((message) => (message as { toolCallId: string }).toolCallId)).toEqual([
      second!.id,
      third!.id,
      first!.id,
    ]);
    expect(new Set([first!.id, second!.id, third!.id]).size).toBe(3);
  });

  it.each([
    [{ role: 'wizard', content: 'x' }, 'messages.0.role'],
    [{ content: 'x' }, 'messages.0.role'],
    [{ role: 'user', content: [{ type: 'text', text: 'x' }] }, 'messages.0.content'],
    [{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] }, 'arguments'],
  ])('[O07] refuses %j', async (message, named) => {
    const { status, json } = await ask(await script([]), 'chat', { messages: [message] });
    expect([status, json]).toEqual([400, { error: expect.stringContaining(named) }]);
  });
});

describe('tools', () => {
  it('[O13] calls come whole, with arguments as an object, before the last line', async () => {
    const app = await script([
      {
        text: 'I look.',
        toolCalls: [
          { name: 'look', arguments: { at: 'the sea' } },
          { name: 'look', arguments: { at: 'the sky' } },
        ],
      },
    ]);
    const lines = linesOf(await ask(app, 'chat', { tools: [TOOL] }));
    const last = lines.pop();
    const calls = lines.flatMap(({ message }) => message.tool_calls ?? []);
    expect(calls).toEqual([
      { id: expect.any(String), function: { index: 0, name: 'look', arguments: { at: 'the sea' } } },
      { id: expect.any(String), function: { index: 1, name: 'look', arguments: { at: 'the sky' } } },
    ]);
    expect([last.done_reason, last.message]).toEqual(['stop', { role: 'assistant', content: '' }]);
    const { json } = await ask(app, 'chat', { tools: [TOOL], stream: false });
    expect(json.message).toMatchObject({
      content: 'I look.',
      tool_calls: calls.map(({ function: f }) => ({ function: f })),
    });
  });

  it('[O13] schemas that a grammar cannot express are named, in both modes', async () => {
    const strange = { ...TOOL, function: { name: 'look', parameters: { type: 'object', not: {} } } };
    for (const compatibility of ['service', 'hosted'] as const) {
      const { app } = await buildApp({ compatibility });
      const { status, headers } = await ask(app, 'chat', { tools: [strange], stream: false });
      expect([status, headers.get('x-ignored-schema-keywords')]).toEqual([200, 'not']);
    }
  });
});

describe('long conversations', () => {
  const turns = (count: number) =>
    Array.from({ length: count }, (_, index) => [
      { role: 'user', content: `Question ${index}` },
      { role: 'assistant', content: `Answer ${index}` },
    ]).flat();

  it('[O17] the oldest turns go, and their messages are counted in a header', async () => {
    const { backend, requests } = recordingBackend();
    const { app } = await buildApp({
      models: [scriptedChat({ contextLength: 60 })],
      backends: { scripted: backend },
    });
    const messages = [{ role: 'system', content: 'Be kind.' }, ...turns(20), { role: 'user', content: 'And now?' }];
    const { status, headers } = await ask(app, 'chat', { messages });
    expect(status).toBe(200);
    const dropped = Number(headers.get('x-dropped-messages'));
    const asked = (requests.at(-1) as GenerationRequest).prompt;
    const left = asked.type === 'chat' ? asked.messages : [];
    expect(dropped).toBeGreaterThan(0);
    expect(left.length).toBe(messages.length - dropped);
    expect(left.map(({ role }) => role).slice(0, 2)).toEqual(['system', 'user']);
    expect(left.at(-1)).toMatchObject({ content: [{ text: 'And now?' }] });
    // One turn more would not fit.
    const more = [messages[0]!, ...messages.slice(dropped - 1)];
    expect((await ask(app, 'chat', { messages: more, truncate: false })).status).toBe(400);
    const fitting = [messages[0]!, ...messages.slice(dropped + 1)];
    const whole = await ask(app, 'chat', { messages: fitting, truncate: false, stream: false });
    expect([whole.status, whole.headers.get('x-dropped-messages')]).toEqual([200, null]);
  });

  it('[O17] is refused where it may not be cut, or the last turn alone is too long', async () => {
    const app = await script([{ text: 'Yes.' }], { contextLength: 60 });
    const refused = await ask(app, 'chat', { messages: turns(20), truncate: false });
    expect([refused.status, refused.json]).toEqual([400, { error: expect.stringContaining('maximum context length') }]);
    const long = { role: 'user', content: 'many words '.repeat(60) };
    expect((await ask(app, 'chat', { messages: [...turns(2), long] })).status).toBe(400);
    expect((await ask(app, 'generate', { prompt: long.content })).status).toBe(400);
  });
});

describe('errors', () => {
  it('[O04] [O22] are Told in both modes, with their statuses', async () => {
    for (const compatibility of ['service', 'hosted'] as const) {
      const rateLimits = { requestsPerMinute: 1 };
      const { app } = await buildApp({ compatibility, apiKeys: ['sk-1'], rateLimits, maxBodyBytes: 1000 });
      const headers = { authorization: 'Bearer sk-1' };
      const body = { model: 'scripted-chat', prompt: 'Hello.' };
      const told = { error: expect.any(String) };
      const keyless = await post(app, '/v1/api/generate', body);
      expect([keyless.status, keyless.json]).toEqual([401, told]);
      expect((await post(app, '/v1/api/create', {})).status).toBe(401);
      const wrong = await get(app, '/v1/api/chat', headers);
      expect([wrong.status, wrong.json, wrong.headers.get('allow')]).toEqual([405, told, 'POST']);
      for (const path of ['create', 'copy', 'push', 'blobs/sha256:0', 'me', 'signout']) {
        const { status, json } = await post(app, `/v1/api/${path}`, {}, headers);
        expect([path, status, json]).toEqual([path, 501, { error: expect.stringContaining('`models`') }]);
      }
      for (const path of ['/v1/api', '/v1/api/', '/v1/api/chatt', '/v1/api/chat/completions']) {
        const unknown = await post(app, path, {}, headers);
        expect([path, unknown.status, unknown.json]).toEqual([path, 404, told]);
      }
      const broken = await post(app, '/v1/api/chat', '{', headers);
      expect([broken.status, broken.json]).toEqual([400, told]);
      const large = await post(app, '/v1/api/chat', `{"model":"${'x'.repeat(2000)}"}`, headers);
      expect([large.status, large.json]).toEqual([413, told]);
      expect((await post(app, '/v1/api/generate', body, headers)).status).toBe(200);
      const limited = await post(app, '/v1/api/generate', body, headers);
      expect([limited.status, limited.json, limited.headers.has('retry-after')]).toEqual([429, told, true]);
    }
  });

  it.each([
    [408, { script: { replies: [], failWith: 'timeout' } }],
    [410, { status: 'removed' }],
    [422, { access: 'not-in-plan' }],
    [500, { script: { replies: [], failWith: 'internal' } }],
    [503, { script: { replies: [], failWith: 'unavailable' } }],
  ] as const)('[O04] %d is Told', async (expected, entry) => {
    for (const compatibility of ['service', 'hosted'] as const) {
      const model = scriptedChat(entry as object);
      const { app } = await buildApp({ models: [model], compatibility, requestTimeout: 0.2 });
      const { status, json, headers } = await ask(app, 'chat', { stream: false });
      expect([status, json]).toEqual([expected, { error: expect.any(String) }]);
      expect(headers.get('content-type')).toBe('application/json');
    }
  });
});
