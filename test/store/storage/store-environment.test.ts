import { afterEach, expect, it, vi } from 'vitest';
import { browserStore, defaultEnvironment } from '../../../src/store/storage/store-environment.js';

afterEach(() => vi.unstubAllGlobals());

it('the device is offline when the browser says so; Node says nothing', () => {
  expect(defaultEnvironment.isOffline()).toBe(false);
  vi.stubGlobal('navigator', { onLine: false });
  expect(defaultEnvironment.isOffline()).toBe(true);
  vi.stubGlobal('navigator', { onLine: true });
  expect(defaultEnvironment.isOffline()).toBe(false);
});

it('a pause ends as soon as the network is back, and with its signal', async () => {
  const realm = new EventTarget();
  vi.stubGlobal('addEventListener', realm.addEventListener.bind(realm));
  const waiting = defaultEnvironment.pause(60_000, new AbortController().signal);
  realm.dispatchEvent(new Event('online'));
  await waiting;
  const over = new AbortController();
  const cancelled = defaultEnvironment.pause(60_000, over.signal);
  over.abort();
  await expect(cancelled).rejects.toMatchObject({ name: 'AbortError' });
});

it.each(['chrome-extension', 'moz-extension', 'safari-web-extension'])(
  'what is not in a package at %s: is absent, because there a missing file is a network error',
  async (scheme) => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    expect((await defaultEnvironment.fetch(`${scheme}://id/models/m/chat_template.jinja`, {})).status).toBe(404);
    await expect(defaultEnvironment.fetch('https://a.test/chat_template.jinja', {})).rejects.toThrow('Failed to fetch');
    const signal = AbortSignal.abort();
    await expect(defaultEnvironment.fetch(`${scheme}://id/a`, { signal })).rejects.toThrow('Failed to fetch');
  },
);

it.each(['chrome-extension', 'moz-extension', 'safari-web-extension'])(
  'no range is asked of a package at %s:, because Chromium says 200 of a part; other headers and servers are as asked',
  async (scheme) => {
    const asked: Headers[] = [];
    vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
      asked.push(new Headers(init.headers));
      return new Response('whole');
    });
    const headers = { range: 'bytes=0-1', accept: 'text/plain' };
    const response = await defaultEnvironment.fetch(`${scheme}://id/models/m/m.gguf`, { headers });
    await defaultEnvironment.fetch('https://a.test/m.gguf', { headers });
    expect(await response.text()).toBe('whole');
    expect(asked.map((sent) => Object.fromEntries(sent))).toEqual([{ accept: 'text/plain' }, headers]);
  },
);

it('models are in memory where the browser refuses its file system, as private windows do, whatever else it has', async () => {
  vi.stubGlobal('FileSystemFileHandle', { prototype: { createSyncAccessHandle: true } });
  const getDirectory = () => Promise.reject(new DOMException('Security error', 'SecurityError'));
  vi.stubGlobal('navigator', { storage: { getDirectory } });
  vi.stubGlobal('caches', { open: () => Promise.reject(new Error('Not asked.')) });
  expect((await browserStore()).storage.lasting).toBe(false);
});
