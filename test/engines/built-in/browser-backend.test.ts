import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it, vi } from 'vitest';
import { InferenceError } from '../../../src/core/errors/inference-error.js';
import type { LoadProgress, ModelEntry } from '../../../src/core/models/model-entry.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { createLanguageModel, type StandIn, type StandInOptions } from '../../support/language-model.js';
import { scriptedBackend } from '../../../src/engines/scripted/scripted-backend.js';
import { ASSISTANT, browserBackend } from './load-browser-model.js';

const FALLBACK = scriptedChat({ id: 'small', script: { replies: [{ text: 'I am the fallback.' }] } });

/** The whole service over a stand-in. @param standIn undefined: a browser without the interface */
async function service(standIn: StandIn | undefined, entry: Partial<ModelEntry> = {}) {
  const { app, inference } = await buildApp({
    models: [{ ...ASSISTANT, ...entry }, FALLBACK],
    backends: { 'built-in': browserBackend(standIn), scripted: scriptedBackend },
  });
  const post = (path: string, body: object): Promise<Response> =>
    Promise.resolve(
      app.request(`/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'assistant', ...body }),
      }),
    );
  const chat = (body: object = {}): Promise<Response> =>
    post('/chat/completions', { messages: [{ role: 'user', content: 'Hello' }], ...body });
  const say = async (body?: object): Promise<string> => {
    const answer = (await (await chat(body)).json()) as { choices: { message: { content: string } }[] };
    return answer.choices[0]!.message.content;
  };
  return { app, inference, post, chat, say };
}

function made(options?: StandInOptions) {
  const standIn = createLanguageModel(options);
  return { standIn, serving: service(standIn) };
}

const errorOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string; param: string; message: string } };
  return { status: response.status, code: error.code, param: error.param };
};

const SENTENCE = 'I am the model that this browser has, and I say twelve words.';
const turns = (...texts: string[]) =>
  texts.map((content, place) => ({ role: place % 2 === 0 ? 'user' : 'assistant', content }));

describe.each([false, true])('an answer, early names: %s', (isEarly) => {
  it('[B01] is the same in all dialects, and nothing is created before the first use', async () => {
    const { standIn, serving } = made({ isEarly });
    const { app, post, say } = await serving;
    const contextLength = async () =>
      ((await (await app.request('/v1/models/assistant')).json()) as { context_length: number }).context_length;
    expect(await contextLength()).toBe(4096);
    expect(standIn.created).toBe(0);
    expect(await say()).toBe(SENTENCE);
    expect(await contextLength()).toBe(400);
    const input = [{ role: 'user', content: 'Hello' }];
    expect(await (await post('/messages', { messages: input, max_tokens: 50 })).json()).toMatchObject({
      content: [{ type: 'text', text: SENTENCE }],
    });
    expect(await (await post('/responses', { input: 'Hello' })).json()).toMatchObject({
      output: [{ content: [{ text: SENTENCE }] }],
    });
    expect(await (await post('/completions', { prompt: 'Hello' })).json()).toMatchObject({
      choices: [{ text: SENTENCE }],
    });
    expect(standIn.prompts.at(-1)!.turns[0]).toEqual({ role: 'user', content: 'Hello' });
    const streamed = await (await post('/chat/completions', { messages: input, stream: true })).text();
    expect(streamed.match(/"content":"[^"]+/g)!.length).toBeGreaterThan(8);
    expect(streamed).toMatch(/data: \[DONE\]\n\n$/);
  });

  it('[B04] [B07] a conversation that goes on, was edited or is asked again reuses its session', async () => {
    const { standIn, serving } = made({ isEarly, reply: (_turns, _settings, count) => `Answer ${count}.` });
    const { chat } = await serving;
    const ask = async (...texts: string[]) => {
      const messages = [{ role: 'system', content: 'Be brief.' }, ...turns(...texts)];
      const body = (await (await chat({ messages })).json()) as {
        choices: { message: { content: string } }[];
        usage: object;
      };
      return { text: body.choices[0]!.message.content, usage: body.usage };
    };
    const first = await ask('One?');
    // Two turns of two and more tokens, as the browser counts.
    expect(first.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 2 });
    const created = standIn.created;
    const second = await ask('One?', first.text, 'Two?');
    const edited = await ask('One?', first.text, 'Three?');
    const again = await ask('One?');
    expect([second.text, edited.text, again.text]).toEqual(['Answer 2.', 'Answer 3.', 'Answer 4.']);
    // Early sessions cannot be cloned, so each turn needs a new one.
    expect(standIn.created - created > 0).toBe(isEarly);
    // Nothing of another conversation.
    expect(JSON.stringify(standIn.prompts[2]!.turns)).not.toContain('Two?');
    expect(standIn.prompts[3]!.turns).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'One?' },
    ]);
  });
});

it('[B01] official clients get its answers in their dialects', async () => {
  const { app } = await made().serving;
  const send = ((url: string | URL | Request, init?: RequestInit) =>
    Promise.resolve(app.request(new Request(url, init)))) as typeof fetch;
  const openai = new OpenAI({ baseURL: 'http://localhost/v1', apiKey: 'any', fetch: send, maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: 'http://localhost', apiKey: 'any', fetch: send, maxRetries: 0 });
  const model = 'assistant';
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  let streamed = '';
  for await (const { choices } of await openai.chat.completions.create({ model, messages, stream: true }))
    streamed += choices[0]?.delta.content ?? '';
  expect(streamed).toBe(SENTENCE);
  expect((await openai.responses.create({ model, input: 'Hello' })).output_text).toBe(SENTENCE);
  expect(await anthropic.messages.stream({ model, messages, max_tokens: 50 }).finalText()).toBe(SENTENCE);
  // The word, and what a turn costs.
  expect(await anthropic.messages.countTokens({ model, messages })).toEqual({ input_tokens: 3 });
});

it('an answer that the client has begun goes on', async () => {
  const { standIn, serving } = made();
  await (await serving).say({ messages: turns('Count.', 'One, two,') });
  expect(standIn.prompts[0]!.turns).toEqual([
    { role: 'user', content: 'Count.' },
    { role: 'assistant', content: 'One, two,', prefix: true },
  ]);
});

it('GET /models says what it is', async () => {
  const { app } = await made().serving;
  const model = (await (await app.request('/v1/models/assistant?verbose=true')).json()) as object;
  expect(model).toMatchObject({
    vendor_metadata: {
      is_external: false,
      region: 'on-device',
      overview: expect.stringContaining('browser') as string,
    },
  });
});

describe('structured output', () => {
  const schema = {
    type: 'object',
    properties: { city: { $ref: '#/$defs/name' } },
    required: ['city'],
    additionalProperties: false,
    $defs: { name: { type: 'string' } },
  };
  const response_format = { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } };
  const tools = [{ type: 'function', function: { name: 'weather', description: 'Weather.', parameters: schema } }];

  it('[B04] goes through responseConstraint', async () => {
    const { standIn, serving } = made({ reply: () => '{"city": "Bern"}' });
    expect(await (await serving).say({ response_format })).toBe('{"city": "Bern"}');
    expect(standIn.prompts[0]!.settings.responseConstraint).toEqual(schema);
  });

  it.each(['{"city": 7}', '{"town": "Bern"}', 'Bern', '{"city": "Be'])(
    '[B04] %s, which does not conform, is no answer',
    async (text) => {
      const { serving } = made({ reply: () => text });
      const body = (await (await (await serving).chat({ response_format })).json()) as {
        error: { model_output: string };
        choices?: unknown;
      };
      expect(body.choices).toBeUndefined();
      expect(body.error.model_output).toBe(text);
    },
  );

  it('[B04] that the browser gives up is no answer', async () => {
    const { serving } = made({ reply: () => ['{"city": ', new DOMException('', 'SyntaxError')] });
    const body = (await (await (await serving).chat({ response_format })).json()) as object;
    expect(body).toMatchObject({ error: { model_output: '{"city": ' } });
  });

  it('[B04] forces a tool by a constraint, and reads the call', async () => {
    const { standIn, serving } = made({
      reply: () => '[{"name": "weather", "arguments": {"city": "Bern"}}]',
    });
    const { chat } = await serving;
    const body = (await (await chat({ tools, tool_choice: 'required' })).json()) as {
      choices: { finish_reason: string; message: { tool_calls: object[] } }[];
    };
    expect(body.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ function: { name: 'weather', arguments: '{"city": "Bern"}' } }] },
    });
    const { settings, turns: prompt } = standIn.prompts[0]!;
    expect(prompt[0]).toMatchObject({ role: 'system', content: expect.stringContaining('"weather"') as string });
    expect(settings.omitResponseConstraintInput).toBe(true);
    const place = '#/items/anyOf/0/properties/arguments';
    expect(settings.responseConstraint).toMatchObject({
      items: { anyOf: [{ properties: { arguments: { properties: { city: { $ref: `${place}/$defs/name` } } } } }] },
    });
  });

  it("[B04] a call of the model's own accord is read, and one with wrong arguments is none", async () => {
    const said = ['[{"name": "weather", "arguments": {"city": "Bern"}}]', '[{"name": "weather", "arguments": {}}]'];
    const { serving } = made({ reply: () => said.shift()! });
    const { chat } = await serving;
    expect(await (await chat({ tools })).json()).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
    expect(await (await chat({ tools })).json()).toMatchObject({
      error: { model_output: expect.any(String) as string },
    });
  });

  it('[B04] a conversation with calls and results goes on in its session', async () => {
    const said = ['[{"name": "weather", "arguments": {"city": "Bern"}}]', 'It is sunny.'];
    const { standIn, serving } = made({ reply: () => said.shift()! });
    const { chat, say } = await serving;
    const question = { role: 'user', content: 'How is Bern?' };
    const first = (await (await chat({ messages: [question], tools })).json()) as {
      choices: { message: { tool_calls: { id: string }[] } }[];
    };
    const { message } = first.choices[0]!;
    const { created } = standIn;
    const result = { role: 'tool', tool_call_id: message.tool_calls[0]!.id, content: 'sunny' };
    expect(await say({ messages: [question, message, result], tools })).toBe('It is sunny.');
    expect(standIn.created).toBe(created);
  });

  it('a schema that the browser does not know is refused by name', async () => {
    const { standIn, serving } = made();
    standIn.failures.prompt = new DOMException('', 'NotSupportedError');
    expect(await errorOf(await (await serving).chat({ response_format }))).toMatchObject({
      status: 400,
      param: expect.stringContaining('response_format') as string,
    });
  });
});

describe('sessions', () => {
  it('[B04] are at most sixteen', async () => {
    const { standIn, serving } = made();
    const { say } = await serving;
    for (let person = 0; person < 20; person += 1)
      await say({
        messages: [
          { role: 'system', content: `You are ${person}.` },
          { role: 'user', content: 'Hello' },
        ],
        n: 4,
      });
    expect(standIn.mostOpen).toBe(16);
  });

  it('[X26] of one caller neither answer nor count for another', async () => {
    const { standIn, serving } = made();
    const { app } = await buildApp({
      models: [ASSISTANT],
      backends: { 'built-in': browserBackend(standIn) },
      apiKeys: ['key-a', 'key-b'],
    });
    await serving;
    const createdFor = async (key: string, path: string): Promise<number> => {
      const before = standIn.created;
      const system = 'You know a secret.';
      const body = JSON.stringify({ model: 'assistant', system, messages: turns('Hello'), max_tokens: 20 });
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
      const { status } = await app.request(`/v1/messages${path}`, { method: 'POST', headers, body });
      expect(status).toBe(200);
      return standIn.created - before;
    };
    expect(await createdFor('key-a', '')).toBeGreaterThan(0);
    expect(await createdFor('key-a', '/count_tokens')).toBe(0);
    for (const path of ['/count_tokens', '']) expect(await createdFor('key-b', path)).toBe(path === '' ? 0 : 1);
  });

  it('[B07] that were destroyed are replaced, and the request is served', async () => {
    const { standIn, serving } = made();
    const { say } = await serving;
    await say();
    standIn.update();
    expect(await say()).toBe(SENTENCE);
  });

  it('[B07] that end in mid-answer are an error, and the next request is served', async () => {
    const standIn = createLanguageModel({
      reply: (_turns, _settings, count) => (count === 1 ? ['I ', new DOMException('', 'InvalidStateError')] : SENTENCE),
    });
    const { chat, say } = await service(standIn);
    expect((await chat()).status).toBe(503);
    expect(await say()).toBe(SENTENCE);
  });

  it('end with the engine, also those of an answer under way', async () => {
    const { standIn, serving } = made({ reply: () => 'word '.repeat(300) });
    const { chat, inference } = await serving;
    const reader = (await chat({ stream: true })).body!.getReader();
    await reader.read();
    await inference.unload('assistant');
    await expect.poll(() => standIn.open.size).toBe(0);
    await reader.cancel();
    expect(standIn.open.size).toBe(0);
  });

  it('end with the engine', async () => {
    const { standIn, serving } = made();
    const { say, inference } = await serving;
    await say();
    await inference.unload('assistant');
    expect(standIn.open.size).toBe(0);
  });
});

describe('what it cannot do', () => {
  it.each([
    ['logprobs', { logprobs: true }],
    ['logit_bias', { logit_bias: { 5: 10 } }],
    ['seed', { seed: 7 }],
    ['n', { n: 5 }],
  ])('[B05] %s is refused by name', async (param, field) => {
    const { serving } = made();
    expect(await errorOf(await (await serving).chat(field))).toMatchObject({ status: 400, param });
  });

  it('[B05] null, false and 1 ask for nothing; sampling is accepted, and status() says that it is ignored', async () => {
    const { serving } = made();
    const { say, inference } = await serving;
    const nothing = { logprobs: false, logit_bias: null, seed: null, n: 1 };
    expect(await say({ ...nothing, temperature: 0.9, top_p: 0.5, top_k: 3 })).toBe(SENTENCE);
    const [{ warning = '' } = {}] = inference.status();
    for (const name of ['temperature', 'top_p', 'top_k']) expect(warning).toContain(name);
  });

  it('[B05] gives several choices by cloned sessions', async () => {
    const { standIn, serving } = made({ reply: (_turns, _settings, count) => `Choice ${count}.` });
    const { choices } = (await (await (await serving).chat({ n: 3 })).json()) as {
      choices: { message: { content: string } }[];
    };
    expect(choices.map(({ message }) => message.content)).toEqual(['Choice 1.', 'Choice 2.', 'Choice 3.']);
    expect(standIn.cloned).toBe(3);
  });

  it('[B05] max_tokens holds also where pieces are several tokens, and ends the work', async () => {
    const { standIn, serving } = made({ reply: () => ['One two three four five six.', ' Seven.', ' Eight.'] });
    const body = (await (await (await serving).chat({ max_tokens: 4 })).json()) as object;
    expect(body).toMatchObject({
      choices: [{ message: { content: 'One two three four ' }, finish_reason: 'length' }],
      usage: { completion_tokens: 4 },
    });
    expect(standIn.prompts[0]!.settings.signal!.aborted).toBe(true);
    expect(standIn.prompts[0]!.pieces).toBeLessThan(3);
  });

  it('[B05] stop holds, and ends the work', async () => {
    const { standIn, serving } = made();
    expect(await (await serving).say({ stop: 'that this' })).toBe('I am the model ');
    expect(standIn.prompts[0]!.settings.signal!.aborted).toBe(true);
    expect(standIn.prompts[0]!.pieces).toBeLessThan(9);
  });

  it('token ids are refused', async () => {
    const { serving } = made();
    expect(await errorOf(await (await serving).post('/completions', { prompt: [1, 2] }))).toMatchObject({
      status: 400,
    });
  });
});

describe('the context', () => {
  it.each([false, true])('[B06] is never exceeded silently, early names: %s', async (isEarly) => {
    const { standIn, serving } = made({ isEarly, window: 60 });
    const { chat } = await serving;
    const long = 'word '.repeat(30);
    const messages = turns('word '.repeat(70));
    expect(await errorOf(await chat({ messages }))).toMatchObject({ status: 400, code: 'context_length_exceeded' });
    expect(await errorOf(await chat({ messages: turns(long, long, 'Hello') }))).toMatchObject({
      code: 'context_length_exceeded',
    });
    expect(await errorOf(await chat({ messages: turns(long, 'Yes.', long) }))).toMatchObject({
      code: 'context_length_exceeded',
    });
    expect(standIn.prompts).toHaveLength(0);
  });

  it('[B06] is not exceeded either where a session would read further turns', async () => {
    const { standIn, serving } = made({ window: 60, reply: () => 'Fine.' });
    const { chat, say } = await serving;
    const long = 'word '.repeat(30);
    expect(await say({ messages: turns(long) })).toBe('Fine.');
    const messages = turns(long, 'Fine.', long, 'Fine.', 'Hello');
    expect(await errorOf(await chat({ messages }))).toMatchObject({ code: 'context_length_exceeded' });
    expect(standIn.prompts).toHaveLength(1);
    expect(await say({ messages: turns(long, 'Fine.', 'Hello') })).toBe('Fine.');
  });

  it('[B06] that is full ends the answer', async () => {
    const { serving } = made({ window: 20, reply: () => 'word '.repeat(40) });
    const body = (await (await (await serving).chat()).json()) as {
      choices: { finish_reason: string }[];
      usage: object;
    };
    expect(body.choices[0]!.finish_reason).toBe('length');
    expect(body.usage).toMatchObject({ prompt_tokens: 3 });
  });
});

describe('errors of the interface', () => {
  it.each([
    ['QuotaExceededError', 400],
    ['NotSupportedError', 400],
    ['NotReadableError', 400],
    ['OperationError', 503],
    ['UnknownError', 503],
    ['NotAllowedError', 503],
    ['TypeError', 500],
  ])('[B07] %s is %i, and the next request is served', async (name, status) => {
    const { standIn, serving } = made();
    const { chat, say } = await serving;
    standIn.failures.prompt = new DOMException('/secret/path', name);
    const response = await chat();
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain('secret');
    expect(await say()).toBe(SENTENCE);
  });

  it('[B07] aborting in mid-answer ends the work by its signal', async () => {
    const { standIn, serving } = made({ reply: () => Array.from({ length: 500 }, () => 'word ') });
    const response = await (await serving).chat({ stream: true });
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    await expect.poll(() => standIn.prompts[0]?.settings.signal?.aborted).toBe(true);
    expect(standIn.prompts[0]!.pieces).toBeLessThan(500);
    await expect.poll(() => standIn.open.size).toBe(1);
  });
});

describe('images and sound', () => {
  const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } };
  const audio = { type: 'input_audio', input_audio: { data: 'UklGRiQAAABXQVZF', format: 'wav' } };
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'What is it? ' }, image, audio] }];

  it('[B08] go to it where it takes them', async () => {
    const { standIn, serving } = made({ takes: ['image', 'audio'] });
    expect(await (await serving).say({ messages })).toBe(SENTENCE);
    const { content } = standIn.prompts[0]!.turns[0]!;
    expect(content).toMatchObject([{ type: 'text' }, { type: 'image' }, { type: 'audio' }]);
    const [, { value }] = content as [unknown, { value: Blob }];
    expect(value.type).toBe('image/png');
  });

  it('[B08] are refused where it does not, as by any chat model', async () => {
    const { serving } = made();
    expect(await errorOf(await (await serving).chat({ messages }))).toMatchObject({
      status: 400,
      code: 'unsupported_content',
    });
  });
});

describe('a browser without a model', () => {
  it.each([undefined, createLanguageModel({ availability: 'unavailable' })])(
    '[B02] is told at once, without a wait, and not to be retried',
    async (standIn) => {
      // No timer ever fires.
      vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
      const { chat } = await service(standIn);
      const response = await chat();
      vi.useRealTimers();
      expect(response.status).toBe(503);
      expect(response.headers.get('x-error-code')).toBe('insufficient_resources');
      expect(response.headers.get('x-should-retry')).toBe('false');
    },
  );

  it('[B02] is asked once; then the fallback answers', async () => {
    const standIn = createLanguageModel({ availability: 'unavailable' });
    const asked = vi.spyOn(standIn.factory, 'availability');
    const { say, inference } = await service(standIn, { fallback: 'small' });
    for (let request = 0; request < 3; request += 1) expect(await say()).toBe('I am the fallback.');
    expect(asked).toHaveBeenCalledTimes(1);
    expect(inference.status()[0]).toMatchObject({ state: 'failed', error: { code: 'insufficient_resources' } });
  });
});

it.each(['OperationError', 'NetworkError', 'UnknownError', 'InvalidStateError', 'Error'])(
  '[B02] a model that does not start (%s): the fallback answers, nobody asks again, and without one it is told',
  async (name) => {
    const standIn = createLanguageModel();
    const create = vi.spyOn(standIn.factory, 'create').mockRejectedValue(Object.assign(new Error('No.'), { name }));
    const { say } = await service(standIn, { fallback: 'small' });
    for (let request = 0; request < 2; request += 1) expect(await say()).toBe('I am the fallback.');
    expect(create).toHaveBeenCalledTimes(1);
    const { status, headers } = await (await service(standIn)).chat();
    const told = ['x-error-code', 'x-should-retry'].map((header) => headers.get(header));
    expect([status, ...told]).toEqual([503, 'insufficient_resources', 'false']);
  },
);

describe('a model that the browser has yet to download', () => {
  it('[B03] waits for a gesture, and says so', async () => {
    const { standIn, serving } = made({ availability: 'downloadable' });
    const { chat, inference } = await serving;
    const response = await chat();
    expect(response.status).toBe(503);
    expect(response.headers.get('x-error-code')).toBe('unavailable');
    expect(response.headers.get('x-error-message')).toContain('gesture');
    await expect(inference.load('assistant')).rejects.toMatchObject({ code: 'unavailable', message: /gesture/ });
    expect(inference.status()[0]).toMatchObject({ error: { needsGesture: true } });
    standIn.clicks = 1;
    const loaded = inference.load('assistant');
    await vi.waitFor(() => expect(standIn.availability).toBe('downloading'));
    standIn.download(1);
    await loaded;
    expect((await chat()).status).toBe(200);
  });

  it('[B03] tells the progress of its download', async () => {
    const { standIn, serving } = made({ availability: 'downloadable' });
    const { inference } = await serving;
    const progress: LoadProgress[] = [];
    inference.onChange((report) => report && progress.push(report));
    standIn.clicks = 1;
    const loaded = inference.load('assistant');
    await vi.waitFor(() => expect(standIn.availability).toBe('downloading'));
    standIn.download(0.25);
    standIn.download(0.5);
    standIn.download(1);
    await loaded;
    const shares = progress.filter(({ stage }) => stage === 'download').map(({ loadedBytes }) => loadedBytes);
    expect(shares).toEqual([0.25, 0.5]);
    expect(progress.every(({ totalBytes }) => totalBytes === 1)).toBe(true);
    expect(progress.at(-1)).toMatchObject({ stage: 'ready' });
  });

  it('[B03] its fallback serves before the gesture, and during the download, until it is there', async () => {
    const standIn = createLanguageModel({ availability: 'downloadable' });
    const { say } = await service(standIn, { fallback: 'small' });
    expect(await say()).toBe('I am the fallback.');
    standIn.clicks = 1;
    const during = say();
    await vi.waitFor(() => expect(standIn.availability).toBe('downloading'));
    standIn.download(0.5);
    expect(await during).toBe('I am the fallback.');
    expect(await say()).toBe('I am the fallback.');
    standIn.download(1);
    await expect.poll(() => say()).toBe(SENTENCE);
    expect(standIn.created).toBeGreaterThan(0);
  });

  it('[B03] is itself the fallback of a model that cannot run here', async () => {
    const standIn = createLanguageModel();
    const { app } = await buildApp({
      models: [{ id: 'large', task: 'chat', backend: 'web-llm', fallback: 'assistant' }, ASSISTANT],
      backends: {
        'built-in': browserBackend(standIn),
        'web-llm': {
          load: () => Promise.reject(new InferenceError('insufficient_resources', 'There is no WebGPU.')),
        },
      },
    });
    const response = await app.request('/v1/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'large', prompt: 'Hello' }),
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(SENTENCE);
  });

  it('[B07] that stalls ends as unavailable, and its create by its signal', async () => {
    vi.useFakeTimers();
    try {
      const standIn = createLanguageModel({ availability: 'downloadable' });
      const create = vi.spyOn(standIn.factory, 'create');
      const { inference } = await service(standIn);
      standIn.clicks = 1;
      const loaded = inference.load('assistant');
      const failure = loaded.catch((thrown: unknown) => thrown);
      await vi.advanceTimersByTimeAsync(700_000);
      expect(await failure).toMatchObject({ code: 'unavailable' });
      expect(create.mock.calls[0]![0].signal.aborted).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('languages that it does not speak leave the request to the fallback', async () => {
    const standIn = createLanguageModel();
    const create = vi.spyOn(standIn.factory, 'create');
    standIn.failures.create = new DOMException('', 'NotSupportedError');
    const { say } = await service(standIn, { fallback: 'small', languages: ['tlh'] });
    expect(await say()).toBe('I am the fallback.');
    expect(create.mock.calls[0]![0]).toMatchObject({
      expectedInputs: [{ type: 'text', languages: ['tlh'] }],
      expectedOutputs: [{ type: 'text', languages: ['tlh'] }],
    });
  });
});
