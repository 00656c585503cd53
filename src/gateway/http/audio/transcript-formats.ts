/** A transcript with times: `verbose_json`, and the subtitles that players show under a film. @module */
import type {
  TimedText,
  TranscriptionRequest,
  TranscriptSegment,
} from '../../../core/request/transcription-request.js';

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

/** With every field that the official types require. Decoding is greedy, so the temperature is 0. */
export async function verboseObject(
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
  const { start, end, text, tokens, averageLogprob, noSpeechProbability } = segment;
  return {
    id,
    // In frames of 10 ms.
    seek: Math.round(start * 100),
    start,
    end,
    text,
    tokens,
    temperature: 0,
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

/** How many times smaller the text gets: high when it repeats itself. */
async function compressionRatio(text: string): Promise<number> {
  const bytes = new TextEncoder().encode(text);
  const compressed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'));
  return bytes.length / (await new Response(compressed).arrayBuffer()).byteLength;
}

/** SubRip. */
export function toSubRip(segments: readonly TimedText[]): string {
  return segments
    .map(
      ({ start, end, text }, index) =>
        `${index + 1}\n${stamp(start, ',')} --> ${stamp(end, ',')}\n${oneLine(text)}\n\n`,
    )
    .join('');
}

/** WebVTT, where `&` and `<` begin markup. */
export function toWebVtt(segments: readonly TimedText[]): string {
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
