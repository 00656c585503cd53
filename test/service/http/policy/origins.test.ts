/** Web pages that share the engine of an extension. */
import { expect, it } from 'vitest';
import { serializeInferenceError, InferenceError } from '../../../../src/core/errors/inference-error.js';
import type { Backend } from '../../../../src/core/models/backend.js';
import { scriptedBackend } from '../../../../src/engines/scripted/scripted-backend.js';
import type { HttpEnvironment } from '../../../../src/service/http/endpoint/http-context.js';
import { buildApp, type BuildAppOptions, scriptedChat } from '../../../support/build-app.js';

const { id: CHAT } = scriptedChat();
const A = 'https://a.test';
const B = 'https://b.test';

async function open(options: BuildAppOptions = {}) {
  const callers: (string | undefined)[] = [];
  const backend: Backend = {
    async load(entry, load) {
      const model = await scriptedBackend.load(entry, load);
      return {
        ...model,
        generate: (request, ...rest) => {
          callers.push(request.caller);
          return model.generate!(request, ...rest);
        },
      };
    },
  };
  const { app } = await buildApp({ ...options, backends: { scripted: backend } });
  const ask = (path: string, body: object, environment: HttpEnvironment['Bindings'], key?: string): Promise<Response> =>
    Promise.resolve(
      app.request(
        `/v1${path}`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
          body: JSON.stringify({ model: CHAT, ...body }),
        },
        environment,
      ),
    );
  return { ask, callers };
}

const chat = { messages: [{ role: 'user', content: 'Hi' }] };

it.each([[undefined], [['key-one', 'key-two']]])(
  '[Z21] an origin is a part of the key: prompts, items of answers and what is kept (keys: %s)',
  async (apiKeys) => {
    const { ask, callers } = await open({ ...(apiKeys && { apiKeys }) });
    const key = apiKeys?.[0];
    const asking: [origin: string, key: string | undefined][] = [
      [A, key],
      [B, key],
      ['', key],
      [A, key],
      [A, apiKeys?.[1] ?? 'another'],
    ];
    for (const [origin, own] of asking)
      expect((await ask('/chat/completions', chat, { origin }, own)).status).toBe(200);
    const [first, second, extension, again, otherKey] = callers;
    // Engines reuse what a caller without a name has sent for all.
    expect(callers).not.toContain(undefined);
    expect(again).toBe(first);
    expect(new Set([first, second, extension, otherKey]).size).toBe(4);

    const answered = await (await ask('/responses', { input: 'Hi' }, { origin: A }, key)).json();
    const reference = {
      input: [
        { type: 'item_reference', id: answered.output[0].id },
        { role: 'user', content: 'And?' },
      ],
    };
    expect((await ask('/responses', reference, { origin: A }, key)).status).toBe(200);
    for (const origin of [B, '']) {
      const refused = await ask('/responses', reference, { origin }, key);
      expect(refused.status).toBe(400);
    }
  },
);

it('counters of a page are those of its origin', async () => {
  const { ask } = await open({ rateLimits: { requestsPerMinute: 1 } });
  const statuses: number[] = [];
  for (const origin of [A, A, B, '']) statuses.push((await ask('/chat/completions', chat, { origin })).status);
  expect(statuses).toEqual([200, 429, 200, 200]);
});

it.each([
  ['permission_denied', 403, 'permission_error', 'origin_not_allowed', {}, null],
  ['rate_limit_exceeded', 429, 'rate_limit_error', 'rate_limit_exceeded', { retryAfter: 1 }, '1'],
] as const)(
  'who is refused is told so in the form of the endpoint: %s',
  async (code, status, type, general, details, retryAfter) => {
    const { ask, callers } = await open();
    const refusal = serializeInferenceError(new InferenceError(code, 'No.', details));
    const answer = await ask('/chat/completions', chat, { origin: A, refusal });
    expect(answer.status).toBe(status);
    expect((await answer.json()).error).toMatchObject({ type, code: general });
    expect(answer.headers.get('retry-after')).toBe(retryAfter);
    const dialect = await ask('/messages', { ...chat, max_tokens: 5 }, { origin: A, refusal });
    expect(dialect.status).toBe(status);
    expect(await dialect.json()).toMatchObject({ type: 'error', error: { type } });
    expect(callers).toEqual([]);
  },
);
