/** A finished transcript as the answer of the audio endpoints. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../../core/request/transcription-request.js';
import type { AudioRequest } from './request.js';
import { toSubRip, toWebVtt, verboseObject } from './transcript-formats.js';

/** A whole transcription: what the stream's last event says. */
export type Transcript = Extract<TranscriptEvent, { type: 'finish' }>;

/** Reads all events. Throws what they throw. */
export async function collectTranscript(events: AsyncIterable<TranscriptEvent>): Promise<Transcript> {
  let transcript: Transcript | undefined;
  for await (const event of events) if (event.type === 'finish') transcript = event;
  if (!transcript) throw new InferenceError('internal', 'The transcription ended without a result.');
  return transcript;
}

/**
 * `json` is an object; every other format is the bare transcript, unless times were asked for.
 * @throws InferenceError `invalid_request` when the model gave no times
 */
export async function toResponse(
  transcript: Transcript,
  { task, times }: TranscriptionRequest,
  format: AudioRequest['response_format'] = 'json',
): Promise<Response> {
  if (times === undefined)
    return format === 'json' ? Response.json({ text: transcript.text }) : textResponse(transcript.text);
  const segments = requireTimes(transcript.segments, 'response_format');
  switch (format) {
    case 'srt':
      return textResponse(toSubRip(segments));
    case 'vtt':
      return textResponse(toWebVtt(segments), 'text/vtt');
    default: {
      const words = times === 'words' ? requireTimes(transcript.words, 'timestamp_granularities') : undefined;
      return Response.json(await verboseObject(transcript, task, { segments, words }));
    }
  }
}

function requireTimes<Item>(items: readonly Item[] | undefined, param: string): readonly Item[] {
  if (items) return items;
  throw new InferenceError('invalid_request', `\`${param}\` asks for times, which this model does not give.`, {
    param,
  });
}

function textResponse(text: string, type = 'text/plain'): Response {
  return new Response(text, { headers: { 'content-type': `${type}; charset=utf-8` } });
}
