/** Seconds below which a span tells more about how the browser bundles messages than about the model. */
const SHORTEST = 0.05;

/** When the pieces of an answer came, as the page saw it. The chat and Metrics read the same one. */
export class AnswerClock {
  pieces = 0;
  /** Tokens of the whole answer, once the answer says it. */
  tokens: number | undefined;
  readonly #start = performance.now();
  #first: number | undefined;
  #last = 0;

  /** A piece came. */
  tick(): void {
    this.#last = performance.now();
    this.#first ??= this.#last;
    this.pieces++;
  }

  /** Milliseconds to the first piece, loading included; undefined: none came. */
  get wait(): number | undefined {
    return this.#first === undefined ? undefined : Math.round(this.#first - this.#start);
  }

  /** Milliseconds since the request. */
  get elapsed(): number {
    return Math.round(performance.now() - this.#start);
  }

  /** Tokens per second. The first has no time of its own: loading and reading the prompt came before it. */
  get rate(): number | undefined {
    const tokens = this.tokens ?? this.pieces;
    const seconds = (this.#last - (this.#first ?? 0)) / 1000;
    return tokens > 1 && seconds > SHORTEST ? (tokens - 1) / seconds : undefined;
  }
}
