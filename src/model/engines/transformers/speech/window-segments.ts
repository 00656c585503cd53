/** The phrases of one window, from the times that the model writes around them. @module */
import type { TranscriptSegment } from '../../../../core/request/transcription-request.js';
import { TIME_STEP, type TimeTokens } from './speech-facts.js';

/** Where a window lies in the recording, and how probably it is silent. */
export interface WindowPlace {
  /** Seconds. */
  start: number;
  end: number;
  noSpeechProbability: number;
}

interface OpenSegment {
  start: number;
  text: string;
  tokens: number[];
  logprob: number;
}

/** Grows by tokens. A window without times is one segment. */
export class WindowSegments {
  readonly #place: WindowPlace;
  readonly #times: TimeTokens | undefined;
  readonly #segments: TranscriptSegment[] = [];
  #open: OpenSegment | undefined;
  /** Where the next segment begins, unless the model says otherwise. */
  #at: number;

  constructor(place: WindowPlace, times: TimeTokens | undefined) {
    this.#place = place;
    this.#times = times;
    this.#at = place.start;
  }

  /** A time: the end of an open phrase, else where the next begins. */
  time(token: number): void {
    const seconds = this.#place.start + (token - (this.#times?.first ?? token)) * TIME_STEP;
    const time = Math.min(this.#place.end, Math.max(this.#at, seconds));
    this.#close(time);
    this.#at = time;
  }

  /** @param piece text that became certain with the token; may be empty */
  text(token: number, logprob: number, piece: string): void {
    const open = (this.#open ??= { start: this.#at, text: '', tokens: [], logprob: 0 });
    open.text += piece;
    open.tokens.push(token);
    open.logprob += logprob;
  }

  /** All segments; an open one ends with the window. */
  end(): TranscriptSegment[] {
    this.#close(this.#place.end);
    return this.#segments;
  }

  #close(end: number): void {
    const open = this.#open;
    this.#open = undefined;
    if (!open || open.text.trim() === '') return;
    const { start, text, tokens, logprob } = open;
    this.#segments.push({
      start: rounded(start),
      end: rounded(end),
      text: text.trim(),
      tokens,
      averageLogprob: logprob / tokens.length,
      noSpeechProbability: this.#place.noSpeechProbability,
    });
  }
}

/** To milliseconds. */
export function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
