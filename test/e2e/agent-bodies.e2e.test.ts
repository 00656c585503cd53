/** Every recorded body of an agent, whole and streamed, through the Service Worker and through `serve`. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InferenceOptions } from '../../src/index.js';
import { newContext, openHost } from './support/host-page.js';
import { connectToSharedChromium } from './support/shared-chromium.js';

interface Cases {
  path: string;
  cases: readonly { name: string; body: Record<string, unknown>; status: number }[];
}

interface Answer {
  status: number;
  type: string;
  text: string;
}

type Send = (path: string, body: string) => Promise<Answer>;

const { serveInference } = (await import(
  join(import.meta.dirname, '../../dist/serve.js')
)) as typeof import('../../src/serve/index.js');
const files = import.meta.glob<Cases>('../service/http/cases/hosted-*.json', { eager: true, import: 'default' });
const bodies = Object.values(files).flatMap(({ path, cases }) => cases.map((each) => ({ path, ...each })));

const OPTIONS: InferenceOptions = {
  compatibility: 'hosted',
  rateLimits: { requestsPerMinute: 100_000 },
  models: [
    {
      id: 'scripted-chat',
      task: 'chat',
      backend: 'scripted',
      contextLength: 20_000,
      script: { replies: [{ text: 'Hello there, friend.' }] },
    },
  ],
};

async function openPage(): Promise<{ send: Send; close: () => Promise<void> }> {
  const browser = await connectToSharedChromium();
  const page = await openHost(await newContext(browser), OPTIONS);
  const send: Send = (path, body) =>
    page.evaluate(
      async ([url, text]) => {
        const response = await fetch(url, { method: 'POST', body: text });
        const type = response.headers.get('content-type') ?? '';
        return { status: response.status, type, text: await response.text() };
      },
      [path, body] as const,
    );
  return { send, close: () => browser.close() };
}

async function openServer(): Promise<{ send: Send; close: () => Promise<void> }> {
  const server = await serveInference(OPTIONS);
  const send: Send = async (path, body) => {
    const response = await fetch(new URL(path, server.baseURL), { method: 'POST', body });
    const type = response.headers.get('content-type') ?? '';
    return { status: response.status, type, text: await response.text() };
  };
  return { send, close: () => server.close() };
}

describe.each([
  ['the Service Worker', openPage],
  ['serve', openServer],
])('agents’ bodies through %s', (_, open) => {
  let service: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    service = await open();
  });
  afterAll(() => service.close());

  it('are answered as recorded, whole and streamed', async () => {
    expect(bodies.length).toBeGreaterThan(35);
    for (const { name, path, body, status } of bodies) {
      const whole = await service.send(path, JSON.stringify(body));
      expect({ name, status: whole.status, text: whole.text }).toMatchObject({ name, status });
      if (status !== 200) continue;
      const streamed = await service.send(path, JSON.stringify({ ...body, stream: true }));
      expect({ name, ...streamed }).toMatchObject({ name, status, type: expect.stringContaining('text/event-stream') });
      expect(streamed.text).toContain('friend');
    }
  });
});
