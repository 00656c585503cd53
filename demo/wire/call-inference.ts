/** One request to the page's own `/v1`, as any client would send it, and shown in the wire panel. */
import { inference } from '../inference.js';
import { followRequest } from '../metrics/request-log.js';
import { readEvents } from './read-events.js';
import { recordEvent, recordRequest } from './wire-log.js';

type Body = Record<string, unknown> | FormData;

/** Resolves with the response when its status is good; throws the error's message otherwise. */
async function post(path: string, body: Body, signal?: AbortSignal): Promise<Response> {
  const service = inference.value;
  if (!service) throw new Error('Inference has not started yet.');
  const isForm = body instanceof FormData;
  recordRequest({ path, isForm, body: isForm ? readable(body) : body });
  const response = await fetch(service.baseURL + path, {
    method: 'POST',
    ...(isForm ? { body } : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (response.ok) return response;
  const text = await response.text();
  recordEvent(text);
  throw new Error(problemOf(text) || `HTTP ${response.status}`);
}

/** The events of a streamed answer, parsed. */
export async function* streamInference(path: string, body: Body, signal?: AbortSignal): AsyncGenerator<object> {
  const followed = followRequest(path, modelOf(body));
  try {
    for await (const data of readEvents(await post(path, body, signal))) {
      recordEvent(data);
      followed.event(data);
      if (data !== '[DONE]') yield JSON.parse(data) as object;
    }
  } finally {
    followed.end();
  }
}

/** The answer of a request that is not streamed. */
export async function callInference<Answer>(path: string, body: Body, signal?: AbortSignal): Promise<Answer> {
  const followed = followRequest(path, modelOf(body));
  try {
    const text = await (await post(path, body, signal)).text();
    recordEvent(text);
    return JSON.parse(text) as Answer;
  } finally {
    followed.end();
  }
}

/** Errors come as JSON in several shapes, or as a plain sentence. */
function problemOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error: string | { message: string } };
    return typeof error === 'string' ? error : error.message;
  } catch {
    return text;
  }
}

function modelOf(body: Body): string {
  return String(body instanceof FormData ? body.get('model') : body['model']);
}

function readable(form: FormData): Record<string, unknown> {
  return Object.fromEntries([...form].map(([name, value]) => [name, value instanceof File ? value.name : value]));
}
