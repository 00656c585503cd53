import { afterEach, describe, expect, it, vi } from 'vitest';
import { InferenceError } from '../../../src/core/errors/inference-error.js';
import { answerCall, type CallHandler, PACE_MS } from '../../../src/relay/stream/answer-call.js';
import type { CallTiming } from '../../../src/relay/stream/call-timing.js';
import { readItems, OpenCall } from '../../../src/relay/stream/open-call.js';
import { BUFFER_LIMIT, CREDIT_WINDOW } from '../../../src/relay/protocol.js';
import { passTimeUntil, stopTime } from '../../support/pass-time.js';

const openItems = <Item>(...call: ConstructorParameters<typeof OpenCall>): AsyncGenerator<Item, void> =>
  readItems(new OpenCall<Item>(...call));

const TIMING: CallTiming = { beat: 20, silentBeats: 10, stall: 60_000, cancel: 2_000 };
const ports: MessagePort[] = [];
afterEach(() => {
  vi.useRealTimers();
  ports.splice(0).forEach((port) => port.close());
});

type ItemHandler<Payload, Item> = (...call: Parameters<CallHandler<Payload, Item>>) => AsyncIterable<Item>;

/** Answers a call with the handler's items, each a batch of its own. */
function answerItems<Payload, Item>(
  port: MessagePort,
  handler: ItemHandler<Payload, Item>,
  timing: CallTiming,
): Promise<void> {
  return answerCall<Payload, Item>(port, (...asked) => inBatches(handler(...asked)), timing);
}

/** A call from one end of a real channel to a handler at the other. */
function call<Item>(
  handler: ItemHandler<string, Item>,
  options: { timing?: Partial<CallTiming>; signal?: AbortSignal } = {},
) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const timing = { ...TIMING, ...options.timing };
  const answered = answerItems<string, Item>(port2, handler, timing);
  const items = openItems<Item>(port1, 'payload', {
    signal: options.signal ?? new AbortController().signal,
    timing,
    lifeline: undefined,
  });
  return { items, answered, calleePort: port2 };
}

async function* inBatches<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  for await (const item of items) yield [item];
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('a call', () => {
  it('brings the payload to the handler and all items back in order', async () => {
    const { items } = call(async function* (payload) {
      for (let index = 0; index < 1_000; index++) yield `${payload} ${index}`;
    });
    const all = await collect(items);
    expect(all).toHaveLength(1_000);
    expect(all).toEqual(Array.from({ length: 1_000 }, (_, index) => `payload ${index}`));
  });

  it('gives each item at once to a caller that waits for it', async () => {
    const steps: string[] = [];
    const { items } = call(async function* () {
      for (const item of ['a', 'b', 'c']) {
        steps.push(`made ${item}`);
        yield item;
        while (steps.at(-1) !== `got ${item}`) await pause(1);
      }
    });
    for await (const item of items) steps.push(`got ${item}`);
    expect(steps).toEqual(['made a', 'got a', 'made b', 'got b', 'made c', 'got c']);
  });

  it('collects what comes faster than a screen shows it, after a beginning that is sent at once', async () => {
    stopTime();
    const { port1, port2 } = new MessageChannel();
    ports.push(port1, port2);
    let paces = 0;
    const count = 120;
    async function* fast(): AsyncGenerator<number> {
      const started = performance.now();
      for (let index = 0; index < count; index++) {
        yield index;
        await pause(1);
      }
      paces = (performance.now() - started) / PACE_MS;
    }
    void answerItems(port2, fast, TIMING);
    const options = { signal: new AbortController().signal, timing: TIMING, lifeline: undefined };
    const batches = await passTimeUntil(collect(new OpenCall<number>(port1, '', options)));
    expect(batches.flat()).toEqual(Array.from({ length: count }, (_, index) => index));
    expect(batches.slice(0, 3)).toEqual([[0], [1], [2]]);
    expect(batches.length).toBeLessThan(paces + 8);
    expect(batches.length).toBeGreaterThan(paces / 4);
  });

  it('owes nothing for a burst: slow items after it go out at once', async () => {
    stopTime();
    const steps: string[] = [];
    const { items } = call(async function* () {
      for (let index = 0; index < 20 * BUFFER_LIMIT; index++) yield 'fast';
      for (const item of ['a', 'b', 'c']) {
        await pause(3 * PACE_MS);
        steps.push(`made ${item}`);
        yield item;
      }
      await pause(3 * PACE_MS);
    });
    const read = async (): Promise<void> => {
      for await (const item of items) if (item !== 'fast') steps.push(`got ${item}`);
    };
    await passTimeUntil(read());
    expect(steps).toEqual(['made a', 'got a', 'made b', 'got b', 'made c', 'got c']);
  });

  it('brings what was collected before an error', async () => {
    const { items } = call(async function* () {
      for (let index = 0; index < 20; index++) yield index;
      throw new InferenceError('unavailable', 'Broken.');
    });
    const got: number[] = [];
    const reading = (async () => {
      for await (const item of items) got.push(item);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'unavailable' });
    expect(got).toHaveLength(20);
  });

  it.each([1, 31, 33, 59, 60, 61, 62, 63, 64, 95, 200])(
    'brings %i items that are joined, and its end',
    async (count) => {
      const { port1, port2 } = new MessageChannel();
      ports.push(port1, port2);
      async function* fast(): AsyncGenerator<string[]> {
        for (let index = 0; index < count; index++) yield ['x'];
      }
      void answerCall<string, string>(port2, fast, TIMING, { join: (items) => [items.join('')] });
      const options = { signal: new AbortController().signal, timing: TIMING, lifeline: undefined };
      expect((await collect(openItems<string>(port1, '', options))).join('')).toHaveLength(count);
    },
  );

  it('does not run ahead of a caller that takes nothing', async () => {
    let made = 0;
    const { items } = call(async function* () {
      for (;;) yield made++;
    });
    await items.next();
    await expect.poll(() => made).toBeGreaterThanOrEqual(CREDIT_WINDOW + BUFFER_LIMIT);
    await pause(100);
    expect(made).toBeLessThanOrEqual(CREDIT_WINDOW + BUFFER_LIMIT + 2);
    // What was held back comes as soon as it is wanted.
    for (let index = 1; index < 500; index++) expect((await items.next()).value).toBe(index);
    await items.return();
  });

  it('carries the code and details of an error, after the items before it', async () => {
    const { items } = call(async function* () {
      yield 1;
      throw new InferenceError('model_output_invalid', 'Cut.', { modelOutput: '{"a":', param: 'x' });
    });
    expect((await items.next()).value).toBe(1);
    await expect(items.next()).rejects.toMatchObject({
      code: 'model_output_invalid',
      message: 'Cut.',
      details: { modelOutput: '{"a":', param: 'x' },
    });
  });

  it('says nothing of the inside when the handler throws something else', async () => {
    const { items } = call(async function* () {
      yield await Promise.reject(new Error('/secret/path'));
    });
    await expect(items.next()).rejects.toMatchObject({
      code: 'internal',
      message: expect.not.stringContaining('secret') as string,
    });
  });
});

/** What ends with its only batch. */
const lastBatch = (work: Promise<string[]>): AsyncIterable<never, string[]> => ({
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: await work }) }),
});

/** Calls one after the other through the same port, as long as it comes back; what the callee answers is recorded. */
function callsOfOnePort(handler: CallHandler<string, string>) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const told: string[] = [];
  port1.addEventListener('message', ({ data }: MessageEvent<{ type: string }>) => told.push(data.type));
  const answered = answerCall<string, string>(port2, handler, { ...TIMING, beat: 60_000 });
  let free = 0;
  const open = (payload: string, options: { signal?: AbortSignal; firstBeat?: number } = {}): OpenCall<string> =>
    new OpenCall<string>(port1, payload, {
      signal: new AbortController().signal,
      timing: TIMING,
      lifeline: undefined,
      release: () => void (free += 1),
      ...options,
    });
  return { open, told, answered, free: () => free };
}

describe('calls through one port', () => {
  it('come one after the other, each with its own items', async () => {
    // More items than are sent without credit: the credit for the last of them comes when the call is over.
    const { open, free } = callsOfOnePort(async function* (payload) {
      for (let index = 0; index < 40; index++) yield [`${payload} ${index}`];
    });
    for (const payload of ['one', 'two', 'three'])
      expect(await collect(readItems(open(payload)))).toEqual(
        Array.from({ length: 40 }, (_, index) => `${payload} ${index}`),
      );
    expect(free()).toBe(3);
  });

  it('bring what is returned with the end, in one message', async () => {
    const { open, told } = callsOfOnePort((payload) => lastBatch(Promise.resolve([payload, 'and', 'the end'])));
    expect(await collect(open('one'))).toEqual([['one', 'and', 'the end']]);
    expect(await collect(open('two'))).toEqual([['two', 'and', 'the end']]);
    expect(told).toEqual(['end', 'end']);
  });

  it('give the port back no more after an error, nor after one that was left', async () => {
    const failing = callsOfOnePort(async function* () {
      yield ['a'];
      throw new InferenceError('invalid_request', 'No.');
    });
    await expect(collect(failing.open(''))).rejects.toMatchObject({ code: 'invalid_request' });
    await failing.answered;
    const left = callsOfOnePort(async function* (_, signal) {
      yield ['a'];
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    for await (const _ of left.open('')) break;
    await left.answered;
    expect([failing.free(), left.free()]).toEqual([0, 0]);
  });

  it('end with the caller who has none any more', async () => {
    const { port1, port2 } = new MessageChannel();
    ports.push(port1, port2);
    const answered = answerItems(
      port2,
      async function* () {
        yield 1;
      },
      TIMING,
    );
    const options = { signal: new AbortController().signal, timing: TIMING, lifeline: undefined };
    expect(await collect(openItems(port1, '', options))).toEqual([1]);
    await answered;
  });

  it('hear nothing of what a handler says when it is over', async () => {
    const begins: (() => void)[] = [];
    const { open, told } = callsOfOnePort((payload, _, begin) => {
      begins.push(begin);
      if (payload === 'two') begins[0]!();
      return lastBatch(Promise.resolve([payload]));
    });
    await collect(open('one'));
    await collect(open('two'));
    expect(told).toEqual(['end', 'end']);
  });

  it('are lost soon when the callee of earlier ones is silent, and not while it is only slow', async () => {
    stopTime();
    let isSilent = false;
    const { port1, port2 } = new MessageChannel();
    ports.push(port1, port2);
    const callee = new Proxy(port2, {
      get: (port, name: keyof MessagePort) =>
        name === 'postMessage'
          ? (message: unknown) => void (isSilent || port.postMessage(message))
          : (port[name] as () => void).bind(port),
    });
    void answerCall<string, string>(callee, (payload) => lastBatch(pause(Number(payload)).then(() => ['late'])), {
      ...TIMING,
      beat: 60_000,
    });
    const open = (payload: string): Promise<string[]> =>
      passTimeUntil(
        collect(
          readItems(
            new OpenCall<string>(port1, payload, {
              signal: new AbortController().signal,
              timing: { ...TIMING, beat: 60_000 },
              lifeline: undefined,
              release: () => {},
              firstBeat: 500,
            }),
          ),
        ),
      );
    expect(await open('0')).toEqual(['late']);
    expect(await open('2000')).toEqual(['late']);
    isSilent = true;
    await expect(open('0')).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('cancelling a call', () => {
  it('by signal stops the handler and throws `cancelled` once it has stopped', async () => {
    const controller = new AbortController();
    let made = 0;
    let stopped = false;
    const { items } = call(
      async function* () {
        try {
          for (;;) yield made++;
        } finally {
          stopped = true;
        }
      },
      { signal: controller.signal },
    );
    for (let index = 0; index < 3; index++) await items.next();
    controller.abort();
    await expect(items.next()).rejects.toMatchObject({ code: 'cancelled' });
    expect(stopped).toBe(true);
  });

  it('by leaving the iteration stops the handler before the loop is left', async () => {
    let stopped = false;
    const { items } = call(async function* (_, signal) {
      try {
        yield 1;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      } finally {
        stopped = true;
      }
    });
    for await (const _ of items) break;
    expect(stopped).toBe(true);
  });

  it('reaches a handler that computes without leaving its task', async () => {
    let made = 0;
    const { items, answered } = call(async function* () {
      for (;;) {
        await Promise.resolve();
        yield made++;
      }
    });
    for (let index = 0; index < 3; index++) await items.next();
    await items.return();
    await answered;
    const atEnd = made;
    await pause(20);
    expect(made).toBe(atEnd);
  });

  it('sends nothing any more of what was collected', async () => {
    stopTime();
    const { port1, port2 } = new MessageChannel();
    ports.push(port1, port2);
    const items: number[] = [];
    const failed = new Promise<void>((resolve) => {
      port1.addEventListener('message', ({ data }) => {
        items.push(...(data.items ?? []));
        if (data.type === 'error') resolve();
      });
    });
    port1.start();
    const answered = answerItems(
      port2,
      async function* (_, signal) {
        for (let index = 0; index < 20; index++) yield index;
        port1.postMessage({ type: 'cancel' });
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        yield 20;
      },
      TIMING,
    );
    port1.postMessage({ type: 'open', payload: '', lifeline: undefined });
    await answered;
    vi.advanceTimersByTime(2 * PACE_MS);
    await failed;
    expect(items).toEqual([0, 1, 2, 3]);
  });

  it('gives up on a handler that does not stop, and says so', async () => {
    const { port1, port2 } = new MessageChannel();
    ports.push(port1, port2);
    void answerItems(
      port2,
      async function* () {
        yield 1;
        await new Promise(() => {});
      },
      TIMING,
    );
    let stuck = false;
    const items = openItems<number>(port1, '', {
      signal: new AbortController().signal,
      timing: { ...TIMING, cancel: 50 },
      lifeline: undefined,
      onLost: () => (stuck = true),
    });
    await items.next();
    await items.return();
    expect(stuck).toBe(true);
  });

  it('happens by itself when the caller takes nothing for too long', async () => {
    const { items, answered } = call(
      async function* () {
        for (;;) yield 0;
      },
      { timing: { stall: 50 } },
    );
    await items.next();
    await answered;
    await expect(collect(items)).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('happens by itself when the caller dies', async () => {
    const { port1, port2 } = new MessageChannel();
    let cancelled = false;
    const answered = answerItems(
      port2,
      async function* (_: string, signal) {
        yield 1;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        cancelled = true;
      },
      TIMING,
    );
    const items = openItems(port1, '', { signal: new AbortController().signal, timing: TIMING, lifeline: undefined });
    await items.next();
    port1.close();
    await answered;
    expect(cancelled).toBe(true);
  });
});

describe('a callee that dies', () => {
  it('fails the call with `unavailable` when its port closes', async () => {
    const { items, calleePort } = call(async function* () {
      yield 1;
      await new Promise(() => {});
    });
    await items.next();
    calleePort.close();
    await expect(items.next()).rejects.toMatchObject({ code: 'unavailable', details: { retryAfter: 1 } });
  });

  it('fails the call with `unavailable` when it falls silent', async () => {
    const { port1, port2 } = new MessageChannel();
    ports.push(port1, port2);
    const items = openItems(port1, '', {
      signal: new AbortController().signal,
      timing: { ...TIMING, beat: 10, silentBeats: 3 },
      lifeline: undefined,
    });
    await expect(items.next()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is not suspected while it beats', async () => {
    const { items } = call(
      async function* () {
        await pause(300);
        yield 'late';
      },
      { timing: { beat: 20, silentBeats: 5 } },
    );
    expect(await collect(items)).toEqual(['late']);
  });
});
