/**
 * Streamed bodies in Firefox's content scripts. Constructors there are those of the page, which may not see what a content script
 * has made: `ReadableStream` refuses every source of ours, and a reader that waits gets no chunk of ours.
 * @module
 */
import type { AnswerSource, ToBody } from '../relay/stream/relay-request.js';

/** How streamed bodies are made in this context; undefined: by `ReadableStream`. */
export function bodyMaker(): ToBody | undefined {
  // A function that only these content scripts have.
  return 'cloneInto' in globalThis ? toPageStream : undefined;
}

/** A stream whose bytes the browser itself passes on, so that it has nothing of ours. It asks for one batch ahead of its reader. */
export function toPageStream(source: AnswerSource): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  /** Held while the source works: it tells when the reader leaves. */
  let writer: WritableStreamDefaultWriter<Uint8Array> | undefined;
  let isClosed = false;
  let failure: { reason: unknown } | undefined;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const controller = {
    desiredSize: null,
    enqueue: (bytes: Uint8Array<ArrayBuffer>): void => void pieces.push(bytes),
    close: (): void => void (isClosed = true),
    error(reason: unknown): void {
      failure = { reason };
      writer?.abort(reason).catch(() => {});
    },
  };
  const pump = async (): Promise<void> => {
    for (;;) {
      const held = writable.getWriter();
      writer = held;
      held.closed.catch(() => writer === held && source.cancel());
      // While bytes were on their way.
      if (failure) return held.abort(failure.reason);
      await source.pull(controller);
      if (failure) return;
      writer = undefined;
      held.releaseLock();
      await new Blob(pieces.splice(0)).stream().pipeTo(writable, { preventClose: !isClosed });
      if (isClosed) return;
    }
  };
  void source.start(controller);
  pump().catch(() => source.cancel());
  return readable;
}
