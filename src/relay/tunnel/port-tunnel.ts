/** Carries MessagePorts between two programs over one connection, with all ports that come with their messages. @module */
import { decodeFrame, encodeFrame } from './frame.js';

/** The number of the port that is there from the beginning. */
const ROOT = 0;

/** What a tunnel is made of. */
export interface TunnelOptions {
  /** Messages that come from the other end's root come out here, and the other way round. The tunnel owns it. */
  root: MessagePort;
  /** Sends what the other end's `receive` gets, in this order. */
  send: (frame: Uint8Array<ArrayBuffer>) => void;
  /** One end is the first, so that both number their ports apart. */
  isFirst: boolean;
}

/**
 * One end. A message keeps what structured cloning keeps of plain data: arrays of bytes and ports included, class instances
 * not. A port that is closed at one end is closed at the other.
 */
export class PortTunnel {
  readonly #send: TunnelOptions['send'];
  readonly #ports = new Map<number, MessagePort>();
  #nextNumber: number;
  #isClosed = false;

  constructor({ root, send, isFirst }: TunnelOptions) {
    this.#send = send;
    this.#nextNumber = isFirst ? 1 : 2;
    this.#join(ROOT, root);
  }

  /** Takes what the other end has sent. @throws Error for anything else */
  receive(bytes: Uint8Array): void {
    const frame = decodeFrame(bytes);
    const port = this.#ports.get(frame.channel);
    if (!port || frame.closed) {
      this.#ports.delete(frame.channel);
      port?.close();
      // Nobody is there who would take them.
      for (const channel of frame.ports) this.#tellClosed(channel);
      return;
    }
    const opened = frame.ports.map((channel) => {
      const { port1, port2 } = new MessageChannel();
      this.#join(channel, port1);
      return port2;
    });
    const { value, buffers } = frame.read(opened);
    port.postMessage(value, [...opened, ...buffers]);
  }

  /** The connection is gone: so are all its ports. */
  close(): void {
    this.#isClosed = true;
    for (const port of this.#ports.values()) port.close();
    this.#ports.clear();
  }

  #join(channel: number, port: MessagePort): void {
    this.#ports.set(channel, port);
    port.addEventListener('message', ({ data, ports }) => this.#pass(channel, data, ports));
    port.addEventListener('close', () => {
      if (this.#ports.delete(channel)) this.#tellClosed(channel);
    });
    port.start();
  }

  #pass(channel: number, value: unknown, ports: readonly MessagePort[]): void {
    // Closed from the other end while this was on its way.
    if (!this.#ports.has(channel)) return closeAll(ports);
    const numbers = ports.map(() => (this.#nextNumber += 2) - 2);
    try {
      const frame = encodeFrame({ channel, value, ports: numbers }, ports);
      for (const [index, port] of ports.entries()) this.#join(numbers[index]!, port);
      this.#send(frame);
    } catch (thrown) {
      // Its sender would wait for an answer forever.
      console.error('inpage: a message could not be passed on.', thrown);
      closeAll(ports);
      this.#ports.get(channel)?.close();
    }
  }

  #tellClosed(channel: number): void {
    if (!this.#isClosed) this.#send(encodeFrame({ channel, closed: true, ports: [] }));
  }
}

function closeAll(ports: readonly MessagePort[]): void {
  for (const port of ports) port.close();
}
