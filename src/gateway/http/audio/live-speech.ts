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

/** A microphone sends silence too: who sends nothing for so long, in milliseconds, is gone. */
const MAX_GAP_MS = 60_000;

/** Bytes that may wait while the model is slower than the speaker: five minutes at 48 kHz. Then less is read. */
const MAX_WAITING_BYTES = 30_000_000;

/** Samples per second of a body of this type; undefined: it is no bare sound. Rule V04's form, with any rate. */
export function liveRate(contentType: string | null): number | undefined {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type!.trim() !== 'audio/pcm') return undefined;
  const named = Object.fromEntries(parameters.map((parameter) => parameter.split('=').map((part) => part.trim())));
  const { rate = String(SPEECH_RATE), channels = '1' } = named as Record<string, string>;
  if (channels !== '1') throw new InferenceError('invalid_media', 'Bare samples must have one channel.');
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
  for await (const { samples, start } of phrasesOf(sound, finder)) {
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

async function* phrasesOf({ body }: LiveSound, finder: PhraseFinder): AsyncGenerator<Phrase, void> {
  const waiting = new TransformStream<Uint8Array, Uint8Array>(
    {},
    { highWaterMark: MAX_WAITING_BYTES, size: ({ byteLength }) => byteLength },
  );
  const reader = body.pipeThrough(waiting).getReader();
  let odd = new Uint8Array(0);
  try {
    for (;;) {
      const read = await settledWithin(reader.read(), MAX_GAP_MS);
      if (!read) throw new InferenceError('timeout', `No sound came for ${MAX_GAP_MS / 1000} seconds.`);
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

/** What was said between two pauses. */
interface Phrase {
  samples: Float32Array;
  /** Seconds from the beginning of the sound. */
  start: number;
}

const FRAME_SECONDS = 0.02;

/** Counts of frames. */
const FRAMES_BEFORE = 15;
const FRAMES_TO_BEGIN = 4;
const FRAMES_TO_END = 25;
/** Whisper hears 30 seconds at a time. */
const MAX_FRAMES = 1400;
/** A phrase that is too long is cut where it is quietest, among so many frames at its end. */
const FRAMES_TO_CUT = 250;

/** Root mean square of samples between -1 and 1: what is below is silence everywhere. */
const MIN_LOUDNESS = 0.004;
/** Speech is so many times louder than what is always there. */
const OVER_NOISE = 3;
/** How fast the reckoned noise follows what is louder, per frame: it doubles in 7 seconds. */
const NOISE_RISE = 1.002;

interface Frame {
  samples: Float32Array;
  loudness: number;
}

/** Takes samples as they come, gives phrases as they end: found by loudness alone, which costs nothing beside the model. */
export class PhraseFinder {
  readonly #rate: number;
  readonly #frameLength: number;
  /** Of a frame that is not full yet. */
  #rest = new Float32Array(0);
  /** The phrase that is being said, or what may come to stand before one. */
  #frames: Frame[] = [];
  #isSpeech = false;
  #quiet = 0;
  #noise = MIN_LOUDNESS;
  /** Frames that were taken. */
  #taken = 0;

  /** @param rate samples per second */
  constructor(rate: number) {
    this.#rate = rate;
    this.#frameLength = Math.round(rate * FRAME_SECONDS);
  }

  /** Of all samples so far. */
  get seconds(): number {
    return (this.#taken * this.#frameLength + this.#rest.length) / this.#rate;
  }

  /** @returns the phrases that end in these samples */
  push(samples: Float32Array): Phrase[] {
    const all = new Float32Array(this.#rest.length + samples.length);
    all.set(this.#rest);
    all.set(samples, this.#rest.length);
    const phrases: Phrase[] = [];
    let at = 0;
    for (; at + this.#frameLength <= all.length; at += this.#frameLength) {
      const phrase = this.#take(all.subarray(at, at + this.#frameLength));
      if (phrase) phrases.push(phrase);
    }
    this.#rest = all.slice(at);
    return phrases;
  }

  /** What is being said when the sound ends. */
  end(): Phrase[] {
    return this.#isSpeech ? [this.#cut(this.#frames.length)] : [];
  }

  #take(samples: Float32Array): Phrase | undefined {
    const loudness = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
    this.#noise = Math.max(MIN_LOUDNESS / OVER_NOISE, Math.min(loudness, this.#noise * NOISE_RISE));
    const isLoud = loudness > Math.max(MIN_LOUDNESS, OVER_NOISE * this.#noise);
    this.#frames.push({ samples, loudness: isLoud ? loudness : 0 });
    this.#taken += 1;
    if (!this.#isSpeech) {
      const recent = this.#frames.slice(-2 * FRAMES_TO_BEGIN);
      this.#isSpeech = recent.filter((frame) => frame.loudness > 0).length >= FRAMES_TO_BEGIN;
      this.#quiet = 0;
      if (!this.#isSpeech && this.#frames.length > FRAMES_BEFORE) this.#frames.shift();
      return undefined;
    }
    this.#quiet = isLoud ? 0 : this.#quiet + 1;
    if (this.#quiet >= FRAMES_TO_END) return this.#cut(this.#frames.length);
    return this.#frames.length >= MAX_FRAMES ? this.#cut(this.#quietest()) : undefined;
  }

  /** Ends the phrase after so many frames; the others begin the next one. */
  #cut(count: number): Phrase {
    const start = ((this.#taken - this.#frames.length) * this.#frameLength) / this.#rate;
    const samples = new Float32Array(count * this.#frameLength);
    this.#frames.splice(0, count).forEach((frame, index) => samples.set(frame.samples, index * this.#frameLength));
    this.#isSpeech = this.#frames.length > 0;
    return { samples, start };
  }

  #quietest(): number {
    const first = this.#frames.length - FRAMES_TO_CUT;
    let best = first;
    for (let at = first; at < this.#frames.length; at++) {
      if (this.#frames[at]!.loudness < this.#frames[best]!.loudness) best = at;
    }
    return best;
  }
}
