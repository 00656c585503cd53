/** Regular expressions as automata. @module */
import { SchemaProblem } from '../schema/schema-problem.js';
import { type Automaton, buildAutomaton, combineAutomata, complement } from './automaton.js';
import { type PatternNode, type PatternWidth, parsePattern } from './pattern-syntax.js';

/** Most states before they are made deterministic. */
const MAX_STATES = 6_000;

interface State {
  /** Consumes one of the symbols and goes on. */
  symbols?: ReadonlySet<number>;
  target?: number;
  /** Goes on without consuming; some only at the beginning or the end of the string. */
  jumps: { to: number; only?: 'start' | 'end' }[];
}

/**
 * The strings in which the pattern is found, as `RegExp.prototype.test` finds it. Lookaheads are followed where they
 * stand at the beginning, after `^`. Throws SchemaProblem for what no automaton can follow.
 */
export function patternAutomaton(pattern: string, width: PatternWidth): Automaton {
  const { lookaheads, rest } = splitLookaheads(pattern);
  let automaton = compilePattern(parsePattern(rest, width));
  for (const { source, negative } of lookaheads) {
    const other: PatternWidth = width === 'narrow' ? 'wide' : 'narrow';
    const ahead = compilePattern(parsePattern(`^(?:${source})`, negative ? other : width));
    automaton = combineAutomata(automaton, negative ? complement(ahead) : ahead, 'both');
  }
  return automaton;
}

interface Lookahead {
  source: string;
  negative: boolean;
}

function splitLookaheads(pattern: string): { lookaheads: Lookahead[]; rest: string } {
  const lookaheads: Lookahead[] = [];
  if (!/^\^\(\?[=!]/.test(pattern)) return { lookaheads, rest: pattern };
  let at = 1;
  while (/^\(\?[=!]/.test(pattern.slice(at))) {
    const end = closingParenthesis(pattern, at);
    lookaheads.push({ source: pattern.slice(at + 3, end), negative: pattern[at + 2] === '!' });
    at = end + 1;
  }
  const rest = pattern.slice(at);
  if (hasTopLevelChoice(rest)) throw new SchemaProblem('uses a lookaround that no grammar can follow');
  return { lookaheads, rest: `^${rest}` };
}

function* brackets(pattern: string, from: number): Generator<{ at: number; depth: number; character: string }> {
  let depth = 0;
  let inClass = false;
  for (let at = from; at < pattern.length; at += 1) {
    const character = pattern[at]!;
    if (character === '\\') {
      at += 1;
      continue;
    }
    if (inClass) inClass = character !== ']';
    else if (character === '[') inClass = true;
    else {
      if (character === '(') depth += 1;
      if (character === ')') depth -= 1;
      yield { at, depth, character };
    }
  }
}

function closingParenthesis(pattern: string, from: number): number {
  for (const { at, depth } of brackets(pattern, from)) if (depth === 0) return at;
  return pattern.length;
}

function hasTopLevelChoice(pattern: string): boolean {
  for (const { depth, character } of brackets(pattern, 0)) if (depth === 0 && character === '|') return true;
  return false;
}

function compilePattern(node: PatternNode): Automaton {
  const states: State[] = [];
  const final = addState(states);
  const first = build(states, node, final);
  const startSet = closure(states, [first], 'start');
  // Where the pattern has not begun yet, it may begin at every place; where it was found, anything may follow.
  const again = closure(states, [first], undefined);
  return buildAutomaton<readonly number[]>(
    startSet,
    (set) => set.join(' '),
    (set, symbol) => {
      if (set.includes(final)) return [final];
      const reached = new Set(again);
      for (const state of set) {
        const { symbols, target } = states[state]!;
        if (target !== undefined && symbols?.has(symbol))
          for (const each of closure(states, [target], undefined)) reached.add(each);
      }
      return reached.has(final) ? [final] : [...reached].toSorted((left, right) => left - right);
    },
    (set) => set.includes(final) || closure(states, set, 'end').includes(final),
  );
}

function addState(states: State[], state: State = { jumps: [] }): number {
  if (states.length >= MAX_STATES) throw new SchemaProblem('is too complex');
  return states.push(state) - 1;
}

/** States that match `node` and then go to `after`; returns the first. */
function build(states: State[], node: PatternNode, after: number): number {
  switch (node.type) {
    case 'symbols':
      return addState(states, { symbols: node.symbols, target: after, jumps: [] });
    case 'sequence':
      return node.parts.reduceRight((next, part) => build(states, part, next), after);
    case 'choice':
      return addState(states, { jumps: node.options.map((option) => ({ to: build(states, option, after) })) });
    case 'start':
    case 'end':
      return addState(states, { jumps: [{ to: after, only: node.type }] });
    case 'repeat': {
      let next = after;
      if (node.max === undefined) {
        next = addState(states);
        states[next]!.jumps = [{ to: build(states, node.part, next) }, { to: after }];
      } else {
        for (let count = node.min; count < node.max; count += 1) {
          next = addState(states, { jumps: [{ to: build(states, node.part, next) }, { to: after }] });
        }
      }
      for (let count = 0; count < node.min; count += 1) next = build(states, node.part, next);
      return next;
    }
  }
}

function closure(states: readonly State[], from: readonly number[], place: 'start' | 'end' | undefined): number[] {
  const reached = new Set(from);
  for (const state of reached) {
    for (const { to, only } of states[state]!.jumps) if (only === undefined || only === place) reached.add(to);
  }
  return [...reached].toSorted((left, right) => left - right);
}
