/** A model that cannot be loaded: what the 503 says of it, and what other answers do not. */
import { describe, expect, it, vi } from 'vitest';
import { InferenceError } from '../../../../src/core/errors/inference-error.js';
import type { InferenceErrorDetails } from '../../../../src/core/errors/inference-error.js';
import type { Backend } from '../../../../src/core/models/backend.js';
import type { AppOptions } from '../../../../src/service/http/app.js';
import { loadFailure } from '../../../../src/engines/common/load-failure.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { post } from '../support/call.js';

const ENTRY = { id: 'vendor/größte Ω' };
const HEADERS = ['x-error-code', 'x-error-model', 'x-error-message', 'x-should-retry'];

const CALLS = [
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
  ['/v1/completions', { prompt: 'Hi' }],
  ['/v1/messages', { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 }],
  ['/v1/responses', { input: 'Hi' }],
] as const;

async function failing(error: InferenceError, compatibility: AppOptions['compatibility'] = 'service') {
  const backend: Backend = {
    async load() {
      throw error;
    },
  };
  return buildApp({ models: [scriptedChat(ENTRY)], backends: { scripted: backend }, compatibility });
}

const missing = (details: Partial<InferenceErrorDetails> & { isPage?: boolean } = {}): InferenceError =>
  loadFailure(new Error('no'), ENTRY, new AbortController().signal, { url: 'http://a.test/m/x.onnx', ...details });

describe.each(CALLS)('POST %s', (path, body) => {
  it.each([false, true])('[X17] [X25] says code, model and reason in headers (stream: %s)', async (stream) => {
    const error = missing({ httpStatus: 404 });
    const { app } = await failing(error);
    const { status, text, headers } = await post(app, path, { ...body, model: ENTRY.id, stream });
    expect([status, text]).toEqual([503, 'Service Temporarily Unavailable']);
    expect(headers.get('x-error-code')).toBe('unavailable');
    expect(decodeURIComponent(headers.get('x-error-model')!)).toBe(ENTRY.id);
    expect(decodeURIComponent(headers.get('x-error-message')!)).toBe(error.message);
    expect([headers.get('x-should-retry'), headers.get('retry-after')]).toEqual(['false', null]);
  });

  it('[G06] [X25] says it in JSON where clients expect a hosted service', async () => {
    const error = missing({ httpStatus: 404 });
    const { app } = await failing(error, 'hosted');
    const { status, json, headers } = await post(app, path, { ...body, model: ENTRY.id });
    expect([status, json.error.message, json.error.code]).toEqual([503, error.message, 'unavailable']);
    expect(headers.get('x-should-retry')).toBe('false');
  });
});

const [[CHAT, ASK]] = CALLS;

it.each([
  ['a file that is not there', missing({ httpStatus: 404 }), false],
  ['a page instead of a file', missing({ isPage: true }), false],
  ['a Content Security Policy', loadFailure(new Error('CSP: unsafe-eval'), ENTRY, new AbortController().signal), false],
  ['a device without WebGPU', new InferenceError('insufficient_resources', 'No WebGPU.'), false],
  ['a server that is busy', missing({ httpStatus: 502 }), true],
  ['a network that is gone', missing(), true],
  ['too little room', new InferenceError('insufficient_resources', 'No room.', { neededBytes: 5 }), true],
])('[X25] %s: clients try again as far as it can help', async (_, error, mayHelp) => {
  const { app } = await failing(error);
  const { status, headers } = await post(app, CHAT, { ...ASK, model: ENTRY.id });
  expect([status, headers.get('x-should-retry'), headers.has('retry-after')]).toEqual([
    503,
    mayHelp ? null : 'false',
    mayHelp,
  ]);
});

it('[X25] the message is one line of ASCII without a stack', async () => {
  const { app } = await failing(
    new InferenceError('unavailable', `Zwei\n Zeilen\t100 % \ud800 日本 ${'x'.repeat(5000)}`),
  );
  const header = (await post(app, CHAT, { ...ASK, model: ENTRY.id })).headers.get('x-error-message')!;
  expect(header).toMatch(/^[ -~]{1,1100}$/);
  expect(decodeURIComponent(header)).toMatch(/^Zwei Zeilen 100 % \ufffd 日本 x+$/);
});

it('[X25] other answers have none of these headers', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const apps = [
    await buildApp({ models: [scriptedChat(ENTRY)] }),
    await buildApp({ models: [scriptedChat({ ...ENTRY, script: { replies: [], failWith: 'unavailable' } })] }),
    await buildApp({ models: [scriptedChat({ ...ENTRY, script: { replies: [], failWith: 'internal' } })] }),
  ];
  const statuses: number[] = [];
  for (const { app } of apps) {
    for (const fields of [{}, { messages: 5 }, { model: 'nobody' }]) {
      const { status, headers } = await post(app, CHAT, { ...ASK, model: ENTRY.id, ...fields });
      statuses.push(status);
      expect(HEADERS.filter((name) => headers.has(name))).toEqual([]);
    }
  }
  expect(statuses).toEqual([200, 400, 404, 503, 400, 404, 500, 400, 404]);
  log.mockRestore();
});
