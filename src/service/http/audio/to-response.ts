/** A finished transcript as the answer of the audio endpoints: text, JSON, or with times for players. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import { compressionRatio } from '../../../core/platform/compression-ratio.js';
import type {
  TimedText,
  TranscriptEvent,
  TranscriptionRequest,
  TranscriptSegment,
} from '../../../core/request/transcription-request.js';
import type { Compatibility } from '../policy/compatibility.js';
import type { AudioRequest } from './request.js';

/** A whole transcription: what the stream's last event says. */
export type Transcript = Extract<TranscriptEvent, { type: 'finish' }>;

/** Reads all events. Throws what they throw. */
export async function collectTranscript(events: AsyncIterable<TranscriptEvent>): Promise<Transcript> {
  let transcript: Transcript | undefined;
  for await (const event of events) if (event.type === 'finish') transcript = event;
  if (!transcript) throw new InferenceError('internal', 'The transcription ended without a result.');
  return transcript;
}

/** What the client wants, and what the service adds. */
interface ResponseFormat {
  format: AudioRequest['response_format'];
  compatibility: Compatibility;
}

/**
 * `json` is an object; every other format is the bare transcript, unless times were asked for.
 * @throws InferenceError `invalid_request` when the model gave no times
 */
export async function toResponse(
  transcript: Transcript,
  { task, times }: Pick<TranscriptionRequest, 'task' | 'times'>,
  { format = 'json', compatibility }: ResponseFormat,
): Promise<Response> {
  const usage = compatibility.transcriptUsage === 'duration' && {
    usage: { type: 'duration', seconds: transcript.durationSeconds },
  };
  if (times === undefined)
    return format === 'json' ? Response.json({ text: transcript.text, ...usage }) : textResponse(transcript.text);
  const segments = requireTimes(transcript.segments, 'response_format');
  switch (format) {
    case 'srt':
      return textResponse(toSubRip(segments));
    case 'vtt':
      return textResponse(toWebVtt(segments), 'text/vtt');
    default: {
      const words = times === 'words' ? requireTimes(transcript.words, 'timestamp_granularities') : undefined;
      return Response.json({ ...(await verboseObject(transcript, task, { segments, words })), ...usage });
    }
  }
}

function requireTimes<Item>(items: readonly Item[] | undefined, param: string): readonly Item[] {
  if (items) return items;
  throw new InferenceError('invalid_request', `\`${param}\` asks for timestamps, which this model does not provide.`, {
    param,
  });
}

function textResponse(text: string, type = 'text/plain'): Response {
  return new Response(text, { headers: { 'content-type': `${type}; charset=utf-8` } });
}

/** What was heard. */
interface Heard {
  text: string;
  /** ISO-639-1. */
  language: string | undefined;
  durationSeconds: number;
}

interface Times {
  segments: readonly TranscriptSegment[];
  words: readonly TimedText[] | undefined;
}

/** With every field that the official types require. */
async function verboseObject(
  { text, language, durationSeconds }: Heard,
  task: TranscriptionRequest['task'],
  { segments, words }: Times,
): Promise<Record<string, unknown>> {
  return {
    task,
    language: languageName(language),
    duration: durationSeconds,
    text,
    segments: await Promise.all(segments.map(toSegment)),
    ...(words && { words: words.map(({ text: word, start, end }) => ({ word, start, end })) }),
  };
}

async function toSegment(segment: TranscriptSegment, id: number): Promise<Record<string, unknown>> {
  const { start, end, text, tokens, temperature = 0, averageLogprob, noSpeechProbability } = segment;
  return {
    id,
    // In frames of 10 ms.
    seek: Math.round(start * 100),
    start,
    end,
    text,
    tokens,
    temperature,
    avg_logprob: averageLogprob,
    compression_ratio: await compressionRatio(text),
    no_speech_prob: noSpeechProbability,
  };
}

/** As the hosted service spells it: `english`. */
function languageName(code: string | undefined): string {
  const name = code === undefined ? undefined : new Intl.DisplayNames(['en'], { type: 'language' }).of(code);
  return (name ?? 'unknown').toLowerCase();
}

/** SubRip. */
function toSubRip(segments: readonly TimedText[]): string {
  return segments
    .map(
      ({ start, end, text }, index) =>
        `${index + 1}\n${stamp(start, ',')} --> ${stamp(end, ',')}\n${oneLine(text)}\n\n`,
    )
    .join('');
}

/** WebVTT, where `&` and `<` begin markup. */
function toWebVtt(segments: readonly TimedText[]): string {
  const cues = segments.map(({ start, end, text }) => {
    const escaped = oneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return `${stamp(start, '.')} --> ${stamp(end, '.')}\n${escaped}\n\n`;
  });
  return `WEBVTT\n\n${cues.join('')}`;
}

/** An empty line would end the cue, an arrow would begin another. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('-->', '->');
}

/** `01:02:03.004`; SubRip has a comma before the milliseconds. */
function stamp(seconds: number, separator: ',' | '.'): string {
  const milliseconds = Math.round(seconds * 1000);
  const parts = [
    Math.floor(milliseconds / 3_600_000),
    Math.floor(milliseconds / 60_000) % 60,
    Math.floor(milliseconds / 1000) % 60,
  ];
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return `${clock}${separator}${String(milliseconds % 1000).padStart(3, '0')}`;
}
