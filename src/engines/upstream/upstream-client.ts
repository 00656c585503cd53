/** Sends requests to the remote service of an upstream model. @module */
import {
  cancelled,
  InferenceError,
  type InferenceErrorDetails,
  isInferenceError,
} from '../../core/errors/inference-error.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { upstreamURLOf } from '../../core/models/entry-files.js';
import { extractSecrets } from '../../core/models/header-secrets.js';
import { Redactor } from '../../core/models/redactor.js';
import { broken } from './read-event-stream.js';
import { reachAdvice } from './reach-advice.js';
import { toUpstreamError } from './upstream-error.js';

/** Statuses of a service, or of what stands before it, that cannot answer now. */
const AWAY = [502, 503, 504];

/** The same error, for which a fallback can answer. */
function unreachable({ code, message, details, cause }: InferenceError): InferenceError {
  return new InferenceError(code, message, { ...details, unreachable: true }, { cause });
}

/** One model of a remote service. API keys of this page's clients are never sent to it. */
export class UpstreamClient {
  /** The model's name at the service. */
  readonly model: string;
  readonly #base: string;
  readonly #headers: Headers;
  /** Values that no error message may contain. */
  readonly #redactor: Redactor;
  readonly #id: string;
  /** The last message on the console. */
  #reported = '';

  /** @throws InferenceError `invalid_request` when the entry names no URL, or headers that cannot be sent */
  constructor({ id, source, upstreamModel, headers }: ModelEntry, pageURL: string) {
    try {
      this.#base = upstreamURLOf(source, pageURL);
      this.#headers = new Headers(headers);
    } catch {
      // Without the cause, which would contain the header.
      const message = `The model \`${id}\` needs the URL of an upstream service, and headers that can be sent.`;
      throw new InferenceError('invalid_request', message);
    }
    this.#id = id;
    this.model = upstreamModel ?? id;
    this.#redactor = new Redactor(extractSecrets(this.#headers), { mark: '…' });
  }

  /**
   * Sends a request. @returns the response, if its status is a success
   * @param path below the base, e.g. `/chat/completions`
   * @param body JSON, or a form
   * @throws InferenceError `cancelled`, or what {@link toUpstreamError} makes of the answer
   */
  async post(path: string, body: object, signal: AbortSignal): Promise<Response> {
    const isForm = body instanceof FormData;
    const headers = new Headers(this.#headers);
    // The browser sets the type of a form, with its boundary.
    if (isForm) headers.delete('content-type');
    else headers.set('content-type', 'application/json');
    const url = new URL(this.#base);
    url.pathname = url.pathname.replace(/\/+$/, '') + path;
    let response: Response;
    try {
      const sent = isForm ? body : JSON.stringify(body);
      // A redirect would send the prompt, and headers such as `x-api-key`, to another server.
      response = await fetch(url.href, { method: 'POST', headers, body: sent, signal, redirect: 'error' });
    } catch (cause) {
      if (signal.aborted) throw cancelled();
      throw this.report(
        unreachable(broken(`could not be reached at ${url.origin}. ${reachAdvice(url, cause)}`, cause)),
      );
    }
    if (response.ok) return response;
    const error = await toUpstreamError(response);
    throw this.report(AWAY.includes(response.status) ? unreachable(error) : error);
  }

  /**
   * The same error without the values of the configured headers, because services repeat unknown keys. Clients only see
   * `unavailable`, so the reason goes to the console, once until it changes.
   */
  report(error: unknown): unknown {
    if (!isInferenceError(error)) return error;
    const details = Object.entries(error.details).map(([name, value]) => [name, this.#redactor.value(value)]);
    const message = this.#redactor.text(error.message);
    if (error.code === 'unavailable' && message !== this.#reported) {
      this.#reported = message;
      const { origin, pathname } = new URL(this.#base);
      console.error(
        this.#redactor.text(`inpage: \`${this.#id}\` failed. ${message} (\`source\`: ${origin}${pathname})`),
      );
    }
    return new InferenceError(error.code, message, Object.fromEntries(details) as InferenceErrorDetails);
  }

  /** The JSON of an answer; for answers that are not streamed. */
  async postForJson(path: string, body: object, signal: AbortSignal): Promise<unknown> {
    const response = await this.post(path, body, signal);
    try {
      return await response.json();
    } catch (cause) {
      if (signal.aborted) throw cancelled();
      throw this.report(broken('sent an answer that is not JSON', cause));
    }
  }
}
