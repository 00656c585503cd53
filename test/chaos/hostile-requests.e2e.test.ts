/** Everything hostile that is known, from one tab, while another one works with the same engine. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HOSTILE_SCHEMAS } from '../language/constraints/support/hostile-schemas.js';
import { HOSTILE_BODIES, type HostileBody } from '../service/http/support/hostile-bodies.js';
import type { TypedModelEntry } from '../../src/core/models/model-entry.js';
import { ALL_TASKS } from '../service/http/support/models.js';
import { RawChromium, type RawPage } from '../support/raw-chromium.js';
import { countingModel } from '../e2e/support/host-page.js';
import { IS_LONG, openTab } from './chaos-tabs.js';

const OPTIONS = {
  models: [
    { id: 'tiny-chat', task: 'chat', backend: 'transformers', source: '/models/tiny-chat', dtype: 'q8' } as const,
    ...(ALL_TASKS as TypedModelEntry[]),
    countingModel(3, 0, 'other'),
  ],
  rateLimits: { requestsPerMinute: 1e9, requestsPerDay: 1e9 },
};

/** Schemas as a model meets them that really keeps them. */
const SCHEMAS: HostileBody[] = HOSTILE_SCHEMAS.map(([name, schema]) => ({
  name,
  path: '/v1/chat/completions',
  contentType: 'application/json',
  body: () =>
    JSON.stringify({
      model: 'tiny-chat',
      max_tokens: 1,
      messages: [{ role: 'user', content: 'Hi' }],
      response_format: { type: 'json_schema', json_schema: { name: 'hostile', schema } },
    }),
  status: 0,
}));

/** `npm run test:long` sends all of them. */
const CORPUS = [...SCHEMAS, ...HOSTILE_BODIES].filter((_, index) => IS_LONG || index % 6 === 0);

/** Gives the page its bodies: by its pipe they would be slow, and it cannot import them. */
async function serveBodies(): Promise<Server> {
  const server = createServer((request, response) => {
    const found = CORPUS[Number(request.url?.slice(1))];
    response.setHeader('access-control-allow-origin', '*');
    response.end(found?.body());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

let browser: RawChromium;
let bodies: Server;
beforeAll(async () => {
  bodies = await serveBodies();
  browser = await RawChromium.launch();
});
afterAll(async () => {
  await browser.close();
  bodies.close();
});

/** Status and beginning of the answer to one of them. */
function send(page: RawPage, index: number): Promise<{ status: number; text: string }> {
  const { path, contentType } = CORPUS[index]!;
  return page.evaluate(`(async () => {
    const given = await fetch('http://127.0.0.1:${(bodies.address() as AddressInfo).port}/${index}');
    const body = await given.arrayBuffer();
    const headers = { 'content-type': ${JSON.stringify(contentType)} };
    const response = await fetch('${path}', { method: 'POST', headers, body });
    return { status: response.status, text: (await response.text()).slice(0, 300) };
  })()`);
}

/** Asks again and again until it is told to stop; gives the status of each answer. */
const askOnAndOn = (page: RawPage): Promise<void> =>
  page.evaluate(`void (window.statuses = (async () => {
    const statuses = [];
    while (!window.enough) {
      const response = await fetch('/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'other', messages: [{ role: 'user', content: 'Hi' }] }),
      });
      await response.text();
      statuses.push(response.status);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return statuses;
  })())`);

it(
  `${CORPUS.length} hostile requests are each answered, and another tab is served all the while`,
  async () => {
    const hostile = await openTab(browser, OPTIONS);
    const other = await openTab(browser, OPTIONS);
    await hostile.evaluate(`inference.load('tiny-chat')`);
    await askOnAndOn(other);
    const wrong: unknown[] = [];
    for (const [index, { name, status: expected }] of CORPUS.entries()) {
      const { status, text } = await send(hostile, index);
      const isAnswered = status === 200 || (status === 400 && text.includes('"param"'));
      if (expected === 0 ? !isAnswered : status !== expected) wrong.push({ name, status, text });
    }
    const statuses = await other.evaluate<number[]>('((window.enough = true), window.statuses)');
    expect(wrong).toEqual([]);
    // At least one while each of them was computed, on the average.
    expect(statuses.length).toBeGreaterThan(CORPUS.length);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  },
  10 * 60_000,
);
