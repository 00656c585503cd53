/** The remote `/v1` of an upstream model. @module */
import { cancelled, InferenceError } from '../../errors/inference-error.js';
import type { ModelEntry } from '../../models/model-entry.js';
import { upstreamURLOf } from '../../models/entry-files.js';
import { toUpstreamError } from './upstream-error.js';

/** Sends requests to one model of a remote service. The keys that this page's clients send stay here. */
export class UpstreamClient {
  /** The model's name there. */
  readonly model: string;
  readonly #base: string;
  readonly #headers: Headers;

  /** @throws InferenceError `invalid_request` when the entry names no URL, or headers that cannot be sent */
  constructor({ id, source, upstreamModel, headers }: ModelEntry, pageURL: string) {
    try {
      this.#base = upstreamURLOf(source, pageURL);
      this.#headers = new Headers(headers);
    } catch (cause) {
      const message = `The model \`${id}\` needs the URL of an upstream service, and headers that can be sent.`;
      throw new InferenceError('invalid_request', message, {}, { cause });
    }
    this.model = upstreamModel ?? id;
  }

  /**
   * The answer, when its status says that there is one.
   * @param path below the base, e.g. `/chat/completions`
   * @param body JSON, or a form
   * @throws InferenceError `cancelled`, or what {@link toUpstreamError} makes of the answer
   */
  async post(path: string, body: object, signal: AbortSignal): Promise<Response> {
    const isForm = body instanceof FormData;
    const headers = new Headers(this.#headers);
    // A form says its own, with its boundary.
    if (isForm) headers.delete('content-type');
    else headers.set('content-type', 'application/json');
    const url = new URL(this.#base);
    url.pathname = url.pathname.replace(/\/+$/, '') + path;
    let response: Response;
    try {
      const init = { method: 'POST', headers, body: isForm ? body : JSON.stringify(body), signal };
      response = await fetch(url.href, init);
    } catch (cause) {
      throw lost(cause, signal);
    }
    if (response.ok) return response;
    throw await toUpstreamError(response);
  }

  /** The JSON of an answer; for answers that are not streamed. */
  async postForJson(path: string, body: object, signal: AbortSignal): Promise<unknown> {
    const response = await this.post(path, body, signal);
    try {
      return await response.json();
    } catch (cause) {
      throw lost(cause, signal);
    }
  }
}

function lost(cause: unknown, signal: AbortSignal): InferenceError {
  if (signal.aborted) return cancelled();
  return new InferenceError('unavailable', 'The upstream service could not be reached.', { retryAfter: 5 }, { cause });
}
