/** Converts regular expressions to deterministic automata. @module */
import { SchemaProblem } from '../schema-problem.js';
import type { WorkBudget } from '../work-budget.js';
import {
  type Automaton,
  buildAutomaton,
  combineAutomata,
  complement,
  splitSymbols,
  type SymbolClasses,
  SYMBOLS,
} from './automaton.js';
import type { PatternWidth } from './character-class.js';
import { type PatternProgram, compileProgram } from './pattern-program.js';
import { type PatternNode, parsePattern } from './pattern-syntax.js';

/**
 * The strings in which the pattern is found, as `RegExp.prototype.test` finds it. Lookaheads are followed where they
 * stand at the beginning, after `^`. Throws SchemaProblem for what no automaton can follow.
 */
export function patternAutomaton(pattern: string, width: PatternWidth, work: WorkBudget): Automaton {
  const { lookaheads, rest } = splitLookaheads(parsePattern(pattern));
  let automaton = compilePattern(rest, width, work);
  for (const { part, negative } of lookaheads) {
    const other: PatternWidth = width === 'narrow' ? 'wide' : 'narrow';
    const anchored: PatternNode = { type: 'sequence', parts: [{ type: 'start' }, part] };
    const ahead = compilePattern(anchored, negative ? other : width, work);
    automaton = combineAutomata(automaton, negative ? complement(ahead) : ahead, 'both', work);
  }
  return automaton;
}

type Look = PatternNode & { type: 'look' };

function splitLookaheads(node: PatternNode): { lookaheads: Look[]; rest: PatternNode } {
  if (node.type !== 'sequence' || node.parts[0]?.type !== 'start') return { lookaheads: [], rest: node };
  const [start, ...parts] = node.parts;
  const isAhead = (part: PatternNode): part is Look => part.type === 'look' && !part.behind;
  const end = parts.findIndex((part) => !isAhead(part));
  const lookaheads = (end === -1 ? parts : parts.slice(0, end)).filter(isAhead);
  return { lookaheads, rest: { type: 'sequence', parts: [start, ...parts.slice(lookaheads.length)] } };
}

function compilePattern(node: PatternNode, width: PatternWidth, work: WorkBudget): Automaton {
  const program = compileProgram(node, work);
  const { states, first, final } = program;
  const symbols = symbolClassesOf(program, width, work);
  const consumed = states.map(({ consumes }) => consumes && symbols.classesOf(consumes.symbols(width, work)));
  const startSet = closure(program, [first], 'start', work);
  // A match may begin at every place of the text, and once it was found anything may follow.
  const again = closure(program, [first], undefined, work);
  const after = new Map<number, readonly number[]>();
  const closureOf = (state: number): readonly number[] => {
    let found = after.get(state);
    if (found === undefined) after.set(state, (found = closure(program, [state], undefined, work)));
    return found;
  };
  return buildAutomaton<readonly number[]>(
    symbols,
    {
      first: startSet,
      nameOf: (set) => set.join(' '),
      step: (set, symbolClass) => {
        if (set.includes(final)) return [final];
        const reached = new Set(again);
        for (const state of set) {
          const { target } = states[state]!;
          if (target === undefined || !consumed[state]![symbolClass]) continue;
          const following = closureOf(target);
          work.spend(following.length);
          for (const each of following) reached.add(each);
        }
        work.spend(set.length + 4 * reached.size);
        return reached.has(final) ? [final] : [...reached].toSorted((left, right) => left - right);
      },
      accepts: (set) => set.includes(final) || closure(program, set, 'end', work).includes(final),
    },
    work,
  );
}

/** Groups symbols that all classes of the pattern treat alike, and tells which groups a set of symbols holds. */
function symbolClassesOf(
  { states }: PatternProgram,
  width: PatternWidth,
  work: WorkBudget,
): SymbolClasses & { classesOf: (symbols: ReadonlySet<number>) => readonly boolean[] } {
  const sets = new Set(states.flatMap(({ consumes }) => (consumes ? [consumes.symbols(width, work)] : [])));
  let symbols = splitSymbols(() => 0);
  for (const set of sets) {
    work.spend(SYMBOLS);
    const { classOf } = symbols;
    symbols = splitSymbols((symbol) => classOf[symbol]! * 2 + Number(set.has(symbol)));
  }
  const { classOf, classes } = symbols;
  const known = new Map<ReadonlySet<number>, boolean[]>();
  const classesOf = (set: ReadonlySet<number>): boolean[] => {
    let held = known.get(set);
    if (held === undefined) {
      held = Array.from({ length: classes }, () => false);
      for (const symbol of set) held[classOf[symbol]!] = true;
      known.set(set, held);
    }
    return held;
  };
  return { classOf, classes, classesOf };
}

function closure(
  { states }: PatternProgram,
  from: readonly number[],
  place: 'start' | 'end' | undefined,
  work: WorkBudget,
): number[] {
  const reached = new Set(from);
  for (const state of reached) {
    for (const { to, only } of states[state]!.jumps) {
      if (only?.type === 'look') throw new SchemaProblem('uses a lookaround in a place where it is not supported');
      if (only?.type === 'border') throw new SchemaProblem('uses a word boundary, which is not supported');
      if (only === undefined || only.type === place) reached.add(to);
    }
  }
  work.spend(4 * reached.size);
  return [...reached].toSorted((left, right) => left - right);
}
