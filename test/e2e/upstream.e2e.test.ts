/** Models of a remote `/v1`, in a real page: what leaves it, and what does not. */
import type { BrowserContext } from 'playwright';
import { describe, expect, it } from 'vitest';
import type { ModelEntry, UpstreamEntry } from '../../src/index.js';
import {
  abortStream,
  ask,
  countingModel,
  openHost,
  requireNothingLeaked,
  takeServerLog,
  startStream,
  streamEnd,
} from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';
import { type RemoteService, serveRemote } from './support/remote-service.js';

const COUNT = countingModel(6, 0, 'count');
/** Runs for longer than any test waits. */
const ENDLESS = countingModel(20_000, 25, 'endless');

let context: BrowserContext;
let remote: RemoteService;
withContexts(
  async (fresh) => {
    await takeServerLog();
    remote = await serveRemote([COUNT, ENDLESS, { id: 'vectors', task: 'embeddings', backend: 'scripted' }]);
    context = fresh;
  },
  async () => {
    await remote.close();
    await requireNothingLeaked();
  },
);

/** A model of the remote service, under a name of this page. */
const far = (id: string, upstreamModel: string, overrides: Partial<UpstreamEntry> = {}): UpstreamEntry => ({
  id,
  task: 'chat',
  backend: 'upstream',
  source: remote.baseURL,
  upstreamModel,
  ...overrides,
});

describe('an upstream model', () => {
  it('streams its answer into the page, with the app’s credentials and never with a client’s', async () => {
    const headers = { authorization: 'Bearer of-the-app' };
    const page = await openHost(context, { models: [far('cloud', 'count', { headers })], apiKeys: ['of-a-client'] });
    const question = { max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] };
    const answer = await page.evaluate(async (body) => {
      const response = await fetch('/v1/messages', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'of-a-client' },
        body: JSON.stringify({ model: 'cloud', ...body }),
      });
      return (await response.json()) as { usage: { input_tokens: number } };
    }, question);
    expect(answer).toMatchObject({ model: 'cloud', content: [{ text: 'w0 w1 w2 w3 w4 w5 ' }] });
    expect(answer.usage.input_tokens).toBeGreaterThan(0);
    expect(remote.requests).toEqual([{ line: 'POST /v1/chat/completions', authorization: 'Bearer of-the-app' }]);
    const body = JSON.stringify({ model: 'count', ...question });
    const direct = await fetch(`${remote.baseURL}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(answer.usage).toEqual(((await direct.json()) as typeof answer).usage);
  });

  it('is asked by several at a time, and learns that one has left', async () => {
    const page = await openHost(context, { models: [far('long', 'endless'), far('short', 'count')] });
    await startStream(page, 'long');
    expect(await ask(page, 'short')).toMatchObject({ status: 200 });
    await abortStream(page);
    await expect.poll(() => remote.left, { timeout: 10_000 }).toBe(1);
  });

  it('gives embeddings too', async () => {
    const page = await openHost(context, { models: [far('embed', 'vectors', { task: 'embeddings' })] });
    const lengths = await page.evaluate(async () => {
      const body = JSON.stringify({ model: 'embed', input: ['one', 'two'] });
      const response = await fetch('/v1/embeddings', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      const { data } = (await response.json()) as { data: { embedding: number[] }[] };
      return data.map(({ embedding }) => embedding.length);
    });
    expect(lengths).toEqual([64, 64]);
  });

  it('[X17] answers 503 when its service is gone, and breaks a stream under way with an error event', async () => {
    const page = await openHost(context, { models: [far('long', 'endless')] });
    await startStream(page, 'long');
    await remote.close();
    expect(await streamEnd(page)).toMatchObject({
      lastData: expect.stringMatching(/"error":\{.*"code":"unavailable"/) as string,
      error: undefined,
    });
    expect(await ask(page, 'long')).toEqual({ status: 503, text: 'Service Temporarily Unavailable' });
  });

  it('stands in for a model that this device cannot run', async () => {
    const near: ModelEntry = {
      id: 'Llama-3.2-1B-Instruct-q4f16_1-MLC',
      task: 'chat',
      backend: 'web-llm',
      fallback: 'cloud',
    };
    const page = await openHost(context, { models: [near, far('cloud', 'count')] });
    const { status, text } = await ask(page, near.id);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      model: 'cloud',
      choices: [{ message: { content: 'w0 w1 w2 w3 w4 w5 ' } }],
    });
  });

  it('that would be answered by this page itself is refused at the start', async () => {
    const loop = { id: 'loop', task: 'chat', backend: 'upstream', source: '/v1' } as const;
    await expect(openHost(context, { models: [loop] })).rejects.toThrow(
      '`models.0.source` must be a service outside of',
    );
  });
});
