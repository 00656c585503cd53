/**
 * Which characters a character class of a pattern holds. Asks JavaScript's own RegExp about one character at a time,
 * which cannot backtrack.
 * @module
 */
import type { WorkBudget } from '../limits/work-budget.js';
import { OTHERS, SYMBOLS } from './automaton.js';

/**
 * Whether a class that holds some characters beyond ASCII, which are one symbol, holds that symbol: `narrow` automata
 * accept only strings that the pattern accepts, `wide` ones all of them.
 */
export type PatternWidth = 'narrow' | 'wide';

/** Steps that a new class costs: a regular expression is compiled, and tested with every symbol. */
const NEW_CLASS = 1_000;
/** Steps that testing every character of Unicode costs. */
const ALL_CHARACTERS = 200_000;

/** Most classes, and results of a class, that are cached. */
const MAX_KNOWN = 1_000;

/** White space beyond ASCII that `\s` holds, and the line separators, which `.` does not. */
const SPECIAL = [0xa0, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff];
const LINE_SEPARATORS = new Set([0x2028, 0x2029]);

/** One class. */
export class CharacterClass {
  readonly #source: string;
  readonly #one: RegExp;
  readonly #holds = new Map<number, boolean>();
  readonly #symbols: { narrow?: ReadonlySet<number>; wide?: ReadonlySet<number> } = {};

  /** @param source as it is written in a pattern that the `u` flag accepts */
  constructor(source: string) {
    this.#source = source;
    this.#one = new RegExp(`^(?:${source})$`, 'u');
  }

  holds(codePoint: number): boolean {
    let holds = this.#holds.get(codePoint);
    if (holds === undefined) {
      holds = this.#one.test(String.fromCodePoint(codePoint));
      if (this.#holds.size < MAX_KNOWN) this.#holds.set(codePoint, holds);
    }
    return holds;
  }

  /** The symbols of automata that it holds. */
  symbols(width: PatternWidth, work: WorkBudget): ReadonlySet<number> {
    return (this.#symbols[width] ??= this.#findSymbols(width, work));
  }

  #findSymbols(width: PatternWidth, work: WorkBudget): Set<number> {
    const symbols = new Set<number>();
    for (let code = 0; code < SYMBOLS - 1; code += 1) if (this.holds(code)) symbols.add(code);
    if (this.#holdsOthers(width, work)) symbols.add(OTHERS);
    return symbols;
  }

  /** Line separators, which `.` does not hold, are ignored: models do not write them. */
  #holdsOthers(width: PatternWidth, work: WorkBudget): boolean {
    if (/\\p/iu.test(this.#source)) {
      work.spend(ALL_CHARACTERS);
      const test =
        width === 'narrow'
          ? new RegExp(`^(?:${this.#source}|[\\u2028\\u2029])+$`, 'u')
          : new RegExp(`(?:${this.#source})`, 'u');
      return test.test(allBeyondAscii());
    }
    // Between two characters that its source names a class holds all or none, so it is enough to test beside these.
    const borders = [0x80, 0xd7ff, 0xe000, 0x10_ffff];
    const named = [...SPECIAL, ...namedCodePoints(this.#source)];
    for (const code of named) borders.push(code - 1, code, code + 1);
    const asked = borders.filter(
      (code) => code >= 0x80 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff) && !LINE_SEPARATORS.has(code),
    );
    return width === 'narrow' ? asked.every((code) => this.holds(code)) : asked.some((code) => this.holds(code));
  }
}

const known = new Map<string, CharacterClass>();

/** The class of this source, cached across patterns. */
export function characterClass(source: string, work: WorkBudget): CharacterClass {
  let found = known.get(source);
  if (found === undefined) {
    work.spend(NEW_CLASS);
    found = new CharacterClass(source);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(source, found);
  }
  return found;
}

/** Code points in the source of a class, literal or as `\x` and `\u` escapes. */
function namedCodePoints(source: string): number[] {
  const codes: number[] = [];
  const spelling =
    /\\u\{([\dA-Fa-f]+)\}|\\u([Dd][89ABab][\dA-Fa-f]{2})\\u([Dd][C-Fc-f][\dA-Fa-f]{2})|\\u([\dA-Fa-f]{4})|\\x([\dA-Fa-f]{2})|[^\0-\x7f]/gu;
  for (const [text, braced, high, low, four, two] of source.matchAll(spelling)) {
    if (high !== undefined && low !== undefined) {
      codes.push(String.fromCharCode(parseInt(high, 16), parseInt(low, 16)).codePointAt(0)!);
    } else {
      const hexadecimal = braced ?? four ?? two;
      codes.push(hexadecimal === undefined ? text.codePointAt(0)! : parseInt(hexadecimal, 16));
    }
  }
  return codes;
}

let beyondAscii: string | undefined;

function allBeyondAscii(): string {
  if (beyondAscii !== undefined) return beyondAscii;
  const characters: string[] = [];
  for (let code = 0x80; code <= 0x10_ffff; code += 1) {
    if (code < 0xd800 || code > 0xdfff) characters.push(String.fromCodePoint(code));
  }
  return (beyondAscii = characters.join(''));
}
