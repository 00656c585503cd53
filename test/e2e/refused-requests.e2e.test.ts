/** Plain requests of a page that nobody can answer are refused at once, with what to do. */
import type { BrowserContext, Page } from 'playwright';
import { expect, it } from 'vitest';
import { ask, countingModel, openHost } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

const OPTIONS = { models: [countingModel(3, 0)] };

let context: BrowserContext;
withContexts((fresh) => (context = fresh));

/** The headers that say why; an old Service Worker would say nothing for ten seconds, and then not this. */
function reasonOf(page: Page): Promise<{ status: number; reason: string | null; text: string }> {
  return page.evaluate(async () => {
    const response = await fetch('/v1/models');
    return { status: response.status, reason: response.headers.get('x-error-message'), text: await response.text() };
  });
}

it('after stop(), until inference is started again', async () => {
  const page = await openHost(context, OPTIONS);
  await page.evaluate(() => window.inference!.stop());
  const refused = await reasonOf(page);
  expect(refused).toMatchObject({ status: 503, text: 'Service Temporarily Unavailable' });
  expect(refused.reason).toMatch(/was stopped on this page.*`startInference`.*`inference\.fetch`/);
  await page.evaluate(async (options) => {
    window.inference = await window.startInference(options);
  }, OPTIONS);
  expect(await ask(page, 'counting')).toMatchObject({ status: 200 });
});

it('not while another tab hosts', async () => {
  const page = await openHost(context, OPTIONS);
  await openHost(context, OPTIONS);
  await page.evaluate(() => window.inference!.stop());
  expect(await ask(page, 'counting')).toMatchObject({ status: 200 });
});

it('with `serviceWorker: false` where an old Service Worker is still there', async () => {
  const before = await openHost(context, OPTIONS);
  await before.close();
  const page = await openHost(context, { ...OPTIONS, serviceWorker: false });
  const refused = await reasonOf(page);
  expect(refused.status).toBe(503);
  expect(refused.reason).toMatch(/serviceWorker: false.*`inference\.fetch`.*`uninstallInference\(\)`/);
  expect(await ask(page, 'counting', 'inference.fetch')).toMatchObject({ status: 200 });
});
