/** Seconds below which a span tells more about how the browser bundles messages than about the model. */
const SHORTEST = 0.05;

/** When the pieces of an answer came, as the page saw it. */
export class AnswerClock {
  pieces = 0;
  readonly #start = performance.now();
  #first = 0;
  #last = 0;

  /** A piece came. */
  tick(): void {
    this.#last = performance.now();
    this.#first ||= this.#last;
    this.pieces++;
  }

  /** Milliseconds to the first piece, loading included. */
  get wait(): number {
    return this.#first - this.#start;
  }

  /** Tokens per second. The first has no time of its own: loading and reading the prompt came before it. */
  rate(tokens: number): number | undefined {
    const seconds = (this.#last - this.#first) / 1000;
    return tokens > 1 && seconds > SHORTEST ? (tokens - 1) / seconds : undefined;
  }
}
