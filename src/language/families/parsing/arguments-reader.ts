/** Arguments that a model writes as JSON: where they end is found, and what is nearly JSON becomes JSON. @module */
import { mendArguments, mendValue } from '../../../core/json/mend-json.js';
import { StrictPrefix } from '../../../core/json/strict-prefix.js';
import { createJsonExtent } from './json-extent.js';
import { findTag, partialMatchLength } from './text-matching.js';

/** What was read of the arguments. */
interface ReadArguments {
  /** A piece of JSON, or of what was written where that cannot be read. */
  json: string;
  /** Characters of the text that it took. */
  taken: number;
}

/**
 * Takes what is JSON as it comes. From where something is wrong on it takes nothing until the end is known; then that is
 * mended, or given out as it was written, up to the value's last bracket or to the tag that closes the call.
 */
export class ArgumentsReader {
  readonly #closes: readonly string[];
  readonly #isWholeBody: boolean;
  readonly #prefix = new StrictPrefix();
  #given = '';
  /** Length of the text that was looked at in vain. */
  #seen = 0;
  ended = false;

  /**
   * @param closes tags behind the arguments: they end what is otherwise never ended
   * @param isWholeBody nothing but a tag ends what cannot be read
   */
  constructor(closes: readonly string[], isWholeBody = false) {
    this.#closes = closes;
    this.#isWholeBody = isWholeBody;
  }

  /** Something of it was given out. */
  get begun(): boolean {
    return this.#given !== '';
  }

  /** @param text what was not taken yet, from the value's first character on. @param final no more will come */
  read(text: string, final: boolean): ReadArguments {
    // A tag inside a string may be what ends the call: then the string was never closed.
    const tag = findTag(text, this.#closes);
    const stop = tag ? tag.index : text.length - partialMatchLength(text, this.#closes);
    const certain = this.#prefix.take(text, stop);
    if (certain > 0) {
      const json = text.slice(0, certain);
      this.#given += json;
      this.#seen = 0;
      this.ended = this.#prefix.isOver;
      return { json, taken: certain };
    }
    // A value's last character is one of these, or what follows a word.
    const isWorthALook = this.#seen === 0 || /[}\]"'\s,>|]/.test(text.slice(this.#seen));
    if (!final && !((this.#prefix.isBroken || tag) && isWorthALook)) return { json: '', taken: 0 };
    this.#seen = text.length;
    return this.#rest(this.#given + text, final);
  }

  #rest(whole: string, final: boolean): ReadArguments {
    const value = /^\{\s*\{/.test(whole) ? 'invalid' : mendValue(whole);
    if (value === 'incomplete' && !final) return { json: '', taken: 0 };
    const end = typeof value === 'string' ? this.#roughEnd(whole) : value.end;
    if (end === undefined && !final) return { json: '', taken: 0 };
    const written = whole.slice(0, end);
    const mended = mendArguments(written);
    this.ended = end !== undefined || mended !== undefined;
    const json = mended?.startsWith(this.#given) ? mended : written;
    return { json: json.slice(this.#given.length), taken: written.length - this.#given.length };
  }

  /** Where something that cannot be read ends: at its last bracket, else before the tag. */
  #roughEnd(whole: string): number | undefined {
    const extent = createJsonExtent();
    const length = this.#isWholeBody ? 0 : extent.take(whole);
    const tag = findTag(whole.slice(this.#given.length), this.#closes);
    const closed = tag && this.#given.length + tag.index;
    return extent.ended && (closed === undefined || length <= closed) ? length : closed;
  }
}
