/** One request to the page's own `/v1`, as any client would send it, and shown in the wire panel. */
import { inference } from '../inference.js';
import { followRequest } from '../metrics/request-log.js';
import { AnswerClock } from './answer-clock.js';
import { LiveSound } from './live-sound.js';
import { readEvents } from './read-events.js';
import { requestError } from './request-error.js';
import { recordEvent, recordRequest, type WireRequest } from './wire-log.js';

type Body = Record<string, unknown> | FormData | LiveSound;

/** Resolves with the response when its status is good. @throws RequestError otherwise */
async function post(request: WireRequest, body: Body, signal?: AbortSignal): Promise<Response> {
  const service = inference.value;
  if (!service) throw new Error('Inference has not started yet.');
  recordRequest(request);
  const init: RequestInit = { method: 'POST', ...toInit(body), ...(signal && { signal }) };
  const response =
    body instanceof LiveSound
      ? // Not every browser's own `fetch` sends a body while it is made.
        await service.fetch(`${service.baseURL}${request.path}?${new URLSearchParams(body.fields)}`, init)
      : await fetch(service.baseURL + request.path, init);
  if (response.ok) return response;
  const text = await response.text();
  recordEvent(text);
  throw requestError(text, response.status, response.headers.get('x-error-message'));
}

function toInit(body: Body): RequestInit {
  if (body instanceof FormData) return { body };
  if (body instanceof LiveSound) {
    return { headers: { 'content-type': `audio/pcm; rate=${body.rate}` }, body: body.samples };
  }
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/**
 * The events of a streamed answer, parsed.
 * @param clock ticks with every piece of the answer
 */
export async function* streamInference(
  path: string,
  body: Body,
  signal?: AbortSignal,
  clock = new AnswerClock(),
): AsyncGenerator<object> {
  const request = readable(path, body);
  const followed = followRequest(request, clock);
  try {
    for await (const data of readEvents(await post(request, body, signal))) {
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
  const request = readable(path, body);
  const followed = followRequest(request, new AnswerClock());
  try {
    const text = await (await post(request, body, signal)).text();
    recordEvent(text);
    return JSON.parse(text) as Answer;
  } finally {
    followed.end();
  }
}

/** The sound that answers, when all of it is there. */
export async function callForSound(path: string, body: Body, signal?: AbortSignal): Promise<Blob> {
  const request = readable(path, body);
  const followed = followRequest(request, new AnswerClock());
  try {
    const sound = await (await post(request, body, signal)).blob();
    recordEvent(JSON.stringify({ type: sound.type, bytes: sound.size }));
    return sound;
  } finally {
    followed.end();
  }
}

function readable(path: string, body: Body): WireRequest {
  if (body instanceof LiveSound) return { path, sentAs: 'sound', body: { ...body.fields, rate: body.rate } };
  if (!(body instanceof FormData)) return { path, sentAs: 'json', body };
  const fields = [...body].map(([name, value]) => [name, value instanceof File ? value.name : value]);
  return { path, sentAs: 'form', body: Object.fromEntries(fields) as Record<string, unknown> };
}
