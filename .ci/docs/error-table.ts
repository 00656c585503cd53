/** The table of errors: what the service states of each, with its cause and fix. @module */
import { INFERENCE_ERROR_CODES, type InferenceErrorCode } from '../../src/core/errors/inference-error.js';
import { ERROR_ROWS } from '../../src/gateway/http/errors/error-table.js';
import { markdownTable } from './markdown-table.js';

/** What brings an error about, and what helps. */
interface Advice {
  cause: string;
  fix: string;
}

const ADVICE: Record<InferenceErrorCode, Advice> = {
  invalid_request: {
    cause: 'A field has a value that it cannot have, or an option of `startInference` is wrong.',
    fix: 'The message names the field (`param`) and what it may be; [Endpoints](endpoints.md), [Options](options.md).',
  },
  invalid_json: { cause: 'The body is not JSON.', fix: 'Send `JSON.stringify(…)`; form data only for sound.' },
  missing_required_field: { cause: 'A field that must be there is not.', fix: '`param` names it.' },
  invalid_media: {
    cause: 'Sound or an image cannot be read: another format, cut, or not base64.',
    fix: 'Send a whole file of a common format. No URL is fetched: send the content.',
  },
  unsupported_content: {
    cause: 'The model does not take this kind of content, such as an image.',
    fix: 'Ask a model that does, or leave the part out.',
  },
  context_length_exceeded: {
    cause: 'Prompt and answer together do not fit into the context window.',
    fix: 'Shorten the conversation or lower `max_tokens`; `/v1/messages/count_tokens` counts before.',
  },
  model_not_supported: {
    cause: 'The model exists but does another task, e.g. chat with an embedding model.',
    fix: 'Name a model of the endpoint’s task; `GET /v1/models` lists them.',
  },
  unsupported_tool_type: {
    cause: 'A tool that is run by OpenAI’s or Anthropic’s servers, e.g. web search.',
    fix: 'Offer a function and run it yourself.',
  },
  tool_choice_unsatisfied: {
    cause: 'A call was demanded and the model made none.',
    fix: 'Raise `max_tokens`, or name fewer tools.',
  },
  malformed_multipart: {
    cause: 'The form cannot be read.',
    fix: 'Pass a `FormData` and set no `content-type` yourself.',
  },
  previous_response_not_found: {
    cause: '`previous_response_id` names a response that is not stored: unknown, removed, or sent with `store: false`.',
    fix: 'Send the conversation’s items instead, and see `storeResponses`.',
  },
  refusal: {
    cause: 'A model refused a question of `/v1/systemone`.',
    fix: '`param` names the question. `/v1/decisions` answers the others all the same.',
  },
  unauthenticated: {
    cause: '`apiKeys` is set and the request has none of them.',
    fix: 'Send `Authorization: Bearer …` (or `x-api-key`) with a key that is not revoked.',
  },
  not_found: { cause: 'No such path.', fix: 'Compare with [Endpoints](endpoints.md), and with `prefix`.' },
  model_not_found: {
    cause: 'The catalog has no model of this name.',
    fix: 'Use an `id` or alias of `models`; `GET /v1/models` lists them.',
  },
  method_not_allowed: { cause: 'The path takes another method.', fix: 'The header `allow` names it.' },
  timeout: {
    cause: 'No first token, or no result, within `requestTimeout`.',
    fix: 'Raise `requestTimeout`, shorten the prompt, or take a smaller model. Loading does not count.',
  },
  model_removed: {
    cause: 'The entry says `status: "removed"`.',
    fix: 'Remove `status` from the entry; it exists for tests.',
  },
  payload_too_large: {
    cause: 'The body is larger than the endpoint takes.',
    fix: 'Send less: the message says how much is taken.',
  },
  model_not_in_plan: {
    cause: 'The entry says `access: "not-in-plan"`.',
    fix: 'Remove `access` from the entry; it exists for tests.',
  },
  rate_limit_exceeded: {
    cause: 'More requests than `rateLimits` allows.',
    fix: 'Wait as long as `retry-after` says, which official clients do; or raise the limit.',
  },
  permission_denied: {
    cause:
      'The person did not allow this web page to use the models of an extension; or a content script calls what only the background and pages of the extension may.',
    fix: 'Call `connectInference` again only when the person asks for it; call the others in the background or a page of the extension.',
  },
  cancelled: { cause: 'The caller aborted.', fix: 'None is needed; nobody reads this answer.' },
  internal: {
    cause: 'A defect, in a model’s files or of Inpage.',
    fix: 'The page’s console has the cause. Please report it.',
  },
  unavailable: {
    cause:
      'No engine can serve now: the tab that hosted it has just closed, a worker ended, the files are out of reach, or there is no Service Worker.',
    fix: 'The message says which. Ask again after `retry-after`; a page that is reloaded starts anew.',
  },
  insufficient_resources: {
    cause: 'The device cannot run the model: no WebGPU, a feature that it lacks, too little memory or room.',
    fix: 'Name a `fallback`, or make room: `details.removable` and `inference.remove`.',
  },
  model_output_invalid: {
    cause: 'JSON or a tool call was cut by the token limit.',
    fix: 'Raise `max_tokens`; `model_output` holds what there is. `compatibility: "hosted"` answers with it.',
  },
};

/** One row per code, in the order of their status. */
export function errorTable(): string {
  const codes = INFERENCE_ERROR_CODES.toSorted((one, other) => ERROR_ROWS[one].status - ERROR_ROWS[other].status);
  return markdownTable(
    ['code', 'status', 'cause', 'fix'],
    codes.map((code) => {
      const { cause, fix } = ADVICE[code];
      return [`\`${code}\``, String(ERROR_ROWS[code].status), cause, fix];
    }),
  );
}
