/** Transcriptions and translations by a remote service. @module */
import * as v from 'valibot';
import { sniffAudio } from '../../core/media/sniff-audio.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../core/request/transcription-request.js';
import { readAnswer, tokenCount } from './read-event-stream.js';
import type { UpstreamClient } from './upstream-client.js';

const transcript = v.object({
  text: v.string(),
  duration: v.nullish(v.number()),
  /** Usage in tokens or in seconds. */
  usage: v.nullish(v.object({ input_tokens: tokenCount, output_tokens: tokenCount, seconds: v.nullish(v.number()) })),
  segments: v.nullish(
    v.array(
      v.object({
        start: v.number(),
        end: v.number(),
        text: v.string(),
        tokens: v.nullish(v.array(v.number()), []),
        temperature: v.nullish(v.number(), 0),
        avg_logprob: v.nullish(v.number(), 0),
        no_speech_prob: v.nullish(v.number(), 0),
      }),
    ),
  ),
  words: v.nullish(v.array(v.object({ word: v.string(), start: v.number(), end: v.number() }))),
});

/** Yields the whole text as one delta, because these services do not stream. */
export async function* transcribeRemotely(
  client: UpstreamClient,
  request: TranscriptionRequest,
  signal: AbortSignal,
): AsyncGenerator<TranscriptEvent, void> {
  const { task, language } = request;
  const path = task === 'translate' ? '/audio/translations' : '/audio/transcriptions';
  const answer = readAnswer(transcript, await client.postForJson(path, toForm(client.model, request), signal));
  const { text, duration, usage, segments, words } = answer;
  if (text !== '') yield { type: 'delta', text };
  yield {
    type: 'finish',
    text,
    language: task === 'translate' ? 'en' : language,
    durationSeconds: duration ?? usage?.seconds ?? 0,
    promptTokens: usage?.input_tokens ?? 0,
    completionTokens: usage?.output_tokens ?? 0,
    ...(segments && {
      segments: segments.map(({ avg_logprob: averageLogprob, no_speech_prob: noSpeechProbability, ...segment }) => ({
        ...segment,
        text: segment.text.trim(),
        averageLogprob,
        noSpeechProbability,
      })),
    }),
    ...(words && { words: words.map(({ word, start, end }) => ({ text: word, start, end })) }),
  };
}

function toForm(model: string, { task, audio, language, prompt, times, temperature }: TranscriptionRequest): FormData {
  const form = new FormData();
  form.set('model', model);
  const type = audio.mediaType ?? 'application/octet-stream';
  // Services recognize the format by the ending of the name.
  const name = audio.fileName ?? `audio.${sniffAudio(audio.bytes) ?? 'wav'}`;
  form.set('file', new Blob([new Uint8Array(audio.bytes)], { type }), name);
  form.set('response_format', times ? 'verbose_json' : 'json');
  if (times === 'words') for (const unit of ['segment', 'word']) form.append('timestamp_granularities[]', unit);
  if (language !== undefined && task === 'transcribe') form.set('language', language);
  if (prompt !== undefined) form.set('prompt', prompt);
  if (temperature !== undefined) form.set('temperature', String(temperature));
  return form;
}
