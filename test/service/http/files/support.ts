/** A service with files, and how tests ask it. */
import type { App } from '../../../../src/service/http/app.js';
import { buildApp, type BuildAppOptions } from '../../../support/build-app.js';
import { ALL_TASKS } from '../support/models.js';

export interface Answer {
  status: number;
  body: any;
  headers: Headers;
}

export async function start(options: BuildAppOptions = {}): Promise<App> {
  return (await buildApp({ models: ALL_TASKS, ...options })).app;
}

export async function ask(app: App, method: string, path: string, body?: unknown, headers = {}): Promise<Answer> {
  const isForm = body instanceof FormData;
  const response = await app.request(`/v1${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && !isForm && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
}

export function formOf(content: BlobPart, name: string, fields: Record<string, string> = { purpose: 'assistants' }) {
  const form = new FormData();
  form.set('file', new File([content], name));
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  return form;
}

/** The object of a 200 answer. */
export async function get(app: App, ...asked: [method: string, path: string, body?: unknown, headers?: object]) {
  const { status, body } = await ask(app, ...asked);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

export const upload = async (app: App, content: BlobPart, name = 'notes.txt', headers = {}): Promise<string> =>
  (await get(app, 'POST', '/files', formOf(content, name), headers)).id;

/** Waits until nothing of a store is in progress. */
export async function settled(app: App, store: string, headers = {}): Promise<any> {
  for (;;) {
    const found = await get(app, 'GET', `/vector_stores/${store}`, undefined, headers);
    if (found.status !== 'in_progress') return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A store with these files, indexed. */
export async function storeOf(
  app: App,
  files: Record<string, string>,
  body: object = {},
): Promise<{ id: string; ids: string[] }> {
  const ids: string[] = [];
  for (const [name, content] of Object.entries(files)) ids.push(await upload(app, content, name));
  const { id } = await get(app, 'POST', '/vector_stores', { file_ids: ids, ...body });
  await settled(app, id);
  return { id, ids };
}
