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

/** Errors come as JSON in several shapes, or as a plain sentence. */
export function requestError(text: string, status: number): RequestError {
  try {
    const { error } = JSON.parse(text) as { error: string | { message: string; param?: string | null } };
    if (typeof error === 'string') return new RequestError(error);
    return new RequestError(error.message, error.param ?? undefined);
  } catch {
    return new RequestError(text || `HTTP ${status}`);
  }
}
