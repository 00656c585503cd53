/** Connections of the extension API, without a browser. @module */
import type { RuntimePort, Sender } from '../../../src/extension/web-extension.js';

/** How the browser carries messages: by the manifest's `message_serialization`. */
type Carry = (message: unknown) => unknown;

const asJson: Carry = (message) => JSON.parse(JSON.stringify(message));

class FakePort implements RuntimePort {
  readonly name: string;
  readonly sender?: Sender;
  peer: FakePort | undefined;
  #isOpen = true;
  readonly #messages = new Set<(message: unknown) => void>();
  readonly #ends = new Set<() => void>();
  readonly onMessage = listened(this.#messages);
  readonly onDisconnect = listened(this.#ends);

  readonly #carry: Carry;

  constructor(name: string, carry: Carry, sender?: Sender) {
    this.name = name;
    this.#carry = carry;
    if (sender) this.sender = sender;
  }

  postMessage(message: unknown): void {
    if (!this.#isOpen) throw new Error('Attempting to use a disconnected port object');
    const carried = this.#carry(message);
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

/** Both ends of a connection, of which only the other one is told of a disconnection. */
export function connectedPorts(
  name = 'inpage:request',
  sender?: Sender,
  carry = asJson,
): [caller: RuntimePort, callee: RuntimePort] {
  const [caller, callee] = [new FakePort(name, carry), new FakePort(name, carry, sender)];
  caller.peer = callee;
  callee.peer = caller;
  return [caller, callee];
}
