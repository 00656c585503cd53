/** A request that was refused: the service's sentence, and the field that it names. */
export class RequestError extends Error {
  override name = 'RequestError' as const;
  /** Dotted place in the request's body, where the error has one. */
  readonly param: string | undefined;

  constructor(message: string, param?: string) {
    super(message);
    this.param = param;
  }
}

/** What hosted services send for whatever is wrong with their models. */
const SAYS_NOTHING = /^Service Temporarily Unavailable/;

/**
 * Errors come as JSON in several shapes, or as a plain sentence.
 * @param reason the header `x-error-message`: why, where the sentence is only what hosted services send
 */
export function requestError(text: string, status: number, reason?: string | null): RequestError {
  const why = reason ? decodeURIComponent(reason) : undefined;
  try {
    const { error } = JSON.parse(text) as { error: string | { message: string; param?: string | null } };
    const { message, param } = typeof error === 'string' ? { message: error } : error;
    return new RequestError((SAYS_NOTHING.test(message) && why) || message, param ?? undefined);
  } catch {
    return new RequestError(why ?? (text || `HTTP ${status}`));
  }
}
