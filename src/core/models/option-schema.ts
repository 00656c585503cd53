/**
 * Parts of the schemas of options and catalog entries, and the check by them. A schema's message is what the value must
 * be: it ends the sentence "The option `…` must be …".
 * @module
 */
import * as v from 'valibot';
import { InferenceError } from '../errors/inference-error.js';
import { suggestName } from './suggest-name.js';

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** `true` when two types are the same, also in what may be absent: `true satisfies Same<A, B>` fails to compile elsewhere. */
export type Same<A, B> =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only so does TypeScript compare exactly
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : { differs: [A, B] };

/** A field that may be absent. One that is `undefined` counts as absent, though TypeScript may refuse it. */
export function optional<const Schema extends v.GenericSchema>(
  schema: Schema,
): v.ExactOptionalSchema<Schema, undefined>;
export function optional<const Schema extends v.GenericSchema, const Default extends v.InferInput<Schema>>(
  schema: Schema,
  preset: Default,
): v.ExactOptionalSchema<Schema, Default>;
export function optional(schema: v.GenericSchema, preset?: unknown): unknown {
  return v.optional(schema, preset);
}

/** One of these texts. */
export function oneOf<const Names extends readonly string[]>(names: Names): v.PicklistSchema<Names, string> {
  return v.picklist(names, `one of ${names.join(', ')}`);
}

/** A list that is only read. */
export function list<Item extends v.GenericSchema>(
  item: Item,
  what: string,
): v.GenericSchema<readonly v.InferInput<Item>[], readonly v.InferOutput<Item>[]> {
  return v.array(item, what);
}

/** A text that passes a test. */
export function text(what: string, passes: (value: string) => boolean = () => true) {
  return v.pipe(v.string(what), v.check(passes, what));
}

/** A number that passes a test. */
export function number(what: string, passes: (value: number) => boolean) {
  return v.pipe(v.number(what), v.check(passes, what));
}

/** A count: 1 or more. */
export const count = number('a whole number above 0', (value) => Number.isInteger(value) && value > 0);

/** Fields that are named where none is required. */
const MAX_NAMED = 3;

/**
 * An object with these fields and no others.
 * @param what what a field of it is, e.g. `an option of startInference`
 */
export function fields<const Entries extends v.ObjectEntries>(entries: Entries, what: string) {
  const names = Object.keys(entries).map((name) => `\`${name}\``);
  const required = names.filter((_, index) => !Object.values(entries)[index]!.type.includes('optional'));
  const listed =
    required.length > 0 ? `with ${required.join(', ')}` : `with fields such as ${names.slice(0, MAX_NAMED).join(', ')}`;
  return v.strictObject(entries, ({ expected, path }) => {
    if (expected !== 'never') return `an object ${listed}`;
    return `is not ${what}. ${suggestName(String(path?.at(-1)?.key), Object.keys(entries))}`;
  });
}

/**
 * A value as its schema describes it, with the defaults.
 * @param noun what a value with a path is called: `option` or `field`
 * @throws InferenceError `invalid_request` whose `param` is the dotted path. A misspelt name comes before everything else,
 * because it says more than that the right one is missing
 */
export function parseOptions<const Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  noun = 'option',
): v.InferOutput<Schema> {
  const { success, issues, output } = v.safeParse(schema, value);
  if (success) return output;
  const issue = issues.find(isUnknownName) ?? issues[0];
  const path = issue.path ?? [];
  // To JavaScript a list is an object, with numbers as names.
  const isList = isUnknownName(issue) && Array.isArray(path.at(-1)?.input);
  const param = (isList ? path.slice(0, -1) : path).map(({ key }) => String(key)).join('.');
  const message = isList ? mustBe(param, noun, 'an object, not a list') : sentence(issue, param, noun);
  throw new InferenceError('invalid_request', message, param === '' ? {} : { param });
}

function mustBe(param: string, noun: string, what: string): string {
  return param === '' ? `The ${noun}s must be ${what}.` : `The ${noun} \`${param}\` must be ${what}.`;
}

function sentence(issue: v.BaseIssue<unknown>, param: string, noun: string): string {
  if (param !== '' && isUnknownName(issue)) return `\`${param}\` ${issue.message}`;
  const isMissing = param !== '' && issue.type === 'strict_object' && issue.expected?.startsWith('"');
  return isMissing ? `The ${noun} \`${param}\` is missing.` : mustBe(param, noun, issue.message);
}

function isUnknownName({ type, expected }: v.BaseIssue<unknown>): boolean {
  return type === 'strict_object' && expected === 'never';
}

/** An option that is wrong in a way that its schema cannot tell. */
export function wrongOption(param: string, expected: string): InferenceError {
  return new InferenceError('invalid_request', `The option \`${param}\` must be ${expected}.`, { param });
}
