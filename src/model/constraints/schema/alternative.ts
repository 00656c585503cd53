/** One way to satisfy a schema. @module */
import type { SchemaNode } from '../../../core/schema/schema-document.js';

/** A value that conforms to the plain keywords of all these schemas satisfies the schema they were taken from. */
export type Alternative = readonly SchemaNode[];
