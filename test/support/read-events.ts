/** Server-sent events of an answer, read as a client would. */
import { createParser } from 'eventsource-parser';

/** One event; `comments` are not events and not here. */
export interface ReceivedEvent {
  event?: string;
  data: string;
}

/** All events until the stream ends. */
export async function readEvents(response: Response): Promise<ReceivedEvent[]> {
  return parseEvents(await response.text());
}

/** Events of a text that holds whole events. */
export function parseEvents(text: string): ReceivedEvent[] {
  const events: ReceivedEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => events.push(event === undefined ? { data } : { event, data }),
    onError: (error) => {
      throw error;
    },
  });
  parser.feed(text);
  return events;
}

/** The first `count` events; then the reader goes away, as a client that aborts. */
export async function readSomeEvents(response: Response, count: number): Promise<ReceivedEvent[]> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const step = await reader.read();
    if (step.done) return parseEvents(text);
    text += step.value;
    if (parseEvents(text).length < count) continue;
    await reader.cancel();
    return parseEvents(text);
  }
}

/** The JSON of every event except `[DONE]`. */
export function jsonOf(events: readonly ReceivedEvent[]): any[] {
  return events.filter(({ data }) => data !== '[DONE]').map(({ data }) => JSON.parse(data));
}
