import { describe, expect, it } from 'vitest';
import { connectThrough } from '../../src/relay/handshake.js';
import type { Connect } from '../../src/relay/handshake.js';
import { serveCall } from '../../src/service/serve-call.js';
import { createInferenceFetch } from '../../src/page/inference-fetch.js';

const BASES = { origin: 'https://app.test', prefix: '/v1', intercept: [] };

/** A fetch whose engine answers with what it was sent. */
function build() {
  const handlers = {
    request: async (request: Request) => new Response(`engine: ${await request.text()}`),
    control: () => {},
  };
  const connect: Connect = (signal) => connectThrough((port) => void serveCall(port, handlers), signal);
  return createInferenceFetch({ ...BASES, compatibility: 'service' }, connect, async () => new Response('network'));
}

describe('inference.fetch', () => {
  it('answers below the base by the engine, and leaves all else to the network', async () => {
    const inferenceFetch = build();
    const own = await inferenceFetch('https://app.test/v1/models', { method: 'POST', body: 'hello' });
    expect(await own.text()).toBe('engine: hello');
    expect(await (await inferenceFetch('https://app.test/v2/models')).text()).toBe('network');
  });

  it('takes a stream as body', async () => {
    const body = new Blob(['piece by piece']).stream();
    const response = await build()('https://app.test/v1/models', { method: 'POST', body });
    expect(await response.text()).toBe('engine: piece by piece');
  });

  it('rejects when it is aborted while the body still comes', async () => {
    const controller = new AbortController();
    const endless = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) });
    const answer = build()('https://app.test/v1/models', { method: 'POST', body: endless, signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('rejects at once with a signal that is aborted already', async () => {
    const signal = AbortSignal.abort();
    await expect(build()('https://app.test/v1/models', { signal })).rejects.toMatchObject({ name: 'AbortError' });
  });
});
