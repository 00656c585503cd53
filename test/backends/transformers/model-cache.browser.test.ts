import { afterEach, describe, expect, it, vi } from 'vitest';
import { keepFresh, MODEL_CACHE } from '../../../src/backends/transformers/model-cache.js';

const KEY = '/models/some/config.json';
const answer = (etag: string): Response => new Response('{}', { headers: { etag } });
const cache = keepFresh((key) => new URL(key, location.href).href);

afterEach(async () => {
  vi.unstubAllGlobals();
  await caches.delete(MODEL_CACHE);
});

describe('keepFresh', () => {
  it('gives out what it keeps while the server has the same', async () => {
    await cache.put(KEY, answer('"1"'));
    vi.stubGlobal('fetch', async () => answer('"1"'));
    expect(await (await cache.match(KEY))?.text()).toBe('{}');
  });

  it('forgets what the server has changed', async () => {
    await cache.put(KEY, answer('"1"'));
    vi.stubGlobal('fetch', async () => answer('"2"'));
    expect(await cache.match(KEY)).toBeUndefined();
  });

  it('gives out what it keeps without a network, and when the server knows nothing of it', async () => {
    await cache.put(KEY, answer('"1"'));
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('offline')));
    expect(await cache.match(KEY)).toBeDefined();
    vi.stubGlobal('fetch', async () => new Response(null, { status: 503 }));
    expect(await cache.match(KEY)).toBeDefined();
  });

  it('does not ask about files of the hub', async () => {
    const hub = keepFresh(undefined);
    await hub.put('https://example.com/a.json', answer('"1"'));
    vi.stubGlobal('fetch', () => Promise.reject(new Error('asked')));
    expect(await hub.match('https://example.com/a.json')).toBeDefined();
    expect(await hub.match('https://example.com/b.json')).toBeUndefined();
  });
});
