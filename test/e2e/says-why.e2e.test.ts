/** What goes wrong for a stranger says why: deployments with a file missing, models with a wrong name. */
import type { BrowserContext, Page } from 'playwright';
import { expect, it } from 'vitest';
import type { ModelEntry } from '../../src/index.js';
import { countingModel, openHost } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

let context: BrowserContext;
let errors: string[];
withContexts((fresh) => {
  context = fresh;
  errors = [];
  context.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
});

const DOORS = { models: [countingModel(3, 0)] };

it.each([
  ['missing', { status: 404, body: 'Not Found' }, /gateway-worker.*status 404/],
  ['a web page', { status: 200, contentType: 'text/html', body: '<!doctype html>' }, /gateway-worker.*text\/html/],
  ['broken', { status: 200, contentType: 'text/javascript', body: 'throw new Error("Oh no")' }, /threw.*Oh no/],
])('a gateway script that is %s fails the start at once, and is named', async (_, answer, reason) => {
  const headers = { 'cross-origin-embedder-policy': 'require-corp' };
  await context.route(/gateway-worker/, (route) => route.fulfill({ headers, ...answer }));
  await expect(openHost(context, DOORS)).rejects.toThrow(reason);
});

it('a worker that the policy forbids fails the start at once, with the directive', async () => {
  await context.route(/host\.html/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      headers: { ...response.headers(), 'content-security-policy': "worker-src 'none'" },
    });
  });
  await expect(openHost(context, { ...DOORS, serviceWorker: false })).rejects.toThrow(/worker-src/);
  await expect(openHost(context, DOORS)).rejects.toThrow(
    /blocks the (Service Worker \/inpage-sw\.js|worker \S+).* `worker-src`/,
  );
});

/** What `load` rejects with, as an app sees it. */
function loadError(page: Page, model: string) {
  return page.evaluate(
    (id) =>
      window.inference!.load(id).then(
        () => undefined,
        (error: Error & { code: string; details: { url?: string; httpStatus?: number } }) => ({
          code: error.code,
          message: error.message,
          ...error.details,
        }),
      ),
    model,
  );
}

it('a model whose files are not there says which, in the error, the status and once in the console; no answer has it', async () => {
  const source = '/models/no-such-model';
  const page = await openHost(context, {
    models: [{ id: 'lost', task: 'chat', backend: 'transformers', source, dtype: 'q8' }],
  });
  const error = await loadError(page, 'lost');
  expect(error).toMatchObject({ code: 'unavailable', httpStatus: 404 });
  expect(error?.url).toContain(`${source}/`);
  expect(error?.message).toContain('Check `source`');
  const status = await page.evaluate(() => window.inference!.status());
  expect(status).toMatchObject([{ id: 'lost', state: 'failed', error: { httpStatus: 404 } }]);
  await expect.poll(() => errors.filter((text) => text.startsWith('inpage: `lost`')).length).toBe(1);
  const answer = await page.evaluate(async () => {
    const body = JSON.stringify({ model: 'lost', messages: [{ role: 'user', content: 'Hi' }] });
    const response = await fetch('/v1/chat/completions', { method: 'POST', body });
    return { status: response.status, text: await response.text() };
  });
  expect(answer).toEqual({ status: 503, text: 'Service Temporarily Unavailable' });
});

it('a model whose server is out of reach says so', async () => {
  const source = 'http://localhost:9/models/far';
  const page = await openHost(context, { models: [{ id: 'far', task: 'chat', backend: 'transformers', source }] });
  const error = await loadError(page, 'far');
  expect(error?.message).toContain('could not be downloaded');
  expect(error?.url).toContain(source);
});

it('a part that was lost once on its way is fetched again, and the request is answered', async () => {
  const lost: string[] = [];
  await context.route(/scripted-backend/, (route) => {
    if (lost.push(route.request().url()) > 1) return route.fallback();
    return route.fulfill({ status: 502, body: 'Bad Gateway' });
  });
  const page = await openHost(context, DOORS);
  const status = await page.evaluate(async (model) => {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] });
    return (await fetch('/v1/chat/completions', { method: 'POST', body })).status;
  }, DOORS.models[0]!.id);
  expect([status, lost.length]).toEqual([200, 2]);
});

it.each([
  ['the network is gone', (): Promise<unknown> => context.setOffline(true), /model-worker\S* could not be downloaded/],
  [
    'another version was deployed',
    () => context.route(/model-worker/, (route) => route.fulfill({ status: 404, body: 'Not Found' })),
    /model-worker\S* returned status 404/,
  ],
])('a first load after %s says why, in the error and in an answer', async (_, change, reason) => {
  const page = await openHost(context, DOORS);
  await change();
  expect(await loadError(page, DOORS.models[0]!.id)).toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(reason) as string,
    url: expect.stringContaining('model-worker') as string,
  });
  for (const door of ['fetch', 'inference.fetch'] as const) {
    const answer = await page.evaluate(
      async ([send, model]) => {
        const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] });
        const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
        const response = await (send === 'fetch' ? fetch : window.inference!.fetch)('/v1/chat/completions', request);
        return { status: response.status, code: response.headers.get('x-error-code'), text: await response.text() };
      },
      [door, DOORS.models[0]!.id] as const,
    );
    expect(answer).toMatchObject({ status: 503, code: 'unavailable' });
    expect(answer.text).not.toContain('model-worker');
  }
});

it('a part of Inpage that is fetched with the first load is named, and the load works when the network is back', async () => {
  const source = '/models/tiny-embed';
  const models: ModelEntry[] = [{ id: 'late', task: 'embeddings', backend: 'transformers', source, dtype: 'q8' }];
  const page = await openHost(context, { models });
  await context.setOffline(true);
  expect(await loadError(page, 'late')).toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/part of Inpage could not be downloaded/) as string,
    url: expect.stringMatching(/\.js$/) as string,
  });
  await context.setOffline(false);
  expect(await loadError(page, 'late')).toBeUndefined();
});
