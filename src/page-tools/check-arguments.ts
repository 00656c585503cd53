/** Whether arguments conform to a tool's schema, as far as a model gets it wrong: types, required members, listed values. @module */
import { ownEntry } from '../core/json/own-entry.js';

interface Schema {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  required?: readonly string[];
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  items?: Schema;
  anyOf?: readonly Schema[];
}

const TYPES: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** @returns what is wrong, or undefined */
export function findProblem(value: unknown, schema: unknown, path = 'arguments'): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { type, enum: listed, const: only, required = [], properties = {}, items, anyOf, ...rest } = schema as Schema;
  const types = type === undefined ? [] : [type].flat();
  if (types.length > 0 && !types.some((name) => ownEntry(TYPES, name)?.(value) ?? true))
    return `\`${path}\` must be of type ${types.join(' or ')}.`;
  const values = only === undefined ? listed : [only];
  if (values && !values.some((each) => JSON.stringify(each) === JSON.stringify(value)))
    return `\`${path}\` must be one of ${JSON.stringify(values)}.`;
  if (anyOf && anyOf.every((each) => findProblem(value, each, path) !== undefined))
    return `\`${path}\` conforms to none of its forms.`;
  if (Array.isArray(value))
    return firstOf(value.entries(), ([index, each]) => findProblem(each, items, `${path}.${index}`));
  if (!TYPES['object']!(value)) return undefined;
  const members = value as Record<string, unknown>;
  const missing = required.find((name) => !Object.hasOwn(members, name));
  if (missing !== undefined) return `\`${path}.${missing}\` is required.`;
  return firstOf(Object.entries(members), ([name, each]) => {
    if (Object.hasOwn(properties, name)) return findProblem(each, properties[name], `${path}.${name}`);
    return rest.additionalProperties === false ? `\`${path}.${name}\` is unknown.` : undefined;
  });
}

function firstOf<Item>(items: Iterable<Item>, find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
