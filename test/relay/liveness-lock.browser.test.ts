/** Watching other realms by their Web Locks, in Chromium. */
import { expect, it } from 'vitest';
import { onPeerDeath } from '../../src/relay/liveness-lock.js';

/** A lock that is held until `release`. */
async function holdLock(name: string): Promise<{ release: () => void }> {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await new Promise<void>((resolve) => {
    void navigator.locks.request(name, () => {
      resolve();
      return held;
    });
  });
  return { release };
}

const waitingFor = async (name: string): Promise<number> =>
  ((await navigator.locks.query()).pending ?? []).filter((request) => request.name === name).length;

it('a peer whose lock is not among those of this realm counts as alive', async () => {
  // As in Chromium after the site's data was cleared: whoever speaks holds it elsewhere.
  let isDead = false;
  const { signal } = new AbortController();
  onPeerDeath(`inpage:life:${crypto.randomUUID()}`, () => (isDead = true), signal);
  await navigator.locks.query();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isDead).toBe(false);
});

it('all calls to a peer share one request to the browser, and each learns of its death that has not ended', async () => {
  const name = `inpage:life:${crypto.randomUUID()}`;
  const { release } = await holdLock(name);
  const told: string[] = [];
  const ended = new AbortController();
  const { signal } = new AbortController();
  onPeerDeath(name, () => told.push('first'), signal);
  onPeerDeath(name, () => told.push('ended'), ended.signal);
  ended.abort();
  onPeerDeath(name, () => told.push('third'), signal);
  await expect.poll(() => waitingFor(name)).toBe(1);
  release();
  await expect.poll(() => told).toEqual(['first', 'third']);
  expect(await waitingFor(name)).toBe(0);
  // Whoever comes later learns it too.
  onPeerDeath(name, () => told.push('late'), signal);
  await expect.poll(() => told).toEqual(['first', 'third', 'late']);
});
