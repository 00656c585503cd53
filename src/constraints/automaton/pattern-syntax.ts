/** JavaScript's regular expressions, as far as automata can follow them. @module */
import { SchemaProblem } from '../schema/schema-problem.js';
import { OTHERS, SYMBOLS } from './automaton.js';

/** What a pattern is made of. */
export type PatternNode =
  | { type: 'symbols'; symbols: ReadonlySet<number> }
  | { type: 'sequence'; parts: PatternNode[] }
  | { type: 'choice'; options: PatternNode[] }
  | { type: 'repeat'; part: PatternNode; min: number; max: number | undefined }
  | { type: 'start' }
  | { type: 'end' };

/**
 * How a class that holds only some characters beyond ASCII is taken: `narrow` without any of them, `wide` with all.
 * Narrow patterns accept only what the real one accepts, wide ones all of it.
 */
export type PatternWidth = 'narrow' | 'wide';

/** Most copies that counted repetitions may make of their parts. */
const MAX_REPEAT = 1_000;

/** Reads a pattern that the `u` flag accepts. Throws SchemaProblem for what no automaton can follow. */
export function parsePattern(pattern: string, width: PatternWidth): PatternNode {
  const reader = new PatternReader(pattern, width);
  const node = reader.readChoice();
  if (!reader.atEnd) throw new SchemaProblem('is not supported as a regular expression');
  return node;
}

class PatternReader {
  readonly #pattern: string;
  readonly #width: PatternWidth;
  #at = 0;

  constructor(pattern: string, width: PatternWidth) {
    this.#pattern = pattern;
    this.#width = width;
  }

  get atEnd(): boolean {
    return this.#at >= this.#pattern.length;
  }

  readChoice(): PatternNode {
    const options = [this.#readSequence()];
    while (this.#take('|')) options.push(this.#readSequence());
    return options.length === 1 ? options[0]! : { type: 'choice', options };
  }

  #readSequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (!this.atEnd && !this.#sees('|') && !this.#sees(')')) parts.push(this.#readQuantified());
    return { type: 'sequence', parts };
  }

  #readQuantified(): PatternNode {
    const part = this.#readAtom();
    const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#pattern.slice(this.#at));
    if (quantifier === null) return part;
    this.#at += quantifier[0].length;
    const [mark, least, comma, most] = quantifier;
    const min = least === undefined ? (mark.startsWith('+') ? 1 : 0) : Number(least);
    const max =
      least === undefined ? (mark.startsWith('?') ? 1 : undefined) : most ? Number(most) : comma ? undefined : min;
    if (Math.max(min, max ?? 0) > MAX_REPEAT) throw new SchemaProblem(`repeats more than ${MAX_REPEAT} times`);
    return { type: 'repeat', part, min, max };
  }

  #readAtom(): PatternNode {
    if (this.#take('^')) return { type: 'start' };
    if (this.#take('$')) return { type: 'end' };
    if (this.#take('.')) return symbolsOf('.', this.#width);
    if (this.#take('(')) return this.#readGroup();
    const source = this.#readClassSource();
    return symbolsOf(source, this.#width);
  }

  #readGroup(): PatternNode {
    const kind = /^\?(?::|<[^=!][^>]*>)/.exec(this.#pattern.slice(this.#at));
    if (kind !== null) this.#at += kind[0].length;
    else if (this.#sees('?')) throw new SchemaProblem('uses a lookaround that no grammar can follow');
    const inner = this.readChoice();
    this.#take(')');
    return inner;
  }

  /** The source of something that matches one character. */
  #readClassSource(): string {
    const rest = this.#pattern.slice(this.#at);
    const found =
      /^(?:\[(?:\\.|[^\]\\])*\]|\\(?:u\{[\dA-Fa-f]+\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|.)|.)/su.exec(
        rest,
      );
    const source = found?.[0] ?? '';
    if (source === '' || /^\\(?:[bB1-9]|k)/.test(source))
      throw new SchemaProblem('uses a word border or a back reference, which no grammar can follow');
    this.#at += source.length;
    return source;
  }

  #sees(text: string): boolean {
    return this.#pattern.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#sees(text)) return false;
    this.#at += text.length;
    return true;
  }
}

const known = new Map<string, ReadonlySet<number>>();
let beyondAscii: string | undefined;

/** Asks the engine's own regular expressions which characters a class holds. */
function symbolsOf(source: string, width: PatternWidth): PatternNode {
  const key = `${width} ${source}`;
  let symbols = known.get(key);
  if (symbols === undefined) {
    const one = new RegExp(`^(?:${source})$`, 'u');
    const found = new Set<number>();
    for (let code = 0; code < SYMBOLS - 1; code += 1) if (one.test(String.fromCharCode(code))) found.add(code);
    if (holdsOthers(source, width)) found.add(OTHERS);
    symbols = found;
    if (known.size > 500) known.clear();
    known.set(key, symbols);
  }
  return { type: 'symbols', symbols };
}

/** Line separators, which a dot leaves out, do not count: no model writes them. */
function holdsOthers(source: string, width: PatternWidth): boolean {
  beyondAscii ??= allBeyondAscii();
  const test =
    width === 'narrow' ? new RegExp(`^(?:${source}|[\\u2028\\u2029])+$`, 'u') : new RegExp(`(?:${source})`, 'u');
  return test.test(beyondAscii);
}

function allBeyondAscii(): string {
  const characters: string[] = [];
  for (let code = 0x80; code <= 0x10_ffff; code += 1) {
    if (code < 0xd800 || code > 0xdfff) characters.push(String.fromCodePoint(code));
  }
  return characters.join('');
}
