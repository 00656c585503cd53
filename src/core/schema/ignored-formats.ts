/** Formats that schemas of a request name and that nothing keeps: in JSON Schema a format is an annotation. @module */
import { type GenerationRequest, offersTools } from '../request/generation-request.js';
import { keptFormat } from './formats.js';
import { SCHEMA_KEYWORDS } from './schema-keywords.js';

/** Most schemas of a request that are looked into, and how deep. */
const MAX_SCHEMAS = 20_000;
const MAX_DEPTH = 64;

/** The values of `format` that are not kept, each once, in the order of the request. */
export function ignoredFormats(request: GenerationRequest): string[] {
  const formats = new Set<string>();
  let looked = 0;
  const look = (schema: unknown, depth: number): void => {
    if (typeof schema !== 'object' || schema === null || depth > MAX_DEPTH || looked >= MAX_SCHEMAS) return;
    looked += 1;
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === 'format' && typeof value === 'string' && !keptFormat(value)) formats.add(value);
      for (const inner of schemasIn(keyword, value)) look(inner, depth + 1);
    }
  };
  if (offersTools(request)) for (const { parameters } of request.tools) look(parameters, 0);
  if (request.output.type === 'json-schema') look(request.output.schema, 0);
  return [...formats];
}

/** The schemas that stand in a keyword. What has another form than it should is checked elsewhere. */
function schemasIn(keyword: string, value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  switch (Object.hasOwn(SCHEMA_KEYWORDS, keyword) ? SCHEMA_KEYWORDS[keyword] : undefined) {
    case 'schema':
      return [value];
    case 'schema-or-list':
      return Array.isArray(value) ? value : [value];
    case 'schema-list':
    case 'schema-map':
    case 'schema-by-pattern':
      return Object.values(value);
    default:
      return [];
  }
}
