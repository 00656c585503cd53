/** Schemas that are valid, but probably not what their author meant: JSON Schema ignores words that it does not know. @module */
import { nearestName } from '../../../core/models/suggest-name.js';
import { SCHEMA_KEYWORDS } from '../../../core/schema/schema-keywords.js';
import { warnOnce } from './warn-once.js';

const KEYWORDS = Object.keys(SCHEMA_KEYWORDS);

/** Words that say something of a schema without restricting anything. */
const ANNOTATIONS = [
  '$schema',
  '$id',
  '$comment',
  '$anchor',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
];

/** Members that are looked at, and letters of a misspelt keyword. */
const MAX_MEMBERS = 50;
const MIN_LETTERS = 5;
const MAX_LETTERS = 30;

/**
 * Names in the console what stands at the root of a schema and has no effect.
 * @param param where the schema stands in the request, e.g. `tools.0.function.parameters`
 */
export function warnOfSchema(schema: object, param: string): void {
  const names = Object.keys(schema).slice(0, MAX_MEMBERS);
  const unknown = names.filter((name) => !KEYWORDS.includes(name) && !ANNOTATIONS.includes(name));
  if (unknown.length > 0 && !names.some((name) => KEYWORDS.includes(name))) {
    return warnOnce(
      `\`${param}\` has no keyword of JSON Schema, so any value fits. Write \`{ type: 'object', properties: { … } }\`.`,
    );
  }
  for (const name of unknown) {
    if (name.length < MIN_LETTERS || name.length > MAX_LETTERS) continue;
    const meant = nearestName(name, KEYWORDS, 2);
    if (meant !== undefined)
      warnOnce(`\`${param}\` has \`${name}\`, which JSON Schema ignores. Did you mean \`${meant}\`?`);
  }
}

/** The same of a tool's parameters, which must describe an object. */
export function warnOfParameters(schema: object, param: string): void {
  warnOfSchema(schema, param);
  const { type } = schema as { type?: unknown };
  if (typeof type === 'string' && type !== 'object')
    warnOnce(
      `\`${param}\` has the type ${type.slice(0, MAX_LETTERS)}, but clients expect the arguments of a call to be an object.`,
    );
}
