import { describe, expect, it } from 'vitest';
import { scriptedBackend } from '../../../../src/engines/scripted/scripted-backend.js';
import type { Backend } from '../../../../src/core/models/backend.js';
import { alteredBackend } from '../../../support/altered-backend.js';
import { BREAKING_MESSAGE, breakingBackend } from '../../../support/breaking-backend.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { post, postStream } from '../../../support/http-client.js';
import { jsonOf, readEvents, readSomeEvents } from '../../../support/read-events.js';
import { validateStream } from '../../../support/validate-stream.js';
import { build, create, REASONING, REPLIES, TEXT, TOOLS, valid } from './support.js';

const WEATHER = { input: 'How is the weather?', tools: TOOLS };
const EFFORT = { reasoning: { effort: 'low' } };

/** Event types with repetitions of deltas folded. */
const shapeOf = (events: any[]): string[] =>
  events.map(({ type }) => type.replace('response.', '')).filter((type, index, all) => type !== all[index - 1]);

const joined = (events: any[], type: string): string =>
  events
    .filter((event) => event.type === `response.${type}`)
    .map(({ delta }) => delta)
    .join('');

describe('[S19] the frame', () => {
  it('is created, in_progress, ..., completed with the whole response', async () => {
    const events = await postStream(await build(), 'responses', valid);
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
    expect(shapeOf(events).slice(0, 2)).toEqual(['created', 'in_progress']);
    const { type, response } = events.at(-1);
    expect(type).toBe('response.completed');
    const whole = await create();
    expect(response.usage).toEqual(whole.usage);
    expect(Object.keys(response)).toEqual(Object.keys(whole));
  });

  it('has no [DONE]', async () => {
    const response = await post(await build(), '/responses', { ...valid, stream: true });
    expect((await readEvents(response)).some(({ data }) => data === '[DONE]')).toBe(false);
  });
});

it('[S20] text comes in its order', async () => {
  const events = await postStream(await build(), 'responses', valid);
  expect(shapeOf(events).slice(2, -1)).toEqual([
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
  ]);
  expect(joined(events, 'output_text.delta')).toBe(TEXT);
});

it('[S21] reasoning and calls come in their order', async () => {
  const script = { replies: [{ ...REPLIES[0]!, reasoning: REASONING }] };
  const events = await postStream(await build({ script }), 'responses', { ...valid, ...WEATHER, ...EFFORT });
  expect(shapeOf(events).slice(2, -1)).toEqual([
    'output_item.added',
    'content_part.added',
    'reasoning_text.delta',
    'reasoning_text.done',
    'content_part.done',
    'output_item.done',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'output_item.added',
    'function_call_arguments.delta',
    'function_call_arguments.done',
    'output_item.done',
  ]);
  expect(joined(events, 'reasoning_text.delta')).toBe(REASONING);
  expect(JSON.parse(joined(events, 'function_call_arguments.delta'))).toEqual({ city: 'Paris' });
});

it('[S22] a cut response ends with response.incomplete', async () => {
  const events = await postStream(await build(), 'responses', { ...valid, max_output_tokens: 3 });
  expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: { status: 'incomplete' } });
});

it('streams are well formed wherever the cap cuts them', async () => {
  const app = await build();
  for (let max_output_tokens = 1; max_output_tokens < 40; max_output_tokens += 1) {
    for (const body of [
      { ...valid, ...EFFORT },
      { ...valid, ...WEATHER },
    ]) {
      expect((await postStream(app, 'responses', { ...body, max_output_tokens })).length).toBeGreaterThan(0);
    }
  }
});

/**
 * A stream of a model that waits for its reader, so that no test depends on who is faster.
 * @param awaited by number of a piece: what the reader has when the model says it
 */
async function readHeld(
  awaited: Record<number, RegExp>,
  change = (backend: Backend): Backend => backend,
): Promise<Response> {
  let text = '';
  let tellModel = (): void => {};
  const held = alteredBackend(scriptedBackend, async function* (events) {
    let piece = 0;
    for await (const event of events) {
      const needed = event.type === 'piece' ? awaited[piece++] : undefined;
      const isSeen = (): boolean => !needed || needed.test(text);
      while (!isSeen()) await new Promise<void>((resolve) => (tellModel = resolve));
      yield event;
    }
  });
  const { app } = await buildApp({
    models: [scriptedChat({ script: { replies: REPLIES } })],
    backends: { scripted: change(held) },
    streamTiming: { startDelayMs: 1, keepAliveMs: 1 },
  });
  const response = await post(app, '/responses', { ...valid, stream: true });
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    tellModel();
  }
  return new Response(text, { headers: response.headers });
}

/** Comments bridge the silence before the first event. */
const OPEN = /^: /;
const TEXT_DELTA = /output_text\.delta/;

it('[S24] an error after the start is an error event and response.failed', async () => {
  const response = await readHeld({ 3: TEXT_DELTA }, (held) => breakingBackend(held, 3));
  const received = await readEvents(response);
  validateStream('responses', received, { end: 'failed' });
  const events = jsonOf(received);
  const requestId = response.headers.get('inference-id');
  expect(events.at(-2)).toMatchObject({ type: 'error', error: { type: 'internal_error' }, request_id: requestId });
  expect(events.at(-1)).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'server_error' } },
  });
  expect(joined(events, 'output_text.delta')).not.toBe('');
});

it('[S24] an error before the first event of an open stream begins and ends the response', async () => {
  const received = await readEvents(await readHeld({ 0: OPEN }, (held) => breakingBackend(held, 0)));
  validateStream('responses', received, { end: 'failed' });
  expect(shapeOf(jsonOf(received))).toEqual(['created', 'in_progress', 'error', 'failed']);
});

it('[X18] an engine that is gone is told without its reason, which may name files', async () => {
  const text = await (await readHeld({ 3: TEXT_DELTA }, (held) => breakingBackend(held, 3, 'unavailable'))).text();
  expect(text).toContain('Service Temporarily Unavailable');
  expect(text).not.toContain(BREAKING_MESSAGE);
});

it('an unsatisfied tool choice and wrong JSON end with response.failed', async () => {
  const app = await build();
  const unsatisfied = { ...valid, tools: TOOLS, tool_choice: 'required' };
  const events = await postStream(app, 'responses', unsatisfied, { end: 'failed' });
  expect(events.at(-1).response.error.code).toBe('tool_choice_unsatisfied');
  const wrong = { ...valid, text: { format: { type: 'json_object' } } };
  expect((await postStream(app, 'responses', wrong, { end: 'failed' })).at(-1).response.error.code).toBe(
    'model_output_invalid',
  );
});

it('[S13] what is wrong before the start is an ordinary error', async () => {
  const response = await post(await build(), '/responses', { ...valid, model: 'nobody', stream: true });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: 'model_not_found' } });
});

describe('silence', () => {
  it('is bridged with comments before the start and numbered keepalives after it', async () => {
    const text = await (await readHeld({ 0: OPEN, 1: /"type":"keepalive"/ })).text();
    expect(text).toMatch(OPEN);
    const events = await readEvents(new Response(text));
    validateStream('responses', events);
    expect(jsonOf(events).some(({ type }) => type === 'keepalive')).toBe(true);
  });

  it('of a reader that goes away leaves the beginning of a good stream', async () => {
    const response = await post(await build(), '/responses', { ...valid, stream: true });
    const events = await readSomeEvents(response, 6);
    expect(() => validateStream('responses', events, { end: 'aborted' })).not.toThrow();
  });
});
