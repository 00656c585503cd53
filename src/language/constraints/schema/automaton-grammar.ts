/** Converts an automaton to a grammar of quoted strings. @module */
import {
  type CodePointRange,
  EMPTY,
  type Expression,
  NEVER,
  characters,
  choice,
  literal,
  sequence,
} from '../../grammar/expression.js';
import type { GrammarRules } from '../../grammar/grammar-rules.js';
import { SchemaProblem } from '../../../core/schema/limits/schema-problem.js';
import { PLAIN_CHARACTERS, PLAIN_STRING_CHARACTERS } from '../../grammar/string-characters.js';
import type { ValueStyle } from '../../grammar/value-style.js';
import { type Automaton, liveStates, OTHERS, SYMBOLS } from '../../../core/schema/automaton/automaton.js';

/** Each state becomes a grammar rule, and computing a rule's token masks goes over the whole vocabulary. */
const MAX_STATES = 400;

/** A string in the style's quotes that the automaton accepts; NEVER when there is none. */
export function automatonString(rules: GrammarRules, automaton: Automaton, { strings }: ValueStyle): Expression {
  const [open, close] = strings ? [strings.open, strings.close] : ['"', '"'];
  const live = liveStates(automaton);
  if (!live[0]) return NEVER;
  if (live.filter(Boolean).length > MAX_STATES) throw new SchemaProblem('is too complex');
  const names = live.map((isLive) => (isLive ? rules.reserve() : undefined));
  names.forEach((name, state) => {
    if (name === undefined) return;
    rules.work.spend(SYMBOLS);
    const ways = [automaton.accepting[state] ? literal(close) : NEVER];
    for (const [target, symbols] of symbolsByTarget(automaton, state)) {
      const next = names[target];
      if (next !== undefined)
        ways.push(...spell(symbols, strings !== undefined).map((text) => sequence(text, { type: 'rule', name: next })));
    }
    rules.define(name, choice(...ways));
  });
  return sequence(literal(open), names[0] === undefined ? EMPTY : { type: 'rule', name: names[0] });
}

function symbolsByTarget({ classOf, classes, next }: Automaton, state: number): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (let symbol = 0; symbol < SYMBOLS; symbol += 1) {
    const target = next[state * classes + classOf[symbol]!]!;
    const group = groups.get(target);
    if (group === undefined) groups.set(target, [symbol]);
    else group.push(symbol);
  }
  return groups;
}

/** The ways to write one of these symbols in a string: as it is, or with an escape where it needs one. */
function spell(symbols: readonly number[], isPlain: boolean): Expression[] {
  const ranges: CodePointRange[] = [];
  const escapes: Expression[] = [];
  const usable = isPlain ? PLAIN_STRING_CHARACTERS : PLAIN_CHARACTERS;
  for (const symbol of symbols) {
    const plain = symbol === OTHERS || usable.some(([first, last]) => first <= symbol && symbol <= last);
    if (plain) ranges.push(symbol === OTHERS ? [0x80, 0x10_ffff] : [symbol, symbol]);
    else if (symbol !== 0x7f && !isPlain)
      escapes.push(literal(JSON.stringify(String.fromCharCode(symbol)).slice(1, -1)));
  }
  return [characters(...ranges), choice(...escapes)].filter((way) => way.type !== 'choice' || way.options.length > 0);
}
