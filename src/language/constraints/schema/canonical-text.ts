/** JSON text that is equal for equal values. @module */
import type { WorkBudget } from '../../../core/schema/limits/work-budget.js';

/** JSON with the members of objects in the order of their names. */
export function canonicalText(value: unknown, work: WorkBudget): string {
  work.spend(2);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item, work)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
    return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${canonicalText(item, work)}`).join(',')}}`;
  }
  const text = JSON.stringify(value) ?? 'null';
  work.spend(text.length >>> 4);
  return text;
}
