/** Connections of the extension API, without a browser. @module */
import type { RuntimePort, Sender } from '../../../src/extension/web-extension.js';

class FakePort implements RuntimePort {
  readonly name: string;
  readonly sender?: Sender;
  peer: FakePort | undefined;
  #isOpen = true;
  readonly #messages = new Set<(message: unknown) => void>();
  readonly #ends = new Set<() => void>();
  readonly onMessage = listened(this.#messages);
  readonly onDisconnect = listened(this.#ends);

  constructor(name: string, sender?: Sender) {
    this.name = name;
    if (sender) this.sender = sender;
  }

  postMessage(message: unknown): void {
    if (!this.#isOpen) throw new Error('Attempting to use a disconnected port object');
    const carried = JSON.parse(JSON.stringify(message)) as unknown;
    for (const listener of this.peer!.#messages) listener(carried);
  }

  disconnect(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.peer!.#isOpen = false;
    for (const listener of this.peer!.#ends) listener();
  }
}

function listened<Listener>(listeners: Set<Listener>) {
  return {
    addListener: (listener: Listener): void => void listeners.add(listener),
    removeListener: (listener: Listener): void => void listeners.delete(listener),
  };
}

/** Both ends of a connection: messages are JSON, and only the other end is told of a disconnection. */
export function connectedPorts(name = 'inpage:request', sender?: Sender): [caller: RuntimePort, callee: RuntimePort] {
  const [caller, callee] = [new FakePort(name), new FakePort(name, sender)];
  caller.peer = callee;
  callee.peer = caller;
  return [caller, callee];
}
