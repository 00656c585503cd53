/**
 * Rules that say the same become one. The grammar engine prepares masks for every place of every rule, which for a choice
 * of hundreds of objects with the same members is nearly all of its work.
 * @module
 */
import { type Expression, choice } from './expression.js';
import { printExpression } from './print-expression.js';
import type { WorkBudget } from '../../core/schema/limits/work-budget.js';

/** Rules by name. */
export type Rules = ReadonlyMap<string, Expression>;

/** Rules that refer to rules that became one may become one next; deeper than that it is not worth looking. */
const PASSES = 8;

/**
 * The same grammar with fewer rules. The names that stay are among the given ones; `root` always stays.
 * @throws SchemaProblem when that is too much work
 */
export function shareRules(rules: Rules, root: string, work: WorkBudget): Rules {
  let shared = rules;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const names = sameNames(shared, root, work);
    if (names.size === 0) break;
    const kept = new Map<string, Expression>();
    for (const [name, body] of shared) if (!names.has(name)) kept.set(name, renamed(body, names));
    shared = kept;
  }
  return shared;
}

/** Names of rules that another one makes superfluous, with that one's name. */
function sameNames(rules: Rules, root: string, work: WorkBudget): Map<string, string> {
  const first = new Map<string, string>();
  const same = new Map<string, string>();
  for (const [name, body] of rules) {
    const text = printExpression(body);
    work.spend(1 + (text.length >>> 2));
    const known = first.get(text);
    if (known === undefined) first.set(text, name);
    else if (name !== root) same.set(name, known);
  }
  return same;
}

function renamed(expression: Expression, names: ReadonlyMap<string, string>): Expression {
  switch (expression.type) {
    case 'rule':
      return { type: 'rule', name: names.get(expression.name) ?? expression.name };
    case 'sequence':
      return { type: 'sequence', parts: expression.parts.map((part) => renamed(part, names)) };
    case 'choice':
      return withoutDoubles(expression.options.map((option) => renamed(option, names)));
    case 'repeat':
      return { ...expression, part: renamed(expression.part, names) };
    case 'text-until':
    case 'triggered-text':
      return {
        ...expression,
        triggers: (expression.triggers ?? []).map(({ text, rule }) => ({ text, rule: names.get(rule) ?? rule })),
      };
    default:
      return expression;
  }
}

/** Options that have become the same are one: two ways to read a text cost the engine twice as much. */
function withoutDoubles(options: readonly Expression[]): Expression {
  return choice(...new Map(options.map((option) => [printExpression(option), option])).values());
}
