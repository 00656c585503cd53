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
  /** Takes the port back for the next call, when one has come to its end. Absent: it serves one call. */
  release?: () => void;
  /** It has served a call: milliseconds in which something must be heard of the next, because no one has said hello. */
  firstBeat?: number;
}

/**
 * Finds a gateway. Rejects when there is none, or when the signal aborts.
 * @param isFresh someone must say hello on it now: the call before has failed, or the port is not for one call alone
 */
export type Connect = (signal: AbortSignal, isFresh?: boolean) => Promise<GatewayPort>;

/** A port that was handed out, and who has received its other end. */
export interface Handshake {
  port: MessagePort;
  /** Resolves when a gateway has the port; else never. */
  hello: Promise<GatewayHandshake>;
  /** Resolves when a page has it, with the group that its requests belong to; else never. */
  tab: Promise<TabHandshake>;
}

/** Hands out a fresh port, and listens for the first messages from its other end until a gateway says hello or it is closed. */
export function handOut(hand: (port: MessagePort) => void): Handshake {
  const { port1: port, port2 } = new MessageChannel();
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
  hand(port2);
  return { port, hello, tab };
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
  const { port, hello } = handOut(hand);
  try {
    return { port, hello: await orAborted(hello, signal) };
  } catch (thrown) {
    closeCallPort(port);
    throw thrown;
  }
}
