/** Collects samples and converts them to the wanted sampling rate. @module */
import { cancelled, InferenceError } from '../core/errors/inference-error.js';
import { createResampler, type Resampler } from './resample-audio.js';

/** The mean of all channels. */
export function mixDown(channels: readonly Float32Array[]): Float32Array {
  const [first] = channels;
  if (!first || channels.length === 1) return first ?? new Float32Array(0);
  const mono = new Float32Array(first.length);
  for (const channel of channels) for (let i = 0; i < mono.length; i++) mono[i]! += channel[i]! / channels.length;
  return mono;
}

/** Whether recorders use this sampling rate (Hz). Sound of 1 Hz would grow 16,000 times when it is resampled. */
export function isPlausibleRate(sampleRate: number): boolean {
  return sampleRate >= 1_000 && sampleRate <= 768_000;
}

/** @throws InferenceError `invalid_media` for another rate */
export function requirePlausibleRate(sampleRate: number): void {
  if (isPlausibleRate(sampleRate)) return;
  const message = 'The sampling rate of the audio is not supported.';
  throw new InferenceError('invalid_media', message, { param: 'file' });
}

/** Resamples what is pushed and keeps it, within the limits. */
export class SampleCollector {
  readonly #resampler: Resampler;
  readonly #limit: number;
  readonly #signal: AbortSignal | undefined;
  #samples = new Float32Array(1 << 16);
  #length = 0;

  /** @throws InferenceError `invalid_media` for an implausible sampling rate */
  constructor(from: number, to: number, maxSeconds: number, signal?: AbortSignal) {
    requirePlausibleRate(from);
    this.#resampler = createResampler(from, to);
    this.#limit = maxSeconds * to;
    this.#signal = signal;
  }

  /** @throws InferenceError `cancelled`, or `invalid_media` when the recording is too long */
  push(mono: Float32Array): void {
    if (this.#signal?.aborted) throw cancelled();
    this.#append(this.#resampler.push(mono));
  }

  end(): Float32Array {
    this.#append(this.#resampler.end());
    return this.#samples.subarray(0, this.#length);
  }

  #append(samples: Float32Array): void {
    const length = this.#length + samples.length;
    if (length > this.#limit) throw tooLong();
    if (length > this.#samples.length) {
      const grown = new Float32Array(Math.max(length, this.#samples.length * 2));
      grown.set(this.#samples.subarray(0, this.#length));
      this.#samples = grown;
    }
    this.#samples.set(samples, this.#length);
    this.#length = length;
  }
}

/** The error for a recording of which nothing can be decoded, though its header states a length. */
export function noAudio(): InferenceError {
  const message = 'The file has a header, but no audio that can be decoded. The file may be truncated.';
  return new InferenceError('invalid_media', message, { param: 'file' });
}

/** The error for a recording that is longer than allowed. */
export function tooLong(): InferenceError {
  return new InferenceError('invalid_media', 'The audio is too long.', { param: 'file' });
}
