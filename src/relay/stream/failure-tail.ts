/**
 * What a streamed answer must end with when the engine dies under it. The dialect knows the shape of such an event,
 * the relay knows that it is needed: by then nobody of the dialect is alive to write it.
 * @module
 */

// Kept by body: middleware that changes headers makes a new Response around the same stream.
const tails = new WeakMap<ReadableStream, string>();

/** Attaches the text (whole server-sent events) that replaces the lost rest of this response's body. Returns the response. */
export function setFailureTail(response: Response, tail: string): Response {
  if (response.body) tails.set(response.body, tail);
  return response;
}

/** The text given to {@link setFailureTail}; undefined: a lost rest is an error of the body stream. */
export function failureTailOf(response: Response): string | undefined {
  return response.body ? tails.get(response.body) : undefined;
}
