/** Gathers a recording's samples at the rate that is wanted. @module */
import { cancelled, InferenceError } from '../errors/inference-error.js';
import { createResampler, type Resampler } from './resample-audio.js';

/** The mean of all channels. */
export function mixDown(channels: readonly Float32Array[]): Float32Array {
  const [first] = channels;
  if (!first || channels.length === 1) return first ?? new Float32Array(0);
  const mono = new Float32Array(first.length);
  for (const channel of channels) for (let i = 0; i < mono.length; i++) mono[i]! += channel[i]! / channels.length;
  return mono;
}

/** Resamples what is pushed and keeps it, within the limits. */
export class SampleCollector {
  readonly #resampler: Resampler;
  readonly #limit: number;
  readonly #signal: AbortSignal | undefined;
  #samples = new Float32Array(1 << 16);
  #length = 0;

  constructor(from: number, to: number, maxSeconds: number, signal: AbortSignal | undefined) {
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
    if (length > this.#limit)
      throw new InferenceError('invalid_media', 'The recording is too long.', { param: 'file' });
    if (length > this.#samples.length) {
      const grown = new Float32Array(Math.max(length, this.#samples.length * 2));
      grown.set(this.#samples.subarray(0, this.#length));
      this.#samples = grown;
    }
    this.#samples.set(samples, this.#length);
    this.#length = length;
  }
}
