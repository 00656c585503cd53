/** Rate limits and the headers of inference answers. */
import { describe, expect, it } from 'vitest';
import type { App } from '../../../../src/service/http/app.js';
import { createMemoryCounterStore } from '../../../../src/service/http/policy/counter-store.js';
import { buildApp } from '../../../support/build-app.js';
import { type Answer, chat, get, post, read, UUID } from '../support/call.js';
import { ALL_TASKS, AUDIO_PATHS, audioForm, JSON_ENDPOINTS, streams } from '../support/models.js';

const HEADERS = ['limit', 'remaining', 'reset'].flatMap((name) => [
  `x-ratelimit-${name}-requests`,
  `x-ratelimit-${name}-requests-day`,
]);

const limit = (answer: Answer, name: string): number => Number(answer.headers.get(`x-ratelimit-${name}`));

/** One request to every inference endpoint, streams included. */
async function callAll(app: App): Promise<[path: string, answer: Answer][]> {
  const answers: [string, Answer][] = [];
  for (const endpoint of JSON_ENDPOINTS) {
    const { path, body } = endpoint;
    answers.push([path, await post(app, path, body)]);
    if (streams(endpoint)) answers.push([`${path} streamed`, await post(app, path, { ...body, stream: true })]);
  }
  for (const path of AUDIO_PATHS) {
    answers.push([path, await read(await app.request(path, { method: 'POST', body: audioForm() }))]);
    answers.push([
      `${path} streamed`,
      await read(await app.request(path, { method: 'POST', body: audioForm({ stream: 'true' }) })),
    ]);
  }
  return answers;
}

describe('headers', () => {
  it('[Q01] [Q02] every inference answer carries the six headers and its own inference-id', async () => {
    const { app } = await buildApp({ models: ALL_TASKS });
    const ids = new Set<string>();
    const answers = await callAll(app);
    for (const [path, answer] of answers) {
      expect([path, answer.status]).toEqual([path, 200]);
      for (const name of HEADERS) expect(answer.headers.get(name), `${path} ${name}`).toMatch(/^\d+$/);
      expect(answer.headers.get('inference-id')).toMatch(UUID);
      ids.add(answer.headers.get('inference-id') ?? '');
    }
    expect(ids.size).toBe(answers.length);
  });

  it('[Q03] the limits come from rateLimits, by default 600 and 100000', async () => {
    const usual = await chat((await buildApp()).app);
    expect([limit(usual, 'limit-requests'), limit(usual, 'limit-requests-day')]).toEqual([600, 100_000]);
    const own = await chat((await buildApp({ rateLimits: { requestsPerMinute: 7, requestsPerDay: 70 } })).app);
    expect([limit(own, 'limit-requests'), limit(own, 'limit-requests-day')]).toEqual([7, 70]);
  });

  it('[Q04] what remains falls by one per request', async () => {
    const { app } = await buildApp();
    for (const used of [1, 2, 3]) {
      const answer = await chat(app, { stream: used === 2 });
      expect([limit(answer, 'remaining-requests'), limit(answer, 'remaining-requests-day')]).toEqual([
        600 - used,
        100_000 - used,
      ]);
    }
  });

  it('[Q05] n completions are n requests', async () => {
    const { app } = await buildApp({ rateLimits: { requestsPerMinute: 10 } });
    expect(limit(await chat(app, { n: 8 }), 'remaining-requests')).toBe(2);
    expect((await chat(app, { n: 3 })).status).toBe(429);
    expect(limit(await chat(app, { n: 2 }), 'remaining-requests')).toBe(0);
  });

  it('[Q11] the resets lie within the next minute and the next day', async () => {
    let now = 1_800_000_000_250;
    const { app } = await buildApp({ now: () => now });
    for (const step of [0, 400, 30_000, 59_000, 3_600_000]) {
      now += step;
      const answer = await chat(app);
      const seconds = now / 1000;
      expect(limit(answer, 'reset-requests')).toBeGreaterThanOrEqual(seconds);
      expect(limit(answer, 'reset-requests')).toBeLessThanOrEqual(seconds + 60);
      expect(limit(answer, 'reset-requests-day')).toBeGreaterThanOrEqual(seconds);
      expect(limit(answer, 'reset-requests-day')).toBeLessThanOrEqual(seconds + 86_400);
    }
  });
});

describe('refusals', () => {
  it('[Q06] the minute limit exceeded: 429', async () => {
    const { app } = await buildApp({ rateLimits: { requestsPerMinute: 2 } });
    expect([(await chat(app)).status, (await chat(app)).status, (await chat(app)).status]).toEqual([200, 200, 429]);
  });

  it('[Q07] the day limit exceeded: 429', async () => {
    let now = 1_800_000_000_000;
    const { app } = await buildApp({ rateLimits: { requestsPerDay: 2 }, now: () => now });
    for (const status of [200, 200, 429]) {
      expect((await chat(app)).status).toBe(status);
      now += 120_000;
    }
  });

  it('[Q08] [Q09] [A19] a 429 carries the headers and retry-after on every endpoint, in its shape', async () => {
    const { app } = await buildApp({ models: ALL_TASKS, rateLimits: { requestsPerMinute: 0 } });
    for (const [path, { status, headers, json }] of await callAll(app)) {
      expect([path, status]).toEqual([path, 429]);
      for (const name of HEADERS) expect(headers.get(name), `${path} ${name}`).toMatch(/^\d+$/);
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(json.error.type).toBe('rate_limit_error');
      expect(json.request_id).toMatch(UUID);
      expect(json.type).toBe(path.startsWith('/v1/messages') ? 'error' : undefined);
    }
  });

  it('[Q12] after retry-after seconds the key is served again', async () => {
    let now = 1_800_000_000_900;
    const { app } = await buildApp({ rateLimits: { requestsPerMinute: 3 }, now: () => now });
    for (const step of [0, 20_000, 1500]) {
      expect((await chat(app)).status).toBe(200);
      now += step;
    }
    const refused = await chat(app);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(refused.status).toBe(429);
    now += (seconds - 1) * 1000;
    expect((await chat(app)).status).toBe(429);
    now += 1000;
    expect((await chat(app)).status).toBe(200);
    // The window slides: the two others still count.
    expect((await chat(app)).status).toBe(200);
    expect((await chat(app)).status).toBe(429);
  });

  it('a refused request is not counted', async () => {
    let now = 1_800_000_000_000;
    const { app } = await buildApp({ rateLimits: { requestsPerMinute: 1 }, now: () => now });
    await chat(app);
    for (let second = 0; second < 59; second += 1) {
      now += 1000;
      expect((await chat(app)).status).toBe(429);
    }
    now += 1000;
    expect((await chat(app)).status).toBe(200);
  });

  it('the model list is not limited', async () => {
    const { app } = await buildApp({ rateLimits: { requestsPerMinute: 0 } });
    expect((await get(app, '/v1/models')).status).toBe(200);
  });
});

describe('callers', () => {
  it('[Q10] counters are per key, whichever header carries it', async () => {
    const { app } = await buildApp({ apiKeys: ['sk-one', 'sk-two'], rateLimits: { requestsPerMinute: 2 } });
    expect((await chat(app, {}, { authorization: 'Bearer sk-one' })).status).toBe(200);
    expect((await chat(app, {}, { 'x-api-key': 'sk-one' })).status).toBe(200);
    expect((await chat(app, {}, { authorization: 'Bearer sk-one' })).status).toBe(429);
    expect((await chat(app, {}, { 'x-api-key': 'sk-two' })).status).toBe(200);
  });

  it('counters outlive the app when their store does', async () => {
    const counterStore = createMemoryCounterStore();
    await chat((await buildApp({ counterStore })).app);
    expect(limit(await chat((await buildApp({ counterStore })).app), 'remaining-requests')).toBe(598);
  });
});

it('[G19] hosted without rateLimits: a million a minute and a day', async () => {
  const limitsOf = async (rateLimits?: object) => {
    const { app } = await buildApp({ compatibility: 'hosted', ...(rateLimits && { rateLimits }) });
    const answer = await chat(app);
    return [limit(answer, 'limit-requests'), limit(answer, 'limit-requests-day')];
  };
  expect(await limitsOf()).toEqual([1_000_000, 1_000_000]);
  expect(await limitsOf({ requestsPerMinute: 5 })).toEqual([5, 1_000_000]);
  expect(await limitsOf({ requestsPerMinute: 5, requestsPerDay: 7 })).toEqual([5, 7]);
});
