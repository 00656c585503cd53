/** A line for each request that was served. @module */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Prints when the answer has ended. What a request may hold that is secret stays out: bodies, headers and the query. */
export function logAnswers({ method = 'GET', url = '/' }: IncomingMessage, response: ServerResponse): void {
  const begun = performance.now();
  const [path] = url.split('?', 1);
  response.once('close', () => {
    const status = response.headersSent ? String(response.statusCode) : '-';
    const end = response.writableFinished ? '' : ', left before the end';
    const duration = Math.round(performance.now() - begun);
    process.stdout.write(`${new Date().toISOString()} ${method} ${path} ${status} ${duration} ms${end}\n`);
  });
}
