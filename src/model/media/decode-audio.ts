/** Decodes recordings of any supported format to samples. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { pageAudioDecoder, type PageAudioDecoder } from './page-audio-decoder.js';
import { readWav, type WavFile } from './read-wav.js';
import { mixDown, SampleCollector, tooLong } from './sample-collector.js';
import { sniffAudio } from '../../core/media/sniff-audio.js';

export interface DecodeAudioOptions {
  /** Hz of the result. @default 16000 */
  sampleRate?: number;
  /** Longer recordings are refused: their samples would fill the memory. @default two hours */
  maxSeconds?: number;
  /** Asked when this realm has no decoder for the recording. @default the one of `providePageAudioDecoder` */
  pageDecoder?: PageAudioDecoder;
  signal?: AbortSignal;
}

/** Frames of a WAV file that are converted at once. */
const WAV_PIECE = 1 << 18;

/**
 * A recording as mono samples, -1 to 1. WAV needs no codec; the other containers go through WebCodecs, or else through
 * the page. Sound is resampled piece by piece, so memory holds the file and the result.
 * @throws InferenceError `invalid_media` with param `file` when it is no recording, broken or too long; `cancelled`
 */
export async function decodeAudio(bytes: Uint8Array, options: DecodeAudioOptions = {}): Promise<Float32Array> {
  const { sampleRate = 16_000, maxSeconds = 7200, pageDecoder = pageAudioDecoder(), signal } = options;
  const container = sniffAudio(bytes);
  if (!container) throw invalid('The file is not audio in a supported format.');
  const collect = (rate: number) => new SampleCollector(rate, sampleRate, maxSeconds, signal);
  const wav = container === 'wav' ? readWav(bytes) : undefined;
  if (wav) {
    // Known before anything is decoded.
    if (wav.frames > maxSeconds * wav.sampleRate) throw tooLong();
    return collectWav(wav, collect(wav.sampleRate));
  }
  try {
    const { decodeWithCodecs } = await import('./decode-with-codecs.js');
    const samples = await decodeWithCodecs(bytes, { collect, maxSeconds });
    if (samples) return samples;
  } catch (thrown) {
    if (thrown instanceof InferenceError) throw thrown;
    if (!pageDecoder) throw invalid('The audio could not be decoded.', thrown);
  }
  if (!pageDecoder) throw invalid('This browser cannot decode this kind of audio.');
  const decoded = await pageDecoder(bytes).catch((thrown: unknown) => {
    throw invalid('The audio could not be decoded.', thrown);
  });
  const collector = collect(decoded.sampleRate);
  collector.push(mixDown(decoded.channels));
  return collector.end();
}

function collectWav(wav: WavFile, collector: SampleCollector): Float32Array {
  for (let start = 0; start < wav.frames; start += WAV_PIECE) {
    collector.push(wav.read(start, Math.min(wav.frames, start + WAV_PIECE)));
  }
  return collector.end();
}

function invalid(message: string, cause?: unknown): InferenceError {
  return new InferenceError('invalid_media', message, { param: 'file' }, cause === undefined ? {} : { cause });
}
