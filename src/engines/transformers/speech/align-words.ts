/** Times of words, from the decoder's cross attention: which frames of sound each token attends to. @module */
import { UNSPACED_LANGUAGES } from '../../../core/media/unspaced-languages.js';
import type { TimedText } from '../../../core/request/transcription-request.js';
import { TIME_STEP } from './whisper-config.js';

/** Cross attention of one written token: per alignment head, one weight per frame of sound. */
export type AttentionRow = readonly Float32Array[];

/** A token's text; undefined for time tokens and the end token. */
export type TokenText = string | undefined;

/**
 * The words of one window.
 * @param texts per token, the end token included; as many as rows
 * @param window seconds within the recording
 */
export function alignWords(
  texts: readonly TokenText[],
  rows: readonly AttentionRow[],
  {
    window,
    language,
    medianWidth,
  }: { window: { start: number; end: number }; language: string | undefined; medianWidth: number },
): TimedText[] {
  const frames = Math.min(rows[0]?.[0]?.length ?? 0, Math.ceil((window.end - window.start) / TIME_STEP));
  if (frames === 0) return [];
  const starts = firstFrames(attentionMatrix(rows, frames, medianWidth), rows.length, frames);
  const timeOf = (row: number): number => {
    const frame = starts[row];
    return frame === undefined ? window.end : Math.min(window.end, window.start + frame * TIME_STEP);
  };
  const words: TimedText[] = [];
  let isNew = true;
  for (const [row, text] of texts.entries()) {
    if (text === undefined) {
      isNew = true;
      continue;
    }
    if (text === '') continue;
    const last = words.at(-1);
    const starts = isNew || /^\s/.test(text) || UNSPACED_LANGUAGES.has(language ?? '');
    isNew = false;
    if (last && !(starts && /[\p{L}\p{N}]/u.test(text))) {
      last.text += text.trim();
      last.end = rounded(Math.max(last.end, timeOf(row + 1)));
    } else {
      words.push({ text: text.trim(), start: rounded(timeOf(row)), end: rounded(timeOf(row + 1)) });
    }
  }
  return words;
}

/** Attention, standardised over tokens, smoothed over frames and averaged over heads: `[token][frame]`, row-major. */
function attentionMatrix(rows: readonly AttentionRow[], frames: number, medianWidth: number): Float32Array {
  const matrix = new Float32Array(rows.length * frames);
  const heads = rows[0]?.length ?? 0;
  for (let head = 0; head < heads; head++) {
    const standard = rows.map(() => new Float32Array(frames));
    for (let frame = 0; frame < frames; frame++) {
      const { mean, deviation } = spread(rows.map((row) => row[head]![frame]!));
      for (const [token, row] of rows.entries()) {
        standard[token]![frame] = deviation > 0 ? (row[head]![frame]! - mean) / deviation : 0;
      }
    }
    for (const [token, values] of standard.entries()) {
      const smooth = medianFilter(values, medianWidth);
      for (let frame = 0; frame < frames; frame++) matrix[token * frames + frame]! += smooth[frame]! / heads;
    }
  }
  return matrix;
}

function spread(values: readonly number[]): { mean: number; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) };
}

/** Values are mirrored at the edges. */
function medianFilter(values: Float32Array, width: number): Float32Array {
  const half = Math.floor(width / 2);
  if (values.length <= half) return values;
  const last = values.length - 1;
  const mirrored = (index: number): number => (index < 0 ? -index : index > last ? 2 * last - index : index);
  return values.map((_, at) => {
    const window = Array.from({ length: 2 * half + 1 }, (__, offset) => values[mirrored(at + offset - half)]!);
    return window.toSorted((a, b) => a - b)[half]!;
  });
}

/**
 * Dynamic time warping: the monotonic path through tokens and frames with the most attention.
 * @returns the first frame of each token
 */
function firstFrames(matrix: Float32Array, tokens: number, frames: number): number[] {
  const width = frames + 1;
  const cost = new Float32Array((tokens + 1) * width).fill(Infinity);
  const from = new Uint8Array((tokens + 1) * width);
  cost[0] = 0;
  for (let token = 1; token <= tokens; token++) {
    for (let frame = 1; frame <= frames; frame++) {
      const at = token * width + frame;
      const [both, above, left] = [cost[at - width - 1]!, cost[at - width]!, cost[at - 1]!];
      const least = Math.min(both, above, left);
      from[at] = least === both ? 0 : least === above ? 1 : 2;
      cost[at] = least - matrix[(token - 1) * frames + frame - 1]!;
    }
  }
  const starts = Array.from({ length: tokens }, () => 0);
  let [token, frame] = [tokens, frames];
  while (token > 0 && frame > 0) {
    starts[token - 1] = frame - 1;
    const step = from[token * width + frame];
    if (step !== 2) token -= 1;
    if (step !== 1) frame -= 1;
  }
  return starts;
}

/** Seconds, rounded to milliseconds. */
export function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
