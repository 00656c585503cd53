/** Is what stands in a thought a call? @module */
import type { ChannelParser } from './channel-parser.js';

/** Reads a text as calls before anyone decides what it is. */
export class CallTrial {
  readonly #parser: ChannelParser;
  #length = 0;
  #open = 0;
  #ended = false;
  #isOther = false;
  /** A whole call stands before all else. */
  beginsWithCall = false;

  constructor(parser: ChannelParser) {
    this.#parser = parser;
  }

  /** Whether the text is nothing but calls, and may still become so; with `final`, complete ones. @param text all so far */
  read(text: string, final: boolean): boolean {
    const parts = this.#parser.push(text.slice(this.#length));
    this.#length = text.length;
    for (const part of final ? [...parts, ...this.#parser.end(true)] : parts) {
      if (part.type === 'tool-call-start') this.#open += 1;
      if (part.type === 'tool-call-end') this.#open -= 1;
      this.#ended ||= part.type === 'tool-call-end';
      this.beginsWithCall ||= this.#ended && !this.#isOther;
      this.#isOther ||= part.type === 'text' && part.text.trim() !== '';
    }
    return !this.#isOther && (!final || (this.#ended && this.#open === 0));
  }
}
