/** A request that came through a port, as the app reads it. @module */
import type { RequestPayload } from '../protocol.js';

/**
 * What is known of a request that crossed realms, in the form of a Request. It is no Request of the browser: Firefox gives
 * those no `body`, and takes no stream as one. A response has both in every browser, so the body is read through one.
 */
export class RelayedRequest implements Request {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly signal: AbortSignal;
  readonly cache = 'default';
  readonly credentials = 'same-origin';
  readonly destination = '';
  readonly integrity = '';
  readonly keepalive = false;
  readonly mode = 'cors';
  readonly redirect = 'follow';
  readonly referrer = 'about:client';
  readonly referrerPolicy = '';
  readonly #content: Response;

  /** @param content has the body, and the content type by which it is read as a form */
  constructor(head: Pick<Request, 'url' | 'method' | 'headers' | 'signal'>, content: Response) {
    this.url = head.url;
    this.method = head.method;
    this.headers = head.headers;
    this.signal = head.signal;
    this.#content = content;
  }

  /** The request that a payload describes. @param signal aborts when its sender leaves */
  static of(payload: RequestPayload, signal: AbortSignal): RelayedRequest {
    const { url, method } = payload;
    const headers = new Headers(payload.headers);
    const content = new Response(bodyOf(payload), { headers: contentType(headers) });
    return new RelayedRequest({ url, method, headers, signal }, content);
  }

  get body(): Response['body'] {
    return this.#content.body;
  }

  get bodyUsed(): boolean {
    return this.#content.bodyUsed;
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#content.arrayBuffer();
  }

  blob(): Promise<Blob> {
    return this.#content.blob();
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.arrayBuffer());
  }

  formData(): Promise<FormData> {
    return this.#content.formData();
  }

  json(): ReturnType<Response['json']> {
    return this.#content.json();
  }

  text(): Promise<string> {
    return this.#content.text();
  }

  clone(): RelayedRequest {
    const { url, method, headers, signal } = this;
    return new RelayedRequest({ url, method, headers: new Headers(headers), signal }, this.#content.clone());
  }
}

function contentType(headers: Headers): Record<string, string> {
  const type = headers.get('content-type');
  return type === null ? {} : { 'content-type': type };
}

function bodyOf({ body, stream }: RequestPayload): BodyInit | null {
  if (stream) return stream[0];
  return body === 'broken' ? brokenBody() : (body ?? null);
}

/** The reader notices the error, and answers with its dialect's error. */
function brokenBody(): ReadableStream {
  return new ReadableStream({ pull: (controller) => controller.error(new TypeError('The upload broke off.')) });
}
