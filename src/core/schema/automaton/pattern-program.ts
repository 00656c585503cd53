/** Converts regular expressions to nondeterministic automata, for matching and for grammars. @module */
import type { WorkBudget } from '../limits/work-budget.js';
import { TooManyStates } from './automaton.js';
import { type CharacterClass, characterClass } from './character-class.js';
import type { PatternNode } from './pattern-syntax.js';

/** Most states of a pattern. */
const MAX_STATES = 6_000;

/** A condition for taking a jump. */
export type Assertion =
  | { type: 'start' }
  | { type: 'end' }
  | { type: 'border'; negative: boolean }
  | { type: 'look'; program: PatternProgram; behind: boolean; negative: boolean };

interface PatternState {
  /** Consumes one character of the class and goes on to `target`. */
  consumes?: CharacterClass;
  target?: number;
  /** Goes on without consuming. */
  jumps: { to: number; only?: Assertion }[];
}

/** A match leads from `first` to `final`. */
export interface PatternProgram {
  states: readonly PatternState[];
  first: number;
  final: number;
}

/** @throws SchemaProblem when the pattern needs too many states */
export function compileProgram(node: PatternNode, work: WorkBudget): PatternProgram {
  const builder = new ProgramBuilder(work);
  const final = builder.add();
  return { states: builder.states, first: builder.build(node, final), final };
}

class ProgramBuilder {
  readonly states: PatternState[] = [];
  readonly #work: WorkBudget;

  constructor(work: WorkBudget) {
    this.#work = work;
  }

  add(state: PatternState = { jumps: [] }): number {
    if (this.states.length >= MAX_STATES) throw new TooManyStates(MAX_STATES);
    return this.states.push(state) - 1;
  }

  /** States that match `node` and then go to `after`; returns the first. */
  build(node: PatternNode, after: number): number {
    this.#work.spend(5);
    switch (node.type) {
      case 'class':
        return this.add({ consumes: characterClass(node.source, this.#work), target: after, jumps: [] });
      case 'sequence':
        return node.parts.reduceRight((next, part) => this.build(part, next), after);
      case 'choice':
        return this.add({ jumps: node.options.map((option) => ({ to: this.build(option, after) })) });
      case 'start':
      case 'end':
      case 'border':
        return this.add({ jumps: [{ to: after, only: node }] });
      case 'look': {
        const { behind, negative } = node;
        const program = compileProgram(node.part, this.#work);
        return this.add({ jumps: [{ to: after, only: { type: 'look', program, behind, negative } }] });
      }
      case 'repeat':
        return this.#repeat(node, after);
    }
  }

  #repeat({ part, min, max }: PatternNode & { type: 'repeat' }, after: number): number {
    let next = after;
    if (max === undefined) {
      next = this.add();
      this.states[next]!.jumps = [{ to: this.build(part, next) }, { to: after }];
    } else {
      for (let count = min; count < max; count += 1) {
        next = this.add({ jumps: [{ to: this.build(part, next) }, { to: after }] });
      }
    }
    for (let count = 0; count < min; count += 1) next = this.build(part, next);
    return next;
  }
}
