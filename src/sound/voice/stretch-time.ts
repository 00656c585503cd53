/** Changes how long a recording lasts, and not its pitch (WSOLA). @module */

/** Seconds of a piece, and how far one is moved to where it fits best. A piece holds a few periods of a low voice. */
const PIECE = 0.04;
const SEEK = 0.01;

/**
 * Takes overlapping pieces at another pace than they are written, each from where it continues the last one best.
 * @param speed 2 gives half the length
 * @returns `round(samples / speed)` samples
 */
export function stretchTime(samples: Float32Array, speed: number, sampleRate: number): Float32Array {
  const length = Math.round(samples.length / speed);
  const hop = Math.round((PIECE / 2) * sampleRate);
  if (speed === 1 || samples.length < 4 * hop) return speed === 1 ? samples : resized(samples, length);
  const seek = Math.round(SEEK * sampleRate);
  const output = new Float32Array(length + 2 * hop);
  const fade = Float32Array.from({ length: hop }, (_, at) => 0.5 - 0.5 * Math.cos((Math.PI * (at + 0.5)) / hop));
  let from = 0;
  output.set(samples.subarray(0, hop));
  for (let to = 0; to < length; to += hop) {
    // The second half of the last piece fades out, the first half of the next one in.
    const ideal = Math.round((to + hop) * speed) - hop;
    const next = to === 0 ? 0 : bestStart(samples, { ideal, seek, hop, continued: from + hop });
    for (let at = 0; at < hop; at++) {
      const [out, into] = [to === 0 ? 0 : (samples[from + hop + at] ?? 0), samples[next + at] ?? 0];
      output[to + at] = to === 0 ? into : out * (1 - fade[at]!) + into * fade[at]!;
    }
    from = next;
  }
  return output.subarray(0, length);
}

interface Search {
  /** Where the piece would begin at an even pace. */
  ideal: number;
  seek: number;
  hop: number;
  /** Where the sound continues after the last piece. */
  continued: number;
}

function bestStart(samples: Float32Array, { ideal, seek, hop, continued }: Search): number {
  let [best, bestLikeness] = [ideal, -Infinity];
  const last = samples.length - hop;
  for (let start = Math.max(0, ideal - seek); start <= Math.min(last, ideal + seek); start++) {
    let [product, energy] = [0, 1e-9];
    for (let at = 0; at < hop; at += 2) {
      const sample = samples[start + at]!;
      product += sample * (samples[continued + at] ?? 0);
      energy += sample * sample;
    }
    const likeness = product / Math.sqrt(energy);
    if (likeness > bestLikeness) [best, bestLikeness] = [start, likeness];
  }
  return Math.max(0, best);
}

/** A sound too short to hold a piece: cut, or with silence behind it. */
function resized(samples: Float32Array, length: number): Float32Array {
  const whole = new Float32Array(length);
  whole.set(samples.subarray(0, length));
  return whole;
}
