/** Holds a stream back until the model has said something. @module */
import type { GenerationEvent } from '../../channels/generation-event.js';

/**
 * The same events, but `start` comes together with the event after it: a failure between reading the prompt and the
 * first token is then still a failure before the stream began.
 */
export async function* afterFirstToken(events: AsyncIterable<GenerationEvent>): AsyncGenerator<GenerationEvent> {
  let start: GenerationEvent | undefined;
  for await (const event of events) {
    if (event.type === 'start') {
      start = event;
      continue;
    }
    if (start) yield start;
    start = undefined;
    yield event;
  }
}
