/** How a request runs, as the scheduler wants to know it. @module */
import type { RunOptions } from '../../scheduler/inference.js';
import type { HttpRequestContext } from '../http-context.js';

/** @param signal where it is not the request's own */
export function runOptions(
  c: HttpRequestContext,
  deadline: RunOptions['deadline'],
  signal: AbortSignal = c.req.raw.signal,
): RunOptions {
  // Nothing is bound where the app is asked without a gateway, in tests.
  const { onBegin } = (c.env as HttpRequestContext['env'] | undefined) ?? {};
  return { signal, deadline, onBegin };
}
