/** Arguments that a model writes as JSON: where they end is found, and what is nearly JSON becomes JSON. @module */
import { mendArguments, skipBlanks, tryValue } from '../../../core/json/mend-json.js';
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

/** How much a text must grow between two looks where nothing tells that it may be over. */
const MISLED_GROWTH = 1.05;

/** More text decides. */
const NOTHING: ReadArguments = { json: '', taken: 0 };

/**
 * Takes what is JSON as it comes. From where something is wrong on it takes nothing until the end is known; then that is
 * mended, or given out as it was written, up to the value's last bracket or to the tag that closes the call.
 */
export class ArgumentsReader {
  readonly #closes: readonly string[];
  readonly #isWholeBody: boolean;
  readonly #prefix = new StrictPrefix();
  #given = '';
  /** Length of the text of which nothing was taken. */
  #seen = 0;
  /** Its length when it was last looked at as a whole. */
  #looked = 0;
  /** Without this quote the text cannot become a value. */
  #awaited: string | undefined;
  /** It will not become a value, whatever follows: only its end is looked for. */
  #isLost = false;
  /** Where it seems to end, as far as the text was followed. */
  readonly #extent = createJsonExtent();
  #followed = 0;
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
    if (this.#prefix.isBroken) return this.#readBroken(text, final);
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
    if (this.#prefix.isBroken || tag || final) return this.#readBroken(text, final);
    return NOTHING;
  }

  #readBroken(text: string, final: boolean): ReadArguments {
    const isWorthALook = final || this.#isWorthALook(text);
    this.#seen = text.length;
    if (!isWorthALook) return NOTHING;
    this.#looked = text.length;
    return this.#rest(this.#given + text, final);
  }

  /** Its last bracket came, or a string that is open may end; where quotes misled, after each character that may end something. */
  #isWorthALook(text: string): boolean {
    const hasTag = (tag: string): boolean => text.includes(tag, Math.max(0, this.#seen - tag.length));
    if (this.#seen === 0 || this.#closes.some(hasTag)) return true;
    if (this.#awaited !== undefined) return hasOpenQuote(text, this.#seen, this.#awaited);
    if (!this.#extent.ended) return this.#follow(text.slice(this.#followed - this.#given.length));
    return text.length > this.#looked * MISLED_GROWTH && /[}\]"'\s,]/.test(text.slice(this.#looked));
  }

  #rest(whole: string, final: boolean): ReadArguments {
    this.#follow(whole.slice(this.#followed));
    const from = this.#given === '' ? skipBlanks(whole, 0) : 0;
    if (from === undefined && !final) return NOTHING;
    this.#isLost ||= /^\{\s*\{/.test(whole);
    const { value, awaits } = this.#isLost ? LOST : tryValue(whole, from ?? 0);
    this.#isLost ||= value === 'invalid';
    this.#awaited = awaits;
    if (value === 'incomplete' && !final) return NOTHING;
    const end = typeof value === 'string' ? this.#roughEnd(whole, final) : value.end;
    if (end === undefined && !final) return NOTHING;
    const written = whole.slice(0, end);
    const mended = mendArguments(written.slice(from ?? 0));
    this.ended = end !== undefined || mended !== undefined;
    const json = mended?.startsWith(this.#given) ? mended : written;
    return { json: json.slice(this.#given.length), taken: written.length - this.#given.length };
  }

  /** Whether the last bracket came. */
  #follow(added: string): boolean {
    this.#followed += this.#extent.take(added);
    return this.#extent.ended;
  }

  /** Where something that cannot be read ends: at its last bracket, else before the tag. */
  #roughEnd(whole: string, final: boolean): number | undefined {
    const tag = findTag(whole.slice(this.#given.length), this.#closes);
    const closed = tag && this.#given.length + tag.index;
    if (this.#isWholeBody) return closed;
    if (this.#extent.ended && this.#followed <= (closed ?? Infinity)) return this.#followed;
    if (closed === undefined && !final) return undefined;
    // A quote was forgotten.
    const end = endIgnoringStrings(whole.slice(0, closed));
    return end !== undefined && end >= this.#given.length ? end : closed;
  }
}

const LOST: ReturnType<typeof tryValue> = { value: 'invalid', awaits: undefined };

function endIgnoringStrings(text: string): number | undefined {
  const extent = createJsonExtent({ ignoreStrings: true });
  const length = extent.take(text);
  return extent.ended ? length : undefined;
}

/** Whether a quote of this kind, without a backslash before it, comes from an index on. */
function hasOpenQuote(text: string, from: number, quote: string): boolean {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 1)) {
    let before = at;
    while (text[before - 1] === '\\') before -= 1;
    if ((at - before) % 2 === 0) return true;
  }
  return false;
}
