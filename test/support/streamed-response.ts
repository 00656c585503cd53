/** A streamed answer whose chunks are these bytes, as a dialect's event stream is one. */
import { StreamedResponse } from '../../src/relay/stream/streamed-response.js';

export function streamedResponse(body: ReadableStream<Uint8Array<ArrayBuffer>>, failureTail?: string): Response {
  const reader = body.getReader();
  const chunks = new ReadableStream(
    {
      async pull(controller: ReadableStreamDefaultController<{ bytes: Uint8Array<ArrayBuffer> }>) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue({ bytes: value });
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new StreamedResponse(chunks, failureTail === undefined ? {} : { failureTail });
}
