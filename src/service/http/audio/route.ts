/** POST /audio/transcriptions and POST /audio/translations @module */
import type { TranscriptEvent, TranscriptionRequest } from '../../../core/request/transcription-request.js';
import type { RunOptions } from '../../scheduler/inference.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { errorObject } from '../errors/render-error.js';
import { runOptions } from '../generation/generate.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import { nameIgnored } from '../endpoint/ignored-parts.js';
import { requireModel } from '../policy/require-model.js';
import {
  abortWith,
  COMMENT,
  encodeServerSentEvent,
  type ServerSentEvent,
  streamResponse,
} from '../endpoint/stream-response.js';
import { parseBody } from '../validation/parse-body.js';
import { readFields, readForm } from '../validation/read-form.js';
import { liveRate, transcribeLive } from './live-speech.js';
import {
  audioRequestSchema,
  liveRequestSchema,
  MAX_FILE_BYTES,
  toRecording,
  toTranscriptionRequest,
} from './request.js';
import { collectTranscript, toResponse } from './to-response.js';

/** Speech to text in the spoken language. */
export const transcriptions = audioEndpoint('transcribe');

/** Speech to English text. */
export const translations = audioEndpoint('translate');

function audioEndpoint(task: TranscriptionRequest['task']): EndpointBody {
  return {
    requestSchema: () => audioRequestSchema,
    route: (context) => async (c) => {
      const { raw } = c.req;
      const rate = liveRate(raw.headers.get('content-type'));
      const form = rate === undefined ? parseBody(audioRequestSchema, await readForm(c, FORM)) : undefined;
      const body = form ?? parseBody(liveRequestSchema, readFields(new URL(raw.url).searchParams, NULLABLE));
      const entry = requireModel(context.inference.catalog, body.model, 'speech-to-text');
      const audio = form && toRecording(form.file);
      const request = toTranscriptionRequest(body, entry.id, task, context.compatibility);
      await context.admit(c);
      if (asksForLogprobs(body.include)) nameIgnored(c, 'x-ignored-fields', ['include']);
      const transcribe: Transcribe = (deadline, signal) => {
        const options = runOptions(c, deadline, signal);
        if (audio) return context.inference.transcribe({ ...request, audio }, options);
        const live = { ...options, deadline: 'result' } as const;
        const sound = { body: raw.body ?? new Blob().stream(), rate: rate! };
        return transcribeLive(sound, request, (phrase) => context.inference.transcribe(phrase, live));
      };
      if (body.stream === true) return stream(transcribe, c, context);
      const transcript = await collectTranscript(transcribe('result'));
      return toResponse(transcript, request, { format: body.response_format, compatibility: context.compatibility });
    },
  };
}

/** In a form the list is repeated fields, of which a single one may be no list. */
function asksForLogprobs(include: unknown): boolean {
  return [include].flat().includes('logprobs');
}

type Transcribe = (deadline: RunOptions['deadline'], signal?: AbortSignal) => AsyncIterable<TranscriptEvent>;

async function stream(transcribe: Transcribe, c: HttpRequestContext, context: HttpContext): Promise<Response> {
  const abort = abortWith(c.req.raw.signal);
  return streamResponse(context, {
    events: toTranscriptStream(transcribe('first-token', abort.signal)),
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

/** Fields that count as absent when they are empty: forms cannot say null. */
const NULLABLE = ['prompt', 'language'];

const FORM = { maxFileBytes: MAX_FILE_BYTES, limit: '25 MB', holds: 'the audio', nullable: NULLABLE };
