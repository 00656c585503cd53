import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findHost, type FindHostOptions, type TabClient } from '../../src/service-worker/find-host.js';
import { PROTOCOL_VERSION, type GatewayHandshake, type TabHandshake } from '../../src/relay/protocol.js';
import { passTimeUntil, stopTime } from '../support/pass-time.js';

/**
 * A `slow` host has a gateway that is just starting: it says hello when all other tabs have been asked. An `old host` is
 * of another version.
 */
type Role = 'host' | 'slow' | 'old host' | 'guest' | 'silent';

/** A tab of a group in a role; it counts what it was asked and the ports that were closed again. */
function tab(id: string, group: string, role: Role): TabClient & { role: Role; asked: number; hungUp: number } {
  return {
    id,
    role,
    asked: 0,
    hungUp: 0,
    postMessage(message, [port]) {
      this.asked += 1;
      if (!(port instanceof MessagePort)) throw new Error('no port');
      port.onmessage = () => (this.hungUp += 1);
      if (this.role === 'silent') return;
      const wanted = message.group === undefined || message.group === group;
      const hosts = this.role !== 'guest';
      const words: TabHandshake = { type: 'tab', group, hosts };
      port.postMessage(words);
      const version = PROTOCOL_VERSION - Number(this.role === 'old host');
      const hello: GatewayHandshake = { type: 'hello', version, lifeline: id };
      if (hosts && wanted) setTimeout(() => port.postMessage(hello), this.role === 'slow' ? 800 : 0);
    },
  };
}

/** Whose gateway is found. */
async function lifelineOf(options: Omit<FindHostOptions, 'prefix' | 'signal'>): Promise<string | undefined> {
  const { signal } = new AbortController();
  const { port, hello } = await passTimeUntil(findHost({ prefix: '/v1', signal, ...options }));
  port.close();
  return hello.lifeline;
}

const find = (tabs: TabClient[], asker?: string, group?: string): Promise<string | undefined> =>
  lifelineOf({ tabs: async () => tabs, asker, group });

beforeEach(stopTime);
afterEach(() => void vi.useRealTimers());

describe('findHost', () => {
  it('takes the asking tab when it hosts, and asks nobody else', async () => {
    const other = tab('b', 'g', 'guest');
    expect(await find([other, tab('a', 'g', 'host')], 'a')).toBe('a');
    expect(other.asked).toBe(0);
  });

  it('finds the host of the asking tab’s group, not of another', async () => {
    expect(await find([tab('x', 'other', 'host'), tab('a', 'g', 'guest'), tab('b', 'g', 'host')], 'a')).toBe('b');
  });

  it('asks all others when the asking tab does not answer', async () => {
    expect(await find([tab('a', 'g', 'silent'), tab('b', 'g', 'host')], 'a')).toBe('b');
  });

  it('waits for the asking tab’s own gateway while that starts, and takes no other group’s', async () => {
    expect(await find([tab('x', 'other', 'host'), tab('a', 'g', 'slow')], 'a')).toBe('a');
  });

  it('knows the group of a busy tab from what that said before', async () => {
    const groups = new Map<string, string>();
    const asker = tab('a', 'g', 'guest');
    const all = [tab('x', 'other', 'host'), asker, tab('b', 'g', 'host')];
    const ask = () => lifelineOf({ tabs: async () => all, asker: 'a', groups });
    await ask();
    asker.role = 'silent';
    expect(await ask()).toBe('b');
  });

  it('serves requests without a tab', async () => {
    expect(await find([tab('b', 'g', 'host')], '')).toBe('b');
  });

  it('takes no gateway of another version', async () => {
    const all = [tab('a', 'g', 'old host'), tab('b', 'h', 'slow')];
    expect(await lifelineOf({ tabs: async () => all })).toBe('b');
  });

  it('looks for the named group only', async () => {
    expect(await find([tab('a', 'one', 'host'), tab('b', 'two', 'host')], undefined, 'two')).toBe('b');
  });

  it('waits for the next in line while the host is changing', async () => {
    const next = tab('b', 'g', 'guest');
    setTimeout(() => (next.role = 'host'), 500);
    expect(await find([tab('a', 'g', 'guest'), next], 'a')).toBe('b');
  });

  it('chooses one of several and hangs up on the rest', async () => {
    const tabs = [tab('a', 'g', 'host'), tab('b', 'g', 'host')];
    await find(tabs);
    await passTimeUntil(new Promise((resolve) => setTimeout(resolve, 50)));
    expect(tabs[0]!.hungUp + tabs[1]!.hungUp).toBe(1);
  });

  it('gives up with the signal', async () => {
    const signal = AbortSignal.timeout(100);
    const silent = tab('a', 'g', 'silent');
    await expect(findHost({ tabs: async () => [silent], prefix: '/v1', signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });
});
