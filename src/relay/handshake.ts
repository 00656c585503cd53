/** The first messages on a port: is there a gateway at its other end? @module */
import { orAborted } from '../core/platform/reject-on-abort.js';
import type { CalleeMessage, CallerMessage, GatewayHandshake, TabHandshake } from './protocol.js';

/** What the ends of a call need of a port: all that a MessagePort is for them. */
export type CallPort = Pick<
  MessagePort,
  'addEventListener' | 'removeEventListener' | 'postMessage' | 'start' | 'close'
>;

/** A port at whose other end a gateway waits for a call, and what the gateway said of itself. */
export interface GatewayPort<Port = CallPort> {
  port: Port;
  hello: GatewayHandshake;
}

/** Finds a gateway. Rejects when there is none, or when the signal aborts. */
export type Connect = (signal: AbortSignal) => Promise<GatewayPort>;

/** Who has received a port that was handed out. */
export interface Handshake {
  /** Resolves when a gateway has the port; else never. */
  hello: Promise<GatewayHandshake>;
  /** Resolves when a page has it, with the group that its requests belong to; else never. */
  tab: Promise<TabHandshake>;
}

/** Listens for the first messages on a port, until a gateway says hello or the port is closed. */
export function awaitHandshake(port: MessagePort): Handshake {
  let onHello: (hello: GatewayHandshake) => void = () => {};
  let onTab: (hello: TabHandshake) => void = () => {};
  const hello = new Promise<GatewayHandshake>((resolve) => (onHello = resolve));
  const tab = new Promise<TabHandshake>((resolve) => (onTab = resolve));
  const listen = ({ data }: MessageEvent<CalleeMessage<never>>): void => {
    if (data.type === 'hello') {
      port.removeEventListener('message', listen);
      onHello(data);
    } else if (data.type === 'tab') onTab(data);
  };
  port.addEventListener('message', listen);
  port.start();
  return { hello, tab };
}

/** Tells the gateway that nothing will come through this port. */
export function closeCallPort(port: CallPort): void {
  const message: CallerMessage<never> = { type: 'cancel' };
  port.postMessage(message);
  port.close();
}

/** Hands out a fresh port and waits for a gateway's hello on the other end. Rejects with the signal's reason. */
export async function connectThrough(
  hand: (port: MessagePort) => void,
  signal: AbortSignal,
): Promise<GatewayPort<MessagePort>> {
  signal.throwIfAborted();
  const { port1, port2 } = new MessageChannel();
  const handshake = awaitHandshake(port1);
  hand(port2);
  try {
    const hello = await orAborted(handshake.hello, signal);
    return { port: port1, hello };
  } catch (thrown) {
    closeCallPort(port1);
    throw thrown;
  }
}
