/** Requests to Ollama's operations, over scripted models. */
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import type { ScriptedReply } from '../../../../src/core/models/script.js';
import type { App } from '../../../../src/service/http/app.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { type Answer, post } from '../support/call.js';

/** A model that says this. */
export async function script(replies: ScriptedReply[], entry: Partial<ModelEntry> = {}): Promise<App> {
  const { app } = await buildApp({ models: [scriptedChat({ script: { replies }, ...entry })] });
  return app;
}

export function ask(app: App, path: 'chat' | 'generate', body: object = {}): Promise<Answer> {
  const asked = path === 'chat' ? { messages: [{ role: 'user', content: 'Hello.' }] } : { prompt: 'Hello.' };
  return post(app, `/v1/api/${path}`, { model: 'scripted-chat', ...asked, ...body });
}

/** The objects of a stream of lines; throws where a line is none. */
// oxlint-disable-next-line typescript/no-explicit-any
export function linesOf({ text, headers }: Pick<Answer, 'text' | 'headers'>): any[] {
  if (headers.get('content-type') !== 'application/x-ndjson') throw new Error('It is no stream of lines.');
  if (!text.endsWith('\n')) throw new Error('The last line does not end.');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
}
