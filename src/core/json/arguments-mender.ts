/** The arguments of one call, mended while they come in pieces whose last one is known. @module */
import { mendArguments } from './mend-json.js';
import { StrictPrefix } from './strict-prefix.js';

/** What is JSON passes as it comes; from where something is wrong on, the rest waits for the end. */
export class ArgumentsMender {
  readonly #prefix = new StrictPrefix();
  #given = '';
  #held = '';

  /** What is certain now. */
  push(text: string): string {
    this.#held += text;
    const certain = this.#held.slice(0, this.#prefix.take(this.#held));
    this.#given += certain;
    this.#held = this.#held.slice(certain.length);
    return certain;
  }

  /** The rest: mended, or as it was written where it cannot be read. */
  end(): string {
    const mended = mendArguments(this.#given + this.#held);
    return mended?.startsWith(this.#given) ? mended.slice(this.#given.length) : this.#held;
  }

  /** The rest of what was cut, as it was written. */
  cut(): string {
    return this.#held;
  }
}
