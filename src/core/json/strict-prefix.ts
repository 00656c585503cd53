/** How much of a text that is still coming is JSON whatever follows. @module */

/** What may come next in a JSON text. */
type Place = 'value' | 'number' | 'first-key' | 'key' | 'colon' | 'separator' | 'first-item' | 'over';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;
const WORD = /^(?:true|false|null)$/;
const ESCAPE = /^\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/;
const ESCAPE_BEGINNING = /^\\(?:u[\da-fA-F]{0,3})?$/;
/** What of a string needs no second look. */
// eslint-disable-next-line no-control-regex
const ORDINARY = /[^"\\\u0000-\u001f]+/y;

/**
 * Follows an object through pieces of text, and takes of it what mending never changes: a comma only once what follows shows
 * that nothing is wrong with it.
 */
export class StrictPrefix {
  /** The text is no JSON object from here on, so far as it was taken. */
  isBroken = false;
  #place: Place = 'value';
  #isInString = false;
  /** What was taken of a number. */
  #number = '';
  readonly #open: string[] = [];

  /** The object is whole. */
  get isOver(): boolean {
    return this.#place === 'over';
  }

  /**
   * How many characters it takes. Those that it leaves must be shown again, with what follows them.
   * @param stop index of what must not be taken inside a string
   */
  take(text: string, stop = text.length): number {
    let at = 0;
    while (at < text.length && !this.isBroken && !this.isOver) {
      const length = this.#isInString ? this.#inString(text, at, stop) : this.#outside(text, at);
      if (length === 0) break;
      at += length;
    }
    return at;
  }

  #break(): 0 {
    this.isBroken = true;
    return 0;
  }

  #inString(text: string, at: number, stop: number): number {
    if (at === stop) return 0;
    ORDINARY.lastIndex = at;
    const ordinary = ORDINARY.exec(text)?.[0].length ?? 0;
    if (ordinary > 0) return at < stop ? Math.min(ordinary, stop - at) : ordinary;
    if (text[at] === '"') {
      this.#isInString = false;
      this.#place = this.#place === 'key' || this.#place === 'first-key' ? 'colon' : 'separator';
      return 1;
    }
    const escape = ESCAPE.exec(text.slice(at, at + 6))?.[0].length;
    if (escape !== undefined) return escape;
    return ESCAPE_BEGINNING.test(text.slice(at, at + 6)) && text.length - at < 6 ? 0 : this.#break();
  }

  #outside(text: string, at: number): number {
    const character = text[at]!;
    if (this.#place !== 'number' && /[ \t\n\r]/.test(character)) return this.#open.length === 0 ? this.#break() : 1;
    switch (this.#place) {
      case 'colon':
        if (character !== ':') return this.#break();
        this.#place = 'value';
        return 1;
      case 'separator':
        return character === ',' ? this.#comma(text, at) : this.#close(character);
      case 'first-key':
        return character === '"' ? this.#quote(text, at) : this.#close(character);
      case 'key':
        return character === '"' ? this.#quote(text, at) : this.#break();
      case 'first-item':
        return character === ']' ? this.#close(character) : this.#value(text, at);
      case 'value':
        return this.#value(text, at);
      case 'number':
        return this.#moreOfNumber(text, at);
      case 'over':
        return 0;
    }
  }

  /** A comma behind which something comes. */
  #comma(text: string, at: number): number {
    const blanks = /^[ \t\n\r]*/.exec(text.slice(at + 1))![0].length;
    const next = text[at + 1 + blanks];
    if (next === undefined) return 0;
    if (next === '}' || next === ']' || /[\s/#\\]/.test(next)) return this.#break();
    this.#place = this.#open.at(-1) === '{' ? 'key' : 'value';
    return 1 + blanks;
  }

  #close(character: string): number {
    const open = this.#open.at(-1);
    if (character !== (open === '{' ? '}' : ']')) return this.#break();
    this.#open.pop();
    this.#place = this.#open.length === 0 ? 'over' : 'separator';
    return 1;
  }

  /** The quote that begins a string. Two may be the beginning of three, with which Python's long strings begin. */
  #quote(text: string, at: number): number {
    if (text[at + 1] === '"' && text[at + 2] === '"') return this.#break();
    if (text[at + 1] === undefined || (text[at + 1] === '"' && text[at + 2] === undefined)) return 0;
    this.#isInString = true;
    return 1;
  }

  #value(text: string, at: number): number {
    const character = text[at]!;
    if (character === '{' || (character === '[' && this.#open.length > 0)) {
      this.#open.push(character);
      this.#place = character === '{' ? 'first-key' : 'first-item';
      return 1;
    }
    if (this.#open.length === 0) return this.#break();
    if (character === '"') {
      const length = this.#quote(text, at);
      if (length > 0) this.#place = 'value';
      return length;
    }
    if (/[-\d]/.test(character)) {
      this.#place = 'number';
      this.#number = '';
      return this.#moreOfNumber(text, at);
    }
    const word = /^\w+/.exec(text.slice(at, at + 6))?.[0] ?? '';
    if (word !== '' && at + word.length === text.length) return 0;
    if (!WORD.test(word)) return this.#break();
    this.#place = 'separator';
    return word.length;
  }

  /** As much as is a number whatever follows. */
  #moreOfNumber(text: string, at: number): number {
    const word = /^[\w.+-]*/.exec(text.slice(at, at + 400))![0];
    const whole = this.#number + word;
    const length = (NUMBER.exec(whole)?.[0].length ?? 0) - this.#number.length;
    if (length > 0) {
      this.#number = whole.slice(0, this.#number.length + length);
      return length;
    }
    if (word !== '') return at + word.length === text.length ? 0 : this.#break();
    this.#place = 'separator';
    return this.#outside(text, at);
  }
}
