/**
 * Transcribes speech while it is spoken. The request's body is the sound, sent as it is recorded; each phrase goes to the
 * model when the speaker pauses.
 * @module
 */
import { InferenceError } from '../../../core/errors/inference-error.js';
import { joinBytes, toPcm, wavHeader } from '../../../core/media/pcm.js';
import { UNSPACED_LANGUAGES } from '../../../core/media/unspaced-languages.js';
import { settledWithin } from '../../../core/platform/settled-within.js';
import { SPEECH_RATE } from '../../../core/request/speech-request.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../../core/request/transcription-request.js';
import { type Phrase, PhraseFinder } from './find-phrases.js';

/** A microphone sends silence too: who sends nothing for so long, in milliseconds, is gone. */
const MAX_GAP_MS = 60_000;

/** Bytes that may wait while the model is slower than the speaker: five minutes at 48 kHz. Then less is read. */
const MAX_WAITING_BYTES = 30_000_000;

/** Samples per second of a body of this type; undefined: it is not bare audio. Rule V04's form, with any rate. */
export function liveRate(contentType: string | null): number | undefined {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type!.trim() !== 'audio/pcm') return undefined;
  const named = Object.fromEntries(parameters.map((parameter) => parameter.split('=').map((part) => part.trim())));
  const { rate = String(SPEECH_RATE), channels = '1' } = named as Record<string, string>;
  if (channels !== '1') throw new InferenceError('invalid_media', '`audio/pcm` must be mono (one channel).');
  const number = Number(rate);
  if (Number.isInteger(number) && number >= 8_000 && number <= 192_000) return number;
  throw new InferenceError('invalid_media', 'The `rate` of `audio/pcm` must be an integer from 8000 to 192000.');
}

/** A sound that is being recorded. */
export interface LiveSound {
  /** Signed 16-bit numbers, little-endian. */
  body: ReadableStream<Uint8Array>;
  /** Samples per second. */
  rate: number;
}

/**
 * The transcript of all phrases as one. Ending early lets go of the sender.
 * @param transcribe one phrase, as a WAV file
 * @throws InferenceError what `transcribe` throws; `timeout` when the sender falls silent without ending
 */
export async function* transcribeLive(
  sound: LiveSound,
  request: Omit<TranscriptionRequest, 'audio'>,
  transcribe: (request: TranscriptionRequest) => AsyncIterable<TranscriptEvent>,
): AsyncGenerator<TranscriptEvent, void> {
  const finder = new PhraseFinder(sound.rate);
  const whole: Extract<TranscriptEvent, { type: 'finish' }> = {
    type: 'finish',
    text: '',
    language: request.language,
    durationSeconds: 0,
    promptTokens: 0,
    completionTokens: 0,
    ...(request.times && { segments: [] }),
    ...(request.times === 'words' && { words: [] }),
  };
  for await (const { samples, start } of readPhrases(sound, finder)) {
    const pcm = toPcm(samples);
    const bytes = joinBytes([wavHeader(sound.rate, pcm.length), pcm]);
    let isBegun = whole.text === '';
    for await (const event of transcribe({ ...request, audio: { bytes, mediaType: 'audio/wav' } })) {
      if (event.type === 'delta') {
        const gap = isBegun || /^\s/.test(event.text) || UNSPACED_LANGUAGES.has(whole.language ?? '') ? '' : ' ';
        isBegun ||= event.text !== '';
        whole.text += gap + event.text;
        yield { type: 'delta', text: gap + event.text };
        continue;
      }
      whole.language ??= event.language;
      whole.promptTokens += event.promptTokens;
      whole.completionTokens += event.completionTokens;
      whole.segments?.push(...(event.segments ?? []).map((each) => later(each, start)));
      whole.words?.push(...(event.words ?? []).map((each) => later(each, start)));
    }
  }
  yield { ...whole, durationSeconds: finder.seconds };
}

function later<Timed extends { start: number; end: number }>(timed: Timed, seconds: number): Timed {
  return { ...timed, start: timed.start + seconds, end: timed.end + seconds };
}

async function* readPhrases({ body }: LiveSound, finder: PhraseFinder): AsyncGenerator<Phrase, void> {
  const waiting = new TransformStream<Uint8Array, Uint8Array>(
    {},
    { highWaterMark: MAX_WAITING_BYTES, size: ({ byteLength }) => byteLength },
  );
  const reader = body.pipeThrough(waiting).getReader();
  let odd = new Uint8Array(0);
  try {
    for (;;) {
      const read = await settledWithin(reader.read(), MAX_GAP_MS);
      if (!read) throw new InferenceError('timeout', `No audio arrived for ${MAX_GAP_MS / 1000} seconds.`);
      if (read.done) break;
      const bytes = joinBytes([odd, read.value]);
      odd = bytes.slice(bytes.length - (bytes.length % 2));
      yield* finder.push(toSamples(bytes));
    }
    yield* finder.end();
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** @param bytes of whole samples; an odd one at the end is left out */
function toSamples(bytes: Uint8Array<ArrayBuffer>): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: bytes.length >> 1 }, (_, index) => view.getInt16(index * 2, true) / 32_768);
}
