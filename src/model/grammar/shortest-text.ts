/** How long the texts of a grammar are at least. @module */
import type { Expression } from './expression.js';
import type { Rules } from './share-rules.js';
import type { WorkBudget } from '../../core/schema/work-budget.js';

/**
 * Characters of the shortest text that matches the rule `root`; Infinity when there is none.
 * @throws SchemaProblem when that is too much work
 */
export function shortestText(rules: Rules, root: string, work: WorkBudget): number {
  const lengths = new Map<string, number>();
  // Rules stand before those that they refer to, so going backwards most lengths are right at once.
  const names = [...rules.keys()].toReversed();
  for (let changed = true; changed;) {
    changed = false;
    for (const name of names) {
      work.spend(4);
      const length = lengthOf(rules.get(name), lengths);
      if (length >= (lengths.get(name) ?? Infinity)) continue;
      lengths.set(name, length);
      changed = true;
    }
  }
  return lengths.get(root) ?? Infinity;
}

function lengthOf(expression: Expression | undefined, lengths: ReadonlyMap<string, number>): number {
  switch (expression?.type) {
    case 'literal':
      return expression.text.length;
    case 'characters':
      return 1;
    case 'sequence':
      return expression.parts.reduce((length, part) => length + lengthOf(part, lengths), 0);
    case 'choice':
      return Math.min(...expression.options.map((option) => lengthOf(option, lengths)));
    case 'repeat':
      return expression.min === 0 ? 0 : expression.min * lengthOf(expression.part, lengths);
    case 'rule':
      return lengths.get(expression.name) ?? Infinity;
    case 'text-until':
      return Math.min(...expression.stops.map((stop) => stop.length));
    case 'triggered-text':
      return 0;
    case undefined:
      return Infinity;
  }
}
