import { afterEach, expect, it } from 'vitest';
import { vi } from 'vitest';
import { watchHost } from '../../src/page/host-watch.js';
import { passTimeUntil, stopTime } from '../support/pass-time.js';

let over = new AbortController();
afterEach(() => {
  over.abort();
  over = new AbortController();
  vi.useRealTimers();
});

/** A tab of the group; a silent one hosts but says nothing, so it is not even there. */
function tab(hosts: boolean) {
  const state = { hosts, tookOver: 0 };
  const miss = watchHost(
    'group',
    { isHost: () => state.hosts, takeOver: () => (state.tookOver += 1) && (state.hosts = true) },
    over.signal,
  );
  return { state, miss };
}

it('leaves the place to a host that answers', async () => {
  stopTime();
  const [guest] = [tab(false), tab(true)];
  await passTimeUntil(guest.miss());
  expect(guest.state.tookOver).toBe(0);
});

it('takes the place of a host that does not answer, once', async () => {
  stopTime();
  const guest = tab(false);
  await passTimeUntil(Promise.all([guest.miss(), guest.miss()]));
  expect(guest.state.tookOver).toBe(1);
});

it('lets one of several guests take it, whose answer holds the others back', async () => {
  stopTime();
  vi.spyOn(Math, 'random').mockReturnValueOnce(0.9).mockReturnValueOnce(0.1).mockReturnValueOnce(0.5);
  const guests = [tab(false), tab(false), tab(false)];
  const missing = guests.map(async ({ state, miss }) => {
    await miss();
    // As a tab does that becomes the host.
    if (state.hosts) await miss();
  });
  await passTimeUntil(Promise.all(missing));
  expect(guests.map(({ state }) => state.tookOver)).toEqual([0, 1, 0]);
});
