/** POST /audio/transcriptions and POST /audio/translations @module */
import type { TranscriptEvent, TranscriptionRequest } from '../../../core/request/transcription-request.js';
import type { Endpoint } from '../endpoint.js';
import { runOptions } from '../generation/generate.js';
import { errorObject } from '../errors/render-error.js';
import type { HttpContext, HttpRequestContext } from '../http-context.js';
import { requireModel } from '../policy/require-model.js';
import { COMMENT, encodeServerSentEvent } from '../sse/server-sent-event.js';
import { abortWith, streamResponse } from '../sse/stream-response.js';
import { parseBody } from '../validation/parse-body.js';
import { readForm } from './read-form.js';
import { audioRequestSchema, toTranscriptionRequest } from './request.js';
import { collectTranscript, toResponse } from './to-response.js';
import type { ServerSentEvent } from '../sse/server-sent-event.js';

/** Speech to text in the spoken language. */
export const transcriptionsEndpoint = audioEndpoint('transcriptions', 'transcribe', 'Transcribes an audio file.');

/** Speech to English text. */
export const translationsEndpoint = audioEndpoint(
  'translations',
  'translate',
  'Translates the speech in an audio file into English text.',
);

function audioEndpoint(path: string, task: TranscriptionRequest['task'], summary: string): Endpoint {
  return {
    name: 'audio',
    method: 'POST',
    path: `/audio/${path}`,
    summary,
    requestSchema: () => audioRequestSchema,
    requestType: 'multipart/form-data',
    route: (context) => async (c) => {
      const body = parseBody(audioRequestSchema, await readForm(c));
      const entry = requireModel(context.inference.catalog, body.model, 'speech');
      const request = await toTranscriptionRequest(body, entry.id, task, context.compatibility);
      await context.admit(c);
      if (body.stream === true) return stream(request, c, context);
      const options = runOptions(c, 'result');
      const transcript = await collectTranscript(context.inference.transcribe(request, options));
      return toResponse(transcript, request, body.response_format);
    },
  };
}

async function stream(request: TranscriptionRequest, c: HttpRequestContext, context: HttpContext): Promise<Response> {
  const abort = abortWith(c.req.raw.signal);
  const events = context.inference.transcribe(request, runOptions(c, 'first-token', abort.signal));
  return streamResponse(context, {
    events: toTranscriptStream(events),
    encode: encodeServerSentEvent,
    abort,
    keepAlive: () => COMMENT,
    failure: (error) => encodeServerSentEvent({ data: errorObject(error, c.get('endpoint'), c.get('inferenceId')) }),
  });
}

/** `transcript.text.delta` per piece of text, then one `transcript.text.done` with the whole text and the usage. */
async function* toTranscriptStream(events: AsyncIterable<TranscriptEvent>): AsyncGenerator<ServerSentEvent[]> {
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
