import { expect, it, onTestFinished, vi } from 'vitest';
import { hostService, reachHost, reachStartedHost } from '../../src/extension/reach-host.js';
import { startInferenceHost } from '../../src/extension/host.js';
import { StatusWatch } from '../../src/extension/status-watch.js';
import { type RuntimePort, requireExtension } from '../../src/extension/web-extension.js';
import { connectInference } from '../../src/extension/connect-inference.js';
import { HOST_PORTS, type HostHello } from '../../src/extension/host-protocol.js';
import { serveControl } from '../../src/extension/host/serve-control.js';
import { WirePort } from '../../src/extension/wire-port.js';
import type { PageInference } from '../../src/core/models/page-inference.js';
import { PROTOCOL_VERSION } from '../../src/relay/protocol.js';
import { connectedPorts } from './support/runtime-ports.js';

/** An extension whose host and other contexts are this process. */
function stubExtension(
  sendMessage: () => Promise<unknown> = () => Promise.reject(new Error('Could not establish connection.')),
): { runtime: { id: string | undefined } } {
  const hosts = new Set<(port: RuntimePort) => void>();
  const api = {
    runtime: {
      id: 'extension' as string | undefined,
      getURL: (path: string) => `chrome-extension://extension/${path}`,
      sendMessage,
      onConnect: { addListener: (listener: (port: RuntimePort) => void) => hosts.add(listener) },
      connect({ name }: { name: string }) {
        const [caller, callee] = connectedPorts(name, { origin: 'chrome-extension://extension' });
        queueMicrotask(() => {
          for (const host of hosts) host(callee);
          if (hosts.size === 0) callee.disconnect();
        });
        return caller;
      },
    },
  };
  vi.stubGlobal('chrome', api);
  return api;
}

const { signal } = new AbortController();

it('a host that cannot start tells its error to whoever connects, then and later', async () => {
  stubExtension();
  const wrong = { routes: {} } as object;
  const started = startInferenceHost(wrong);
  const early = reachHost('request', signal);
  await expect(started).rejects.toMatchObject({ code: 'invalid_request', param: 'routes' });
  await expect(early).rejects.toMatchObject({ code: 'invalid_request', param: 'routes' });
  await expect(reachHost('control', signal)).rejects.toMatchObject({ code: 'invalid_request', param: 'routes' });
});

it('without a host, and without a background that opens one, connecting fails and says so', async () => {
  stubExtension();
  await expect(reachHost('request', signal)).rejects.toThrow('keepInferenceHost');
});

it('outside an extension, and in one that was reloaded since, nothing can be reached', async () => {
  await expect(reachHost('request', signal)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(startInferenceHost()).rejects.toMatchObject({ code: 'unavailable', details: { permanent: true } });
});

it('a host whose document opens and never starts is waited for as long as it may take, and no longer', async () => {
  stubExtension(() => Promise.resolve({}));
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((limit) => {
    expect(limit).toBeLessThan(60_000);
    const late = new AbortController();
    setTimeout(() => late.abort(new DOMException('late', 'TimeoutError')), 250);
    return late.signal;
  });
  onTestFinished(() => timeout.mockRestore());
  const error = { name: 'InferenceError', code: 'unavailable', message: expect.stringContaining('in time') as string };
  await expect(hostService(signal)).rejects.toMatchObject(error);
  await expect(reachStartedHost('control', signal)).rejects.toMatchObject(error);
  const left = new AbortController();
  const reached = reachStartedHost('page', left.signal);
  left.abort(new Error('left'));
  await expect(reached).rejects.toThrow('left');
});

it('whoever connects does not wait for the state of a host that is gone again', async () => {
  stubExtension();
  vi.useFakeTimers();
  const stopped = new AbortController();
  onTestFinished(() => {
    stopped.abort();
    vi.useRealTimers();
  });
  const watch = new StatusWatch(stopped.signal);
  const first = vi.fn<() => void>();
  void watch.first.then(first);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(first).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(first).toHaveBeenCalledOnce();
  expect(watch.models).toEqual([]);
});

it('an extension that is reloaded while its background is asked is the error of one that was reloaded', async () => {
  const api = stubExtension(() => {
    api.runtime.id = undefined;
    throw new Error('Extension context invalidated.');
  });
  await expect(reachHost('request', signal)).rejects.toMatchObject({
    code: 'unavailable',
    details: { permanent: true },
  });
});

it('what has no result resolves with undefined, which messages cannot carry', async () => {
  stubExtension();
  const loaded: string[] = [];
  const inference = {
    load: (model: string) => {
      loaded.push(model);
      return Promise.resolve();
    },
    status: () => [],
    subscribe: () => () => {},
  } as Partial<PageInference> as PageInference;
  requireExtension().runtime.onConnect.addListener((runtimePort) => {
    const port = new WirePort(runtimePort);
    const hello: HostHello = { type: 'hello', version: PROTOCOL_VERSION, prefix: '/v1', compatibility: null };
    port.postMessage(hello);
    const kind = runtimePort.name === HOST_PORTS.status ? 'status' : 'control';
    void serveControl(port, kind, { inference, isOwn: false });
  });
  const connection = await connectInference();
  onTestFinished(() => connection.stop());
  expect(await connection.load('brief')).toBeUndefined();
  expect(loaded).toEqual(['brief']);
});
