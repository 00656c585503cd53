import { afterEach, expect, it, vi } from 'vitest';
import { registerServiceWorker } from '../../src/page/register-service-worker.js';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const settings = {
  serviceWorker: 'http://localhost/inpage-sw.js',
  crossOriginIsolation: false,
  prefix: '/v1',
  intercept: [],
  routes: [],
  whenUnhosted: 'fail',
} as const;
const NEVER = new Promise<never>(() => {});

it.each<[string, object]>([
  ['what is registered', { getRegistration: () => NEVER }],
  ['the script', { getRegistration: async () => undefined, register: () => NEVER }],
])('a browser that never brings %s is told of in time', async (_, container) => {
  vi.stubGlobal('location', { href: 'http://localhost/' });
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const late = new AbortController();
    setTimeout(() => late.abort(), 20);
    return late.signal;
  });
  const { signal } = new AbortController();
  const registering = registerServiceWorker(container as ServiceWorkerContainer, settings, { group: 'group', signal });
  await expect(registering).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('Reload the page') as string,
  });
});

it('a script of the app that does not import ours is named', async () => {
  vi.stubGlobal('location', { href: 'http://localhost/' });
  vi.stubGlobal('fetch', async () => new Response("self.addEventListener('push', show);"));
  const url = 'http://localhost/app-sw.js';
  const active = { scriptURL: url, state: 'activated', addEventListener: () => {}, postMessage: () => {} };
  const registration = { scope: 'http://localhost/', active, installing: null, waiting: null };
  const container = { getRegistration: async () => registration, register: async () => registration };
  const { signal } = new AbortController();
  const own = { ...settings, serviceWorker: url };
  const registering = registerServiceWorker(container as unknown as ServiceWorkerContainer, own, {
    group: 'group',
    signal,
  });
  await expect(registering).rejects.toThrow(
    "app-sw.js does not import Inpage. Make importScripts('inpage-sw.js') its first line",
  );
});

it.each([undefined, null, {}])(
  'a browser whose `register` gives %s is said to block Service Workers',
  async (given) => {
    vi.stubGlobal('location', { href: 'http://localhost/' });
    const container = { getRegistration: async () => undefined, register: async () => given };
    const { signal } = new AbortController();
    const registering = registerServiceWorker(container as unknown as ServiceWorkerContainer, settings, {
      group: 'group',
      signal,
    });
    await expect(registering).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/blocks Service Workers.*serviceWorker: false/) as string,
    });
  },
);
