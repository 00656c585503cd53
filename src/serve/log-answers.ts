/** A line for each request that was served. @module */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Redactor } from '../core/models/redactor.js';

/** Prints when the answer has ended. What a request may hold that is secret stays out: bodies, headers, the query, keys. */
export function logAnswers(
  { method = 'GET', url = '/' }: IncomingMessage,
  response: ServerResponse,
  redactor: Redactor,
): void {
  const begun = performance.now();
  const path = redactor.text(url.split('?', 1)[0]!);
  response.once('close', () => {
    const status = response.headersSent ? String(response.statusCode) : '-';
    const end = response.writableFinished ? '' : ', left before the end';
    const duration = Math.round(performance.now() - begun);
    process.stdout.write(`${new Date().toISOString()} ${method} ${path} ${status} ${duration} ms${end}\n`);
  });
}
