/** A connection of the browser's extension API as a port of calls. @module */
import type { CallPort } from '../relay/handshake.js';
import type { RuntimePort } from './web-extension.js';
import { PieceReader, toPieces, type WireMessage, type WirePiece } from './wire-message.js';

/**
 * What calls need of a MessagePort, spoken over `runtime.connect`, which reaches the host from every context of an extension.
 * The browser tells each end when the other is gone, as `close`; so nothing waits for locks, which content scripts have of
 * another origin.
 */
export class WirePort extends EventTarget implements CallPort {
  readonly #port: RuntimePort;
  readonly #reader = new PieceReader();
  #isClosed = false;

  constructor(port: RuntimePort) {
    super();
    this.#port = port;
    port.onMessage.addListener((piece) => this.#receive(piece as WirePiece));
    port.onDisconnect.addListener(() => this.#lose());
  }

  start(): void {}

  postMessage(message: WireMessage): void {
    if (this.#isClosed) return;
    try {
      for (const piece of toPieces(message)) this.#port.postMessage(piece);
    } catch {
      // The other end is gone and this one was not told yet, or the message is not JSON.
      this.#break();
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#disconnect();
  }

  #disconnect(): void {
    try {
      this.#port.disconnect();
    } catch {
      // The extension was reloaded, which has ended all connections of this context.
    }
  }

  #receive(piece: WirePiece): void {
    if (this.#isClosed) return;
    let data: WireMessage | undefined;
    try {
      data = this.#reader.read(piece);
    } catch {
      return this.#break();
    }
    if (data) this.dispatchEvent(new MessageEvent('message', { data }));
  }

  #break(): void {
    this.#disconnect();
    this.#lose();
  }

  #lose(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.dispatchEvent(new Event('close'));
  }
}
