/** What shape the answer's text must have. @module */
import type { JsonSchema } from './tool.js';

export type OutputFormat =
  | { type: 'text' }
  | { type: 'json-object' }
  /** `param`: dotted path of the schema in the client's request, for errors. */
  | { type: 'json-schema'; name: string; schema: JsonSchema; strict: boolean; param?: string };
