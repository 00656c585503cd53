/** Checks bodies against valibot schemas. The first problem, in the order of the fields, becomes the error's message. @module */
import { safeParse } from 'valibot';
import type { BaseIssue, GenericSchema, InferOutput } from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { fieldsOf, hintOfMissing, warnOfUnknownFields } from './unknown-fields.js';

/** A rule about several fields: throws when they do not go together. Of a body with a problem it sees what comes before. */
type FieldsRule = (fields: Readonly<Record<string, unknown>>) => void;

/**
 * The body as the schema describes it; unknown fields are dropped.
 * @param rules in the order of the fields that they name
 * @throws InferenceError `missing_required_field` for an absent top-level field, else `invalid_request`; `param` is the
 * dotted path, the message names the rule. Or what a rule throws
 */
export function parseBody<const Schema extends GenericSchema>(
  schema: Schema,
  body: unknown,
  rules: readonly FieldsRule[] = [],
): InferOutput<Schema> {
  // Fields are checked in the order of the schema, so stopping at the first issue gives the first in field order. What
  // was put out until then are the fields before it.
  const result = safeParse(schema, body, { abortEarly: true });
  for (const rule of rules) rule(result.output as Record<string, unknown>);
  const known = fieldsOf(schema) ?? [];
  if (!result.success) throw problem(result.issues[0], (field) => hintOfMissing(field, body, known));
  warnOfUnknownFields(body, known);
  return result.output;
}

/** Characters of a path that are told: names of members come from clients. */
const MAX_PATH_LENGTH = 500;

/** @param hint a second sentence about a field that is missing */
function problem(outermost: BaseIssue<unknown>, hint: (field: string) => string): InferenceError {
  const { issue, path } = mostPrecise(outermost, pathOf(outermost));
  const param = path.join('.').slice(0, MAX_PATH_LENGTH);
  const subject = param === '' ? 'The request body' : `\`${param}\``;
  if (issue.received === 'undefined' && path.length === 1) {
    return new InferenceError('missing_required_field', `${subject} is required.${hint(param)}`, { param });
  }
  const details = param === '' ? {} : { param };
  return new InferenceError('invalid_request', `${subject} ${describeIssue(issue)}.`, details);
}

/**
 * A union fails with the problems of all its members. The member that got furthest into the value is the one that
 * was meant: `[{type: 'text'}]` is a bad array of parts, not a bad string. A union with a message of its own is one value.
 */
function mostPrecise(issue: BaseIssue<unknown>, path: string[]): { issue: BaseIssue<unknown>; path: string[] } {
  if (issue.type !== 'union' || !issue.issues || isWorded(issue)) return { issue, path };
  let best = { issue, path };
  for (const inner of issue.issues) {
    const candidate = mostPrecise(inner, [...path, ...pathOf(inner)]);
    const isDeeper = candidate.path.length > best.path.length;
    // At the same depth a broken rule (too many items) says more than a list of types.
    const isRule = candidate.issue.kind === 'validation' && best.issue.type === 'union';
    if (isDeeper || (isRule && candidate.path.length === best.path.length)) best = candidate;
  }
  return best;
}

function pathOf(issue: BaseIssue<unknown>): string[] {
  return (issue.path ?? []).map((item) => String(item.key));
}

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
function describeIssue(issue: BaseIssue<unknown>): string {
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
    case 'picklist':
    case 'union':
      // A schema with a message of its own says more than which values there are.
      return isWorded(issue) ? issue.message : `must be ${expectation(issue.expected)}`;
    case 'literal':
      return isWorded(issue) ? issue.message : `must be ${expectation(issue.expected)}`;
    case 'variant':
    case 'nullish':
      return `must be ${expectation(issue.expected)}`;
    default: {
      const type = TYPES[issue.type];
      return type === undefined ? issue.message : `must be ${type}`;
    }
  }
}

/** Whether the schema has a message of its own. */
function isWorded({ message }: BaseIssue<unknown>): boolean {
  return !message.startsWith('Invalid type:');
}

/** `1 item`, `128 items`. */
function elements({ input, requirement }: BaseIssue<unknown>): string {
  const element = Array.isArray(input) ? 'item' : 'character';
  return `${String(requirement)} ${element}${requirement === 1 ? '' : 's'}`;
}

/** `("a" | "b" | string | null)` as `"a", "b" or a string`: the caller has sent the field, so absence is not an option. */
function expectation(expected: string | null): string {
  const options = new Set((expected ?? '').replaceAll(/[()]/g, '').split(' | '));
  const words = [...options]
    .filter((option) => option !== 'null' && option !== 'undefined')
    .map((option) => TYPES[option] ?? option);
  const last = words.pop() ?? 'valid';
  return words.length === 0 ? last : `${words.join(', ')} or ${last}`;
}
