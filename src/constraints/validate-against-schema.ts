/** Whether a finished value conforms to a schema, without eval. @module */
import { type Schema, dereference, validate } from '@cfworker/json-schema';
import type { JsonSchema } from '../request/tool.js';
import { type SchemaDocument, type SchemaNode, readSchemaDocument } from './schema/schema-document.js';

const lookups = new WeakMap<SchemaDocument, Record<string, Schema | boolean>>();

/** True when `value` conforms to `schema`, which must have passed `checkJsonSchema`. `format` is an annotation. */
export function validateAgainstSchema(value: unknown, schema: JsonSchema): boolean {
  const document = readSchemaDocument(schema);
  return typeof document.root === 'boolean' ? document.root : conformsTo(document, value, document.root);
}

/** True when `value` conforms to this schema of the document. */
export function conformsTo(document: SchemaDocument, value: unknown, node: SchemaNode): boolean {
  let lookup = lookups.get(document);
  if (lookup === undefined) {
    lookup = dereference(document.root);
    lookups.set(document, lookup);
  }
  return validate(value, node, '2020-12', lookup).valid;
}
