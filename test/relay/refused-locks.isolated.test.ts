/** Locks that a page cannot use: silence is then the only sign of a peer's death, and nothing waits for them. */
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => void vi.unstubAllGlobals());

it.each([
  ['rejects', () => Promise.reject(new DOMException('blocked', 'SecurityError'))],
  [
    'throws',
    () => {
      throw new TypeError('Illegal invocation');
    },
  ],
])('a lock manager that %s counts as none', async (_, request) => {
  vi.stubGlobal('navigator', { locks: { request } });
  vi.resetModules();
  const { onPeerDeath, ownLivenessLock } = await import('../../src/relay/liveness-lock.js');
  const { availableLocks } = await import('../../src/core/platform/web-locks.js');
  const died = vi.fn<() => void>();
  onPeerDeath('inpage:life:1', died, new AbortController().signal);
  expect(await ownLivenessLock()).toBeUndefined();
  expect(availableLocks()).toBeUndefined();
  expect(died).not.toHaveBeenCalled();
});
