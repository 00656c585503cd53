/**
 * Which characters a character class of a pattern holds. Asks JavaScript's own RegExp about one character at a time,
 * which cannot backtrack.
 * @module
 */
import type { WorkBudget } from '../limits/work-budget.js';
import { LAST_CODE_POINT, type Range, startsOf } from './symbol-classes.js';

/** Steps that a new class costs: a regular expression is compiled, and tested with every stretch of characters. */
const NEW_CLASS = 1_000;
/** Steps that testing every character of Unicode costs. */
const ALL_CHARACTERS = 200_000;

/** Most classes, and results of a class, that are cached. */
const MAX_KNOWN = 1_000;

/** White space beyond ASCII that `\s` holds, and the line separators, which `.` does not; surrogates. */
const SPECIAL: readonly Range[] = [
  ...[0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff].map((code): Range => [code, code]),
  [0x2000, 0x200a],
  [0xd800, 0xdfff],
];
const ASCII = Array.from({ length: 0x80 }, (_, code): Range => [code, code]);

/** One class. */
export class CharacterClass {
  readonly #source: string;
  readonly #one: RegExp;
  readonly #holds = new Map<number, boolean>();
  #ranges: readonly Range[] | undefined;

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

  /** The code points that it holds, in order. */
  ranges(work: WorkBudget): readonly Range[] {
    return (this.#ranges ??= /\\p/iu.test(this.#source) ? this.#searched(work) : this.#asked());
  }

  /** Classes of properties: the engine's tables say it, character by character. */
  #searched(work: WorkBudget): Range[] {
    work.spend(ALL_CHARACTERS);
    const ranges: Range[] = [];
    for (const { 0: found, index } of allCharacters().matchAll(new RegExp(`(?:${this.#source}){1,4096}`, 'gu'))) {
      pushRange(ranges, codePointAt(index), codePointAt(index + found.length) - 1);
    }
    return ranges;
  }

  /** Between two characters that its source names a class holds all or none, so it is enough to ask for the first. */
  #asked(): Range[] {
    const named = namedCodePoints(this.#source).map((code): Range => [code, code]);
    const starts = startsOf([...ASCII, ...SPECIAL, ...named]);
    const ranges: Range[] = [];
    starts.forEach((start, index) => {
      if (this.holds(start)) pushRange(ranges, start, (starts[index + 1] ?? LAST_CODE_POINT + 1) - 1);
    });
    return ranges;
  }
}

/** Adds a range behind the others; one that follows at once makes the last one longer. */
function pushRange(ranges: Range[], first: number, last: number): void {
  const before = ranges.at(-1);
  if (before?.[1] === first - 1) ranges[ranges.length - 1] = [before[0], last];
  else ranges.push([first, last]);
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

let everything: string | undefined;

/** All characters in order, without surrogates, of which two would be read as one character. */
function allCharacters(): string {
  if (everything !== undefined) return everything;
  const characters: string[] = [];
  for (let code = 0; code <= LAST_CODE_POINT; code += 1) {
    if (code < 0xd800 || code > 0xdfff) characters.push(String.fromCodePoint(code));
  }
  return (everything = characters.join(''));
}

/** The code point at an offset of {@link allCharacters}. */
function codePointAt(offset: number): number {
  if (offset < 0xd800) return offset;
  return offset < 0xf800 ? offset + 0x800 : 0x1_0000 + (offset - 0xf800) / 2;
}
