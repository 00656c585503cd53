/** Changes the sampling rate of a recording without aliasing. @module */

/** Zero crossings of the sinc on each side; more make the filter steeper. */
const ZERO_CROSSINGS = 16;

/** Shape of the Kaiser window: about 90 dB between what passes and what does not. */
const KAISER_BETA = 9;

/** Share of the lower rate's band that passes. */
const PASSBAND = 0.94;

/** Rates whose ratio needs more filter phases than this use the nearest one. */
const MAX_PHASES = 1024;

/** Takes a mono recording in pieces. Nothing but the filter's length is kept between them. */
export interface Resampler {
  /** The output that the input so far determines. */
  push(samples: Float32Array): Float32Array;
  /** The rest, after the last input. All outputs together have `ceil(inputs * to / from)` samples. */
  end(): Float32Array;
}

interface FilterBank {
  /** Row per phase, `taps` weights that sum to 1. */
  phases: Float32Array[];
  taps: number;
}

/** @param from and to sampling rates in Hz, both positive */
export function createResampler(from: number, to: number): Resampler {
  if (from === to) return { push: (samples) => samples, end: () => new Float32Array(0) };
  const { phases, taps } = createFilterBank(from, to);
  const half = taps / 2;
  // Silence before the start and after the end lets the first and last sample stand in the filter's middle.
  let buffer = new Float32Array(half - 1);
  let bufferStart = 1 - half;
  let received = 0;
  let produced = 0;

  const produce = (limit: number): Float32Array => {
    const available = Math.floor(((bufferStart + buffer.length - half) * to) / from) + 1 - produced;
    const output = new Float32Array(Math.max(0, Math.min(limit - produced, available)));
    let made = 0;
    for (; made < output.length; made++) {
      const position = ((produced + made) * from) / to;
      let whole = Math.floor(position);
      let phase = Math.round((position - whole) * phases.length);
      if (phase === phases.length) {
        phase = 0;
        whole++;
      }
      const first = whole - half + 1 - bufferStart;
      if (first + taps > buffer.length) break;
      const weights = phases[phase]!;
      let sum = 0;
      for (let i = 0; i < taps; i++) sum += weights[i]! * buffer[first + i]!;
      output[made] = sum;
    }
    produced += made;
    const keepFrom = Math.max(0, Math.floor((produced * from) / to) - half - bufferStart);
    buffer = buffer.slice(keepFrom);
    bufferStart += keepFrom;
    return output.subarray(0, made);
  };
  const append = (samples: Float32Array) => {
    const joined = new Float32Array(buffer.length + samples.length);
    joined.set(buffer);
    joined.set(samples, buffer.length);
    buffer = joined;
  };

  return {
    push(samples) {
      append(samples);
      received += samples.length;
      return produce(Infinity);
    },
    end() {
      append(new Float32Array(taps + 1));
      return produce(Math.ceil((received * to) / from));
    },
  };
}

function createFilterBank(from: number, to: number): FilterBank {
  const scale = Math.min(1, to / from);
  const half = Math.ceil(ZERO_CROSSINGS / scale);
  const taps = half * 2;
  const count = Math.min(MAX_PHASES, to / greatestCommonDivisor(Math.round(from), Math.round(to)));
  const cutoff = scale * PASSBAND;
  const phases = Array.from({ length: count }, (_, phase) => {
    const weights = Float32Array.from({ length: taps }, (_, tap) => {
      const distance = tap - half + 1 - phase / count;
      return cutoff * sinc(cutoff * distance) * kaiser(distance / half);
    });
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
  });
  return { phases, taps };
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** @param x -1 to 1 over the window's length */
function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);
}

/** Modified Bessel function of the first kind, order zero. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
