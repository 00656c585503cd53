/** Requests to an app as a client would make them. */
import type { App } from '../../src/service/http/app.js';
import { jsonOf, readEvents } from './read-events.js';
import { type StreamDialect, type ValidateOptions, validateStream } from './validate-stream.js';

export interface Answer {
  status: number;
  headers: Headers;
  body: any;
}

/** Posts JSON below `/v1`. */
export function post(app: App, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return Promise.resolve(
    app.request(`http://localhost/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: text,
    }),
  );
}

/** Posts JSON and reads the JSON of the answer. */
export async function postJson(
  app: App,
  path: string,
  body: unknown,
  headers?: Record<string, string>,
): Promise<Answer> {
  const response = await post(app, path, body, headers);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Posts with `stream: true`, validates the whole stream and gives its JSON data without `[DONE]`. */
export async function postStream(
  app: App,
  dialect: StreamDialect,
  body: object,
  options?: ValidateOptions,
): Promise<any[]> {
  const path = { 'chat-completions': '/chat/completions', audio: '/audio/transcriptions' }[dialect as string];
  const response = await post(app, path ?? `/${dialect}`, { ...body, stream: true });
  const type = response.headers.get('content-type') ?? '';
  if (response.status !== 200 || !type.startsWith('text/event-stream')) {
    throw new Error(`No stream but ${response.status} ${type}: ${await response.text()}`);
  }
  const events = await readEvents(response);
  validateStream(dialect, events, options);
  return jsonOf(events);
}
