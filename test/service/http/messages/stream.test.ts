import { describe, expect, it } from 'vitest';
import { scriptedBackend } from '../../../../src/engines/scripted/scripted-backend.js';
import { alteredBackend } from '../../../support/altered-backend.js';
import { breakingBackend } from '../../../support/breaking-backend.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { post, postStream } from '../../../support/http-client.js';
import { jsonOf, parseEvents } from '../../../support/read-events.js';
import { validateStream } from '../../../support/validate-stream.js';
import { build, create, REASONING, REPLIES, TEXT, TOOLS, user, valid } from './support.js';

const THINKING = { thinking: { type: 'enabled', budget_tokens: 100 } };
const WEATHER = { messages: [user('How is the weather?')], tools: TOOLS };

const deltasOf = (events: any[], type: string): any[] =>
  events.filter((event) => event.delta?.type === type).map((event) => event.delta);

describe('[S16] order and names', () => {
  it('of a text', async () => {
    const events = await postStream(await build(), 'messages', valid);
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual(['message_start', 'ping', 'content_block_start']);
    expect(types.slice(-3)).toEqual(['content_block_stop', 'message_delta', 'message_stop']);
    expect(new Set(types.slice(3, -3))).toEqual(new Set(['content_block_delta']));
  });

  it('of thinking, text and several calls', async () => {
    const script = { replies: [{ ...REPLIES[1]!, match: 'both', text: 'Both.', reasoning: 'Both?' }] };
    const body = { ...valid, ...THINKING, messages: [user('both')], tools: TOOLS };
    const events = await postStream(await build({ script }), 'messages', body);
    const blocks = events
      .filter(({ type }) => type === 'content_block_start')
      .map(({ content_block: block }) => block.type);
    expect(blocks).toEqual(['thinking', 'text', 'tool_use', 'tool_use']);
  });
});

it('[S17] message_start knows the input, message_delta the end', async () => {
  const events = await postStream(await build(), 'messages', valid);
  const whole = await create();
  expect(events[0].message).toMatchObject({ content: [], usage: { input_tokens: whole.usage.input_tokens } });
  expect(events.at(-2)).toMatchObject({
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: whole.usage.output_tokens },
  });
});

it('[S18] text, thinking and tool input come as their own deltas', async () => {
  const app = await build();
  const thought = await postStream(app, 'messages', { ...valid, ...THINKING });
  expect(
    deltasOf(thought, 'thinking_delta')
      .map(({ thinking }) => thinking)
      .join(''),
  ).toBe(REASONING);
  expect(
    deltasOf(thought, 'text_delta')
      .map(({ text }) => text)
      .join(''),
  ).toBe(TEXT);
  const called = await postStream(app, 'messages', { ...valid, ...WEATHER });
  const pieces = deltasOf(called, 'input_json_delta').map(({ partial_json: json }) => json);
  expect(pieces[0]).toBe('');
  expect(JSON.parse(pieces.join(''))).toEqual({ city: 'Paris', days: [1, 2] });
  expect(called.at(-2).delta.stop_reason).toBe('tool_use');
});

it('streams are well formed wherever the cap cuts them', async () => {
  const app = await build();
  for (let max_tokens = 1; max_tokens < 40; max_tokens += 1) {
    for (const body of [
      { ...valid, ...THINKING },
      { ...valid, ...WEATHER },
    ]) {
      expect((await postStream(app, 'messages', { ...body, max_tokens })).length).toBeGreaterThan(0);
    }
  }
});

it('a stop sequence ends the stream and never shows', async () => {
  const events = await postStream(await build(), 'messages', { ...valid, stop_sequences: ['brown fox'] });
  expect(
    deltasOf(events, 'text_delta')
      .map(({ text }) => text)
      .join(''),
  ).toBe('The quick ');
  expect(events.at(-2).delta).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'brown fox' });
});

it('thinking that was not asked for stays inside', async () => {
  const script = { replies: [{ text: `<think>\n${REASONING}\n</think>\n\n${TEXT}` }] };
  const events = await postStream(await build({ script }), 'messages', valid);
  expect(deltasOf(events, 'thinking_delta')).toEqual([]);
  expect(
    deltasOf(events, 'text_delta')
      .map(({ text }) => text)
      .join(''),
  ).toBe(TEXT);
});

it('[S24] an error after the start is an error event, then the end', async () => {
  const { app } = await buildApp({
    models: [scriptedChat({ script: { replies: REPLIES } })],
    backends: { scripted: breakingBackend(scriptedBackend, 3) },
  });
  const events = await postStream(app, 'messages', valid, { end: 'failed' });
  expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
  expect(deltasOf(events, 'text_delta').length).toBeGreaterThan(0);
});

it('[S24] an unsatisfied tool choice is an error event', async () => {
  const body = { ...valid, tools: TOOLS, tool_choice: { type: 'any' } };
  const events = await postStream(await build(), 'messages', body, { end: 'failed' });
  expect(events.at(-1).error.type).toBe('invalid_request_error');
});

it('[S13] what is wrong before the start is an ordinary error', async () => {
  const response = await post(await build(), '/messages', { ...valid, model: 'nobody', stream: true });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
});

it('a slow start is bridged with pings', async () => {
  let release = (): void => {};
  const begun = new Promise<void>((resolve) => (release = resolve));
  const backend = alteredBackend(scriptedBackend, async function* (events) {
    await begun;
    yield* events;
  });
  const { app } = await buildApp({
    models: [scriptedChat({ script: { replies: REPLIES } })],
    backends: { scripted: backend },
    streamTiming: { startDelayMs: 5, keepAliveMs: 15 },
  });
  const response = await post(app, '/messages', { ...valid, stream: true });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value ?? '';
  expect(jsonOf(parseEvents(text))).toEqual([{ type: 'ping' }]);
  release();
  for (let step = await reader.read(); !step.done; step = await reader.read()) text += step.value;
  validateStream('messages', parseEvents(text));
});
