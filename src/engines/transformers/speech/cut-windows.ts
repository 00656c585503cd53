/** Cuts long recordings at pauses into windows of the model's length. @module */

/** Samples `start` (inclusive) to `end` (exclusive). */
export interface SoundWindow {
  start: number;
  end: number;
}

/** Seconds over which loudness is averaged in the search for a pause. */
const PAUSE_SECONDS = 0.25;

/** Seconds between two places of that search. */
const STEP = 0.02;

/** Windows are cut in this last fraction of their length, because short ones cost as much as full ones. */
const CUT_ZONE = 0.45;

/** A pause at the start of that zone must be so many decibels quieter than one at its end. */
const EARLINESS_COST = 6;

/** Root mean square of silence, -66 dB. */
const SILENCE = 0.0005;

/**
 * The windows with sound, in order and without overlap. Silence is left out, and a recording that fits one window is not
 * cut.
 */
export function cutWindows(samples: Float32Array, sampleRate: number, windowSamples: number): SoundWindow[] {
  const windows: SoundWindow[] = [];
  let start = 0;
  while (start < samples.length) {
    start = skipSilence(samples, sampleRate, start);
    const rest = samples.length - start;
    const end = rest <= windowSamples ? samples.length : findPause(samples, sampleRate, start, windowSamples);
    if (!isSilent(samples, sampleRate, start, end)) windows.push({ start, end });
    start = end;
  }
  return windows;
}

/** The place just before the next sound. */
function skipSilence(samples: Float32Array, sampleRate: number, start: number): number {
  const step = Math.round(sampleRate * PAUSE_SECONDS);
  let at = start;
  while (at < samples.length && loudness(samples, at, at + step) < SILENCE) at += step;
  return at >= samples.length ? samples.length : Math.max(start, at - step);
}

function isSilent(samples: Float32Array, sampleRate: number, start: number, end: number): boolean {
  const step = Math.round(sampleRate * STEP);
  for (let at = start; at < end; at += step)
    if (loudness(samples, at, Math.min(end, at + step)) >= SILENCE) return false;
  return true;
}

/** The quietest place in the last part of a window; later places are preferred. */
function findPause(samples: Float32Array, sampleRate: number, start: number, windowSamples: number): number {
  const half = Math.round((sampleRate * PAUSE_SECONDS) / 2);
  const from = start + Math.round(windowSamples * (1 - CUT_ZONE));
  const to = start + windowSamples - half;
  let best = to;
  let lowest = Infinity;
  for (let at = from; at <= to; at += Math.round(sampleRate * STEP)) {
    const level = 20 * Math.log10(loudness(samples, at - half, at + half) + SILENCE / 10);
    const cost = level + (EARLINESS_COST * (to - at)) / (to - from);
    if (cost < lowest) {
      lowest = cost;
      best = at;
    }
  }
  return best;
}

/** Root mean square. */
function loudness(samples: Float32Array, start: number, end: number): number {
  let sum = 0;
  for (let i = start; i < end && i < samples.length; i++) sum += samples[i]! * samples[i]!;
  return Math.sqrt(sum / (end - start));
}
