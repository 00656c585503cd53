/** What an automaton is, once it is built. @module */

/** The ASCII characters, each for itself, and one symbol for all others. */
export const SYMBOLS = 129;

/** The symbol of every character beyond ASCII. */
export const OTHERS = 128;

/** Symbols that an automaton does not tell apart are of one class, numbered from 0. */
export interface SymbolClasses {
  /** Class of each of the {@link SYMBOLS}. */
  classOf: readonly number[];
  /** How many classes there are. */
  classes: number;
}

/** Deterministic and total: every state has a successor for every class. State 0 is the first. */
export interface Automaton extends SymbolClasses {
  /** Successor of state s by class c at `s * classes + c`. */
  next: readonly number[];
  accepting: readonly boolean[];
}
