/** Another house's opinion on whether values conform to schemas. @module */
import { type Schema, validate } from '@cfworker/json-schema';
import type { JsonSchema } from '../../../../src/core/request/tool.js';

/** True when `value` conforms to `schema` after draft 2020-12. `format` is an annotation. */
export function conformsToSchema(value: unknown, schema: JsonSchema): boolean {
  if (typeof schema === 'boolean') return schema;
  return validate(value, withoutFormats(structuredClone(schema)) as Schema, '2020-12').valid;
}

function withoutFormats(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutFormats);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([key, value]) => key !== 'format' || typeof value !== 'string');
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === 'const' || key === 'enum' ? value : withoutFormats(value)]),
  );
}
