/** Which status, type and shape each error has on each endpoint: the error table of the specification. @module */
import { UNAVAILABLE } from '../../../core/errors/error-bodies.js';
import type { ErrorFacts, ErrorShape, ErrorType } from '../../../core/errors/error-bodies.js';
import type { InferenceError, InferenceErrorCode } from '../../../core/errors/inference-error.js';
import type { Compatibility } from '../policy/compatibility.js';
import { tooLongMessage } from './too-long-message.js';

/** The operations, as far as their errors differ. `service` is everything outside them (unknown paths). */
export type EndpointName =
  | 'chat-completions'
  | 'completions'
  | 'messages'
  | 'responses'
  | 'embeddings'
  | 'rerank'
  | 'decisions'
  | 'tokenizer'
  | 'audio'
  | 'models'
  | 'model'
  | 'files'
  | 'ollama'
  | 'service';

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
  previous_response_not_found: {
    status: 400,
    type: 'invalid_request_error',
    code: 'previous_response_not_found',
  },
  refusal: { status: 400, type: 'invalid_request_error', code: 'refusal' },
  malformed_multipart: { status: 400, type: 'invalid_request_error', code: 'malformed_multipart' },
  unauthenticated: { status: 401, type: 'authentication_error', code: 'invalid_api_key' },
  permission_denied: { status: 403, type: 'permission_error', code: 'origin_not_allowed' },
  not_found: { status: 404, type: 'not_found_error', code: null },
  model_not_found: { status: 404, type: 'not_found_error', code: 'model_not_found' },
  method_not_allowed: { status: 405, type: 'invalid_request_error', code: 'method_not_allowed' },
  timeout: { status: 408, type: 'timeout_error', code: 'timeout' },
  model_removed: { status: 410, type: 'not_found_error', code: 'model_removed' },
  payload_too_large: { status: 413, type: 'invalid_request_error', code: 'payload_too_large' },
  storage_full: { status: 413, type: 'invalid_request_error', code: 'storage_full' },
  model_not_in_plan: { status: 422, type: 'permission_error', code: 'model_not_in_plan' },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  // The client has disconnected, so this answer is not read.
  cancelled: { status: 499, type: 'invalid_request_error', code: 'cancelled' },
  internal: { status: 500, type: 'internal_error', code: null },
  unavailable: { status: 503, type: 'internal_error', code: 'unavailable' },
  insufficient_resources: { status: 503, type: 'internal_error', code: 'insufficient_resources' },
  model_output_invalid: { status: 200, type: 'invalid_request_error', code: 'model_output_invalid' },
};

interface EndpointErrors {
  /** The shape of all errors that `shapes` does not name. */
  usual: ErrorShape;
  shapes?: Partial<Record<InferenceErrorCode, ErrorShape>>;
  /** Those of an engine that cannot answer, too. */
  isAlwaysUsual?: true;
  /** Where the endpoint's body says something else than {@link ERROR_ROWS}. */
  facts?: Partial<Record<InferenceErrorCode, Partial<ErrorFacts>>>;
}

const ENDPOINT_ERRORS: Record<EndpointName, EndpointErrors> = {
  'chat-completions': {
    usual: 'general',
    shapes: { invalid_media: 'flat', tool_choice_unsatisfied: 'flat', model_removed: 'plain', internal: 'plain' },
  },
  completions: { usual: 'general' },
  messages: {
    usual: 'messages',
    shapes: { model_not_in_plan: 'messages-bare', model_removed: 'messages-bare' },
    facts: { model_not_in_plan: { type: 'invalid_request_error' }, model_output_invalid: { type: 'internal_error' } },
  },
  responses: {
    usual: 'general',
    facts: {
      model_removed: { type: 'internal_error', code: 'internal_error', param: null },
      model_not_supported: { code: 'unsupported_model' },
    },
  },
  embeddings: { usual: 'general' },
  rerank: { usual: 'general' },
  decisions: { usual: 'general' },
  tokenizer: { usual: 'general' },
  audio: { usual: 'general', shapes: { internal: 'plain', malformed_multipart: 'html' } },
  models: { usual: 'general' },
  model: { usual: 'simple' },
  files: { usual: 'general', isAlwaysUsual: true },
  ollama: { usual: 'told' },
  service: { usual: 'general' },
};

/** The shape of an error that is sent instead of an answer. */
export function answerErrorShape(
  endpoint: EndpointName,
  code: InferenceErrorCode,
  { general }: Compatibility,
): ErrorShape {
  const specified = specifiedShape(endpoint, code);
  if (specified === 'told') return specified;
  const shape = code === 'unavailable' && !ENDPOINT_ERRORS[endpoint].isAlwaysUsual ? 'plain' : specified;
  if (!general.shapes.includes(shape) && !general.codes.includes(code)) return shape;
  return endpoint === 'messages' ? 'messages' : 'general';
}

/** The same inside an event stream, where clients know one error object whatever a whole answer would look like. */
export function streamErrorShape(endpoint: EndpointName, code: InferenceErrorCode): ErrorShape {
  const shape = specifiedShape(endpoint, code);
  return shape === 'plain' || shape === 'html' || shape === 'flat' ? ENDPOINT_ERRORS[endpoint].usual : shape;
}

function specifiedShape(endpoint: EndpointName, code: InferenceErrorCode): ErrorShape {
  const { usual, shapes } = ENDPOINT_ERRORS[endpoint];
  if (code === 'model_output_invalid' && usual === 'general') return 'model-output';
  return shapes?.[code] ?? usual;
}

/** A simulated 529: Anthropic's status, which has a JSON body where other gateway failures have a sentence. */
export function isOverloaded({ details }: InferenceError): boolean {
  return details.status === 529;
}

/**
 * The status of an error's answer. Only chat completions have an error under 200, and none where wrong outputs are answers:
 * elsewhere a client would take it for one.
 */
export function errorStatus(
  { code, details }: Pick<InferenceError, 'code' | 'details'>,
  endpoint: EndpointName,
  { wrongOutput }: Compatibility,
): number {
  const isAnswer = endpoint === 'chat-completions' && wrongOutput === 'error';
  if (code === 'model_output_invalid' && !isAnswer) return 500;
  return details.status ?? ERROR_ROWS[code].status;
}

/** What the body of an error says. Of an engine that cannot answer it never says why: the reason may name files. */
export function errorFacts(error: InferenceError, endpoint: EndpointName): ErrorFacts {
  if (isOverloaded(error)) {
    const type = endpoint === 'messages' ? 'overloaded_error' : 'internal_error';
    return { type, code: null, message: error.message, param: null };
  }
  const { type, code } = ERROR_ROWS[error.code];
  const message = messageOf(error, endpoint);
  return { type, code, message, param: error.param ?? null, ...ENDPOINT_ERRORS[endpoint].facts?.[error.code] };
}

function messageOf(error: InferenceError, endpoint: EndpointName): string {
  if (error.code === 'context_length_exceeded') return tooLongMessage(error, endpoint);
  return error.code === 'unavailable' ? `${UNAVAILABLE}.` : error.message;
}
