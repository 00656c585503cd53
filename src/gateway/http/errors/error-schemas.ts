/** The JSON error shapes as JSON Schemas, for the OpenAPI document and for tests. @module */
import type { ErrorShape } from './error-shape.js';

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const uuid = { type: 'string', format: 'uuid' };

/** An object with exactly these properties, of which all but `optional` must be there. */
function exactly(properties: Record<string, unknown>, optional: readonly string[] = []): Record<string, unknown> {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

const generalTypes = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'rate_limit_error',
  'timeout_error',
  'internal_error',
];
const general = { message: text, type: { enum: generalTypes }, code: textOrNull, param: textOrNull };

const messagesTypes = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'rate_limit_error',
  'api_error',
];
const messages = { type: { enum: messagesTypes }, message: text };

/** By shape; `plain` and `html` are no JSON. */
export const ERROR_SCHEMAS: Partial<Record<ErrorShape, Record<string, unknown>>> = {
  general: exactly({ error: exactly(general), request_id: uuid }),
  'removed-response': exactly({ error: exactly(general), request_id: uuid }),
  'model-output': exactly({ error: exactly({ ...general, model_output: text }), request_id: uuid }),
  simple: exactly({ error: text }),
  flat: exactly({ error: text, error_code: textOrNull, error_param: textOrNull, error_type: text }),
  messages: exactly({
    type: { const: 'error' },
    error: exactly({ ...messages, param: textOrNull, code: textOrNull }, ['param', 'code']),
    request_id: uuid,
  }),
  'messages-bare': exactly({ type: { const: 'error' }, error: exactly(messages), request_id: uuid }),
};
