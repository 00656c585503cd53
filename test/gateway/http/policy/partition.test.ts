/** Whose prompts an engine may reuse. */
import { expect, it } from 'vitest';
import type { Backend } from '../../../../src/core/models/backend.js';
import { scriptedBackend } from '../../../../src/model/engines/scripted/scripted-backend.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';

async function callersOf(apiKeys: string[] | undefined, keys: (string | undefined)[]): Promise<(string | undefined)[]> {
  const callers: (string | undefined)[] = [];
  const backend: Backend = {
    async load(entry, options) {
      const model = await scriptedBackend.load(entry, options);
      const generate: typeof model.generate = (request, signal) => {
        callers.push(request.caller);
        return model.generate!(request, signal);
      };
      return { ...model, generate };
    },
  };
  const settings = { models: [scriptedChat()], backends: { scripted: backend } };
  const { app } = await buildApp(apiKeys === undefined ? settings : { ...settings, apiKeys });
  const { id } = scriptedChat();
  for (const key of keys) {
    const { status } = await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model: id, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(status).toBe(200);
  }
  return callers;
}

it('[X26] with keys each has a name of its own, which does not tell the key', async () => {
  const [first, second, again] = await callersOf(['key-one', 'key-two'], ['key-one', 'key-two', 'key-one']);
  expect(first).toMatch(/^[\da-f]{64}$/);
  expect(second).not.toBe(first);
  expect(again).toBe(first);
});

it('[X26] without keys all share', async () => {
  expect(await callersOf(undefined, ['key-one', undefined])).toEqual([undefined, undefined]);
});
