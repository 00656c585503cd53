/** Finite automata over the characters of strings. @module */
import { SchemaProblem } from '../schema/schema-problem.js';

/** The ASCII characters, each for itself, and one symbol for all others. */
export const SYMBOLS = 129;

/** The symbol of every character beyond ASCII. */
export const OTHERS = 128;

/** More states than this would make preparing masks take seconds. */
const MAX_STATES = 1_500;

/** Deterministic and total: every state has a successor for every symbol. State 0 is the first. */
export interface Automaton {
  /** Successor of state s by symbol c at `s * SYMBOLS + c`. */
  next: readonly number[];
  accepting: readonly boolean[];
}

/**
 * Explores an automaton from its first state on.
 * @param first the first state, in any form that `nameOf` tells apart
 */
export function buildAutomaton<State>(
  first: State,
  nameOf: (state: State) => string,
  step: (state: State, symbol: number) => State,
  accepts: (state: State) => boolean,
): Automaton {
  const numbers = new Map([[nameOf(first), 0]]);
  const states = [first];
  const next: number[] = [];
  for (let index = 0; index < states.length; index += 1) {
    for (let symbol = 0; symbol < SYMBOLS; symbol += 1) {
      const target = step(states[index]!, symbol);
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
  return minimize({ next, accepting: states.map(accepts) });
}

/** Strings that both (or, with `either`, one of both) accept. */
export function combineAutomata(left: Automaton, right: Automaton, how: 'both' | 'either'): Automaton {
  return buildAutomaton<readonly [number, number]>(
    [0, 0],
    ([a, b]) => `${a} ${b}`,
    ([a, b], symbol) => [left.next[a * SYMBOLS + symbol]!, right.next[b * SYMBOLS + symbol]!],
    ([a, b]) =>
      how === 'both' ? left.accepting[a]! && right.accepting[b]! : left.accepting[a]! || right.accepting[b]!,
  );
}

/** Strings that the automaton does not accept. */
export function complement({ next, accepting }: Automaton): Automaton {
  return { next, accepting: accepting.map((accepts) => !accepts) };
}

/** Strings of `min` to `max` characters; `max` undefined: no upper bound. */
export function lengthAutomaton(min: number, max: number | undefined): Automaton {
  const last = (max ?? min - 1) + 1;
  return buildAutomaton<number>(
    0,
    String,
    (length) => Math.min(length + 1, Math.max(last, min)),
    (length) => length >= min && (max === undefined || length <= max),
  );
}

/** Exactly these strings. Characters beyond ASCII all count as the same one. */
export function literalsAutomaton(texts: readonly string[]): Automaton {
  const words = texts.map((text) => Array.from(text, (character) => Math.min(character.codePointAt(0) ?? 0, OTHERS)));
  return buildAutomaton<readonly number[]>(
    [0, ...words.keys()],
    (state) => state.join(' '),
    // The first number of a state is how many characters were read.
    ([read = 0, ...open], symbol) => {
      const left = open.filter((word) => words[word]![read] === symbol);
      return left.length === 0 ? [-1] : [read + 1, ...left];
    },
    ([read, ...open]) => open.some((word) => words[word]!.length === read),
  );
}

/** Whether each state can still reach an accepting one. */
export function liveStates({ next, accepting }: Automaton): boolean[] {
  const live = [...accepting];
  for (let grown = true; grown;) {
    grown = false;
    for (let state = 0; state < live.length; state += 1) {
      if (live[state]) continue;
      for (let symbol = 0; symbol < SYMBOLS && !live[state]; symbol += 1) {
        if (live[next[state * SYMBOLS + symbol]!]) live[state] = grown = true;
      }
    }
  }
  return live;
}

/** Merges states that no string tells apart. */
function minimize({ next, accepting }: Automaton): Automaton {
  let group = accepting.map(Number);
  for (let count = 0; ;) {
    const names = new Map<string, number>();
    const refined = group.map((own, state) => {
      let name = `${own}`;
      for (let symbol = 0; symbol < SYMBOLS; symbol += 1) name += ` ${group[next[state * SYMBOLS + symbol]!]}`;
      const known = names.get(name) ?? names.size;
      names.set(name, known);
      return known;
    });
    group = refined;
    if (names.size === count) break;
    count = names.size;
  }
  // Groups are numbered in the order of their first states, so the first state stays 0.
  const merged: Automaton = { next: [], accepting: [] };
  group.forEach((own, state) => {
    if (own !== merged.accepting.length) return;
    (merged.accepting as boolean[]).push(accepting[state]!);
    for (let symbol = 0; symbol < SYMBOLS; symbol += 1)
      (merged.next as number[]).push(group[next[state * SYMBOLS + symbol]!]!);
  });
  return merged;
}
