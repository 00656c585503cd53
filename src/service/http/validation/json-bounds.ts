/**
 * How large JSON may be in what is made of it: looked at as text, before anything is made. A body within the limit of bytes
 * can hold a million messages, whose objects take ten times its memory and seconds to judge.
 * @module
 */
import { InferenceError } from '../../../core/errors/inference-error.js';
import { yieldToEventLoop } from '../../../core/platform/pause.js';

/** Deeper nesting than any request needs; beyond it, recursive readers further down would run out of stack. */
const MAX_DEPTH = 200;

/**
 * Members of an object, and items of a list that are no numbers: token ids are many, and cheap. So are members of the body
 * itself, of which only those that are known are looked at, and pairs of a token and a number.
 */
const MAX_ITEMS = 10_000;

/** Fields that are looked into item by item. */
const JUDGED = new Set(
  (
    'messages input tools functions items documents prompt system instructions response_format format text output_config ' +
    'questions options images logit_bias chat_template_kwargs tokens state rank_fields tool_choice thread'
  ).split(' '),
);

/** Values of a body, whatever they are. */
const MAX_VALUES = 400_000;

/**
 * The body, without what no one looks at: other fields than {@link JUDGED} are short by their schemas, or unknown and ignored,
 * so what they hold beyond {@link MAX_ITEMS} is left out. Others are answered while it looks.
 * @throws InferenceError `invalid_request` for a body that is nested too deeply, or holds too much; `param` is what does
 */
export async function boundBody(json: string): Promise<string> {
  const bounded = new BoundedJson(json, MAX_ITEMS);
  while (bounded.look(MAX_STEP)) await yieldToEventLoop();
  return bounded.rest();
}

/** Characters that are looked at before others have their turn: some hundredths of a second. */
const MAX_STEP = 2 ** 20;

/**
 * @param param dotted path of the field that holds the JSON text
 * @throws InferenceError `invalid_request` for JSON that is nested too deeply
 */
export function refuseDeepJson(json: string, param: string): void {
  new BoundedJson(json, Infinity, param).look(Infinity);
}

/** An object or a list that is open at a place in the text. */
interface Level {
  isList: boolean;
  /** Members, or items that are no numbers. */
  counted: number;
  /** Items of a list until here. */
  items: number;
  /** Where the name of the member in question stands. */
  nameStart: number;
  nameEnd: number;
}

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const BACKSLASH = 0x5c;
/** All that white space of JSON is, and below it what stands nowhere. */
const BLANK = 0x20;

/** Text that may be JSON: what is not is left for a parser to refuse. */
class BoundedJson {
  readonly #text: string;
  readonly #maxItems: number;
  readonly #subject: string | undefined;
  /** Kept when they are closed, to be used again. */
  readonly #levels: Level[] = [];
  #depth = 0;
  #values = 0;
  /** Where it goes on. */
  #next = 0;
  /** The next text is the name of a member. */
  #isName = false;
  /** Where the last comma stood. */
  #comma = 0;
  /** What is left out begins here, and ends with its object or list, which is so deep. */
  #cut: { start: number; depth: number } | undefined;
  /** What was not left out so far, and where that ends. */
  readonly #kept: string[] = [];
  #keptUntil = 0;

  constructor(text: string, maxItems: number, subject?: string) {
    this.#text = text;
    this.#maxItems = maxItems;
    this.#subject = subject;
  }

  /** Goes on for about so many characters. @returns whether there are more */
  look(characters: number): boolean {
    const end = Math.min(this.#text.length, this.#next + characters);
    let index = this.#next;
    for (; index < end; index += 1) {
      const code = this.#text.charCodeAt(index);
      if (code <= BLANK) continue;
      if (code === QUOTE) {
        const end = this.#endOfString(index);
        if (this.#isName) this.#name(index, end);
        else this.#value(true);
        index = end;
      } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
        this.#value(true);
        this.#open(code === OPEN_LIST);
      } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) this.#close(index);
      else if (code === COMMA) {
        this.#isName = this.#levels[this.#depth - 1]?.isList === false;
        if (!this.#cut) this.#comma = index;
      } else if (code === COLON) this.#isName = false;
      else {
        this.#value(false);
        index = this.#endOfLiteral(index);
      }
    }
    this.#next = index;
    return index < this.#text.length;
  }

  /** The text without what is left out. */
  rest(): string {
    return this.#kept.length === 0 ? this.#text : this.#kept.join('') + this.#text.slice(this.#keptUntil);
  }

  #open(isList: boolean): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.#refusal(`is nested more than ${MAX_DEPTH} levels deep`, this.#subject);
    const level = (this.#levels[this.#depth - 1] ??= { isList, counted: 0, items: 0, nameStart: 0, nameEnd: 0 });
    level.isList = isList;
    level.counted = 0;
    level.items = 0;
    this.#isName = !isList;
  }

  #close(index: number): void {
    if (this.#cut?.depth === this.#depth) {
      this.#kept.push(this.#text.slice(this.#keptUntil, this.#cut.start));
      this.#keptUntil = index;
      this.#cut = undefined;
    }
    this.#depth = Math.max(0, this.#depth - 1);
    this.#isName = false;
  }

  #name(start: number, end: number): void {
    const level = this.#levels[this.#depth - 1];
    if (!level || this.#cut) return;
    level.nameStart = start;
    level.nameEnd = end + 1;
    if (!this.#hasCheapMembers()) this.#count(level);
  }

  /** @param isItem of a list: it is no number */
  #value(isItem: boolean): void {
    if (this.#cut || this.#depth === 0) return;
    this.#values += 1;
    if (this.#values > MAX_VALUES && this.#maxItems !== Infinity)
      throw this.#refusal(`holds more than ${MAX_VALUES} values`, undefined);
    const level = this.#levels[this.#depth - 1];
    if (!level?.isList) return;
    level.items += 1;
    if (isItem) this.#count(level);
    else if (level.items > this.#maxItems && !this.#isJudged()) this.#beginCut();
  }

  #count(level: Level): void {
    level.counted += 1;
    if (level.counted <= this.#maxItems) return;
    if (!this.#isJudged()) return this.#beginCut();
    const what = level.isList ? 'items' : 'members';
    throw this.#refusal(`must have at most ${this.#maxItems} ${what}`, this.#pathOfOpen());
  }

  #beginCut(): void {
    this.#cut = { start: this.#comma, depth: this.#depth };
  }

  #isJudged(): boolean {
    return JUDGED.has(this.#field());
  }

  /** The innermost object is the body, or a bias for tokens. */
  #hasCheapMembers(): boolean {
    return this.#depth === 1 || (this.#depth === 2 && this.#field() === 'logit_bias');
  }

  /** Name of the body's member that is read. */
  #field(): string {
    const [body] = this.#levels;
    return body ? this.#text.slice(body.nameStart + 1, body.nameEnd - 1) : '';
  }

  /** Dotted path of the innermost object or list that is open; undefined: it is the body. */
  #pathOfOpen(): string | undefined {
    const parts = this.#levels.slice(0, this.#depth - 1).map(({ isList, items, nameStart, nameEnd }) => {
      if (isList) return String(items - 1);
      return this.#text.slice(nameStart + 1, nameEnd - 1);
    });
    return parts.length === 0 ? undefined : parts.join('.').slice(0, MAX_PATH_LENGTH);
  }

  #refusal(what: string, param: string | undefined): InferenceError {
    const subject = param === undefined ? 'The request body' : `\`${param}\``;
    return new InferenceError('invalid_request', `${subject} ${what}.`, param === undefined ? {} : { param });
  }

  /** Index of the quote that ends the string starting at `start` (or the end of the text). */
  #endOfString(start: number): number {
    const text = this.#text;
    for (let index = text.indexOf('"', start + 1); index !== -1; index = text.indexOf('"', index + 1)) {
      let backslashes = 0;
      while (text.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes += 1;
      if (backslashes % 2 === 0) return index;
    }
    return text.length;
  }

  /** Index of the last letter of a number or a word. */
  #endOfLiteral(start: number): number {
    let index = start + 1;
    for (; index < this.#text.length; index += 1) {
      const code = this.#text.charCodeAt(index);
      if (code <= BLANK || code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT || code === QUOTE) break;
    }
    return index - 1;
  }
}

/** Characters of a path that are told: names of members come from clients. */
const MAX_PATH_LENGTH = 500;
