/** Whose prompts an engine may reuse. */
import { expect, it } from 'vitest';
import type { Backend, LoadedModel } from '../../../../src/core/models/backend.js';
import { scriptedBackend } from '../../../../src/engines/scripted/scripted-backend.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';

const { id: CHAT } = scriptedChat();
const HELLO = { model: CHAT, messages: [{ role: 'user', content: 'Hi' }] };

/** Where engines keep what they read, by endpoint. */
const READING: [operation: 'generate' | 'countTokens' | 'rerank', path: string, body: object][] = [
  ['generate', 'chat/completions', HELLO],
  ['countTokens', 'messages/count_tokens', HELLO],
  ['rerank', 'rerank', { model: 'rank', query: 'Hi', documents: ['Hi'] }],
];

async function callersOf(
  apiKeys: string[] | undefined,
  keys: (string | undefined)[],
  [operation, path, body] = READING[0]!,
): Promise<(string | undefined)[]> {
  const callers: (string | undefined)[] = [];
  const backend: Backend = {
    async load(entry, options) {
      const model = await scriptedBackend.load(entry, options);
      const noted = ((request: { caller?: string }, signal: AbortSignal) => {
        callers.push(request.caller);
        return (model[operation] as (asked: object, stop: AbortSignal) => unknown)(request, signal);
      }) as never;
      return { ...model, [operation]: noted } satisfies LoadedModel;
    },
  };
  const models = [scriptedChat(), { id: 'rank', task: 'rerank' as const, backend: 'scripted' as const }];
  const settings = { models, backends: { scripted: backend } };
  const { app } = await buildApp(apiKeys === undefined ? settings : { ...settings, apiKeys });
  for (const key of keys) {
    const { status } = await app.request(`/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify(body),
    });
    expect(status).toBe(200);
  }
  return callers;
}

it.each(READING)('[X26] with keys each has a name of its own, which does not tell the key: %s', async (...reading) => {
  const keys = ['key-one', 'key-two', 'key-one'];
  const [first, second, again] = await callersOf(['key-one', 'key-two'], keys, reading);
  expect(first).toMatch(/^[\da-f]{64}$/);
  expect(second).not.toBe(first);
  expect(again).toBe(first);
});

it('[X26] without keys all share', async () => {
  expect(await callersOf(undefined, ['key-one', undefined])).toEqual([undefined, undefined]);
});
