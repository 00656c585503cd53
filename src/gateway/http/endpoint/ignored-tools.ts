/** Tools that only a hosted service can run, which are left out of a request. @module */
import type { HttpRequestContext } from './http-context.js';
import { headerText } from '../errors/render-error.js';
import { InferenceError } from '../../../core/errors/inference-error.js';

/** Tells the client which they were. Called after the request was admitted. @param types in order; may repeat */
export function nameIgnoredTools(c: HttpRequestContext, types: readonly string[]): void {
  if (types.length === 0) return;
  // A comma inside a name would look like two names.
  const names = [...new Set(types)].map((type) => type.replaceAll(',', ' '));
  c.set('answerHeaders', { ...c.get('answerHeaders'), 'x-ignored-tools': headerText(names.join(',')) });
}

/** The error of a choice that names such a tool. */
export function ignoredToolChosen(): InferenceError {
  const param = 'tool_choice';
  const message = `\`${param}\` names a tool that only a hosted service can run.`;
  return new InferenceError('invalid_request', message, { param });
}
