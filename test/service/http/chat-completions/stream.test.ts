/** Chat completion streams. */
import { expect, it } from 'vitest';
import type { Backend } from '../../../../src/core/models/backend.js';
import { scriptedBackend } from '../../../../src/engines/scripted/scripted-backend.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { toResponseHead } from '../../../../src/relay/stream/request-payload.js';
import { alteredBackend } from '../../../support/altered-backend.js';
import { breakingBackend } from '../../../support/breaking-backend.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { validateStream } from '../../../support/validate-stream.js';
import { chat, chatStream, deltasOf, eventsOf } from '../support/call.js';

const script = (
  replies: NonNullable<ModelEntry['script']>['replies'],
  options: Parameters<typeof buildApp>[0] = {},
  tokenDelayMs = 0,
) => buildApp({ models: [scriptedChat({ script: { replies, tokenDelayMs } })], ...options });

const LOOK = {
  type: 'function',
  function: { name: 'look_up', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};
const CALL = { toolCalls: [{ name: 'look_up', arguments: { city: 'Bern' } }] };
const STREAM = JSON.stringify({ model: 'scripted-chat', messages: [{ role: 'user', content: 'Hi.' }], stream: true });

/** A scripted backend that writes five tokens, and more only when it is told to. */
function haltingBackend(): { backend: Backend; goOn: () => void } {
  let goOn = (): void => {};
  const told = new Promise<void>((resolve) => (goOn = resolve));
  const backend = alteredBackend(scriptedBackend, async function* (events) {
    let tokens = 0;
    for await (const event of events) {
      if (event.type === 'piece' && ++tokens > 5) await told;
      yield event;
    }
  });
  return { backend, goOn };
}

it('[S01] a stream is an event stream whose events come while tokens are generated', async () => {
  const { backend, goOn } = haltingBackend();
  const { app } = await script([{ text: 'word ', repeat: 40 }], { backends: { scripted: backend } });
  const response = await app.request('/v1/chat/completions', { method: 'POST', body: STREAM });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const read = async (): Promise<boolean> => {
    const { done, value = '' } = await reader.read();
    text += value;
    return !done;
  };
  const contents = () => deltasOf(eventsOf(text)).filter((delta) => delta.content).length;
  while (contents() < 4) expect(await read()).toBe(true);
  goOn();
  while (await read());
  expect(contents()).toBeGreaterThan(20);
});

it('[S02] [S03] data-only chunks with one head, [DONE] once and last', async () => {
  const { app } = await buildApp();
  const events = await chatStream(app);
  expect(events.filter(({ data }) => data === '[DONE]')).toHaveLength(1);
  expect(events.at(-1)?.data).toBe('[DONE]');
  const heads = events
    .slice(0, -1)
    .map(({ event, json: { id, object, created, model } }) => JSON.stringify({ event, id, object, created, model }));
  expect(new Set(heads).size).toBe(1);
  expect(JSON.parse(heads[0] ?? '')).toMatchObject({
    id: expect.stringMatching(/^chatcmpl-/),
    object: 'chat.completion.chunk',
    model: 'scripted-chat',
  });
  expect(events[0]?.event).toBeUndefined();
  for (const { json } of events.slice(0, -1)) expect(json.choices[0].delta).toBeTypeOf('object');
});

it('[S04] [S05] role first, the deltas join to the text, the last chunk alone has a finish_reason', async () => {
  const { app } = await buildApp();
  const whole = (await chat(app)).json.choices[0];
  const events = await chatStream(app);
  const deltas = deltasOf(events);
  expect(deltas[0].role).toBe('assistant');
  expect(deltas.map((delta) => delta.content ?? '').join('')).toBe(whole.message.content);
  const reasons = events.slice(0, -1).map(({ json }) => json.choices[0].finish_reason);
  expect(reasons.at(-1)).toBe(whole.finish_reason);
  expect(reasons.slice(0, -1).every((reason) => reason === null)).toBe(true);
});

it('[S06] usage comes in a last chunk without choices, when asked for', async () => {
  const { app } = await buildApp();
  const chunks = (await chatStream(app, { stream_options: { include_usage: true } }))
    .slice(0, -1)
    .map(({ json }) => json);
  const last = chunks.pop();
  expect(last).toMatchObject({ choices: [], usage: { completion_tokens: 5, is_last_response: true } });
  for (const chunk of chunks) expect(chunk.usage).toBeNull();
  for (const fields of [{}, { stream_options: { include_usage: false } }, { stream_options: null }]) {
    for (const { json } of (await chatStream(app, fields)).slice(0, -1)) expect(json).not.toHaveProperty('usage');
  }
});

it('[S07] reasoning comes as delta.reasoning before the content', async () => {
  const { app } = await script([{ text: 'Yes indeed.', reasoning: 'two and two' }]);
  const deltas = deltasOf(await chatStream(app, { chat_template_kwargs: { enable_thinking: true } }));
  const lastReasoning = deltas.findLastIndex((delta) => delta.reasoning);
  const firstContent = deltas.findIndex((delta) => delta.content);
  expect(deltas.map((delta) => delta.reasoning ?? '').join('')).toContain('two and two');
  expect(lastReasoning).toBeLessThan(firstContent);
  expect(
    deltas
      .map((delta) => delta.content ?? '')
      .join('')
      .trim(),
  ).toBe('Yes indeed.');
});

it('[S08] calls come with id and name first, then arguments in pieces', async () => {
  const { app } = await script([{ toolCalls: [...CALL.toolCalls, { name: 'look_up', arguments: { city: 'Rome' } }] }]);
  const events = await chatStream(app, { tools: [LOOK] });
  const pieces = deltasOf(events).flatMap((delta) => delta.tool_calls ?? []);
  expect(pieces.every((piece) => Number.isInteger(piece.index))).toBe(true);
  for (const [index, city] of ['Bern', 'Rome'].entries()) {
    const [first, ...rest] = pieces.filter((piece) => piece.index === index);
    expect(first).toMatchObject({ id: expect.any(String), type: 'function', function: { name: 'look_up' } });
    expect(rest.length).toBeGreaterThan(1);
    for (const piece of rest) expect(piece).not.toHaveProperty('id');
    expect(JSON.parse([first, ...rest].map((piece) => piece.function.arguments).join(''))).toEqual({ city });
  }
  expect(events.at(-2)?.json.choices[0].finish_reason).toBe('tool_calls');
});

it('[S09] several choices are told apart by index, each with its own end', async () => {
  const { app } = await buildApp();
  const events = await chatStream(app, { n: 3 });
  for (const index of [0, 1, 2]) {
    expect(
      deltasOf(events, index)
        .map((delta) => delta.content ?? '')
        .join(''),
    ).toBe('Hello there, friend.');
    const reasons = events
      .flatMap(({ json }) => json?.choices?.filter((choice: { index: number }) => choice.index === index) ?? [])
      .map((choice) => choice.finish_reason);
    expect(reasons.filter((reason) => reason !== null)).toEqual(['stop']);
  }
});

it('[S10] a stop sequence never appears, not even in part', async () => {
  const { app } = await script([{ text: 'one two three four' }]);
  for (const stop of ['two three', 'hree f', 'four']) {
    const text = deltasOf(await chatStream(app, { stop }))
      .map((delta) => delta.content ?? '')
      .join('');
    expect(text).toBe('one two three four'.split(stop)[0]);
  }
});

it('[S11] characters of several bytes are never broken', async () => {
  const text = 'Grüße aus Zürich 👩‍👩‍👧 日本語 – ok';
  const { app } = await script([{ text }]);
  const contents = deltasOf(await chatStream(app)).map((delta) => delta.content ?? '');
  expect(contents.join('')).toBe(text);
  for (const content of contents) expect(content).not.toContain('\ufffd');
});

it('[S12] output that the limit cuts: the error with model_output is the last event before [DONE]', async () => {
  const { app } = await script([{ match: 'call', ...CALL }, { text: '{"name": "Ann", "town": "Bern"}' }]);
  const cut = [
    { response_format: { type: 'json_object' }, max_tokens: 4 },
    { messages: [{ role: 'user', content: 'call' }], tools: [LOOK], max_tokens: 5 },
  ];
  for (const fields of cut) {
    const events = await chatStream(app, fields, { end: 'failed' });
    expect(events.at(-1)?.data).toBe('[DONE]');
    const { json } = events.at(-2) ?? { json: {} };
    expect(json.error).toMatchObject({ code: 'model_output_invalid', model_output: expect.any(String) });
    expect(json.request_id).toBeTypeOf('string');
    for (const event of events.slice(0, -2)) expect(event.json).not.toHaveProperty('error');
  }
});

it('[S14] with logprobs the chunks carry as many entries as there are tokens', async () => {
  const { app } = await buildApp();
  const events = await chatStream(app, { logprobs: true, top_logprobs: 1, stream_options: { include_usage: true } });
  const entries = events.flatMap(({ json }) => json?.choices?.[0]?.logprobs?.content ?? []);
  expect(entries).toHaveLength(events.at(-2)?.json.usage.completion_tokens);
  expect(entries.map((entry) => entry.token).join('')).toBe('Hello there, friend.');
});

it('[S24] an error after the start is one event with the error object, then the stream ends', async () => {
  const { app } = await script([{ text: 'word ', repeat: 100 }], {
    backends: { scripted: breakingBackend(scriptedBackend, 5, 'unavailable') },
  });
  const { status, text } = await chat(app, { stream: true });
  expect(status).toBe(200);
  const events = eventsOf(text);
  validateStream('chat-completions', events, { end: 'failed' });
  expect(
    deltasOf(events)
      .map((delta) => delta.content ?? '')
      .join(''),
  ).toContain('word word');
  expect(events.at(-1)?.json).toMatchObject({
    error: { type: 'internal_error', code: 'unavailable', param: null },
    request_id: expect.any(String),
  });
  expect(events.filter(({ json }) => json?.error)).toHaveLength(1);
  expect(events.some(({ data }) => data === '[DONE]')).toBe(false);
});

it('[S24] the relay is told how such a stream ends when everything behind it dies', async () => {
  const { app } = await buildApp();
  const response = await app.request('/v1/chat/completions', { method: 'POST', body: STREAM });
  const [event, ...rest] = eventsOf(toResponseHead(response).failureTail ?? '');
  expect(rest).toEqual([]);
  expect(event?.json.error.code).toBe('unavailable');
  await response.body?.cancel();
});

it('[S25] closing the stream frees the engine for the next request', async () => {
  const { app } = await script([{ match: 'long', text: 'word ', repeat: 100_000 }, { text: 'Short.' }], {}, 10);
  const body = JSON.stringify({ model: 'scripted-chat', messages: [{ role: 'user', content: 'long' }], stream: true });
  const response = await app.request('/v1/chat/completions', { method: 'POST', body });
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  expect((await chat(app)).json.choices[0].message.content).toBe('Short.');
});

it('[S25] so does aborting a request that is not streamed', async () => {
  const { app } = await script([{ match: 'long', text: 'word ', repeat: 100_000 }, { text: 'Short.' }], {}, 10);
  const abort = new AbortController();
  const body = JSON.stringify({ model: 'scripted-chat', messages: [{ role: 'user', content: 'long' }] });
  const pending = app.request(
    new Request('http://localhost/v1/chat/completions', { method: 'POST', body, signal: abort.signal }),
  );
  await new Promise((resolve) => setTimeout(resolve, 20));
  abort.abort();
  expect((await pending).status).toBe(499);
  expect((await chat(app)).json.choices[0].message.content).toBe('Short.');
});

it('a slow start opens the stream with comments that parsers skip', async () => {
  const { app } = await script([{ text: 'Late.' }], { streamTiming: { startDelayMs: 5, keepAliveMs: 5 } }, 60);
  const { text } = await chat(app, { stream: true });
  expect(text).toMatch(/^: keep-alive\n\n/);
  expect(
    deltasOf(eventsOf(text))
      .map((delta) => delta.content ?? '')
      .join(''),
  ).toBe('Late.');
});

it('a failure after such an opening is an event', async () => {
  const { app } = await script([], {
    streamTiming: { startDelayMs: 5, keepAliveMs: 5 },
    requestTimeout: 0.1,
    models: [scriptedChat({ script: { replies: [], failWith: 'timeout' } })],
  });
  const { status, text } = await chat(app, { stream: true });
  expect(status).toBe(200);
  const events = eventsOf(text);
  expect(events).toHaveLength(1);
  expect(events[0]?.json.error.type).toBe('timeout_error');
});
