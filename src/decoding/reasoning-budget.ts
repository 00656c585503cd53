/** Closes the thinking after so many tokens. @module */
import type { ReasoningSyntax } from '../families/model-family.js';

/** Counts the tokens of one choice's thinking and says when the budget is spent. */
export class ReasoningBudget {
  readonly #tags: Pick<ReasoningSyntax, 'open' | 'close'>;
  readonly #budget: number;
  #open: boolean;
  #spent = 0;
  #tail = '';

  /**
   * @param tags of the model's thinking
   * @param budget tokens of thinking, at least 0
   * @param open the prompt ended inside a think block
   */
  constructor(tags: Pick<ReasoningSyntax, 'open' | 'close'>, budget: number, open: boolean) {
    this.#tags = tags;
    this.#budget = budget;
    this.#open = open;
  }

  /** Counts one token with its text. */
  push(text: string): void {
    this.#tail += text;
    if (this.#open) this.#spent += 1;
    for (;;) {
      const tag = this.#open ? this.#tags.close : this.#tags.open;
      const place = this.#tail.indexOf(tag);
      if (place < 0) {
        this.#tail = this.#tail.slice(-tag.length);
        return;
      }
      this.#tail = this.#tail.slice(place + tag.length);
      this.#open = !this.#open;
    }
  }

  /** The thinking is open and may not go on. */
  isSpent(): boolean {
    return this.#open && this.#spent >= this.#budget;
  }
}
