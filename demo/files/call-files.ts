/** Requests about the visitor's files to the page's own `/v1`: they are many, and the wire panel shows the question alone. */
import { inference } from '../inference.js';
import { requestError } from '../wire/request-error.js';

interface FileAnswer<Answer> {
  answer: Answer;
  /** Milliseconds after which what is in progress is worth asking for again. */
  again: number | undefined;
}

/** @throws RequestError when it was refused */
export async function callFiles<Answer>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: FormData | object,
): Promise<FileAnswer<Answer>> {
  const service = inference.peek();
  if (!service) throw new Error('Inference has not started yet.');
  const isForm = body instanceof FormData;
  const response = await fetch(service.baseURL + path, {
    method,
    ...(body && !isForm && { headers: { 'content-type': 'application/json' } }),
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw requestError(text, response.status, response.headers.get('x-error-message'));
  const again = response.headers.get('openai-poll-after-ms');
  return { answer: JSON.parse(text) as Answer, again: again === null ? undefined : Number(again) };
}
