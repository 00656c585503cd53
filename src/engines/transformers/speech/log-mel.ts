/** Whisper's input: a log-mel spectrogram, one column per 10 ms. @module */
import { createFourierTransform } from './fourier-transform.js';

/** From a model's `preprocessor_config.json`. */
export interface MelSettings {
  /** Samples of one analysis window, 400. */
  windowSamples: number;
  /** Samples between two windows, 160. */
  hopSamples: number;
  /** Columns of the model's input, 100 per second of its window. */
  frames: number;
  /** Per band the weight of each of the `windowSamples / 2 + 1` frequencies. */
  filters: readonly ArrayLike<number>[];
}

/** Samples (at most one window, in the model's sampling rate) to `[bands, frames]`, row-major. */
export type LogMel = (samples: Float32Array) => Float32Array;

const FLOOR = 1e-10;

/** Prepares tables for a model. The features equal those of Whisper's own extractor to float precision. */
export function createLogMel(settings: MelSettings): LogMel {
  const { windowSamples, hopSamples, frames, filters } = settings;
  const transform = createFourierTransform(windowSamples);
  const hann = Float64Array.from({ length: windowSamples }, (_, i) => {
    return 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / windowSamples);
  });
  const bands = filters.map(sparse);
  const half = windowSamples / 2;
  const first = new Float64Array(windowSamples);
  const second = new Float64Array(windowSamples);
  const powers = [new Float64Array(half + 1), new Float64Array(half + 1)] as const;

  /** The windowed samples around a frame's center; before the start the sound is mirrored, after its end is silence. */
  const fillFrame = (target: Float64Array, samples: Float32Array, frame: number) => {
    const start = frame * hopSamples - half;
    const total = frames * hopSamples;
    for (let i = 0; i < windowSamples; i++) {
      let at = Math.abs(start + i);
      if (at >= total) at = 2 * (total - 1) - at;
      target[i] = (samples[at] ?? 0) * hann[i]!;
    }
  };

  return (samples) => {
    const output = new Float32Array(bands.length * frames).fill(Math.log10(FLOOR));
    const voiced = Math.min(frames, Math.ceil((samples.length + half) / hopSamples));
    let loudest = Math.log10(FLOOR);
    // Two real frames go through one complex transform, as its real and imaginary part.
    for (let frame = 0; frame < voiced; frame += 2) {
      fillFrame(first, samples, frame);
      fillFrame(second, samples, frame + 1);
      transform.transform(first, second);
      splitPowers(first, second, powers);
      for (let pair = 0; pair < 2 && frame + pair < frames; pair++) {
        const power = powers[pair]!;
        for (const [band, { start, weights }] of bands.entries()) {
          let energy = 0;
          for (let i = 0; i < weights.length; i++) energy += weights[i]! * power[start + i]!;
          const level = Math.log10(Math.max(FLOOR, energy));
          if (level > loudest) loudest = level;
          output[band * frames + frame + pair] = level;
        }
      }
    }
    const quietest = loudest - 8;
    for (let i = 0; i < output.length; i++) output[i] = (Math.max(output[i]!, quietest) + 4) / 4;
    return output;
  };
}

/** The power spectra of the two real signals whose common transform is `real + i * imaginary`. */
function splitPowers(
  real: Float64Array,
  imaginary: Float64Array,
  [left, right]: readonly [Float64Array, Float64Array],
): void {
  const size = real.length;
  for (let k = 0; k < left.length; k++) {
    const mirror = (size - k) % size;
    const evenReal = (real[k]! + real[mirror]!) / 2;
    const evenImaginary = (imaginary[k]! - imaginary[mirror]!) / 2;
    const oddReal = (imaginary[k]! + imaginary[mirror]!) / 2;
    const oddImaginary = (real[mirror]! - real[k]!) / 2;
    left[k] = evenReal * evenReal + evenImaginary * evenImaginary;
    right[k] = oddReal * oddReal + oddImaginary * oddImaginary;
  }
}

/** A mel filter is a triangle: only its non-zero run is kept. */
function sparse(filter: ArrayLike<number>): { start: number; weights: Float64Array } {
  const values = Array.from(filter);
  const start = values.findIndex((weight) => weight !== 0);
  if (start < 0) return { start: 0, weights: new Float64Array(0) };
  const end = values.findLastIndex((weight) => weight !== 0);
  return { start, weights: Float64Array.from(values.slice(start, end + 1)) };
}
