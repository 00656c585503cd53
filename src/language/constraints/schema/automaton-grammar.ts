/** Converts an automaton to a grammar of quoted strings. @module */
import {
  type CodePointRange,
  EMPTY,
  type Expression,
  NEVER,
  characters,
  choice,
  isNever,
  literal,
  rule,
  sequence,
} from '../../grammar/expression.js';
import { CharacterBytes, type ClassedRange } from '../../grammar/character-bytes.js';
import type { GrammarRules } from '../../grammar/grammar-rules.js';
import { PLAIN_CHARACTERS, PLAIN_STRING_CHARACTERS } from '../../grammar/string-characters.js';
import type { ValueStyle } from '../../grammar/value-style.js';
import { type Automaton, liveStates, TooManyStates } from '../../../core/schema/automaton/automaton.js';
import { LAST_CODE_POINT, stretchesOf } from '../../../core/schema/automaton/symbol-classes.js';

/** A string in the style's quotes that the automaton accepts; NEVER when there is none. */
export function automatonString(rules: GrammarRules, automaton: Automaton, style: ValueStyle): Expression {
  return new AutomatonString(rules, automaton, style).write();
}

/** Most places inside characters, over all states, that are written where they are needed. More are shared. */
const MAX_PLACES = 2_500;

class AutomatonString {
  readonly #rules: GrammarRules;
  readonly #automaton: Automaton;
  readonly #strings: ValueStyle['strings'];
  /** Of live states: the rule that goes on from there. */
  readonly #names: (string | undefined)[];
  readonly #stretches: readonly ClassedRange[];
  readonly #beyondAscii: CharacterBytes;
  readonly #sharesCharacters: boolean;
  /** Rules for one character of some classes. */
  readonly #characters = new Map<string, Expression>();

  constructor(rules: GrammarRules, automaton: Automaton, { strings }: ValueStyle) {
    this.#rules = rules;
    this.#automaton = automaton;
    this.#strings = strings;
    const live = liveStates(automaton);
    const count = live[0] ? live.filter(Boolean).length : 0;
    if (count > rules.mostStates) throw new TooManyStates(rules.mostStates);
    rules.largestString = Math.max(rules.largestString, count);
    this.#names = live.map((isLive) => (live[0] && isLive ? rules.reserve() : undefined));
    this.#stretches = stretchesOf(automaton);
    this.#beyondAscii = new CharacterBytes(this.#stretches, (body) => rules.add(body));
    this.#sharesCharacters = count * this.#beyondAscii.size > MAX_PLACES;
  }

  write(): Expression {
    const [first] = this.#names;
    if (first === undefined) return NEVER;
    const [open, close] = this.#strings ? [this.#strings.open, this.#strings.close] : ['"', '"'];
    this.#names.forEach((name, state) => {
      if (name === undefined) return;
      const end = this.#automaton.accepting[state] ? literal(close) : NEVER;
      this.#rules.define(name, choice(end, ...this.#steps(state)));
    });
    return sequence(literal(open), rule(first));
  }

  /** The ways to write a character and go on. */
  #steps(state: number): Expression[] {
    const { next, classes } = this.#automaton;
    const ruleAfter = (symbolClass: number): string | undefined => this.#names[next[state * classes + symbolClass]!];
    this.#rules.work.spend(this.#stretches.length);
    const byRule = new Map<string, CodePointRange[]>();
    for (const { range, symbolClass } of this.#stretches) {
      const name = ruleAfter(symbolClass);
      if (name === undefined) continue;
      const ranges = byRule.get(name) ?? [];
      const before = ranges.at(-1);
      if (before?.[1] === range[0] - 1) ranges[ranges.length - 1] = [before[0], range[1]];
      else ranges.push(range);
      byRule.set(name, ranges);
    }
    const plain = [...byRule].flatMap(([name, ranges]) =>
      spell(ranges, this.#strings !== undefined).map((text) => sequence(text, rule(name))),
    );
    const isWhole = [...byRule.values()].some((ranges) => ranges.some(holdsAllBeyondAscii));
    return isWhole ? plain : [...plain, ...this.#beyond(ruleAfter, [...byRule.keys()])];
  }

  /** The same for characters beyond ASCII. */
  #beyond(ruleAfter: (symbolClass: number) => string | undefined, names: readonly string[]): Expression[] {
    this.#rules.work.spend(4 * this.#beyondAscii.size);
    if (!this.#sharesCharacters) {
      return this.#beyondAscii.ways((symbolClass) => {
        const name = ruleAfter(symbolClass);
        return name === undefined ? undefined : { name, expression: rule(name) };
      });
    }
    return names.map((name) =>
      sequence(
        this.#character((each) => ruleAfter(each) === name),
        rule(name),
      ),
    );
  }

  /** One character beyond ASCII of these classes. */
  #character(isTaken: (symbolClass: number) => boolean): Expression {
    const key = Array.from({ length: this.#automaton.classes }, (_, each) => Number(isTaken(each))).join('');
    const known = this.#characters.get(key);
    if (known !== undefined) return known;
    const ways = this.#beyondAscii.ways((each) => (isTaken(each) ? { name: 'end', expression: EMPTY } : undefined));
    const made = this.#rules.add(choice(...ways));
    this.#characters.set(key, made);
    return made;
  }
}

function holdsAllBeyondAscii([first, last]: CodePointRange): boolean {
  return first <= 0x80 && last === LAST_CODE_POINT;
}

/** The ways to write one of these characters in a string: as it is, or with an escape where ASCII needs one. */
function spell(ranges: readonly CodePointRange[], isPlain: boolean): Expression[] {
  const usable = isPlain ? PLAIN_STRING_CHARACTERS : PLAIN_CHARACTERS;
  const plain = ranges.flatMap(([first, last]) =>
    usable.flatMap(([from, to]): CodePointRange[] =>
      Math.max(first, from) <= Math.min(last, to) ? [[Math.max(first, from), Math.min(last, to)]] : [],
    ),
  );
  // Escapes that differ in their last letter are one.
  const endings = new Map<string, CodePointRange[]>();
  for (const [first, last] of isPlain ? [] : ranges) {
    for (let code = first; code <= Math.min(last, 0x7e); code += 1) {
      if (usable.some(([from, to]) => from <= code && code <= to)) continue;
      const escape = JSON.stringify(String.fromCharCode(code)).slice(1, -1);
      const ending = escape.charCodeAt(escape.length - 1);
      const known = endings.get(escape.slice(0, -1)) ?? [];
      known.push([ending, ending]);
      endings.set(escape.slice(0, -1), known);
    }
  }
  const escapes = [...endings].map(([beginning, codes]) => sequence(literal(beginning), characters(...codes)));
  return [characters(...plain), choice(...escapes)].filter((way) => !isNever(way));
}
