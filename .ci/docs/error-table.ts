/** The table of errors: what the service states of each, with its cause and fix. @module */
import { INFERENCE_ERROR_CODES, type InferenceErrorCode } from '../../src/core/errors/inference-error.js';
import { ERROR_ROWS } from '../../src/service/http/errors/error-table.js';
import { markdownTable } from './markdown-table.js';

/** What brings an error about, and what helps. */
interface Advice {
  cause: string;
  fix: string;
}

const ADVICE: Record<InferenceErrorCode, Advice> = {
  invalid_request: {
    cause: 'A field has an invalid value, or an option of `startInference` is wrong.',
    fix: 'The message names the field (`param`) and what it may be; [Endpoints](endpoints.md), [Options](options.md).',
  },
  invalid_json: { cause: 'The body is not JSON.', fix: 'Send `JSON.stringify(…)`; form data is for audio only.' },
  missing_required_field: { cause: 'A required field is missing.', fix: '`param` names it.' },
  invalid_media: {
    cause:
      'Audio or an image cannot be decoded: the format is not supported, the data is truncated, or it is not base64.',
    fix: 'Send a whole file in a common format. Send the content itself, because Inpage does not fetch URLs.',
  },
  unsupported_content: {
    cause: 'The model does not accept this kind of content, such as an image.',
    fix: 'Use a model that does, or leave the part out.',
  },
  context_length_exceeded: {
    cause: 'Prompt and answer together do not fit into the context window.',
    fix: 'Shorten the conversation or lower `max_tokens`; `/v1/messages/count_tokens` counts the tokens first.',
  },
  model_not_supported: {
    cause: 'The model exists but does another task, e.g. chat with an embedding model.',
    fix: 'Name a model of the endpoint’s task; `GET /v1/models` lists them.',
  },
  unsupported_tool_type: {
    cause: 'The tool runs on OpenAI’s or Anthropic’s servers, for example web search.',
    fix: 'Define a function tool and run it yourself.',
  },
  tool_choice_unsatisfied: {
    cause: 'A tool call was required, and the model made none.',
    fix: 'Raise `max_tokens`, or name fewer tools.',
  },
  malformed_multipart: {
    cause: 'The multipart form cannot be parsed.',
    fix: 'Pass a `FormData`, and do not set `content-type` yourself.',
  },
  previous_response_not_found: {
    cause: '`previous_response_id` names a response that is not stored: unknown, removed, or sent with `store: false`.',
    fix: 'Send the conversation’s items instead, and see `storeResponses`.',
  },
  refusal: {
    cause: 'A model refused a question sent to `/v1/systemone`.',
    fix: '`param` names the question. `/v1/decisions` still answers the other questions.',
  },
  unauthenticated: {
    cause: '`apiKeys` is set and the request has none of them.',
    fix: 'Send `Authorization: Bearer …` (or `x-api-key`) with a key that is not revoked.',
  },
  storage_full: {
    cause: 'There is no room for the file: see `files.maxBytes`, or the browser has none left.',
    fix: 'Remove files that are no longer needed. `inference.storedFiles()` says how much is stored.',
  },
  not_found: { cause: 'The path does not exist.', fix: 'Compare with [Endpoints](endpoints.md), and with `prefix`.' },
  model_not_found: {
    cause: 'The catalog has no model of this name.',
    fix: 'Use an `id` or alias of `models`; `GET /v1/models` lists them.',
  },
  method_not_allowed: { cause: 'The path requires another method.', fix: 'The header `allow` names it.' },
  timeout: {
    cause: 'No first token, or no result, within `requestTimeout`.',
    fix: 'Raise `requestTimeout`, shorten the prompt, or use a smaller model. Loading does not count.',
  },
  model_removed: {
    cause: 'The entry says `status: "removed"`.',
    fix: 'Remove `status` from the entry; it exists for tests.',
  },
  payload_too_large: {
    cause: 'The body is larger than the endpoint accepts.',
    fix: 'Send less. The message states the limit.',
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
      'The user did not allow this web page to use the models of an extension, or a content script called a method that only the extension’s background and pages may call.',
    fix: 'Call `connectInference` again only when the user asks for it. Call the other methods in the background or a page of the extension.',
  },
  cancelled: { cause: 'The caller aborted.', fix: 'Nothing to do: the client has already canceled the request.' },
  internal: {
    cause: 'A defect in Inpage or in a model’s files.',
    fix: 'The page’s console has the cause. Please report it.',
  },
  unavailable: {
    cause:
      'No engine can serve now: the tab that hosted it has just closed, a worker stopped, the files could not be downloaded, or there is no Service Worker.',
    fix: 'The message says which. Send the request again after `retry-after`, or reload the page.',
  },
  insufficient_resources: {
    cause: 'The device cannot run the model: no WebGPU, a missing GPU feature, or not enough memory or storage.',
    fix: 'Set a `fallback`, or free storage with `inference.remove` (`details.removable` lists candidates).',
  },
  model_output_invalid: {
    cause: 'JSON or a tool call was truncated at the token limit, or its arguments cannot be read.',
    fix: 'Raise `max_tokens`; `model_output` contains the truncated text. With `compatibility: "hosted"`, it is the normal response.',
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
