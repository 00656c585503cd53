import { type Remote, transfer, wrap } from 'comlink';
import { afterEach, expect, it, vi } from 'vitest';
import { createGateway } from '../../src/service/create-gateway.js';
import type { GatewayOptions, HostPageControl, SpawnedWorker } from '../../src/service/gateway-control.js';
import { serveControl } from '../../src/relay/control/control-channel.js';
import { ServiceClient } from '../../src/page/service-client.js';
import { connectThrough } from '../../src/relay/handshake.js';

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
  let started: ((worker: SpawnedWorker) => void) | undefined;
  const ended: unknown[] = [];
  const page: HostPageControl = {
    spawnModelWorker: () => new Promise((resolve) => (started = resolve)),
    serveInPage: () => new Promise(() => {}),
    endModelWorker: (id) => void ended.push(id),
    readPdf: () => new Promise(() => {}),
    keepStored: async () => {},
  };
  const gateway = createGateway(OPTIONS, remote(page));
  const client = new ServiceClient(
    (signal) => connectThrough((port) => gateway.connect(port), signal),
    () => {},
  );
  const outcome = client.load('m').catch((thrown: unknown) => thrown);
  await vi.waitFor(() => expect(started).toBeDefined());
  await vi.advanceTimersByTimeAsync(45_100);
  expect(await outcome).toMatchObject({ code: 'unavailable', details: { retryAfter: 5 } });
  const late = new MessageChannel();
  started!(transfer({ id: 7, port: late.port1, lifeline: undefined }, [late.port1]));
  await vi.waitFor(() => expect(ended).toEqual([7]));
  late.port2.close();
  client.stop();
});

/** The page at the other end of a port. */
function remote(page: HostPageControl): Remote<HostPageControl> {
  const { port1, port2 } = new MessageChannel();
  serveControl(page, port1);
  return wrap<HostPageControl>(port2);
}
