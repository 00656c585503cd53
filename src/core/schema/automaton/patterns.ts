/** The patterns of one schema document, each made once. @module */
import type { WorkBudget } from '../work-budget.js';
import type { Automaton } from './automaton-table.js';
import type { PatternWidth } from './character-class.js';
import { patternAutomaton } from './pattern-automaton.js';
import { PatternMatcher } from './pattern-matcher.js';

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

  /** The strings in which the pattern is found. @throws SchemaProblem for what no automaton can follow */
  automaton(pattern: string, width: PatternWidth): Automaton {
    const key = `${width} ${pattern}`;
    let automaton = this.#automata.get(key);
    if (automaton === undefined) {
      this.#automata.set(key, (automaton = patternAutomaton(pattern, width, this.#work)));
    }
    return automaton;
  }
}
