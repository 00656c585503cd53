/** What shape the answer's text must have. @module */
import type { JsonSchema } from './tool.js';

export type OutputFormat =
  | { type: 'text' }
  | { type: 'json-object' }
  | { type: 'json-schema'; name: string; schema: JsonSchema; strict: boolean };
