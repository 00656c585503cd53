/** What a request's answer notes of itself, so that another host can go on with it. @module */
import type { AnswerRecord } from '../../answer/answer-record.js';
import type { HttpContext, HttpRequestContext } from '../http-context.js';

/** Absent where the app is asked without a gateway, in tests. */
export function recordOf(c: HttpRequestContext): AnswerRecord | undefined {
  return (c.env as HttpRequestContext['env'] | undefined)?.record;
}

/**
 * The context for an answer that may go on elsewhere: the same ids and times are drawn there. Whoever goes on was admitted
 * when the answer began.
 */
export function recordedContext(c: HttpRequestContext, context: HttpContext): HttpContext {
  const record = recordOf(c);
  if (!record) return context;
  return {
    ...context,
    createId: () => record.draw('id', context.createId),
    now: () => record.draw('time', context.now),
    admit: record.isContinued ? async () => {} : context.admit,
  };
}
