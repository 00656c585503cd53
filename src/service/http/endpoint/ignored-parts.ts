/** Headers that name what of a request is not honored here: silence would look like obedience. @module */
import { headerText } from '../errors/render-error.js';
import type { HttpRequestContext } from './http-context.js';

/** The headers, by what they name. */
type IgnoredHeader =
  | 'x-ignored-fields'
  | 'x-ignored-formats'
  | 'x-ignored-items'
  | 'x-ignored-schema-keywords'
  | 'x-ignored-tool-calls'
  | 'x-ignored-tools';

/** Adds to what a header names, each name once. Called after the request was admitted. @param names in order; may repeat */
export function nameIgnored(c: HttpRequestContext, header: IgnoredHeader, names: readonly string[]): void {
  if (names.length === 0) return;
  const headers = c.get('answerHeaders');
  // A comma inside a name would look like two names.
  const encoded = names.map((name) => headerText(name.replaceAll(',', ' ')));
  const named = headers[header]?.split(',') ?? [];
  c.set('answerHeaders', { ...headers, [header]: [...new Set([...named, ...encoded])].join(',') });
}
