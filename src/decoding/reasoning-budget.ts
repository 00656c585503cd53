/** Closes the thinking after so many tokens. @module */
import { THINK_TAGS, type ThinkTags } from '../events/think-tags.js';
import type { ReasoningFormat } from '../events/token-event.js';

/** How a family of models begins and ends its thinking. */
interface ReasoningTags extends ThinkTags {
  /** What ends the thinking when the model does not, where that is more than `close`. */
  forcedClose?: string;
}

const TAGS: Record<Exclude<ReasoningFormat, 'none'>, ReasoningTags> = {
  ...THINK_TAGS,
  harmony: {
    open: '<|channel|>analysis<|message|>',
    close: '<|end|>',
    // The final channel must be opened as well.
    forcedClose: '<|end|><|start|>assistant<|channel|>final<|message|>',
  },
};

/** The text that ends a thinking that is still open; undefined for models that do not think. */
export function forcedReasoningClose(format: ReasoningFormat): string | undefined {
  return format === 'none' ? undefined : (TAGS[format].forcedClose ?? TAGS[format].close);
}

/** Counts the tokens of one choice's thinking and says when the budget is spent. */
export class ReasoningBudget {
  readonly #tags: ReasoningTags;
  readonly #budget: number;
  #open: boolean;
  #spent = 0;
  #tail = '';

  /**
   * @param budget tokens of thinking, at least 0
   * @param open the prompt ended inside a think block
   */
  constructor(format: Exclude<ReasoningFormat, 'none'>, budget: number, open: boolean) {
    this.#tags = TAGS[format];
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
