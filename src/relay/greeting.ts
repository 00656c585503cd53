/** The first words on a port: is a gateway at its other end? @module */
import { rejectOnAbort } from '../platform/reject-on-abort.js';
import type { CalleeMessage, CallerMessage, Hello, TabWords } from './protocol.js';

/** A port at whose other end a gateway waits for a call, and what it said of itself. */
export interface GatewayPort {
  port: MessagePort;
  hello: Hello;
}

/** Finds a gateway. Rejects when there is none, or when the signal aborts. */
export type Connect = (signal: AbortSignal) => Promise<GatewayPort>;

/** How a port that was handed to a page was received. */
export interface Greeting {
  /** A gateway has the port. Never resolves otherwise. */
  hello: Promise<Hello>;
  /** The page has it, and says which group its requests belong to. Never resolves otherwise. */
  tab: Promise<TabWords>;
}

/** Listens for the first words on a port, until the signal aborts. */
export function awaitGreeting(port: MessagePort, signal: AbortSignal): Greeting {
  const listener = new AbortController();
  const stop = AbortSignal.any([signal, listener.signal]);
  const { promise: hello, resolve: onHello } = withResolvers<Hello>();
  const { promise: tab, resolve: onTab } = withResolvers<TabWords>();
  port.addEventListener(
    'message',
    (event: MessageEvent<CalleeMessage<never>>) => {
      if (event.data.type === 'hello') {
        listener.abort();
        onHello(event.data);
      } else if (event.data.type === 'tab') onTab(event.data);
    },
    { signal: stop },
  );
  port.start();
  return { hello, tab };
}

/** Tells the gateway that nothing will come through this port. */
export function hangUp(port: MessagePort): void {
  const message: CallerMessage<never> = { type: 'cancel' };
  port.postMessage(message);
  port.close();
}

/** Hands out a fresh port and waits for a gateway's hello on the other end. Rejects with the signal's reason. */
export async function connectThrough(hand: (port: MessagePort) => void, signal: AbortSignal): Promise<GatewayPort> {
  signal.throwIfAborted();
  const { port1, port2 } = new MessageChannel();
  const greeting = awaitGreeting(port1, signal);
  hand(port2);
  try {
    const hello = await Promise.race([greeting.hello, rejectOnAbort(signal)]);
    return { port: port1, hello };
  } catch (thrown) {
    hangUp(port1);
    throw thrown;
  }
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
