/** A connection of the browser's extension API as a port of calls. @module */
import type { CallPort } from '../relay/handshake.js';
import type { RuntimePort } from './web-extension.js';
import { PieceReader, toPieces, type WireMessage, type WirePiece } from './wire-message.js';

// oxlint-disable-next-line typescript/no-explicit-any -- as the DOM's own: each type has its event
type Listener = (event: any) => unknown;

/**
 * Milliseconds between two messages to a host that works. Firefox ends a background page, and the host in it, 30 s after the last
 * event there, and what the host says itself is none.
 */
const AWAKE_EVERY_MS = 10_000;

/** A piece of which no message gets longer. */
const NOTHING: WirePiece = { text: '', more: true };

/**
 * What calls need of a MessagePort, spoken over `runtime.connect`, which reaches the host from every context of an extension.
 * The browser tells each end when the other is gone, as `close`; so nothing waits for locks, which content scripts have of
 * another origin.
 */
export class WirePort implements CallPort {
  readonly #port: RuntimePort;
  readonly #reader = new PieceReader();
  // Firefox's content scripts cannot extend EventTarget: what they make of it has none of their methods.
  readonly #listeners: { type: string; listener: Listener; once: boolean }[] = [];
  #isClosed = false;
  #awake: ReturnType<typeof setInterval> | undefined;

  constructor(port: RuntimePort) {
    this.#port = port;
    port.onMessage.addListener((piece) => this.#receive(piece as WirePiece));
    port.onDisconnect.addListener(() => this.#lose());
  }

  addEventListener(type: string, listener: Listener, options: boolean | AddEventListenerOptions = {}): void {
    const { once = false, signal } = typeof options === 'boolean' ? {} : options;
    if (signal?.aborted) return;
    this.#listeners.push({ type, listener, once });
    signal?.addEventListener('abort', () => this.removeEventListener(type, listener), { once: true });
  }

  removeEventListener(type: string, listener: Listener): void {
    const index = this.#listeners.findIndex((each) => each.type === type && each.listener === listener);
    if (index >= 0) this.#listeners.splice(index, 1);
  }

  start(): void {}

  /** Keeps the other end from being ended as idle, until this one is closed. */
  keepAwake(): void {
    this.#awake ??= setInterval(() => this.#post(() => [NOTHING]), AWAKE_EVERY_MS);
  }

  postMessage(message: WireMessage): void {
    this.#post(() => toPieces(message));
  }

  #post(pieces: () => WirePiece[]): void {
    if (this.#isClosed) return;
    try {
      for (const piece of pieces()) this.#port.postMessage(piece);
    } catch {
      // The other end is gone and this one was not told yet, or the message is not JSON.
      this.#break();
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#end();
    this.#disconnect();
  }

  #end(): void {
    this.#isClosed = true;
    clearInterval(this.#awake);
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
    if (data) this.#tell('message', { data });
  }

  #break(): void {
    this.#disconnect();
    this.#lose();
  }

  #lose(): void {
    if (this.#isClosed) return;
    this.#end();
    this.#tell('close', {});
  }

  #tell(type: string, event: { data?: WireMessage }): void {
    for (const each of this.#listeners.filter((known) => known.type === type)) {
      // An earlier one may have removed it.
      if (!this.#listeners.includes(each)) continue;
      if (each.once) this.removeEventListener(type, each.listener);
      each.listener(event as MessageEvent);
    }
  }
}
