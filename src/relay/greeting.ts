/** The first words on a port: is a gateway at its other end? @module */
import { orAborted } from '../core/platform/reject-on-abort.js';
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

/** Listens for the first words on a port, until a gateway says hello or the port is closed. */
export function awaitGreeting(port: MessagePort): Greeting {
  let onHello: (words: Hello) => void = () => {};
  let onTab: (words: TabWords) => void = () => {};
  const hello = new Promise<Hello>((resolve) => (onHello = resolve));
  const tab = new Promise<TabWords>((resolve) => (onTab = resolve));
  const hear = ({ data }: MessageEvent<CalleeMessage<never>>): void => {
    if (data.type === 'hello') {
      port.removeEventListener('message', hear);
      onHello(data);
    } else if (data.type === 'tab') onTab(data);
  };
  port.addEventListener('message', hear);
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
  const greeting = awaitGreeting(port1);
  hand(port2);
  try {
    const hello = await orAborted(greeting.hello, signal);
    return { port: port1, hello };
  } catch (thrown) {
    hangUp(port1);
    throw thrown;
  }
}
