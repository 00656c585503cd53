/** A service that stores responses, and how tests ask it. */
import type { Script } from '../../../../src/core/models/script.js';
import type { App, AppOptions } from '../../../../src/service/http/app.js';
import { ResponseStorage } from '../../../../src/service/response-storage.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { type Answer, postJson } from '../../../support/http-client.js';
import { REPLIES, valid } from './support.js';

export interface Settings extends Partial<Omit<AppOptions, 'inference' | 'models'>> {
  store?: ConstructorParameters<typeof ResponseStorage>[0];
  script?: Partial<Script>;
}

export async function start({ store, script, ...options }: Settings = {}): Promise<App> {
  const kept = new ResponseStorage(store, { now: options.now ?? Date.now, service: '/v1' });
  const models = [scriptedChat({ script: { replies: REPLIES, ...script } })];
  return (await buildApp({ models, ...options, ...kept.optionsFor(options.compatibility ?? 'service') })).app;
}

export const startHosted = (options: Settings = {}): Promise<App> => start({ compatibility: 'hosted', ...options });

export async function send(
  app: App,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await app.request(`/v1${path}`, { method, headers });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

/** The body of a 200 answer. */
export async function post(app: App, path: string, body: object, headers: Record<string, string> = {}): Promise<any> {
  const answer = await postJson(app, path, body, headers);
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export const create = (app: App, body: object = {}, headers: Record<string, string> = {}): Promise<any> =>
  post(app, '/responses', { ...valid, ...body }, headers);
