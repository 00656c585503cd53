/** What the tables of mistakes share: how one is made in a page, and servers that answer badly. */
import type { Page, Route } from 'playwright';
import type { ModelEntry } from '../../../src/index.js';

/** A mistake, the whole sentence that answers it, and what makes it. */
export type Mistake = readonly [mistake: string, says: string, make: (page: Page) => Promise<unknown>];

/** A server that each model of the hub, and each remote service, meets in its own way, by the path. */
export const ELSEWHERE = 'http://127.0.0.1:1';
const CORS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after' };

/** @param route of {@link ELSEWHERE} */
export async function answerElsewhere(route: Route): Promise<void> {
  const path = new URL(route.request().url()).pathname;
  if (path.includes('limited')) return route.fulfill({ status: 429, headers: { ...CORS, 'retry-after': '2' } });
  if (path.includes('private')) return route.fulfill({ status: 401, headers: CORS });
  if (path.includes('unknown')) return route.fulfill({ status: 404, headers: CORS });
  if (path.includes('original'))
    return route.fulfill({ headers: CORS, json: [{ type: 'file', path: 'model.safetensors', size: 1, oid: 'a' }] });
  if (path.includes('wrong-key'))
    return route.fulfill({ status: 401, headers: CORS, json: { error: { message: 'Incorrect API key provided.' } } });
  return route.abort('connectionrefused');
}

/** What the server of a single-page app sends for a file that it does not have. */
export const PAGE = { contentType: 'text/html', body: '<!doctype html><title>The app</title>' };

/** What a person reads: the error, or the text that a row returns. */
export async function answerTo(make: Mistake[2], page: Page): Promise<string> {
  try {
    const returned = await make(page);
    return typeof returned === 'string' && returned !== '' ? returned : 'SILENT';
  } catch (thrown) {
    return (thrown as Error).message.replace(/^page\.evaluate: (\w+: )?/, '').split('\n', 1)[0]!;
  }
}

/** @param run in the page */
export const call =
  (run: () => unknown) =>
  (page: Page): Promise<unknown> =>
    page.evaluate(run);

export const load = (model: string) => (at: Page) => at.evaluate((id) => window.inference!.load(id), model);

/** What the header says of a chat completion that failed. @param door the function that sends it */
export const ask =
  (model: string, door: 'fetch' | 'inference.fetch' = 'fetch') =>
  (at: Page): Promise<string> =>
    at.evaluate(
      async ([id, by]) => {
        const body = JSON.stringify({ model: id, messages: [{ role: 'user', content: 'Hi' }] });
        const send = by === 'fetch' ? fetch : window.inference!.fetch;
        const response = await send('/v1/chat/completions', { method: 'POST', body });
        return `${response.status} ${response.headers.get('x-error-message')}`;
      },
      [model, door] as const,
    );

export const gguf = (id: string, fields: object): ModelEntry => ({ id, task: 'chat', backend: 'gguf', ...fields });
export const onnx = (id: string, fields: object): ModelEntry => ({
  id,
  task: 'chat',
  backend: 'transformers',
  ...fields,
});
export const far = (id: string, source: string): ModelEntry => ({ id, task: 'chat', backend: 'upstream', source });
export const TINY_CHAT = '/models/tiny-chat/tiny-chat-Q8_0.gguf';
export const TINY_EMBED = { task: 'embeddings', source: '/models/tiny-embed' } as const;

/** The error of a model that could not be loaded. */
export const lost = (id: string, reason: string): string => `The model \`${id}\` could not be loaded. ${reason}`;

/** Why, of a file of a hub that did not answer. */
export const unfetched = (url: string): string =>
  `${url} could not be downloaded (TypeError: Failed to fetch). Is the server reachable, and does the page's \`connect-src\` allow it? If a firewall or proxy blocks the hub, set the option \`hub\` to a mirror, or copy the model into your app with \`npx inpage pack\`.`;
