/** Tools that only a hosted service can run, which are left out of a request. @module */
import type { HttpRequestContext } from './http-context.js';
import { nameIgnored } from './ignored-parts.js';
import { InferenceError } from '../../../core/errors/inference-error.js';

/** Tells the client which they were. Called after the request was admitted. @param types in order; may repeat */
export function nameIgnoredTools(c: HttpRequestContext, types: readonly string[]): void {
  nameIgnored(c, 'x-ignored-tools', types);
}

/** The error of a choice that names such a tool. */
export function ignoredToolChosen(): InferenceError {
  const param = 'tool_choice';
  const message = `\`${param}\` names a tool that only a hosted service can run.`;
  return new InferenceError('invalid_request', message, { param });
}
