import { afterEach, expect, it, vi } from 'vitest';
import { availableLocks } from '../../../src/core/platform/web-locks.js';

afterEach(() => vi.unstubAllGlobals());

class LockManager {
  request(): Promise<void> {
    return Promise.resolve();
  }
}

it('[Y33] does not use the Web Locks of Node, where threads that wait for each other spin', () => {
  vi.stubGlobal('navigator', { locks: new LockManager() });
  expect(availableLocks()).toBeUndefined();
});

it('uses those of a browser, also where it has `process`', () => {
  const locks = new LockManager();
  vi.stubGlobal('navigator', { locks });
  vi.stubGlobal('process', { ...process, versions: { node: '24.0.0', electron: '40.0.0' } });
  expect(availableLocks()).toBe(locks);
  vi.stubGlobal('process', undefined);
  expect(availableLocks()).toBe(locks);
});
