/** Rules of a schema in words. @module */
import type { BaseIssue } from 'valibot';

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  loose_object: 'an object',
  record: 'an object',
  Array: 'an array',
  Object: 'an object',
};

/** What the value must be, as the end of a sentence: `must be at least 1`. Never quotes the value. */
export function describeIssue(issue: BaseIssue<unknown>): string {
  if (issue.received === 'undefined') return 'is required';
  const limit = typeof issue.requirement === 'number' ? String(issue.requirement) : '';
  switch (issue.type) {
    case 'integer':
    case 'safe_integer':
      return 'must be an integer';
    case 'min_value':
      return `must be at least ${limit}`;
    case 'max_value':
      return `must be at most ${limit}`;
    case 'min_length':
      return `must have at least ${elements(issue)}`;
    case 'max_length':
      return `must have at most ${elements(issue)}`;
    case 'union':
    case 'variant':
    case 'picklist':
    case 'literal':
    case 'nullish':
      return `must be ${expectation(issue.expected)}`;
    default: {
      const type = TYPES[issue.type];
      return type === undefined ? issue.message : `must be ${type}`;
    }
  }
}

/** `1 item`, `128 items`. */
function elements({ input, requirement }: BaseIssue<unknown>): string {
  const element = Array.isArray(input) ? 'item' : 'character';
  return `${String(requirement)} ${element}${requirement === 1 ? '' : 's'}`;
}

/** `("a" | "b" | string | null)` as `"a", "b" or a string`: that a field may be left out helps nobody who has sent it. */
function expectation(expected: string | null): string {
  const options = new Set((expected ?? '').replaceAll(/[()]/g, '').split(' | '));
  const words = [...options]
    .filter((option) => option !== 'null' && option !== 'undefined')
    .map((option) => TYPES[option] ?? option);
  const last = words.pop() ?? 'valid';
  return words.length === 0 ? last : `${words.join(', ')} or ${last}`;
}
