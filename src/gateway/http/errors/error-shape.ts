/** The shapes that errors have. @module */

/**
 * - `general`: `{error: {message, type, code, param}, request_id}`
 * - `model-output`: general plus `error.model_output`
 * - `removed-response`: general with `internal_error` as type and code
 * - `simple`: `{error}`
 * - `flat`: `{error, error_code, error_param, error_type}`
 * - `messages`: `{type: 'error', error: {type, message, param?, code?}, request_id}`
 * - `messages-bare`: the same with `type` and `message` only
 * - `plain`: a sentence
 * - `html`: a page
 */
export type ErrorShape =
  | 'general'
  | 'model-output'
  | 'removed-response'
  | 'simple'
  | 'flat'
  | 'messages'
  | 'messages-bare'
  | 'plain'
  | 'html';
