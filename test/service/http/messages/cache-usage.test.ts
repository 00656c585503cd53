import { expect, it } from 'vitest';
import { scriptedBackend } from '../../../../src/engines/scripted/scripted-backend.js';
import { alteredBackend } from '../../../support/altered-backend.js';
import { buildApp } from '../../../support/build-app.js';
import { postJson, postStream } from '../../../support/http-client.js';
import { user, valid } from './support.js';

/** The scripted models, as if three tokens of each prompt had been read before. */
const REMEMBERING = alteredBackend(scriptedBackend, async function* (events) {
  for await (const event of events) yield event.type === 'prompt' ? { ...event, cachedTokens: 3 } : event;
});

const ephemeral = { cache_control: { type: 'ephemeral' } };
const text = { type: 'text', text: 'Hello' };

it.each([
  ['nowhere', {}, 0],
  ['at the top', ephemeral, 3],
  ['on a message block', { messages: [user([{ ...text, ...ephemeral }])] }, 3],
  ['on a tool', { tools: [{ name: 'f', input_schema: { type: 'object' }, ...ephemeral }] }, 3],
  ['on the system prompt', { system: [{ ...text, ...ephemeral }] }, 3],
])('cached tokens are told apart where a cache is asked for: %s', async (_place, fields, cached) => {
  const { app } = await buildApp({ backends: { scripted: REMEMBERING } });
  const body = { ...valid, ...fields };
  const { usage } = (await postJson(app, '/messages', body)).body;
  expect(usage).toMatchObject({ cache_read_input_tokens: cached, cache_creation_input_tokens: 0 });
  const other = (await postJson(app, '/responses', { model: valid.model, input: 'Hello' })).body.usage;
  expect(other.input_tokens_details.cached_tokens).toBe(3);
  const events = await postStream(app, 'messages', body);
  expect(events[0].message.usage).toMatchObject({ input_tokens: usage.input_tokens, cache_read_input_tokens: cached });
  expect(events.at(-2).usage).toEqual(usage);
});
