/** Detects work that no longer reports progress. @module */

/** Calls back once when nothing was reported for so long. */
export class StallWatch {
  readonly #milliseconds: number;
  readonly #onStall: () => void;
  #timer: ReturnType<typeof setTimeout>;

  constructor(milliseconds: number, onStall: () => void) {
    this.#milliseconds = milliseconds;
    this.#onStall = onStall;
    this.#timer = setTimeout(onStall, milliseconds);
  }

  /** Something was reported. */
  received(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onStall, this.#milliseconds);
  }

  /** The work is over. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
