/** Answers that are passed on while they are made. @module */
import type { ResponseChunk } from '../protocol.js';

export interface StreamedInit {
  headers?: Record<string, string>;
  /**
   * The text (whole server-sent events) that ends the body when the engine dies under it. The dialect defines the shape of
   * such an event; the relay sends it, because the dialect's code is gone by then. Without one, the reader of the body gets
   * an error.
   */
  failureTail?: string;
}

/**
 * A response whose body is passed on piece by piece while it is made; all others are passed on whole. Whoever relays it reads
 * `chunks`, which say how to go on after each; whoever only wants the bytes reads `body`. Nobody reads both.
 */
export class StreamedResponse extends Response {
  readonly chunks: ReadableStream<ResponseChunk>;
  readonly failureTail: string | undefined;

  constructor(chunks: ReadableStream<ResponseChunk>, { headers, failureTail }: StreamedInit = {}) {
    super(bytesOf(chunks), headers && { headers });
    this.chunks = chunks;
    this.failureTail = failureTail;
  }
}

/** The bytes of the chunks, which are not touched before they are read. */
function bytesOf(chunks: ReadableStream<ResponseChunk>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let reader: ReadableStreamDefaultReader<ResponseChunk> | undefined;
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await (reader ??= chunks.getReader()).read();
        if (done) controller.close();
        else controller.enqueue(value.bytes);
      },
      cancel: (reason) => (reader ??= chunks.getReader()).cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
