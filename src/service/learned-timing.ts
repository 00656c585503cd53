/** How long the worker of a model may be silent, learned from its passes. @module */
import type { CallTiming } from '../relay/stream/call-timing.js';

/** Milliseconds of silence that any model may need once it has answered: a busy machine, a grammar that is compiled. */
const MIN_SILENCE_TIMEOUT_MS = 25_000;

/** The next pass may take so many times what the longest one so far took. */
const FACTOR = 5;

/**
 * The timing of calls to one model. A worker on WASM looks at no message during a pass of its model and beats between two,
 * so its silences are as long as its passes. Before its first answer nothing is known, and the given silence counts;
 * afterwards a multiple of the longest so far.
 */
export class LearnedTiming implements CallTiming {
  readonly beat: number;
  readonly stall: number;
  readonly cancel: number;
  readonly #most: number;
  readonly #least: number;
  #longest = 0;
  #hasAnswered = false;

  constructor({ beat, stall, cancel, silentBeats }: CallTiming) {
    this.beat = beat;
    this.stall = stall;
    this.cancel = cancel;
    this.#most = silentBeats;
    this.#least = Math.ceil(MIN_SILENCE_TIMEOUT_MS / beat);
  }

  get silentBeats(): number {
    if (!this.#hasAnswered) return this.#most;
    return Math.min(this.#most, Math.max(this.#least, FACTOR * (this.#longest + 1)));
  }

  /** The worker was heard after so many silent beats; `answers`: with a part of an answer. */
  readonly received = (silentBeats: number, answers: boolean): void => {
    this.#longest = Math.max(this.#longest, silentBeats);
    this.#hasAnswered ||= answers;
  };
}
