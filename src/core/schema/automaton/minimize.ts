/** Merges states that no string tells apart, after Hopcroft. @module */
import type { WorkBudget } from '../work-budget.js';
import type { Automaton } from './automaton-table.js';

/** The smallest automaton that accepts the same strings. */
export function minimize(automaton: Automaton, work: WorkBudget): Automaton {
  const { classes, next, accepting } = automaton;
  const predecessors = predecessorsOf(automaton);
  const blockOf = accepting.map(() => 0);
  const blocks: number[][] = [[...accepting.keys()]];
  /** Blocks by whose predecessors other blocks are still to be split. */
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
    // The block may lose states while it splits others, which then wait themselves.
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
  const place = (edge: number): number => next[edge]! * classes + (edge % classes);
  for (let edge = 0; edge < next.length; edge += 1) starts[place(edge) + 1]! += 1;
  for (let index = 1; index < starts.length; index += 1) starts[index]! += starts[index - 1]!;
  const sources = new Int32Array(next.length);
  const filled = starts.slice();
  for (let edge = 0; edge < next.length; edge += 1) {
    const at = place(edge);
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
  { classOf, classes, accepting }: Automaton,
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
    classOf,
    classes,
    accepting: first.map((state) => accepting[state]!),
    next: first.flatMap((state) =>
      next.slice(state * classes, (state + 1) * classes).map((target) => numbers.get(blockOf[target]!)!),
    ),
  };
}
