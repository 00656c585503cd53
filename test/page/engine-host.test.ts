import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineHost } from '../../src/page/engine-host.js';
import type { GatewayOptions } from '../../src/gateway/gateway-control.js';

const OPTIONS: GatewayOptions = {
  models: [],
  apiKeys: undefined,
  rateLimits: undefined,
  requestTimeout: 600,
  prefix: '/v1',
  assetsURL: 'http://localhost/inpage/',
  pageURL: 'http://localhost/',
};

/** A worker that takes messages as a real one does, and answers none. */
class SilentWorker extends EventTarget {
  static made: SilentWorker[] = [];
  ended = false;

  constructor() {
    super();
    SilentWorker.made.push(this);
  }

  /** What its script would say first. */
  start(): void {
    this.dispatchEvent(new MessageEvent('message', { data: { type: 'ready', lifeline: 'its-life' } }));
  }

  postMessage(message: unknown, transfer: Transferable[]): void {
    structuredClone(message, { transfer });
  }

  terminate(): void {
    this.ended = true;
  }
}

/** Calls back whoever waits for this worker's lifeline: it is dead. */
let dies: () => void;
beforeEach(() => {
  SilentWorker.made = [];
  const request = (_name: string, _options: object, granted: () => void): Promise<void> =>
    new Promise((resolve) => (dies = () => resolve(granted())));
  vi.stubGlobal('Worker', SilentWorker);
  vi.stubGlobal('navigator', { locks: { request } });
  vi.spyOn(console, 'error').mockImplementation(() => {});
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Lets promises settle, and time pass. */
const pass = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds);

describe('a gateway that does not start', () => {
  it('is ended before the next one is tried, when its options cannot be sent', async () => {
    const host = new EngineHost({ ...OPTIONS, models: [() => {}] as never });
    SilentWorker.made[0]?.start();
    await pass();
    expect(SilentWorker.made.map(({ ended }) => ended)).toEqual([true]);
    await pass(1_000);
    expect(SilentWorker.made.map(({ ended }) => ended)).toEqual([true, false]);
    host.stop();
    expect(SilentWorker.made.map(({ ended }) => ended)).toEqual([true, true]);
  });

  it('is replaced when it dies while it takes its options', async () => {
    const host = new EngineHost(OPTIONS);
    SilentWorker.made[0]?.start();
    await pass();
    dies();
    await pass(1_000);
    expect(SilentWorker.made.map(({ ended }) => ended)).toEqual([true, false]);
    host.stop();
  });

  it('is not tried again once the host was stopped, and nobody is told of it', async () => {
    const host = new EngineHost(OPTIONS);
    host.stop();
    await pass(60_000);
    expect(SilentWorker.made.map(({ ended }) => ended)).toEqual([true]);
    expect(console.error).not.toHaveBeenCalled();
  });
});
