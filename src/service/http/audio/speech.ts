/** POST /audio/speech and GET /audio/voices @module */
import * as v from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { encodeBase64 } from '../../../core/media/base64.js';
import {
  SPEECH_FORMATS,
  type SpeechEvent,
  type SpeechFormat,
  type SpeechRequest,
} from '../../../core/request/speech-request.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { errorObject } from '../errors/render-error.js';
import { runOptions } from '../generation/generate.js';
import { requireModel } from '../policy/require-model.js';
import {
  abortWith,
  COMMENT,
  encodeServerSentEvent,
  streamResponse,
  type ServerSentEvent,
} from '../endpoint/stream-response.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { BrokenConnection } from '../endpoint/faults.js';
import type { HttpContext } from '../endpoint/http-context.js';
import type { ResponseChunk } from '../../../relay/protocol.js';
import { StreamedResponse } from '../../../relay/stream/streamed-response.js';

/** Code points of a text. */
const MAX_INPUT_LENGTH = 4096;

/** In the order in which they are checked. Unknown fields are accepted and ignored. */
const speechRequestSchema = v.object({
  model: v.string(),
  input: v.pipe(
    v.string(),
    v.minLength(1),
    // A code point has one or two units, so no text is taken apart that is far too long.
    v.check(
      (text) => text.length <= 2 * MAX_INPUT_LENGTH && Array.from(text).length <= MAX_INPUT_LENGTH,
      `must have at most ${MAX_INPUT_LENGTH} characters`,
    ),
  ),
  /** By name, or as clients name voices of their own. */
  voice: v.union([v.string(), v.object({ id: v.string() })], 'must be a string, or an object with a string `id`'),
  instructions: v.nullish(v.string()),
  response_format: v.nullish(v.picklist(SPEECH_FORMATS)),
  speed: v.nullish(v.pipe(v.number(), v.minValue(0.25), v.maxValue(4))),
  stream_format: v.nullish(v.picklist(['audio', 'sse'])),
  seed: v.nullish(v.pipe(v.number(), v.integer())),
});

/** Text to speech. */
export const speech: EndpointBody = {
  requestSchema: () => speechRequestSchema,
  route: (context) => async (c) => {
    const body = parseBody(speechRequestSchema, await readJsonBody(c, context));
    const entry = requireModel(context.inference.catalog, body.model, 'text-to-speech');
    const request = toSpeechRequest(body, entry.id);
    await context.admit(c);
    const abort = abortWith(c.req.raw.signal);
    const events = context.inference.speak(request, runOptions(c, 'first-token', abort.signal));
    if (body.stream_format !== 'sse') return streamFile(context, { events, type: TYPES[request.format], abort });
    return streamResponse(context, {
      events: toSpeechStream(events),
      encode: encodeServerSentEvent,
      abort,
      keepAlive: () => COMMENT,
      failure: (error) => encodeServerSentEvent({ data: errorObject(error, c.get('endpoint'), c.get('inferenceId')) }),
    });
  },
};

const TYPES: Record<SpeechFormat, string> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
  opus: 'audio/ogg; codecs=opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
};

function toSpeechRequest(body: v.InferOutput<typeof speechRequestSchema>, model: string): SpeechRequest {
  return {
    model,
    input: body.input,
    voice: typeof body.voice === 'string' ? body.voice : body.voice.id,
    format: body.response_format ?? 'mp3',
    speed: body.speed ?? 1,
    seed: body.seed ?? 0,
    ...(typeof body.instructions === 'string' && { instructions: body.instructions }),
  };
}

/** `speech.audio.delta` for each sentence, then one `speech.audio.done` with the usage. */
async function* toSpeechStream(events: AsyncIterable<SpeechEvent>): AsyncGenerator<ServerSentEvent[]> {
  for await (const event of events) {
    const sent: ServerSentEvent[] = [];
    const { bytes } = event;
    if (bytes.length > 0) sent.push({ data: { type: 'speech.audio.delta', audio: encodeBase64(bytes) } });
    if (event.type === 'finish') {
      const { inputTokens, outputTokens } = event;
      const usage = {
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        total_tokens: inputTokens + outputTokens,
      };
      sent.push({ data: { type: 'speech.audio.done', usage } });
    }
    if (sent.length > 0) yield sent;
  }
}

/** The voices of a model, which is loaded if it is not yet. */
export const voices: EndpointBody = {
  route: (context) => async (c) => {
    const model = c.req.query('model');
    if (!model) throw new InferenceError('missing_required_field', '`model` is required.', { param: 'model' });
    const entry = requireModel(context.inference.catalog, model, 'text-to-speech');
    return c.json({ voices: await context.inference.voices(entry.id, runOptions(c, 'result')) });
  },
};

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
 * must not look whole. Canceling the body aborts.
 * @throws InferenceError (or whatever the source throws) when the source fails before its first event
 */
async function streamFile({ faults }: HttpContext, { events, type, abort }: FileSource): Promise<Response> {
  const iterator = faults.disturb(events, abort.signal)[Symbol.asyncIterator]();
  let first: Promise<IteratorResult<SpeechEvent>> | undefined = iterator.next();
  await first.catch((thrown: unknown) => {
    // Only the connection breaks; the answer has begun.
    if (!(thrown instanceof BrokenConnection)) throw thrown;
  });
  const body: UnderlyingDefaultSource<ResponseChunk> = {
    async pull(controller) {
      try {
        for (;;) {
          const { done, value } = await (first ?? iterator.next());
          first = undefined;
          if (done) return controller.close();
          if (value.bytes.length > 0) return controller.enqueue({ bytes: value.bytes });
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
  return new StreamedResponse(new ReadableStream(body, { highWaterMark: 0 }), { headers: { 'content-type': type } });
}
