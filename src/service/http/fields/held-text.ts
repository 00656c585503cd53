/** What can be read of items and blocks that another service made. @module */
import * as v from 'valibot';
import { objectOf } from './json-object.js';

/** Members whose strings say something. All others are names, ids, addresses, bytes or encrypted. */
const TEXTS: ReadonlySet<string> = new Set([
  'code',
  'content',
  'logs',
  'output',
  'queries',
  'query',
  'stderr',
  'stdout',
  'text',
  'title',
]);

/** An object with an unknown `type`, as the text that it holds. */
export const foreignObject = v.pipe(
  objectOf(v.unknown()),
  v.transform((value) => ({ type: 'foreign' as const, sentType: String(value['type']), text: heldText(value) })),
);

/** Whether a value has a `type`, and none of these. */
export function isForeign(value: unknown, known: ReadonlySet<string>): boolean {
  const type: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'type') : undefined;
  return typeof type === 'string' && !known.has(type);
}

/** Every text once, a line each; empty where there is none. */
function heldText(value: unknown): string {
  return [...new Set(textsIn(value, false))].join('\n');
}

function* textsIn(value: unknown, isText: boolean): Generator<string, void, undefined> {
  if (typeof value === 'string') {
    if (isText && value !== '' && !value.startsWith('data:')) yield value;
  } else if (Array.isArray(value)) {
    for (const each of value) yield* textsIn(each, isText);
  } else if (typeof value === 'object' && value !== null) {
    // A source of this kind has its text where others have their bytes.
    const isSource = Reflect.get(value, 'type') === 'text';
    for (const [key, each] of Object.entries(value))
      yield* textsIn(each, TEXTS.has(key) || (isSource && key === 'data'));
  }
}
