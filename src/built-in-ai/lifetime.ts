/** From the creation of an object of the interfaces until it is destroyed. @module */
import { dictionary } from './idl.js';

/** @throws TypeError for what is not a signal */
export function signalOf(options: unknown): AbortSignal | undefined {
  const { signal } = dictionary(options);
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw new TypeError('`signal` must be an AbortSignal.');
  return signal;
}

export class Lifetime {
  readonly #ended = new AbortController();
  readonly #all: Set<Lifetime>;

  /**
   * @param all of those that still live, which it is in
   * @param created `create`'s signal: aborting it later destroys the object
   */
  constructor(all: Set<Lifetime>, created: AbortSignal | undefined) {
    this.#all = all;
    all.add(this);
    const { signal } = this.#ended;
    created?.addEventListener('abort', () => this.end(created.reason), { signal });
    if (created?.aborted) this.end(created.reason);
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  end(reason: unknown = new DOMException('The object was destroyed.', 'AbortError')): void {
    this.#all.delete(this);
    this.#ended.abort(reason);
  }

  /** Ends with the object and with what a call's options say. @throws the reason of a signal that has ended already */
  during(options: unknown): AbortSignal {
    const own = signalOf(options);
    this.signal.throwIfAborted();
    own?.throwIfAborted();
    return own ? AbortSignal.any([this.signal, own]) : this.signal;
  }
}

/** Who may construct: the interfaces themselves. Their classes throw for everybody else, as the browser's do. */
export const CONSTRUCTOR = Symbol('inpage');

/** @throws TypeError */
export function checkConstructor(key: unknown): void {
  if (key !== CONSTRUCTOR) throw new TypeError('Illegal constructor');
}

/** What makes the pieces of a stream; ends with the signal. */
type Pieces<Piece> = (signal: AbortSignal) => AsyncIterable<Piece>;

/**
 * A stream at once, whose pieces come as they are made, read or not: who waits behind it must not wait for a reader.
 * @param lifetime what ends it besides its reader
 * @throws the reason of `options.signal` where it is aborted
 */
export function streamOf<Piece>(lifetime: Lifetime, options: unknown, pieces: Pieces<Piece>): ReadableStream<Piece> {
  const own = signalOf(options);
  own?.throwIfAborted();
  const cancelled = new AbortController();
  const signals = [cancelled.signal, lifetime.signal, ...(own ? [own] : [])];
  const signal = AbortSignal.any(signals);
  const stream = new ReadableStream<Piece>({
    start(controller) {
      const fail = (reason: unknown): void => {
        if (!cancelled.signal.aborted) controller.error(reason);
      };
      if (signal.aborted) return fail(signal.reason);
      signal.addEventListener('abort', () => fail(signal.reason));
      void (async () => {
        try {
          for await (const piece of pieces(signal)) {
            if (signal.aborted) return;
            controller.enqueue(piece);
          }
          if (!signal.aborted) controller.close();
        } catch (thrown) {
          if (!signal.aborted) controller.error(thrown);
        }
      })();
    },
    cancel: (reason) => cancelled.abort(reason),
  });
  // Safari's streams cannot be iterated, and pages that are written for Chrome do so.
  if (!(Symbol.asyncIterator in ReadableStream.prototype)) {
    const value = (): AsyncGenerator<Piece> => readAll(stream.getReader());
    Object.defineProperty(stream, Symbol.asyncIterator, { value, configurable: true, writable: true });
  }
  return stream;
}

/** As the iterator of a stream: whoever leaves it cancels the stream. */
async function* readAll<Piece>(reader: ReadableStreamDefaultReader<Piece>): AsyncGenerator<Piece> {
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().finally(() => reader.releaseLock());
  }
}
