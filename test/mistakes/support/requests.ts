/** Requests to the service in this process, and what their sender reads of the answer. */
import { vi } from 'vitest';
import { ALL_TASKS, audioForm } from '../../service/http/support/models.js';
import { scriptedChat } from '../../support/build-app.js';

// Lines in the console come once: other files that share this process may have made the same mistakes.
vi.resetModules();
const { buildApp } = await import('../../support/build-app.js');

const small = scriptedChat({ id: 'small', contextLength: 20 });
const removed = scriptedChat({ id: 'removed', status: 'removed' });
const asked = scriptedChat({ id: 'asked', script: { replies: [{ match: 'weather', text: 'Sun.' }] } });

/** A model of each task, one with little context, one that was removed and one whose reply fits nothing here. */
export const { app } = await buildApp({ models: [...ALL_TASKS, small, removed, asked] });
/** Needs a key. */
export const { app: keyed } = await buildApp({ apiKeys: ['sk-right', { key: 'sk-old', revoked: true }] });
/** One request a minute. */
export const { app: limited } = await buildApp({ rateLimits: { requestsPerMinute: 1 } });
/** Has no models. */
export const { app: empty } = await buildApp({ models: [] });

/** Status and message; nothing of an answer that is as asked for. */
export async function read(response: Response): Promise<string> {
  const text = await response.text();
  if (response.ok) return '';
  const page = /<p>(.*)<\/p>/.exec(text)?.[1];
  const message = text.startsWith('{') ? messageOf(JSON.parse(text) as ErrorBody) : text;
  return `${response.status} ${page ?? message}`;
}

interface ErrorBody {
  error?: string | { message?: string };
  message?: string;
  detail?: unknown;
}

/** Of an error in any of the service's shapes. */
function messageOf({ error, message, detail }: ErrorBody): string {
  return (typeof error === 'string' ? error : error?.message) ?? message ?? JSON.stringify(detail);
}

/** A request with a body: a text as it is, else as JSON. */
export const to =
  (path: string, body: unknown, headers: object = {}, service = app) =>
  async (): Promise<string> =>
    read(
      await service.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );

export const get = (path: string) => async (): Promise<string> => read(await app.request(path));

export const messages = [{ role: 'user', content: 'Hello.' }];
export const parameters = { type: 'object', properties: { city: { type: 'string' } } };
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A chat completion with these fields on top. */
export const chat = (fields: object, service = app) =>
  to('/v1/chat/completions', { model: 'scripted-chat', messages, ...fields }, {}, service);

/** A form to transcribe. */
export const listen = (form: FormData, headers?: Record<string, string>) => async (): Promise<string> =>
  read(await app.request('/v1/audio/transcriptions', { method: 'POST', body: form, ...(headers && { headers }) }));

/** A valid form without one of its fields, and with another in its place. */
export function formWithout(name: string, instead?: [name: string, value: string | Blob]): FormData {
  const form = audioForm();
  form.delete(name);
  if (instead) form.append(instead[0], instead[1] as Blob);
  return form;
}
