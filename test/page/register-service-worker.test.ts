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
