/** Bodies against valibot schemas: the first problem in field order, as one error. @module */
import { safeParse } from 'valibot';
import type { BaseIssue, GenericSchema, InferOutput } from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { describeIssue } from './describe-issue.js';

/** A rule about several fields: throws when they do not go together. Of a body with a problem it sees what comes before. */
export type FieldsRule = (fields: Readonly<Record<string, unknown>>) => void;

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
  if (result.success) return result.output;
  throw problem(result.issues[0]);
}

/** Characters of a path that are told: names of members come from clients. */
const LONGEST_PATH = 500;

function problem(outermost: BaseIssue<unknown>): InferenceError {
  const { issue, path } = mostPrecise(outermost, pathOf(outermost));
  const param = path.join('.').slice(0, LONGEST_PATH);
  const subject = param === '' ? 'The request body' : `\`${param}\``;
  if (issue.received === 'undefined' && path.length === 1) {
    return new InferenceError('missing_required_field', `${subject} is required.`, { param });
  }
  const details = param === '' ? {} : { param };
  return new InferenceError('invalid_request', `${subject} ${describeIssue(issue)}.`, details);
}

/**
 * A union fails with the problems of all its members. The member that got furthest into the value is the one that
 * was meant: `[{type: 'text'}]` is a bad array of parts, not a bad string.
 */
function mostPrecise(issue: BaseIssue<unknown>, path: string[]): { issue: BaseIssue<unknown>; path: string[] } {
  if (issue.type !== 'union' || !issue.issues) return { issue, path };
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
