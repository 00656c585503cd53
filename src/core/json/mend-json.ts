/** JSON as models write it: what has one reading only is mended, all else is refused. @module */
import { pythonNumber, readPythonEscape } from './python-text.js';

/** A value that was read. */
interface MendedValue {
  /** JSON. Where nothing was wrong it is what was written, letter for letter. */
  json: string;
  /** Index after the value's last character. */
  end: number;
}

/** `incomplete`: more text could still make it a value. `invalid`: nothing could. */
export type Mending = MendedValue | 'incomplete' | 'invalid';

/** Reads the value that begins at `from`, which must not be white space. */
export function mendValue(text: string, from = 0): Mending {
  return tryValue(text, from).value;
}

/** The same. `awaits`: the quote without which what follows cannot make it a value, because a string is open. */
export function tryValue(text: string, from = 0): { value: Mending; awaits: string | undefined } {
  const mender = new Mender(text, from);
  if (mender.value()) return { value: { json: mender.json, end: mender.at }, awaits: undefined };
  return { value: mender.problem, awaits: mender.problem === 'incomplete' ? mender.openQuote : undefined };
}

/** Where white space, comments and line ends that were written as `\n` are over; undefined: they may go on. */
export function skipBlanks(text: string, from: number): number | undefined {
  const mender = new Mender(text, from);
  return mender.blanks() ? mender.at : undefined;
}

/**
 * The arguments of a call as an object's JSON; undefined: they cannot be read. Nothing and `null` are no arguments, and a text
 * may hold the object.
 */
export function mendArguments(text: string): string | undefined {
  const trimmed = text.trim();
  if (/^(?:null|None)?$/.test(trimmed)) return '{}';
  const doubled = /^\{\s*(?=\{)/.exec(trimmed);
  if (doubled) return mendDoubled(trimmed, doubled[0]);
  const value = mendValue(trimmed);
  if (typeof value === 'string' || value.end < trimmed.length) return undefined;
  if (value.json.startsWith('{')) return value.json;
  return value.json.startsWith('"') ? mendArguments(JSON.parse(value.json) as string) : undefined;
}

/** The members of a text that ends anywhere, as far as they are whole. */
export function mendBeginning(text: string): string {
  const mender = new Mender(text.trim(), 0);
  mender.value();
  return mender.json;
}

/** `{{"a": 1}}`: what was emitted of it begins with the outer brace, so that one is kept. */
function mendDoubled(text: string, head: string): string | undefined {
  const inner = mendValue(text, head.length);
  if (typeof inner === 'string' || !/^\s*\}$/.test(text.slice(inner.end))) return undefined;
  return head + inner.json.slice(1);
}

const WORDS: Readonly<Record<string, string>> = {
  true: 'true',
  false: 'false',
  null: 'null',
  True: 'true',
  False: 'false',
  None: 'null',
};
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const JSON_ESCAPE = /(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
/** A beginning of `\u1234` at the text's end. */
const ESCAPE_BEGINNING = /u[\da-fA-F]{0,3}$/y;
const ORDINARY = /[^"'\\\p{Cc}]+/uy;
const BLANKS = /[ \t\n\r]+/y;
const COMMENT = /(?:\/\/|#)[^\n]*\n|\/\*[^]*?\*\//y;
const COMMENT_BEGINNING = /\/(?:[/*]|$)|#/y;
const WORD = /[\w.+-]+/y;

/** Nested deeper, a text is no arguments. */
const MAX_DEPTH = 500;

/** One pass over the text. Each step returns false when the value ends there, and notes why. */
class Mender {
  readonly #text: string;
  at: number;
  json = '';
  problem: 'incomplete' | 'invalid' = 'invalid';
  /** Of the string that the text ends in. */
  openQuote: string | undefined;
  #depth = 0;

  constructor(text: string, from: number) {
    this.#text = text;
    this.at = from;
  }

  value(): boolean {
    const first = this.#text[this.at];
    if (first === '{' || first === '[') return this.#nested(first);
    if (first === '"' || first === "'") return this.#string();
    return this.#scalar();
  }

  #stop(): false {
    this.problem = this.at >= this.#text.length ? 'incomplete' : 'invalid';
    return false;
  }

  /** What the expression matches here; undefined: nothing. */
  #match(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    return expression.exec(this.#text)?.[0];
  }

  /** Takes white space and what means none: comments, and line ends that were written as `\n`. */
  blanks(): boolean {
    for (;;) {
      const blank = this.#match(BLANKS);
      if (blank !== undefined) {
        this.json += blank;
        this.at += blank.length;
        continue;
      }
      const comment = this.#match(COMMENT);
      if (comment !== undefined) {
        this.at += comment.length;
        continue;
      }
      const character = this.#text[this.at];
      if (character === undefined || this.#match(COMMENT_BEGINNING) !== undefined) {
        this.problem = 'incomplete';
        return false;
      }
      if (character === '\\' && /[ntr]/.test(this.#text[this.at + 1] ?? '')) this.at += 2;
      else if (character === '\\' && this.at + 1 === this.#text.length) {
        this.problem = 'incomplete';
        return false;
      } else if (/\s/.test(character)) this.at += 1;
      else return true;
    }
  }

  #take(character: string): void {
    this.json += character;
    this.at += 1;
  }

  #nested(open: '{' | '['): boolean {
    const close = open === '{' ? '}' : ']';
    this.problem = 'invalid';
    if (this.#depth === MAX_DEPTH) return false;
    this.#depth += 1;
    this.#take(open);
    if (!this.blanks()) return false;
    while (this.#text[this.at] !== close) {
      if (open === '{' && !this.#key()) return false;
      if (!this.value() || !this.blanks()) return false;
      if (this.#text[this.at] !== ',') break;
      this.at += 1;
      const before = this.json;
      this.json += ',';
      if (!this.blanks()) return false;
      // A comma that nothing follows.
      if (this.#text[this.at] === close) this.json = before + this.json.slice(before.length + 1);
    }
    if (this.#text[this.at] !== close) return this.#stop();
    this.#take(close);
    this.#depth -= 1;
    return true;
  }

  #key(): boolean {
    if (!/["']/.test(this.#text[this.at]!)) return this.#stop();
    if (!this.#string() || !this.blanks()) return false;
    if (this.#text[this.at] !== ':') return this.#stop();
    this.#take(':');
    return this.blanks();
  }

  #string(): boolean {
    const quote = this.#text[this.at]!;
    const triple = quote.repeat(3);
    const isLong = this.#text.startsWith(triple, this.at);
    const close = isLong ? triple : quote;
    this.at += close.length;
    this.json += '"';
    this.openQuote = quote;
    while (!this.#text.startsWith(close, this.at)) {
      if (this.at >= this.#text.length) return this.#stop();
      const ordinary = this.#match(ORDINARY);
      if (ordinary !== undefined) {
        this.json += ordinary;
        this.at += ordinary.length;
      } else if (this.#text[this.at] === '\\') {
        if (!this.#escape(quote === "'" || isLong)) return false;
      } else this.#write(this.#text[this.at]!, 1);
    }
    this.json += '"';
    this.at += close.length;
    this.openQuote = undefined;
    return true;
  }

  /** Adds a text to the string. @param length of what stood for it */
  #write(value: string, length: number): void {
    this.json += JSON.stringify(value).slice(1, -1);
    this.at += length;
  }

  /** A backslash that means nothing stays one. */
  #escape(isPython: boolean): boolean {
    this.at += 1;
    const rest = this.at === this.#text.length || this.#match(ESCAPE_BEGINNING) !== undefined;
    if (rest) {
      this.at = this.#text.length;
      return this.#stop();
    }
    const known = this.#match(JSON_ESCAPE);
    if (known !== undefined && !(isPython && known === '/')) {
      this.json += `\\${known}`;
      this.at += known.length;
    } else if (this.#text[this.at] === "'") this.#write("'", 1);
    else if (isPython) {
      const escape = readPythonEscape(this.#text, this.at);
      if (!escape) {
        this.at = this.#text.length;
        return this.#stop();
      }
      this.#write(escape.value, escape.end - this.at);
    } else this.json += '\\\\';
    return true;
  }

  #scalar(): boolean {
    const word = this.#match(WORD);
    if (word === undefined) return this.#stop();
    // Only what follows tells that a number or a name is over.
    if (this.at + word.length === this.#text.length) {
      if (Object.hasOwn(WORDS, word) || JSON_NUMBER.test(word)) this.problem = 'incomplete';
      else return this.#unfinished(word);
      return false;
    }
    const json = JSON_NUMBER.test(word) ? word : Object.hasOwn(WORDS, word) ? WORDS[word] : pythonNumber(word);
    if (json === undefined) return this.#stop();
    this.json += json;
    this.at += word.length;
    return true;
  }

  /** A word at the text's end of which more may come. */
  #unfinished(word: string): false {
    const isBeginning = /^[+\-.\d]/.test(word) || Object.keys(WORDS).some((each) => each.startsWith(word));
    this.problem = isBeginning ? 'incomplete' : 'invalid';
    return false;
  }
}
