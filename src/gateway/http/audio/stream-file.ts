/** A file that is sent while it is made. @module */
import type { SpeechEvent } from '../../../core/request/speech-request.js';
import { BrokenConnection } from '../faults.js';
import type { HttpContext } from '../http-context.js';

/** What is sent. */
interface FileSource {
  /** Ending early (`return`) must free the engine. */
  events: AsyncIterable<SpeechEvent>;
  /** Media type. */
  type: string;
  /** Aborted when the reader goes away. */
  abort: AbortController;
}

/**
 * A 200 answer with back-pressure. A file has no place for an error, so one after the start breaks the body: what was cut
 * must not look whole. Cancelling the body aborts.
 * @throws InferenceError (or whatever the source throws) when the source fails before its first event
 */
export async function streamFile({ faults }: HttpContext, { events, type, abort }: FileSource): Promise<Response> {
  const iterator = faults.disturb(events, abort.signal)[Symbol.asyncIterator]();
  let first: Promise<IteratorResult<SpeechEvent>> | undefined = iterator.next();
  await first.catch((thrown: unknown) => {
    // Only the connection breaks; the answer has begun.
    if (!(thrown instanceof BrokenConnection)) throw thrown;
  });
  const body: UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> = {
    async pull(controller) {
      try {
        for (;;) {
          const { done, value } = await (first ?? iterator.next());
          first = undefined;
          if (done) return controller.close();
          if (value.bytes.length > 0) return controller.enqueue(value.bytes);
        }
      } catch (thrown) {
        abort.abort();
        controller.error(thrown);
      }
    },
    cancel(reason) {
      abort.abort(reason);
      // Not awaited: the abort ends a step that is under way, and its outcome no longer matters.
      iterator.return?.().catch(() => {});
    },
  };
  return new Response(new ReadableStream(body, { highWaterMark: 0 }), { headers: { 'content-type': type } });
}
