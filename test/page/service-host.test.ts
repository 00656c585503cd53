import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceHost } from '../../src/page/service-host.js';
import type { GatewayOptions } from '../../src/service/gateway-control.js';

const OPTIONS: GatewayOptions = {
  models: [],
  compatibility: 'service',
  requestTimeout: 600,
  prefix: '/v1',
  load: { assetsURL: 'http://localhost/inpage/', pageURL: 'http://localhost/' },
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

  /** Answers its calls, as a gateway that works. */
  isWell = false;

  postMessage(message: { id: string }, transfer: Transferable[]): void {
    structuredClone(message, { transfer });
    const answer = { id: message.id, type: 'RAW', value: undefined };
    if (this.isWell) this.dispatchEvent(new MessageEvent('message', { data: answer }));
  }

  terminate(): void {
    this.ended = true;
  }
}

/** Calls back whoever waits for this worker's lifeline: it is dead. */
let dies: () => void;
beforeEach(() => {
  SilentWorker.made = [];
  // The worker holds its lock, and nobody the one that is asked for without options.
  const request = (_name: string, ...told: [...options: object[], granted: () => void]): Promise<void> =>
    new Promise((resolve) => {
      const grant = (): void => resolve((told.at(-1) as () => void)());
      if (told.length === 1) grant();
      else dies = grant;
    });
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
    const host = new ServiceHost({ ...OPTIONS, models: [{ backend: 'built-in', id: () => {} }] as never });
    SilentWorker.made[0]?.start();
    await pass();
    expect(SilentWorker.made.map(({ ended }) => ended)).toEqual([true]);
    await pass(1_000);
    expect(SilentWorker.made.map(({ ended }) => ended)).toEqual([true, false]);
    host.stop();
    expect(SilentWorker.made.map(({ ended }) => ended)).toEqual([true, true]);
  });

  it('is replaced when it dies while it takes its options', async () => {
    const host = new ServiceHost(OPTIONS);
    SilentWorker.made[0]?.start();
    await pass();
    dies();
    await pass(1_000);
    expect(SilentWorker.made.map(({ ended }) => ended)).toEqual([true, false]);
    host.stop();
  });

  it('is not tried again once the host was stopped, and nobody is told of it', async () => {
    const host = new ServiceHost(OPTIONS);
    host.stop();
    await pass(60_000);
    expect(SilentWorker.made.map(({ ended }) => ended)).toEqual([true]);
    expect(console.error).not.toHaveBeenCalled();
  });
});

describe('a gateway that runs', () => {
  /** A host whose gateway took its options. */
  async function runningHost(): Promise<{ host: ServiceHost; gateway: SilentWorker }> {
    const host = new ServiceHost(OPTIONS);
    const [gateway] = SilentWorker.made as [SilentWorker];
    gateway.isWell = true;
    gateway.start();
    await pass();
    return { host, gateway };
  }
  const ends = (): boolean[] => SilentWorker.made.map(({ ended }) => ended);

  it('stays when it takes the ports that it is handed', async () => {
    const { host } = await runningHost();
    host.connect(new MessageChannel().port1);
    await pass(60_000);
    expect(ends()).toEqual([false]);
    host.stop();
  });

  it('is replaced when it takes none, once for all who wait', async () => {
    const { host, gateway } = await runningHost();
    gateway.isWell = false;
    host.connect(new MessageChannel().port1);
    host.connect(new MessageChannel().port1);
    await pass(4_000);
    expect(ends()).toEqual([false]);
    await pass(2_000);
    expect(ends()).toEqual([true, false]);
    // The browser says a little later that the old one is gone.
    dies();
    await pass();
    expect(ends()).toEqual([true, false]);
    host.stop();
  });
});

describe('the first model worker', () => {
  const models = [{ id: 'm', task: 'chat', backend: 'transformers' }] as const;

  it('starts beside the gateway, and ends with it', async () => {
    const host = new ServiceHost({ ...OPTIONS, models: [...models] as never });
    expect(SilentWorker.made.length).toBe(2);
    const [gateway] = SilentWorker.made as [SilentWorker];
    gateway.isWell = true;
    gateway.start();
    await pass();
    dies();
    await pass();
    expect(SilentWorker.made.map(({ ended }) => ended)).toEqual([true, true, false, false]);
    host.stop();
    expect(SilentWorker.made.every(({ ended }) => ended)).toBe(true);
  });

  it.each(['built-in', 'scripted', 'web-llm'])('does not start where all models are of %s', (backend) => {
    const host = new ServiceHost({ ...OPTIONS, models: [{ ...models[0], backend }] as never });
    expect(SilentWorker.made.length).toBe(1);
    host.stop();
  });
});
