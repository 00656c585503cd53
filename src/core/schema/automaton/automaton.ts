/** Finite automata over the characters of strings: building, combining, minimising. @module */
import { SchemaProblem } from '../limits/schema-problem.js';
import type { WorkBudget } from '../limits/work-budget.js';
import { ALIKE, classAt, sharedClasses, splitSymbols, startsOf, type SymbolClasses } from './symbol-classes.js';

/** Deterministic and total: every state has a successor for every class. State 0 is the first. */
export interface Automaton extends SymbolClasses {
  /** Successor of state s by class c at `s * classes + c`. */
  next: readonly number[];
  accepting: readonly boolean[];
}

/** The token masks of an automaton with more states would take seconds. */
const MAX_STATES = 1_500;

/** An automaton would have too many states; one for shorter strings may do. */
export class TooManyStates extends SchemaProblem {
  readonly #most: number;

  constructor(most: number = MAX_STATES, node?: object, keyword?: string) {
    super(
      `is too complex: its strings need more than ${most} states of an automaton, even with lower counts and lengths`,
      node,
      keyword,
    );
    this.#most = most;
  }

  override at(node: object | undefined, keyword: string | undefined): TooManyStates {
    return new TooManyStates(this.#most, node, keyword);
  }
}

/** How to find the states of an automaton, from the first on. States of any form; those of one name are the same. */
interface Exploration<State> {
  first: State;
  nameOf: (state: State) => string;
  step: (state: State, symbolClass: number) => State;
  accepts: (state: State) => boolean;
}

/** The minimal automaton of an exploration. */
export function buildAutomaton<State>(
  symbols: SymbolClasses,
  { first, nameOf, step, accepts }: Exploration<State>,
  work: WorkBudget,
): Automaton {
  const { classes } = symbols;
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
        if (number >= MAX_STATES) throw new TooManyStates();
        numbers.set(name, number);
        states.push(target);
      }
      next.push(number);
    }
  }
  return minimize({ ...symbols, next, accepting: states.map(accepts) }, work);
}

/** Strings that both (or, with `either`, one of both) accept. */
export function combineAutomata(
  left: Automaton,
  right: Automaton,
  how: 'both' | 'either',
  work: WorkBudget,
): Automaton {
  const { symbols, pairs } = sharedClasses(left, right);
  work.spend(symbols.starts.length);
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
    ALIKE,
    {
      first: 0,
      nameOf: String,
      step: (length) => Math.min(length + 1, Math.max(last, min)),
      accepts: (length) => length >= min && (max === undefined || length <= max),
    },
    work,
  );
}

/** A node of a prefix tree. */
interface Beginning {
  number: number;
  after: Map<number, Beginning>;
  whole: boolean;
}

/** Exactly these strings. */
export function literalsAutomaton(texts: readonly string[], work: WorkBudget): Automaton {
  let count = 0;
  const beginning = (): Beginning => ({ number: (count += 1), after: new Map(), whole: false });
  const root = beginning();
  const used = new Set<number>();
  for (const text of texts) {
    work.spend(text.length);
    let at = root;
    for (const character of text) {
      const symbol = character.codePointAt(0) ?? 0;
      used.add(symbol);
      let following = at.after.get(symbol);
      if (following === undefined) at.after.set(symbol, (following = beginning()));
      at = following;
    }
    at.whole = true;
  }
  const starts = startsOf([...used].map((symbol) => [symbol, symbol]));
  const symbols = splitSymbols(starts, (symbol) => (used.has(symbol) ? symbol : -1));
  const representative: number[] = [];
  symbols.classOf.forEach((own, stretch) => (representative[own] ??= symbols.starts[stretch]!));
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

/** Whether the automaton accepts the text. */
export function acceptsText(automaton: Automaton, text: string, work: WorkBudget): boolean {
  work.spend(text.length);
  let state = 0;
  for (const character of text) {
    state = automaton.next[state * automaton.classes + classAt(automaton, character.codePointAt(0) ?? 0)]!;
  }
  return automaton.accepting[state]!;
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

/** How many states can still reach an accepting one, if the first can. */
export function countLive(automaton: Automaton): number {
  const live = liveStates(automaton);
  return live[0] ? live.filter(Boolean).length : 0;
}

/** Characters of the shortest string that the automaton accepts; undefined: it accepts none. */
export function shortestLength({ classes, next, accepting }: Automaton): number | undefined {
  const lengths = new Map([[0, 0]]);
  for (const [state, length] of lengths) {
    if (accepting[state]) return length;
    for (const target of next.slice(state * classes, (state + 1) * classes))
      if (!lengths.has(target)) lengths.set(target, length + 1);
  }
  return undefined;
}

/** The smallest automaton that accepts the same strings. */
function minimize(automaton: Automaton, work: WorkBudget): Automaton {
  const { classes, next, accepting } = automaton;
  const predecessors = predecessorsOf(automaton);
  const blockOf = accepting.map(() => 0);
  const blocks: number[][] = [[...accepting.keys()]];
  /** Blocks that have yet to split others by their predecessors (Hopcroft's algorithm). */
  const pending: number[] = [];
  const split = (block: number, away: readonly number[]): void => {
    const own = blocks[block]!;
    if (away.length === 0 || away.length === own.length) return;
    const leaving = new Set(away);
    const staying = own.filter((state) => !leaving.has(state));
    const [larger, smaller] = staying.length >= away.length ? [staying, away] : [away, staying];
    blocks[block] = [...larger];
    for (const state of smaller) blockOf[state] = blocks.length;
    pending.push(blocks.length);
    blocks.push([...smaller]);
    work.spend(own.length);
  };
  split(
    0,
    [...accepting.keys()].filter((state) => accepting[state]),
  );
  for (const splitter of pending) {
    // A copy: the block may lose states while it splits others, and those wait as a block of their own.
    const targets = [...blocks[splitter]!];
    for (let symbolClass = 0; symbolClass < classes; symbolClass += 1) {
      const touched = new Map<number, number[]>();
      for (const target of targets) {
        const sources = predecessors(target, symbolClass);
        work.spend(1 + sources.length);
        for (const source of sources) {
          const block = blockOf[source]!;
          const group = touched.get(block);
          if (group === undefined) touched.set(block, [source]);
          else group.push(source);
        }
      }
      for (const [block, sources] of touched) split(block, sources);
    }
  }
  return merged(automaton, blockOf, next);
}

/** The states that reach a state by a class of symbols. */
function predecessorsOf({ classes, next, accepting }: Automaton): (state: number, symbolClass: number) => Int32Array {
  const starts = new Int32Array(accepting.length * classes + 1);
  const slot = (edge: number): number => next[edge]! * classes + (edge % classes);
  for (let edge = 0; edge < next.length; edge += 1) starts[slot(edge) + 1]! += 1;
  for (let index = 1; index < starts.length; index += 1) starts[index]! += starts[index - 1]!;
  const sources = new Int32Array(next.length);
  const filled = starts.slice();
  for (let edge = 0; edge < next.length; edge += 1) {
    const at = slot(edge);
    sources[filled[at]!] = Math.floor(edge / classes);
    filled[at]! += 1;
  }
  return (state, symbolClass) => {
    const at = state * classes + symbolClass;
    return sources.subarray(starts[at], starts[at + 1]);
  };
}

/** One state for each block, numbered in the order of their first states, so that the first state stays 0. */
function merged(
  { starts, classOf, classes, accepting }: Automaton,
  blockOf: readonly number[],
  next: readonly number[],
): Automaton {
  const numbers = new Map<number, number>();
  const first: number[] = [];
  blockOf.forEach((block, state) => {
    if (numbers.has(block)) return;
    numbers.set(block, numbers.size);
    first.push(state);
  });
  return {
    starts,
    classOf,
    classes,
    accepting: first.map((state) => accepting[state]!),
    next: first.flatMap((state) =>
      next.slice(state * classes, (state + 1) * classes).map((target) => numbers.get(blockOf[target]!)!),
    ),
  };
}
