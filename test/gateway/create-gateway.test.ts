import { afterEach, expect, it, vi } from 'vitest';
import { createGateway } from '../../src/gateway/create-gateway.js';
import type { GatewayOptions, PageControl, SpawnResult } from '../../src/gateway/gateway-control.js';
import type { Ask } from '../../src/relay/control/control-line.js';
import { awaitHandshake } from '../../src/relay/handshake.js';
import { openCall } from '../../src/relay/stream/open-call.js';
import { REQUEST_TIMING } from '../../src/relay/stream/call-timing.js';
import type { Snapshot } from '../../src/relay/protocol.js';

afterEach(() => vi.useRealTimers());

const OPTIONS: GatewayOptions = {
  models: [{ id: 'm', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Hi' }] } }],
  compatibility: 'service',
  requestTimeout: 15,
  prefix: '/v1',
  load: { assetsURL: 'http://localhost/inpage/', pageURL: 'http://localhost/' },
};

it('a page that starts no worker: the load ends, and a worker that comes later does not stay', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let started: ((result: SpawnResult) => void) | undefined;
  const ended: unknown[] = [];
  const page = (async (name: keyof PageControl, value: unknown) => {
    if (name === 'endModelWorker') return void ended.push(value);
    return new Promise<SpawnResult>((resolve) => (started = resolve));
  }) as Ask<PageControl>;
  const { port1, port2 } = new MessageChannel();
  createGateway(OPTIONS, page).connect(port2);
  await awaitHandshake(port1).hello;
  const payload = { control: 'load', model: 'm' };
  const signal = new AbortController().signal;
  const call = openCall<Snapshot>(port1, payload, { signal, timing: REQUEST_TIMING, lifeline: undefined });
  const outcome = call.next().catch((thrown: unknown) => thrown);
  await vi.waitFor(() => expect(started).toBeDefined());
  await vi.advanceTimersByTimeAsync(45_100);
  expect(await outcome).toMatchObject({ code: 'unavailable', details: { retryAfter: 5 } });
  const late = new MessageChannel();
  started!({ started: true, id: 7, port: late.port1, lifeline: undefined });
  await vi.waitFor(() => expect(ended).toEqual([7]));
  late.port1.close();
  port2.close();
});
