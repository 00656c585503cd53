import { transfer, wrap } from 'comlink';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InferenceError } from '../../src/core/errors/inference-error.js';
import type { Backend } from '../../src/core/models/backend.js';
import type { LoadProgress } from '../../src/core/models/model-entry.js';
import { createGateway } from '../../src/service/create-gateway.js';
import type { GatewayOptions, HostPageControl } from '../../src/service/gateway-control.js';
import { scriptedBackend } from '../../src/engines/scripted/scripted-backend.js';
import { serveModel } from '../../src/engines/worker/serve-model.js';
import { ServiceClient } from '../../src/page/service-client.js';
import { serveControl } from '../../src/relay/control/control-channel.js';
import { connectThrough } from '../../src/relay/handshake.js';
import { openPorts } from '../support/open-ports.js';

// The storage that it asks exists in browsers.
vi.mock(import('../../src/page/manage-models.js'), () => ({ requestPersistence: async () => undefined }));

const OPTIONS: GatewayOptions = {
  models: [{ id: 'm', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Hi' }] } }],
  compatibility: 'service',
  requestTimeout: 15,
  prefix: '/v1',
  load: { assetsURL: 'http://localhost/inpage/', pageURL: 'http://localhost/' },
};
const REPORT: LoadProgress = { model: 'm', file: 'a', loadedBytes: 1, totalBytes: 2, stage: 'download' };
const DETAILS = { neededBytes: 3, freeBytes: 1, removable: [{ source: 'http://localhost/m/', bytes: 1, lastUsed: 0 }] };

/** Works, says what the fetching of files was told, and refuses to load when it shall. */
function backend() {
  const state = { refuses: false, cancelled: false };
  const engine: Backend = {
    async load(entry, options) {
      options.onProgress(REPORT);
      if (state.refuses) throw new InferenceError('insufficient_resources', 'No room.', DETAILS);
      return scriptedBackend.load(entry, options);
    },
    fetchFiles: (_, { onProgress, signal }) =>
      new Promise((_resolve, reject) => {
        onProgress(REPORT);
        signal.addEventListener('abort', () => {
          state.cancelled = true;
          reject(signal.reason as Error);
        });
      }),
  };
  return { state, engine };
}

/** The ports through which a page reaches its engine; `die` closes them all, as the end of a worker does. */
function engine() {
  const { state, engine: model } = backend();
  const ends: MessagePort[] = [];
  const page: HostPageControl = {
    async spawnModelWorker() {
      const { port1, port2 } = new MessageChannel();
      serveModel(port2, async () => model);
      return transfer({ id: 1, port: port1, lifeline: undefined }, [port1]);
    },
    serveInPage: () => new Promise(() => {}),
    endModelWorker() {},
    readPdf: () => new Promise(() => {}),
    keepStored: async () => {},
  };
  const { port1, port2 } = new MessageChannel();
  serveControl(page, port1);
  const gateway = createGateway(OPTIONS, wrap<HostPageControl>(port2));
  const connect = (port: MessagePort): void => {
    ends.push(port);
    port.addEventListener('message', (event) => ends.push(...event.ports));
    gateway.connect(port);
  };
  const die = (): void => ends.splice(0).forEach((port) => port.close());
  return { state, connect, die, page: port1 };
}

let current: ReturnType<typeof engine>;
let client: ServiceClient;
let progress: LoadProgress[];
beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  progress = [];
  current = engine();
  client = new ServiceClient(
    (signal) => connectThrough((port) => current.connect(port), signal),
    (report) => progress.push(report),
  );
  await client.ready;
});
afterEach(() => {
  client.stop();
  current.page.close();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const state = () => client.status()[0]?.state;

describe('ServiceClient', () => {
  it('loads and unloads, and knows the state at once', async () => {
    expect(state()).toBe('absent');
    await client.load('m');
    expect(state()).toBe('ready');
    await client.unload('m');
    expect(state()).toBe('absent');
  });

  it('tells the progress of every load', async () => {
    await client.load('m');
    await expect.poll(() => progress).toContainEqual(REPORT);
  });

  it('rejects with the error of the engine, all its fields included', async () => {
    current.state.refuses = true;
    await expect(client.load('m')).rejects.toMatchObject({ code: 'insufficient_resources', details: DETAILS });
    await expect(client.load('none')).rejects.toMatchObject({ code: 'model_not_found', param: 'model' });
    await expect(client.setFaults({ nonsense: 1 } as never)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('[P07] refuses to warm a prompt without the option, which it names', async () => {
    await expect(client.cachePrompt('m', 'Hello')).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'promptCache',
    });
  });

  it('cancels a download, in the model worker too', async () => {
    const controller = new AbortController();
    const downloading = client.download('m', undefined, controller.signal);
    await expect.poll(() => progress).toContainEqual(REPORT);
    controller.abort();
    await expect(downloading).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => current.state.cancelled).toBe(true);
  });

  it('cancels the download of a tab that is gone', async () => {
    const downloading = client.download('m').catch((thrown: unknown) => thrown);
    await expect.poll(() => progress).toContainEqual(REPORT);
    current.die();
    expect(await downloading).toMatchObject({ code: 'unavailable' });
    await expect.poll(() => current.state.cancelled).toBe(true);
  });

  it('rejects what is under way when the engine dies, and finds the next one', async () => {
    const downloading = client.download('m').catch((thrown: unknown) => thrown);
    await expect.poll(() => progress).toContainEqual(REPORT);
    const before = current;
    current = engine();
    before.die();
    expect(await downloading).toMatchObject({ code: 'unavailable' });
    await client.load('m');
    expect(state()).toBe('ready');
    await client.unload('m');
    await expect.poll(state).toBe('absent');
    before.page.close();
  });

  it('leaves no port of its calls behind', async () => {
    // The ports of one subscription are there already; those of calls are made and closed.
    const open = openPorts();
    for (let call = 0; call < 5; call++) await client.setFaults({});
    await client.load('m');
    await client.unload('m');
    expect(open.made()).toBeGreaterThan(20);
    await expect.poll(open.count).toBe(0);
  });

  it('says after `stop` that it stays stopped, and what to do', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
    client.stop();
    const message =
      '`stop()` was called on this `inference`. Call `startInference` again and use the object that it returns.';
    const calls = [client.load('m'), client.cachePrompt('m', 'Hi'), client.setFaults({}), client.recorded()];
    for (const call of calls)
      await expect(call).rejects.toMatchObject({ code: 'unavailable', message, details: { permanent: true } });
    client.subscribe(() => {});
    expect(warned.mock.calls).toEqual([[`inpage: ${message}`]]);
  });

  it('ends its subscription with `stop`', async () => {
    client.stop();
    const open = openPorts();
    const other = new ServiceClient(
      (signal) => connectThrough((port) => current.connect(port), signal),
      () => {},
    );
    await other.ready;
    expect(open.count()).toBeGreaterThan(0);
    other.stop();
    await expect.poll(open.count).toBe(0);
  });
});
