/**
 * Whether a pattern is found in a text. All ways through the pattern are followed at once, in at most states
 * times characters steps. JavaScript's RegExp backtracks, which takes exponential time for patterns like `^(a+)+$`.
 * @module
 */
import { SchemaProblem } from '../limits/schema-problem.js';
import type { WorkBudget } from '../limits/work-budget.js';
import { type Automaton, buildAutomaton, combineAutomata, complement } from './automaton.js';
import type { CharacterClass } from './character-class.js';
import { type Assertion, compileProgram, type PatternProgram } from './pattern-program.js';
import { splitSymbols, startsOf, type SymbolClasses } from './symbol-classes.js';
import { lowerCounts, parsePattern, type PatternNode } from './pattern-syntax.js';

/** One pattern. */
export class PatternMatcher {
  readonly #program: PatternProgram;
  readonly #work: WorkBudget;

  /**
   * @param pattern that is valid as `unicodePattern`
   * @throws SchemaProblem for back references
   */
  constructor(pattern: string, work: WorkBudget) {
    this.#work = work;
    this.#program = compileProgram(parsePattern(pattern), work);
  }

  /** The same as `new RegExp(pattern, 'u').test(text)`. */
  isFoundIn(text: string): boolean {
    return new Search(text, this.#work).find(this.#program, 0, 'anywhere').size > 0;
  }
}

/** One text, and the offsets where lookarounds hold in it. */
class Search {
  readonly #codes: readonly number[];
  readonly #work: WorkBudget;
  /** Of each lookaround: the offsets where it holds, as far as they were asked for. */
  readonly #ahead = new Map<PatternProgram, Map<number, boolean>>();
  readonly #behind = new Map<PatternProgram, ReadonlySet<number>>();

  constructor(text: string, work: WorkBudget) {
    work.spend(text.length);
    this.#codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
    this.#work = work;
  }

  /**
   * Offsets where a match ends.
   * @param from where matches begin
   * @param begins `anywhere`: a match may also begin at every later offset
   * @param all all ends are wanted, not only the first
   */
  find(program: PatternProgram, from: number, begins: 'here' | 'anywhere', { all = false } = {}): Set<number> {
    const { states, first, final } = program;
    const ends = new Set<number>();
    let reached = [first];
    for (let position = from; position <= this.#codes.length && reached.length > 0; position += 1) {
      const open = this.#follow(program, reached, position);
      if (open.has(final)) {
        ends.add(position);
        if (!all) return ends;
      }
      const code = this.#codes[position];
      if (code === undefined) break;
      const next = new Set<number>();
      for (const state of open) {
        const { consumes, target } = states[state]!;
        if (target !== undefined && consumes?.holds(code)) next.add(target);
      }
      if (begins === 'anywhere') next.add(first);
      reached = [...next];
    }
    return ends;
  }

  /** All states that are reached without consuming. */
  #follow({ states }: PatternProgram, from: readonly number[], position: number): Set<number> {
    const open = new Set(from);
    for (const state of open) {
      for (const { to, only } of states[state]!.jumps) {
        if (only === undefined || this.#holds(only, position)) open.add(to);
      }
    }
    this.#work.spend(2 + 2 * open.size);
    return open;
  }

  #holds(assertion: Assertion, position: number): boolean {
    switch (assertion.type) {
      case 'start':
        return position === 0;
      case 'end':
        return position === this.#codes.length;
      case 'border':
        return (this.#isWord(position - 1) !== this.#isWord(position)) !== assertion.negative;
      case 'look': {
        const { program, behind, negative } = assertion;
        return (behind ? this.#endsAt(program, position) : this.#beginsAt(program, position)) !== negative;
      }
    }
  }

  #isWord(position: number): boolean {
    const code = this.#codes[position];
    return code !== undefined && code < 0x80 && /\w/.test(String.fromCharCode(code));
  }

  #beginsAt(program: PatternProgram, position: number): boolean {
    let known = this.#ahead.get(program);
    if (known === undefined) this.#ahead.set(program, (known = new Map()));
    let holds = known.get(position);
    if (holds === undefined) known.set(position, (holds = this.find(program, position, 'here').size > 0));
    return holds;
  }

  #endsAt(program: PatternProgram, position: number): boolean {
    let ends = this.#behind.get(program);
    if (ends === undefined) this.#behind.set(program, (ends = this.find(program, 0, 'anywhere', { all: true })));
    return ends.has(position);
  }
}

/** The patterns of one document, each compiled once. */
export class Patterns {
  readonly #work: WorkBudget;
  readonly #matchers = new Map<string, PatternMatcher>();
  readonly #automata = new Map<string, Automaton>();

  constructor(work: WorkBudget) {
    this.#work = work;
  }

  /** Whether the pattern is found in the text. @throws SchemaProblem for back references */
  isFound(pattern: string, text: string): boolean {
    let matcher = this.#matchers.get(pattern);
    if (matcher === undefined) this.#matchers.set(pattern, (matcher = new PatternMatcher(pattern, this.#work)));
    return matcher.isFoundIn(text);
  }

  /**
   * The strings in which the pattern is found; with `most`, some of them: its counts go up to so many.
   * @throws SchemaProblem for what no automaton can follow
   */
  automaton(pattern: string, most?: number): Automaton {
    const key = `${most} ${pattern}`;
    let automaton = this.#automata.get(key);
    if (automaton === undefined) this.#automata.set(key, (automaton = patternAutomaton(pattern, this.#work, most)));
    return automaton;
  }
}

/**
 * The strings in which the pattern is found, as `RegExp.prototype.test` finds it. Lookaheads are followed where they
 * stand at the beginning, after `^`. Throws SchemaProblem for what no automaton can follow.
 * @param most see {@link Patterns.automaton}
 */
export function patternAutomaton(pattern: string, work: WorkBudget, most: number = Infinity): Automaton {
  const { lookaheads, rest } = splitLookaheads(lowerCounts(parsePattern(pattern), most));
  let automaton = compilePattern(rest, work);
  for (const { part, negative } of lookaheads) {
    const anchored: PatternNode = { type: 'sequence', parts: [{ type: 'start' }, part] };
    const ahead = compilePattern(anchored, work);
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

function compilePattern(node: PatternNode, work: WorkBudget): Automaton {
  const program = compileProgram(node, work);
  const { states, first, final } = program;
  const { symbols, held } = symbolClassesOf(program, work);
  const consumed = states.map(({ consumes }) => consumes && held.get(consumes));
  const startSet = closure(program, [first], 'start', work);
  // A match may begin at every offset of the text, and once it was found anything may follow.
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

/** Groups code points that all classes of the pattern treat alike; `held`: which groups a class of the pattern holds. */
function symbolClassesOf(
  { states }: PatternProgram,
  work: WorkBudget,
): { symbols: SymbolClasses; held: ReadonlyMap<CharacterClass, readonly boolean[]> } {
  const classes = [...new Set(states.flatMap(({ consumes }) => consumes ?? []))];
  const starts = startsOf(classes.flatMap((each) => each.ranges(work)));
  let keys = starts.map(() => 0);
  for (const each of classes) {
    work.spend(starts.length);
    const inside = insideRanges(starts, each.ranges(work));
    const known = new Map<number, number>();
    keys = keys.map((key, stretch) => {
      const pair = key * 2 + Number(inside[stretch]);
      const own = known.get(pair) ?? known.size;
      known.set(pair, own);
      return own;
    });
  }
  const symbols = splitSymbols(starts, (_, stretch) => keys[stretch]!);
  const first: number[] = [];
  symbols.classOf.forEach((own, stretch) => (first[own] ??= symbols.starts[stretch]!));
  return {
    symbols,
    held: new Map(classes.map((each) => [each, insideEach(first, each.ranges(work))])),
  };
}

/** Whether each of the code points, which are in order, lies in the ranges. */
function insideRanges(codePoints: readonly number[], ranges: readonly (readonly [number, number])[]): boolean[] {
  let at = 0;
  return codePoints.map((code) => {
    while (at < ranges.length && ranges[at]![1] < code) at += 1;
    return at < ranges.length && ranges[at]![0] <= code;
  });
}

/** The same of code points in any order. */
function insideEach(codePoints: readonly number[], ranges: readonly (readonly [number, number])[]): boolean[] {
  const sorted = codePoints.toSorted((left, right) => left - right);
  const inside = insideRanges(sorted, ranges);
  const byCode = new Map(sorted.map((code, index) => [code, inside[index]!]));
  return codePoints.map((code) => byCode.get(code)!);
}

function closure(
  { states }: PatternProgram,
  from: readonly number[],
  boundary: 'start' | 'end' | undefined,
  work: WorkBudget,
): number[] {
  const reached = new Set(from);
  for (const state of reached) {
    for (const { to, only } of states[state]!.jumps) {
      if (only?.type === 'look') throw new SchemaProblem('uses a lookaround in a place where it is not supported');
      if (only?.type === 'border') throw new SchemaProblem('uses a word boundary, which is not supported');
      if (only === undefined || only.type === boundary) reached.add(to);
    }
  }
  work.spend(4 * reached.size);
  return [...reached].toSorted((left, right) => left - right);
}
