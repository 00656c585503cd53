/** Runs a handler as a server does: with its errors, its deadline and its aborts. @module */
import { type ErrorFacts, generalBody } from '../../core/errors/error-bodies.js';
import type { PageInference } from '../../core/models/page-inference.js';
import type { RouteHandler } from '../../core/models/route-options.js';
import { createUuid } from '../../core/platform/create-uuid.js';
import type { RouteMatch } from '../../relay/match-route.js';
import { GuardedBody } from './guarded-body.js';

/** The routes of one `startInference`. */
export interface PageRoutes {
  readonly handlers: Readonly<Record<string, RouteHandler>>;
  /** Seconds. */
  readonly requestTimeout: number;
  /** What handlers get as `context.inference`. */
  readonly inference: () => PageInference;
  /** What handlers get as `context.fetch`: it meets no route. */
  readonly fetch: typeof fetch;
  /** Aborts with `stop()`. */
  readonly stopped: AbortSignal;
}

/**
 * The response that the page gets. Its body ends with an error, and the handler's signal aborts, when the request's signal
 * aborts. The type is `error` for a network error.
 * @throws the reason of the request's signal, when it aborts before the response
 */
export async function runRoute(routes: PageRoutes, request: Request, { key, groups }: RouteMatch): Promise<Response> {
  const aborted = new AbortController();
  const { signal } = aborted;
  const callers = AbortSignal.any([request.signal, routes.stopped]);
  const leave = (): void => aborted.abort(callers.reason);
  const left = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error)),
  );
  if (callers.aborted) leave();
  else callers.addEventListener('abort', leave);
  const late = setTimeout(() => aborted.abort(new DeadlineError()), routes.requestTimeout * 1_000);
  const done = (): void => callers.removeEventListener('abort', leave);
  try {
    const given = new Request(request, { signal });
    const context = {
      fetch: routes.fetch,
      params: paramsOf(groups),
      signal: given.signal,
      inference: routes.inference(),
    };
    const result: unknown = await Promise.race([left, (async () => routes.handlers[key]!(given, context))()]);
    return asAnswered(checked(result, key), request.method, new GuardedBody(aborted, done));
  } catch (thrown) {
    done();
    if (isResponse(thrown)) return asAnswered(thrown, request.method, new GuardedBody(aborted, done));
    if (thrown instanceof DeadlineError) return failure(408, timedOut(routes.requestTimeout));
    signal.throwIfAborted();
    reportError(thrown);
    return failure(500, FAILED);
  } finally {
    clearTimeout(late);
  }
}

function paramsOf(groups: RouteMatch['groups']): Record<string, string> {
  const entries = Object.entries(groups ?? {});
  return Object.fromEntries(entries.map(([name, value]) => (name === '$' ? ['*', value] : [name, decoded(value)])));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

class DeadlineError extends DOMException {
  constructor() {
    super('The route gave no response in time.', 'TimeoutError');
  }
}

/** The general shape has no more to say of it. */
const FAILED: ErrorFacts = { type: 'internal_error', code: null, message: 'The route failed.', param: null };

function timedOut(seconds: number): ErrorFacts {
  const message = `The route gave no response within ${seconds} seconds.`;
  return { type: 'timeout_error', code: 'timeout', message, param: null };
}

function failure(status: number, facts: ErrorFacts): Response {
  const id = createUuid();
  return Response.json(generalBody(facts, id), { status, headers: { 'x-request-id': id } });
}

/** @throws TypeError that names the route */
function checked(result: unknown, key: string): Response {
  if (!isResponse(result)) throw new TypeError(`The route \`${key}\` returned no Response.`);
  if (result.bodyUsed)
    throw new TypeError(`The route \`${key}\` returned a Response whose body has already been read.`);
  return result;
}

/** Also one of another window. */
function isResponse(value: unknown): value is Response {
  return Object.prototype.toString.call(value) === '[object Response]';
}

/** The same with a guarded body; without one for `HEAD`. */
function asAnswered(response: Response, method: string, guard: GuardedBody): Response {
  const { status, statusText, headers, body } = response;
  // `error`, `opaque`, `opaqueredirect`: nothing of it may be seen.
  if (status === 0) return Response.error();
  if (method === 'HEAD') void body?.cancel().catch(() => {});
  return new Response(method === 'HEAD' ? null : guard.around(body), { status, statusText, headers });
}
