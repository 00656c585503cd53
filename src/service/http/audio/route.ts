/** POST /audio/transcriptions and POST /audio/translations @module */
import { InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';
import { BrokenForm, boundaryOf, readForm } from '../../../core/media/read-form.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../../core/request/transcription-request.js';
import type { RunOptions } from '../../scheduler/inference.js';
import type { Endpoint } from '../endpoint/endpoint.js';
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
import { readBytes } from '../validation/read-json-body.js';
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
      const { raw } = c.req;
      const rate = liveRate(raw.headers.get('content-type'));
      const form = rate === undefined ? parseBody(audioRequestSchema, await readFormOf(c)) : undefined;
      const body = form ?? parseBody(liveRequestSchema, readFields(new URL(raw.url).searchParams));
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

/** Room for the fields around the file. */
const MAX_OTHER_BYTES = 1024 * 1024;

/** A transcription has about ten parts. Each takes time to parse, and a body could hold a million. */
const MAX_PARTS = 100;

/** Fields that count as absent when they are empty: forms cannot say null. */
const NULLABLE = ['prompt', 'language'];

/**
 * The form's fields: texts as strings, files as {@link FormFile}s. Of a repeated field the first counts; a name that ends with
 * brackets is a list, named without them.
 * @throws InferenceError `malformed_multipart`; `invalid_request` with param `file` when the body is too large
 */
async function readFormOf(c: HttpRequestContext): Promise<Record<string, unknown>> {
  const type = c.req.raw.headers.get('content-type') ?? '';
  const body = await readBytes(c.req.raw, MAX_FILE_BYTES + MAX_OTHER_BYTES).catch((thrown: unknown) => {
    throw isInferenceError(thrown) && thrown.code === 'payload_too_large' ? tooLarge(thrown) : thrown;
  });
  if (!/^\s*multipart\/form-data\b/i.test(type)) throw malformed(notForm(type));
  const boundary = boundaryOf(type);
  if (boundary === undefined) throw malformed(BROKEN_FORM);
  try {
    return readFields(readForm(body, boundary, MAX_PARTS));
  } catch (thrown) {
    throw thrown instanceof BrokenForm ? malformed(BROKEN_FORM, thrown) : thrown;
  }
}

/** The fields of a form or of a query, see {@link readFormOf}. */
function readFields(entries: Iterable<[string, unknown]>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const lists = new Map<string, unknown[]>();
  for (const [name, value] of entries) {
    if (value === '' && NULLABLE.includes(name)) continue;
    if (name.endsWith('[]')) lists.set(name.slice(0, -2), [...(lists.get(name.slice(0, -2)) ?? []), value]);
    else if (!Object.hasOwn(fields, name)) fields[name] = value;
  }
  return { ...fields, ...Object.fromEntries(lists) };
}

const BROKEN_FORM =
  'The multipart body could not be parsed. Pass a `FormData` as the body, and do not set `content-type` yourself.';

const notForm = (type: string): string =>
  `The body must be multipart/form-data with the audio in \`file\`, not ${type.split(';', 1)[0]!.slice(0, 60) || 'a body without content type'}. Pass a \`FormData\`, and do not set \`content-type\` yourself.`;

function malformed(message: string, cause?: unknown): InferenceError {
  return new InferenceError('malformed_multipart', message, {}, { cause });
}

function tooLarge(cause: unknown): InferenceError {
  return new InferenceError('invalid_request', '`file` must be at most 25 MB.', { param: 'file' }, { cause });
}
