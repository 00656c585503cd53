/** Where does a value end that may itself hold the tags that end values? @module */
import { type HeadPart, beginnings, matchHead, mayBecome } from './text-matching.js';

/** @property length characters of the tag that it takes; none of one that belongs to what follows */
export interface ValueEnd {
  index: number;
  length: number;
}

/** The tags around values. */
interface ValueTags {
  key: readonly HeadPart[];
  valueCloses: readonly string[];
  valueEnds: readonly string[];
  close: string;
  outerCloses: readonly string[];
}

interface Place {
  /** What stands before the text. */
  before: string;
  /** The value stands on lines of its own. */
  onLines: boolean;
  final: boolean;
}

/** `loose`: it is the end unless the value's own closing tag comes before another call. */
type Verdict = 'end' | 'no' | 'more' | 'loose';

const QUOTE = /["'`]/;

/**
 * A closing tag ends a value if the next argument or the end of the call follows it. A tag that belongs to what follows ends one
 * whose own tag was forgotten. What stands in quotes is never an end.
 */
export class ValueEnds {
  /** All that may be an end. */
  readonly tags: readonly string[];
  readonly #syntax: ValueTags;
  readonly #keys: readonly string[];
  readonly #followers: readonly string[];
  /** What follows the end of a call. */
  readonly #afterCall: readonly string[];
  /** What begins another call. */
  readonly #calls: readonly string[];
  readonly #isArgument: (name: string) => boolean;
  /** Characters of the longest tag. */
  readonly #longest: number;
  /** Where the tags begin that are not judged yet. */
  #from = 0;
  /** The last closing tag that seemed to be inside. */
  #last: ValueEnd | undefined;
  #loose: ValueEnd | undefined;

  constructor(syntax: ValueTags, isArgument: (name: string) => boolean) {
    this.#syntax = syntax;
    this.#isArgument = isArgument;
    this.#keys = beginnings(syntax.key);
    this.tags = [...syntax.valueCloses, ...syntax.valueEnds];
    this.#longest = Math.max(...this.tags.map(({ length }) => length));
    this.#afterCall = [syntax.close, ...syntax.outerCloses];
    this.#calls = syntax.outerCloses.filter((tag) => !tag.startsWith('</'));
    this.#followers = [...this.#keys, ...this.#afterCall, ...syntax.valueEnds];
  }

  /** Another value begins. */
  reset(): void {
    this.#from = 0;
    this.#last = undefined;
    this.#loose = undefined;
  }

  /** So many characters of the text were taken, in which no end was. */
  shift(length: number): void {
    const moved = (end: ValueEnd | undefined): ValueEnd | undefined => end && { ...end, index: end.index - length };
    this.#from = Math.max(0, this.#from - length);
    this.#last = moved(this.#last);
    this.#loose = moved(this.#loose);
  }

  /**
   * The end of the value that the text begins in; undefined: it is not here, or not yet certain. Of a text that is shown again, with
   * more behind it, what is judged is not judged anew.
   */
  find(text: string, place: Place): ValueEnd | undefined {
    for (;;) {
      const found = this.#next(text);
      if (!found) return place.final ? (this.#last ?? this.#loose) : undefined;
      const { tag, index } = found;
      const isClose = this.#syntax.valueCloses.includes(tag);
      const end = { index, length: isClose ? tag.length : 0 };
      const verdict = isClose
        ? this.#judgeClose(text, index + tag.length, place)
        : this.#judgeOther(text, end, tag, place);
      this.#from = index;
      if (verdict === 'more') return undefined;
      if (verdict === 'end') {
        const between = this.#loose && text.slice(this.#loose.index, index);
        if (between !== undefined && this.#calls.some((call) => between.includes(call))) return this.#loose;
        // Where the value's own tag was forgotten, one that seemed to be inside was it.
        return isClose ? end : (this.#last ?? end);
      }
      if (verdict === 'loose') this.#loose ??= end;
      if (isClose) this.#last = end;
      this.#from = index + tag.length;
    }
  }

  /** The next tag that is not judged yet. */
  #next(text: string): { index: number; tag: string } | undefined {
    let found: { index: number; tag: string } | undefined;
    for (const tag of this.tags) {
      const index = text.indexOf(tag, this.#from);
      if (index >= 0 && (!found || index < found.index)) found = { index, tag };
    }
    // A tag may have begun at the end of the text.
    if (!found) this.#from = Math.max(this.#from, text.length - this.#longest + 1);
    return found;
  }

  /** What follows a closing tag tells whether it is one. */
  #judgeClose(text: string, from: number, { final }: Place): Verdict {
    const rest = text.slice(from).trimStart();
    if (rest === '') return final ? 'end' : 'more';
    const follower = this.#followers.find((tag) => rest.startsWith(tag));
    if (follower === undefined) return !final && mayBecome(rest, this.#followers) ? 'more' : 'no';
    return this.#keys.includes(follower) ? 'end' : behind(rest, follower.length, final);
  }

  #judgeOther(text: string, { index }: ValueEnd, tag: string, place: Place): Verdict {
    const before = text[index - 1] ?? place.before;
    if (QUOTE.test(before)) return 'no';
    const isOnLine = !place.onLines || before === '\n';
    if (this.#keys.some((key) => tag.startsWith(key))) {
      if (!isOnLine) return 'no';
      const head = matchHead(text.slice(index), this.#syntax.key, place.final);
      if (typeof head === 'string') return head;
      return this.#isArgument(head.words[0]!.replace(/\/$/, '')) ? 'end' : 'no';
    }
    const from = index + tag.length;
    return isOnLine ? this.#judgeEnd(text, from, place) : this.#judgeClose(text, from, place);
  }

  /** A tag that ends the call where the value's own was forgotten, or one that the value is about. */
  #judgeEnd(text: string, from: number, { final }: Place): Verdict {
    const isQuoted = behind(text, from, final);
    if (isQuoted !== 'end') return isQuoted;
    const rest = text.slice(from).trimStart();
    if (rest === '') return final ? 'end' : 'more';
    if (this.#afterCall.some((tag) => rest.startsWith(tag))) return 'end';
    return !final && mayBecome(rest, this.#afterCall) ? 'more' : 'loose';
  }
}

/** A quote right behind a tag shows that it was written about. */
function behind(text: string, from: number, final: boolean): Verdict {
  const next = text[from];
  if (next === undefined) return final ? 'end' : 'more';
  return QUOTE.test(next) ? 'no' : 'end';
}
