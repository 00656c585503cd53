import { expect, it, onTestFinished, vi } from 'vitest';
import { answerCall } from '../../src/relay/stream/answer-call.js';
import { REQUEST_TIMING } from '../../src/relay/stream/call-timing.js';
import { readItems, OpenCall } from '../../src/relay/stream/open-call.js';
import { joinPorts } from '../../src/extension/join-ports.js';
import { WirePort } from '../../src/extension/wire-port.js';
import { connectedPorts } from './support/runtime-ports.js';

const options = { signal: new AbortController().signal, timing: REQUEST_TIMING, lifeline: undefined };

it('a call goes through, as through a MessagePort', async () => {
  const [here, there] = connectedPorts();
  void answerCall(
    new WirePort(there),
    async function* (payload: unknown) {
      for (let index = 0; index < 100; index += 1) yield [{ payload, index }];
    },
    REQUEST_TIMING,
  );
  const got: unknown[] = [];
  for await (const item of readItems(new OpenCall(new WirePort(here), 'asked', options))) got.push(item);
  expect(got).toEqual(Array.from({ length: 100 }, (_, index) => ({ payload: 'asked', index })));
});

it('the callee stops when the caller is gone, and the caller learns that the callee is gone', async () => {
  const [here, there] = connectedPorts();
  const stopped = vi.fn<() => void>();
  void answerCall(
    new WirePort(there),
    async function* (_: unknown, signal: AbortSignal) {
      signal.addEventListener('abort', stopped);
      yield ['first'];
      await new Promise(() => {});
    },
    REQUEST_TIMING,
  );
  const call = new OpenCall<string>(new WirePort(here), 'asked', options);
  expect((await call.next()).value).toEqual(['first']);
  here.disconnect();
  await vi.waitFor(() => expect(stopped).toHaveBeenCalled());

  const [mine, yours] = connectedPorts();
  const lost = new OpenCall<string>(new WirePort(mine), 'asked', options).next();
  setTimeout(() => yours.disconnect());
  await expect(lost).rejects.toMatchObject({ code: 'unavailable' });
});

it('what is no message closes the connection, and no send throws', () => {
  const [here, there] = connectedPorts();
  const port = new WirePort(here);
  const closed = vi.fn<() => void>();
  port.addEventListener('close', closed);
  there.postMessage('nonsense');
  expect(closed).toHaveBeenCalledOnce();
  port.postMessage({ type: 'cancel' });
  port.close();
});

it('a connection that is kept awake is an event at its other end every 10 s, until it is closed', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const [here, there] = connectedPorts();
  const events = vi.fn<(piece: unknown) => void>();
  there.onMessage.addListener(events);
  const messages = vi.fn<(event: unknown) => void>();
  new WirePort(there).addEventListener('message', messages);
  const port = new WirePort(here);
  port.keepAwake();
  await vi.advanceTimersByTimeAsync(25_000);
  expect(events).toHaveBeenCalledTimes(2);
  expect(messages).not.toHaveBeenCalled();
  port.postMessage({ type: 'cancel' });
  expect(messages).toHaveBeenCalledWith({ data: { type: 'cancel' } });
  port.close();
  await vi.advanceTimersByTimeAsync(25_000);
  expect(events).toHaveBeenCalledTimes(3);
  expect(vi.getTimerCount()).toBe(0);
});

it('two joined ports are one call, and end together', async () => {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const [here, there] = connectedPorts();
  const onEnd = vi.fn<() => void>();
  const end = joinPorts(new WirePort(there), port2, { outward: (message) => message, onEnd });
  const stopped = vi.fn<() => void>();
  void answerCall(
    port1,
    async function* (_: unknown, signal: AbortSignal) {
      signal.addEventListener('abort', stopped);
      yield ['first'];
      await new Promise(() => {});
    },
    REQUEST_TIMING,
  );
  const call = new OpenCall<string>(new WirePort(here), 'asked', options);
  expect((await call.next()).value).toEqual(['first']);
  end();
  end();
  expect(onEnd).toHaveBeenCalledOnce();
  await expect(call.next()).rejects.toMatchObject({ code: 'unavailable' });
  await vi.waitFor(() => expect(stopped).toHaveBeenCalled());
});

it('nothing is thrown where the extension was reloaded, and every method of its connections throws', () => {
  const [here, there] = connectedPorts();
  const port = new WirePort(here);
  const closed = vi.fn<() => void>(() => port.close());
  port.addEventListener('close', closed);
  const thrown = (): never => {
    throw new Error('Extension context invalidated.');
  };
  Object.assign(here, { postMessage: thrown, disconnect: thrown });
  port.postMessage({ type: 'cancel' });
  expect(closed).toHaveBeenCalledOnce();
  there.disconnect();
  expect(closed).toHaveBeenCalledOnce();
});

it.each([
  ['json', undefined],
  ['structured_clone', structuredClone],
])('[Z12] bytes are exact with `message_serialization` %s', async (_, carry) => {
  const [here, there] = connectedPorts(undefined, undefined, carry);
  const bytes = Uint8Array.from({ length: 600_000 }, (_unused, index) => (index * 7) % 256);
  void answerCall(
    new WirePort(there),
    async function* (payload: { body: ArrayBuffer }) {
      yield [{ status: 200 }, { bytes: new Uint8Array(payload.body) }];
      yield [{ bytes: new Uint8Array() }, { bytes: new Uint8Array([0, 128, 255]), checkpoint: undefined }];
    },
    REQUEST_TIMING,
  );
  const got: unknown[] = [];
  for await (const item of readItems(new OpenCall(new WirePort(here), { body: bytes.buffer }, options))) got.push(item);
  expect(got).toEqual([
    { status: 200 },
    { bytes },
    { bytes: new Uint8Array() },
    { bytes: new Uint8Array([0, 128, 255]) },
  ]);
});

it('something comes at least every 20 s, however long the model is silent', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const [here, there] = connectedPorts();
  const heard = vi.fn<(message: unknown) => void>();
  here.onMessage.addListener(heard);
  void answerCall(new WirePort(there), () => silent(), REQUEST_TIMING);
  const left = new AbortController();
  const answer = new OpenCall<string>(new WirePort(here), 'asked', { ...options, signal: left.signal }).next();
  for (let count = 0; count < 6; count += 1) {
    heard.mockClear();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(heard).toHaveBeenCalled();
  }
  // Handled in time.
  answer.catch(() => {});
  left.abort(new Error('left'));
  await vi.advanceTimersByTimeAsync(REQUEST_TIMING.cancel);
  await expect(answer).rejects.toThrow('cancelled');
});

/** A model that never says anything. */
async function* silent(): AsyncGenerator<string[]> {
  yield await new Promise<string[]>(() => {});
}
