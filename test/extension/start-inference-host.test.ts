import { expect, it, vi } from 'vitest';
import { reachHost } from '../../src/extension/reach-host.js';
import { startInferenceHost } from '../../src/extension/host.js';
import type { RuntimePort } from '../../src/extension/web-extension.js';
import { connectedPorts } from './support/runtime-ports.js';

/** An extension whose host and other contexts are this process. */
function stubExtension(): void {
  const hosts = new Set<(port: RuntimePort) => void>();
  vi.stubGlobal('chrome', {
    runtime: {
      id: 'extension',
      getURL: (path: string) => `chrome-extension://extension/${path}`,
      sendMessage: () => Promise.reject(new Error('Could not establish connection.')),
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
  });
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
