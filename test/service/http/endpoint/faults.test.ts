/** Simulated failures, through the app. */
import { describe, expect, it } from 'vitest';
import { Faults } from '../../../../src/service/http/endpoint/faults.js';
import { buildApp } from '../../../support/build-app.js';
import { chat, deltasOf, eventsOf, get, post } from '../support/call.js';

async function build() {
  const faults = new Faults();
  return { faults, ...(await buildApp({ faults })) };
}

describe('the next N requests fail', () => {
  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [404, 'not_found_error'],
    [408, 'timeout_error'],
    [413, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [529, 'internal_error'],
  ] as const)('%i', async (status, type) => {
    const { app, faults } = await build();
    faults.set({ fail: { status, count: 2 } });
    for (let request = 0; request < 2; request += 1) {
      const answer = await chat(app, { stream: request === 1 });
      expect([answer.status, answer.json.error.type]).toEqual([status, type]);
    }
    expect((await chat(app)).status).toBe(200);
  });

  it('429 carries retry-after and the rate-limit headers', async () => {
    const { app, faults } = await build();
    faults.set({ fail: { status: 429, retryAfter: 3 } });
    const { headers } = await chat(app);
    expect(headers.get('retry-after')).toBe('3');
    expect(headers.get('x-ratelimit-limit-requests')).toBe('600');
  });

  it('500 and 503 are plain on chat', async () => {
    const { app, faults } = await build();
    faults.set({ fail: { status: 500 } });
    expect((await chat(app)).headers.get('content-type')).toMatch(/^text\/plain/);
    faults.set({ fail: { status: 503 } });
    expect(await chat(app)).toMatchObject({ status: 503, text: 'Service Temporarily Unavailable' });
  });

  it.each([
    [502, 'Bad Gateway'],
    [504, 'Gateway Timeout'],
  ] as const)('%i is plain, as gateways answer it', async (status, sentence) => {
    const { app, faults } = await build();
    faults.set({ fail: { status } });
    expect(await chat(app)).toMatchObject({ status, text: sentence });
  });

  it('529 is as Anthropic answers it', async () => {
    const { app, faults } = await build();
    faults.set({ fail: { status: 529, retryAfter: 2 } });
    const messages = [{ role: 'user', content: 'Hi.' }];
    const { status, json, headers } = await post(app, '/v1/messages', {
      model: 'scripted-chat',
      max_tokens: 9,
      messages,
    });
    expect([status, headers.get('retry-after')]).toEqual([529, '2']);
    expect(json).toMatchObject({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
  });

  it('only inference requests count', async () => {
    const { app, faults } = await build();
    faults.set({ fail: { status: 500 } });
    expect((await get(app, '/v1/models')).status).toBe(200);
    expect((await chat(app, { n: 0 })).status).toBe(400);
    expect((await chat(app)).status).toBe(500);
  });
});

it('a delay before the headers', async () => {
  const { app, faults } = await build();
  faults.set({ delayBeforeHeadersMs: 80 });
  const start = performance.now();
  await chat(app);
  expect(performance.now() - start).toBeGreaterThanOrEqual(75);
});

it('a delay per event of a stream', async () => {
  const { app, faults } = await build();
  faults.set({ delayPerEventMs: 20 });
  const start = performance.now();
  const { text } = await chat(app, { stream: true });
  expect(performance.now() - start).toBeGreaterThanOrEqual(95);
  expect(
    deltasOf(eventsOf(text))
      .map((delta) => delta.content ?? '')
      .join(''),
  ).toBe('Hello there, friend.');
});

it.each([0, 1, 3])('a stream that breaks after %i events is a network error, not an end', async (events) => {
  const { app, faults } = await build();
  faults.set({ cutStreamAfterEvents: events });
  const body = JSON.stringify({ model: 'scripted-chat', messages: [{ role: 'user', content: 'Hi.' }], stream: true });
  const response = await app.request('/v1/chat/completions', { method: 'POST', body });
  expect(response.status).toBe(200);
  const reader = response.body!.getReader();
  for (let event = 0; event < events; event += 1) expect((await reader.read()).done).toBe(false);
  await expect(reader.read()).rejects.toThrow('The connection was lost.');
  faults.clear();
  expect((await chat(app)).status).toBe(200);
});

it('everything is off by default and after clear', async () => {
  const { app, faults } = await build();
  expect((await chat(app)).status).toBe(200);
  faults.set({ fail: { status: 500, count: 99 }, delayBeforeHeadersMs: 1 });
  faults.clear();
  expect((await chat(app)).status).toBe(200);
});

it('an unknown fault is refused with the nearest one, and changes nothing', async () => {
  const { app, faults } = await build();
  faults.set({ fail: { status: 429 } });
  expect(() => faults.set({ delayPerEventsMs: 5 } as never)).toThrow(/`delayPerEventsMs`.*`delayPerEventMs`/);
  expect(() => faults.set({ fail: { status: 418 as never } })).toThrow(/`fail\.status` must be one of .*408, 413, 429/);
  expect((await chat(app)).status).toBe(429);
});
