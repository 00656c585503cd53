/** Transcript events as the events of a streamed transcription. @module */
import type { TranscriptEvent } from '../../../core/request/transcription-request.js';
import type { ServerSentEvent } from '../sse/server-sent-event.js';

/** `transcript.text.delta` per piece of text, then one `transcript.text.done` with the whole text and the usage. */
export async function* toTranscriptStream(events: AsyncIterable<TranscriptEvent>): AsyncGenerator<ServerSentEvent[]> {
  for await (const event of events) {
    yield [{ data: event.type === 'delta' ? { type: 'transcript.text.delta', delta: event.text } : done(event) }];
  }
}

function done({ text, promptTokens, completionTokens }: Extract<TranscriptEvent, { type: 'finish' }>): object {
  return {
    type: 'transcript.text.done',
    text,
    usage: {
      type: 'tokens',
      input_tokens: promptTokens,
      output_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  };
}
