/** Finite automata over the characters of strings. @module */
import { SchemaProblem } from '../schema-problem.js';
import type { WorkBudget } from '../work-budget.js';
import { SYMBOLS, OTHERS, type Automaton, type SymbolClasses } from './automaton-table.js';
import { minimize } from './minimize.js';

/** More states than this would make preparing masks take seconds. */
const MAX_STATES = 1_500;

/** How an automaton is explored, from its first state on. States have any form that `nameOf` tells apart. */
export interface Exploration<State> {
  first: State;
  nameOf: (state: State) => string;
  step: (state: State, symbolClass: number) => State;
  accepts: (state: State) => boolean;
}

/** The smallest automaton that goes the same ways. */
export function buildAutomaton<State>(
  symbols: SymbolClasses,
  { first, nameOf, step, accepts }: Exploration<State>,
  work: WorkBudget,
): Automaton {
  const { classOf, classes } = symbols;
  const numbers = new Map([[nameOf(first), 0]]);
  const states = [first];
  const next: number[] = [];
  for (let index = 0; index < states.length; index += 1) {
    work.spend(4 * classes);
    for (let symbolClass = 0; symbolClass < classes; symbolClass += 1) {
      const target = step(states[index]!, symbolClass);
      const name = nameOf(target);
      let number = numbers.get(name);
      if (number === undefined) {
        number = states.length;
        if (number >= MAX_STATES) throw new SchemaProblem('is too complex');
        numbers.set(name, number);
        states.push(target);
      }
      next.push(number);
    }
  }
  return minimize({ classOf, classes, next, accepting: states.map(accepts) }, work);
}

/** Strings that both (or, with `either`, one of both) accept. */
export function combineAutomata(
  left: Automaton,
  right: Automaton,
  how: 'both' | 'either',
  work: WorkBudget,
): Automaton {
  const symbols = splitSymbols((symbol) => left.classOf[symbol]! * SYMBOLS + right.classOf[symbol]!);
  const pairs: [number, number][] = [];
  symbols.classOf.forEach((own, symbol) => (pairs[own] ??= [left.classOf[symbol]!, right.classOf[symbol]!]));
  return buildAutomaton<readonly [number, number]>(
    symbols,
    {
      first: [0, 0],
      nameOf: ([a, b]) => `${a} ${b}`,
      step: ([a, b], symbolClass) => {
        const [inLeft, inRight] = pairs[symbolClass]!;
        return [left.next[a * left.classes + inLeft]!, right.next[b * right.classes + inRight]!];
      },
      accepts: ([a, b]) =>
        how === 'both' ? left.accepting[a]! && right.accepting[b]! : left.accepting[a]! || right.accepting[b]!,
    },
    work,
  );
}

/** Strings that the automaton does not accept. */
export function complement({ accepting, ...rest }: Automaton): Automaton {
  return { ...rest, accepting: accepting.map((accepts) => !accepts) };
}

/** Strings of `min` to `max` characters; `max` undefined: no upper bound. */
export function lengthAutomaton(min: number, max: number | undefined, work: WorkBudget): Automaton {
  const last = (max ?? min - 1) + 1;
  return buildAutomaton<number>(
    splitSymbols(() => 0),
    {
      first: 0,
      nameOf: String,
      step: (length) => Math.min(length + 1, Math.max(last, min)),
      accepts: (length) => length >= min && (max === undefined || length <= max),
    },
    work,
  );
}

/** Of a tree of texts: a beginning, and what follows it. */
interface Beginning {
  number: number;
  after: Map<number, Beginning>;
  whole: boolean;
}

/** Exactly these strings. Characters beyond ASCII all count as the same one. */
export function literalsAutomaton(texts: readonly string[], work: WorkBudget): Automaton {
  let count = 0;
  const beginning = (): Beginning => ({ number: (count += 1), after: new Map(), whole: false });
  const root = beginning();
  const used = new Set<number>();
  for (const text of texts) {
    work.spend(text.length);
    let at = root;
    for (const character of text) {
      const symbol = Math.min(character.codePointAt(0) ?? 0, OTHERS);
      used.add(symbol);
      let following = at.after.get(symbol);
      if (following === undefined) at.after.set(symbol, (following = beginning()));
      at = following;
    }
    at.whole = true;
  }
  const symbols = splitSymbols((symbol) => (used.has(symbol) ? symbol : -1));
  const representative: number[] = [];
  symbols.classOf.forEach((own, symbol) => (representative[own] ??= symbol));
  const nowhere = beginning();
  return buildAutomaton<Beginning>(
    symbols,
    {
      first: root,
      nameOf: ({ number }) => String(number),
      step: ({ after }, symbolClass) => after.get(representative[symbolClass]!) ?? nowhere,
      accepts: ({ whole }) => whole,
    },
    work,
  );
}

/** Puts symbols with the same key into one class. */
export function splitSymbols(keyOf: (symbol: number) => number): SymbolClasses {
  const known = new Map<number, number>();
  const classOf: number[] = [];
  for (let symbol = 0; symbol < SYMBOLS; symbol += 1) {
    const key = keyOf(symbol);
    let own = known.get(key);
    if (own === undefined) known.set(key, (own = known.size));
    classOf.push(own);
  }
  return { classOf, classes: known.size };
}

/** Whether each state can still reach an accepting one. */
export function liveStates({ classes, next, accepting }: Automaton): boolean[] {
  const before: number[][] = accepting.map(() => []);
  next.forEach((target, edge) => before[target]!.push(Math.floor(edge / classes)));
  const live = [...accepting];
  const pending = [...live.keys()].filter((state) => live[state]);
  for (const state of pending) {
    for (const earlier of before[state]!) {
      if (live[earlier]) continue;
      live[earlier] = true;
      pending.push(earlier);
    }
  }
  return live;
}
