/** What happens to every request around its endpoint: ids, the caller's key, errors in the form of the endpoint. @module */
import type { MiddlewareHandler } from 'hono';
import { AnswerRecord } from '../answer/answer-record.js';
import { InferenceError, toInferenceError } from '../../core/errors/inference-error.js';
import { createUuid } from '../../core/platform/create-uuid.js';
import type { Endpoint } from './endpoint.js';
import type { EndpointName } from './errors/error-table.js';
import { renderError } from './errors/render-error.js';
import type { HttpContext, HttpEnvironment, HttpRequestContext } from './http-context.js';
import type { KeyRing } from './policy/api-key.js';

/** Around everything: an id before, and after it the headers that every answer carries. */
export function addIds(context: HttpContext): MiddlewareHandler<HttpEnvironment> {
  return async (c, next) => {
    // Nothing is bound where the app is asked without a gateway, in tests.
    const record = (c.env as HttpRequestContext['env'] | undefined)?.record ?? new AnswerRecord();
    c.set('record', record);
    c.set('inferenceId', record.draw('id', context.createId));
    c.set('endpoint', 'service');
    c.set('answerHeaders', {});
    try {
      await next();
    } catch (thrown) {
      // hono hands only instances of Error to onError.
      c.res = answerError(thrown, c, context);
    }
    setIds(c.res.headers, c.get('endpoint'), c.get('inferenceId'));
    for (const [name, value] of Object.entries(c.get('answerHeaders'))) c.res.headers.set(name, value);
  };
}

/** The request's id under every name that clients look for. */
function setIds(headers: Headers, endpoint: EndpointName, inferenceId: string): void {
  headers.set('inference-id', inferenceId);
  headers.set('x-request-id', inferenceId);
  if (endpoint === 'messages') headers.set('request-id', inferenceId);
}

/** Around the endpoints of one path: which error shapes they owe, and the key before anything else. */
export function identifyCaller(endpoints: readonly Endpoint[], keyRing: KeyRing): MiddlewareHandler<HttpEnvironment> {
  return async (c, next) => {
    c.set('endpoint', endpoints[0]?.name ?? 'service');
    c.set('caller', await keyRing.identify(c.req.raw.headers));
    await next();
  };
}

/** @throws InferenceError `method_not_allowed` */
export function refuseMethod(endpoints: readonly Endpoint[]): never {
  const allow = endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  throw new InferenceError('method_not_allowed', `This path takes ${allow.join(' or ')} only.`, { allow });
}

/** The answer to a request that failed. */
export function answerError(thrown: unknown, c: HttpRequestContext, context: HttpContext): Response {
  const error = toInferenceError(thrown);
  if (error.code === 'internal' && error.cause !== undefined) console.error(error.cause);
  // An address that no pattern fits (an empty path) comes here without having passed `addIds`.
  const { endpoint = 'service', inferenceId = createUuid() } = c.var as Partial<HttpEnvironment['Variables']>;
  const response = renderError(error, endpoint, inferenceId, context.compatibility);
  setIds(response.headers, endpoint, inferenceId);
  return response;
}
