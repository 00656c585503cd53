/** Values of JSON Schemas, drawn at random: most conform, and none needs a validator to be made. @module */

type Schema = Record<string, unknown>;

/** What drawing needs beside the schema. */
interface Drawing {
  /** From 0 to 1. */
  random: () => number;
  /** What references lead to, by name. */
  schemas: Record<string, Schema>;
}

/** Deeper, only what is required is drawn. */
const MAX_DEPTH = 5;

/** One of them conforms to each pattern of the document. */
const TEXTS = ['a', 'user', '5', '5m', 'low', 'a b', 'data:image/png;base64,AAAA', '', 'ünï'];
const ANY_VALUES: readonly unknown[] = [
  'a',
  '',
  0,
  1,
  -1,
  0.5,
  1e9,
  true,
  false,
  null,
  [],
  ['a'],
  {},
  { a: 1 },
  { type: 'a' },
];

export function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)]!;
}

/** Whatever JSON may be, drawn at random. */
function drawAnything(random: () => number): unknown {
  return structuredClone(pick(ANY_VALUES, random));
}

/** A value for the schema. Rules about several fields, and what must not be, are passed over. */
export function drawValue(schema: Schema, drawing: Drawing, depth = 0): unknown {
  const { random, schemas } = drawing;
  const { $ref, anyOf, oneOf, ...rest } = schema;
  if (typeof $ref === 'string') return drawValue(schemas[$ref.split('/').at(-1)!]!, drawing, depth);
  const variants = (anyOf ?? oneOf) as Schema[] | undefined;
  if (variants) return drawValue({ ...rest, ...pick(variants, random) }, drawing, depth);
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return pick(schema['enum'], random);
  const type = Array.isArray(schema['type']) ? pick(schema['type'] as unknown[], random) : schema['type'];
  switch (type) {
    case 'object':
      return drawObject(schema, drawing, depth);
    case 'array':
      return drawArray(schema, drawing, depth);
    case 'string':
      return drawText(schema, random);
    case 'number':
    case 'integer':
      return drawNumber(schema, random, type === 'integer');
    case 'boolean':
      return random() < 0.5;
    case 'null':
      return null;
    default:
      return drawAnything(random);
  }
}

function drawObject(schema: Schema, drawing: Drawing, depth: number): Schema {
  const { random } = drawing;
  const {
    properties = {},
    required = [],
    additionalProperties,
    propertyNames,
  } = schema as {
    properties?: Record<string, Schema>;
    required?: string[];
    additionalProperties?: unknown;
    propertyNames?: Schema;
  };
  const drawn: Schema = {};
  const isDrawn = (name: string): boolean => required.includes(name) || (depth < MAX_DEPTH && random() < 0.25);
  for (const [name, property] of Object.entries(properties))
    if (isDrawn(name)) drawn[name] = drawValue(property, drawing, depth + 1);
  if (typeof additionalProperties !== 'object' || additionalProperties === null) return drawn;
  const count = Math.floor(random() * 3);
  for (let index = 0; index < count; index += 1)
    drawn[drawText(propertyNames ?? {}, random)] = drawValue(additionalProperties as Schema, drawing, depth + 1);
  return drawn;
}

function drawArray({ items = {}, minItems = 0 }: Schema, drawing: Drawing, depth: number): unknown[] {
  const length = (minItems as number) + Math.floor(drawing.random() * (depth < MAX_DEPTH ? 3 : 1));
  return Array.from({ length }, () => drawValue(items as Schema, drawing, depth + 1));
}

function drawText({ pattern, minLength = 0 }: Schema, random: () => number): string {
  const fitting = TEXTS.filter(
    (text) =>
      text.length >= (minLength as number) && (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text)),
  );
  return fitting.length > 0 ? pick(fitting, random) : 'a'.repeat(minLength as number);
}

function drawNumber({ minimum = -2, maximum }: Schema, random: () => number, isInteger: boolean): number {
  const [low, high] = [minimum as number, (maximum ?? (minimum as number) + 30) as number];
  const value = pick([low, high, low + random() * (high - low)], random);
  return isInteger ? Math.round(value) : value;
}

/** The same value, of which one part is something else. */
export function withMistake(value: unknown, random: () => number): unknown {
  const inner = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (inner.length === 0 || random() < 0.15) return drawAnything(random);
  const name = pick(inner, random);
  const changed = structuredClone(value) as Record<string, unknown>;
  if (random() < 0.15 && !Array.isArray(changed)) delete changed[name];
  else changed[name] = withMistake(changed[name], random);
  return changed;
}
