/** Which form lists of models and errors have. @module */
import type { HttpRequestContext } from '../endpoint/http-context.js';

/** Whether a request comes from a client of Anthropic's, which knows lists and errors of another form. */
export function speaksAnthropic(c: HttpRequestContext): boolean {
  return c.req.header('anthropic-version') !== undefined;
}
