import { afterEach, expect, it, vi } from 'vitest';
import { surroundings } from '../../../src/store/storage/store-environment.js';

afterEach(() => vi.unstubAllGlobals());

it('the device is offline when the browser says so; Node says nothing', () => {
  expect(surroundings.isOffline()).toBe(false);
  vi.stubGlobal('navigator', { onLine: false });
  expect(surroundings.isOffline()).toBe(true);
  vi.stubGlobal('navigator', { onLine: true });
  expect(surroundings.isOffline()).toBe(false);
});

it('a pause ends as soon as the network is back, and with its signal', async () => {
  const realm = new EventTarget();
  vi.stubGlobal('addEventListener', realm.addEventListener.bind(realm));
  const waiting = surroundings.pause(60_000, new AbortController().signal);
  realm.dispatchEvent(new Event('online'));
  await waiting;
  const over = new AbortController();
  const cancelled = surroundings.pause(60_000, over.signal);
  over.abort();
  await expect(cancelled).rejects.toMatchObject({ name: 'AbortError' });
});
