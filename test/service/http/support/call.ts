/** Requests to the app and what came back, for tests that go through the door. */
import type { App } from '../../../../src/service/http/app.js';
import { parseEvents, type ReceivedEvent } from '../../../support/read-events.js';
import { type ValidateOptions, validateStream } from '../../../support/validate-stream.js';

/** An answer, read to its end. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; undefined when it is no JSON. Tests reach into it freely. */
  // oxlint-disable-next-line typescript/no-explicit-any
  json: any;
}

export async function post(
  app: App,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return read(
    await app.request(path, {
      method: 'POST',
      body: text,
      headers: { 'content-type': 'application/json', ...headers },
    }),
  );
}

export async function get(app: App, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return read(await app.request(path, { headers }));
}

export async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A chat completion with one user message; `fields` come on top. */
export function chat(
  app: App,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  return post(
    app,
    '/v1/chat/completions',
    { model: 'scripted-chat', messages: [{ role: 'user', content: 'Hello.' }], ...fields },
    headers,
  );
}

/** One event of a stream; `json` as in {@link Answer}. */
export interface Event extends ReceivedEvent {
  // oxlint-disable-next-line typescript/no-explicit-any
  json: any;
}

/** All events of a stream's text. */
export function eventsOf(text: string): Event[] {
  return parseEvents(text).map((event) => ({ ...event, json: parse(event.data) }));
}

/** The events of a streamed chat completion, checked as a whole. */
export async function chatStream(
  app: App,
  fields: Record<string, unknown> = {},
  options?: ValidateOptions,
): Promise<Event[]> {
  const { text } = await chat(app, { stream: true, ...fields });
  validateStream('chat-completions', parseEvents(text), options);
  return eventsOf(text);
}

/** The deltas of one choice of a chat stream, in order. */
// oxlint-disable-next-line typescript/no-explicit-any
export function deltasOf(events: readonly Event[], index = 0): any[] {
  // oxlint-disable-next-line typescript/no-explicit-any
  return events.flatMap(
    ({ json }) =>
      json?.choices?.filter((choice: any) => choice.index === index).map((choice: any) => choice.delta) ?? [],
  );
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
