/** A table of a request's fields, from its JSON Schema. @module */
import { markdownTable } from './markdown-table.js';

/** What is used of JSON Schema. */
interface Schema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
  description?: string;
}

/** Deeper fields are those of content parts, whose names speak for themselves. */
const MAX_DEPTH = 3;

/** Longer lists (of languages) are cut. */
const MAX_VALUES = 12;

/** A field of a body. */
export interface Field {
  types: Set<string>;
  /** Required in every variant that was seen. */
  isRequired: boolean;
  meaning: string;
}

/** Dotted paths (`messages[].role`) with what each may be; null is written where it is allowed. */
export function fieldTable(schema: object): string {
  return markdownTable(
    ['field', 'type', 'required', 'meaning'],
    [...fieldsOf(schema)].map(([path, { types, isRequired, meaning }]) => [
      `\`${path}\``,
      [...types].filter(Boolean).join(', ') || 'anything',
      isRequired ? 'yes' : '',
      meaning,
    ]),
  );
}

/** The fields of a schema by their dotted paths. */
export function fieldsOf(schema: object): Map<string, Field> {
  const fields = new Map<string, Field>();
  collect(schema, '', 1, fields);
  return fields;
}

function collect(schema: Schema, path: string, depth: number, fields: Map<string, Field>): void {
  for (const variant of variantsOf(schema)) {
    for (const [name, property] of Object.entries(variant.properties ?? {})) {
      const fieldPath = path === '' ? name : `${path}.${name}`;
      note(fieldPath, property, variant.required?.includes(name) ?? false, fields);
      if (depth >= MAX_DEPTH) continue;
      for (const inner of variantsOf(property)) {
        if (inner.properties) collect(inner, fieldPath, depth + 1, fields);
        if (inner.items) collect(inner.items, `${fieldPath}[]`, depth + 1, fields);
      }
    }
  }
}

function note(path: string, schema: Schema, isRequired: boolean, fields: Map<string, Field>): void {
  const field = fields.get(path) ?? { types: new Set(), isRequired, meaning: schema.description ?? '' };
  for (const variant of variantsOf(schema)) field.types.add(describe(variant));
  field.isRequired &&= isRequired;
  fields.set(path, field);
}

/** The alternatives of a schema, however they are nested. */
function variantsOf(schema: Schema): Schema[] {
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  return alternatives ? alternatives.flatMap(variantsOf) : [schema];
}

function describe(schema: Schema): string {
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum) return enumeration(schema.enum);
  if (schema.type === 'array') {
    const items = new Set(variantsOf(schema.items ?? {}).map((item) => item.type ?? 'anything'));
    return `array of ${[...items].join(' or ')}${range(schema.minItems, schema.maxItems, 'items')}`;
  }
  if (schema.type === 'string') return `string${range(schema.minLength, schema.maxLength, 'characters')}`;
  return `${schema.type ?? ''}${range(schema.minimum, schema.maximum)}`;
}

function enumeration(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_VALUES).map(code).join(', ');
  return values.length > MAX_VALUES ? `${shown} and ${values.length - MAX_VALUES} more` : shown;
}

function range(from: number | undefined, to: number | undefined, unit = ''): string {
  if (from === undefined && to === undefined) return '';
  const limits = from === undefined ? `≤ ${to}` : to === undefined ? `≥ ${from}` : `${from} to ${to}`;
  return ` ${limits}${unit && ` ${unit}`}`;
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value)}\``;
}
