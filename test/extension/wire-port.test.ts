import { expect, it, onTestFinished, vi } from 'vitest';
import { answerCall } from '../../src/relay/stream/answer-call.js';
import { REQUEST_TIMING } from '../../src/relay/stream/call-timing.js';
import { itemsOf, OpenCall } from '../../src/relay/stream/open-call.js';
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
  for await (const item of itemsOf(new OpenCall(new WirePort(here), 'asked', options))) got.push(item);
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
