/** Which status, type and shape each error has on each endpoint: the error table of the specification. @module */
import type { InferenceErrorCode } from '../../../core/errors/inference-error.js';
import type { Compatibility } from '../compatibility.js';
import type { ErrorShape } from './error-shape.js';

/** The operations, as far as their errors differ. `service` is everything outside them (unknown paths). */
export type EndpointName =
  | 'chat-completions'
  | 'completions'
  | 'messages'
  | 'responses'
  | 'embeddings'
  | 'audio'
  | 'models'
  | 'model'
  | 'service';

/** `error.type` of the general shape. */
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'timeout_error'
  | 'internal_error';

interface ErrorRow {
  status: number;
  /** `error.type` in the general shape. */
  type: ErrorType;
  /** `error.code` in the general shape; null where the type says it all. */
  code: string | null;
}

/** Status, type and code of every error. */
export const ERROR_ROWS: Record<InferenceErrorCode, ErrorRow> = {
  invalid_request: { status: 400, type: 'invalid_request_error', code: null },
  invalid_json: { status: 400, type: 'invalid_request_error', code: 'invalid_json' },
  missing_required_field: { status: 400, type: 'invalid_request_error', code: 'missing_required_field' },
  invalid_media: { status: 400, type: 'invalid_request_error', code: 'invalid_media' },
  unsupported_content: { status: 400, type: 'invalid_request_error', code: 'unsupported_content' },
  context_length_exceeded: { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
  model_not_supported: { status: 400, type: 'invalid_request_error', code: 'model_not_supported' },
  unsupported_tool_type: { status: 400, type: 'invalid_request_error', code: 'unsupported_tool_type' },
  tool_choice_unsatisfied: { status: 400, type: 'invalid_request_error', code: 'tool_choice_unsatisfied' },
  malformed_multipart: { status: 400, type: 'invalid_request_error', code: 'malformed_multipart' },
  unauthenticated: { status: 401, type: 'authentication_error', code: 'invalid_api_key' },
  not_found: { status: 404, type: 'not_found_error', code: null },
  model_not_found: { status: 404, type: 'not_found_error', code: 'model_not_found' },
  method_not_allowed: { status: 405, type: 'invalid_request_error', code: 'method_not_allowed' },
  timeout: { status: 408, type: 'timeout_error', code: 'timeout' },
  model_removed: { status: 410, type: 'not_found_error', code: 'model_removed' },
  payload_too_large: { status: 413, type: 'invalid_request_error', code: 'payload_too_large' },
  model_not_in_plan: { status: 422, type: 'permission_error', code: 'model_not_in_plan' },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  // The caller has gone; nobody reads this answer.
  cancelled: { status: 499, type: 'invalid_request_error', code: 'cancelled' },
  internal: { status: 500, type: 'internal_error', code: null },
  unavailable: { status: 503, type: 'internal_error', code: 'unavailable' },
  insufficient_resources: { status: 503, type: 'internal_error', code: 'insufficient_resources' },
  model_output_invalid: { status: 200, type: 'invalid_request_error', code: 'model_output_invalid' },
};

interface EndpointShapes {
  usual: ErrorShape;
  except?: Partial<Record<InferenceErrorCode, ErrorShape>>;
}

const ENDPOINT_SHAPES: Record<EndpointName, EndpointShapes> = {
  'chat-completions': {
    usual: 'general',
    except: { invalid_media: 'flat', tool_choice_unsatisfied: 'flat', model_removed: 'plain', internal: 'plain' },
  },
  completions: { usual: 'general' },
  messages: { usual: 'messages', except: { model_not_in_plan: 'messages-bare', model_removed: 'messages-bare' } },
  responses: { usual: 'general', except: { model_removed: 'removed-response' } },
  embeddings: { usual: 'general' },
  audio: { usual: 'general', except: { internal: 'plain', malformed_multipart: 'html' } },
  models: { usual: 'general' },
  model: { usual: 'simple' },
  service: { usual: 'general' },
};

/** The shape that an endpoint owes for an error instead of an answer. */
export function answerErrorShape(
  endpoint: EndpointName,
  code: InferenceErrorCode,
  { general }: Compatibility,
): ErrorShape {
  const shape = code === 'unavailable' ? 'plain' : specifiedShape(endpoint, code);
  if (!general.shapes.includes(shape) && !general.codes.includes(code)) return shape;
  return endpoint === 'messages' ? 'messages' : 'general';
}

/** The same inside an event stream, where clients know one error object whatever a whole answer would look like. */
export function streamErrorShape(endpoint: EndpointName, code: InferenceErrorCode): ErrorShape {
  const shape = specifiedShape(endpoint, code);
  return shape === 'plain' || shape === 'html' || shape === 'flat' ? ENDPOINT_SHAPES[endpoint].usual : shape;
}

function specifiedShape(endpoint: EndpointName, code: InferenceErrorCode): ErrorShape {
  const { usual, except } = ENDPOINT_SHAPES[endpoint];
  if (code === 'model_output_invalid' && usual === 'general') return 'model-output';
  return except?.[code] ?? usual;
}

/** `error.type` in the messages dialect, whose set of types is smaller. */
export function messagesErrorType(code: InferenceErrorCode): string {
  if (code === 'model_not_in_plan') return 'invalid_request_error';
  const { type } = ERROR_ROWS[code];
  return type === 'internal_error' || type === 'timeout_error' ? 'api_error' : type;
}

/** `error.code` as an endpoint spells it. */
export function errorCode(endpoint: EndpointName, code: InferenceErrorCode): string | null {
  if (endpoint === 'responses' && code === 'model_not_supported') return 'unsupported_model';
  return ERROR_ROWS[code].code;
}
