/** Requests of well-known programs, written by us after their public documentation. */

/** What a program sends, and what its answer must be. */
export interface RecordedRequest {
  program: string;
  what: string;
  path: string;
  headers?: Record<string, string>;
  /** Absent: GET. */
  body?: Record<string, unknown>;
  /** Part of the answer's JSON; of a stream: what its text joins to. */
  answer: object | string;
}

export const MODEL = 'recorded-chat';
export const EMBEDDER = 'recorded-embed';
export const TEXT = 'The fix is in place.';

/** JSON Schema of an object of strings. */
export function stringsSchema(...names: string[]): Record<string, unknown> {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', description: `The ${name}.` }]));
  return { type: 'object', properties, required: names, additionalProperties: false };
}
