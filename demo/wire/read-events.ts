/** The data of each server-sent event of a response. */
import { EventSourceParserStream } from 'eventsource-parser/stream';

export async function* readEvents(response: Response): AsyncGenerator<string> {
  if (!response.body) return;
  const reader = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value.data;
    }
  } finally {
    await reader.cancel();
  }
}
