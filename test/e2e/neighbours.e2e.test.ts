/** Who else wants this page or this origin: other Service Workers, other tabs, a second start. */
import type { BrowserContext, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { demoOrigin } from './support/demo-origin.js';
import { ask, countingModel, openHost, registerInPage } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

const OPTIONS = { models: [countingModel(3, 0, 'quick')] };
const OTHER = `addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  if (event.request.url.endsWith('/hang')) event.respondWith(new Promise(() => {}));
});`;

let context: BrowserContext;
let warnings: { page: Page | null; text: string }[];
withContexts(async (fresh) => {
  context = fresh;
  await context.route('**/other-sw.js', (route) => route.fulfill({ contentType: 'text/javascript', body: OTHER }));
  warnings = [];
  context.on('console', (message) => {
    if (message.type() === 'warning') warnings.push({ page: message.page(), text: message.text() });
  });
});

const told = (): string => warnings.map(({ text }) => text).join('\n');
const door = (page: Page) => page.evaluate(() => window.inference?.status()[0]?.door);

/** A page of the app before it starts anything. */
async function openApp(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${demoOrigin()}/__log`);
  return page;
}

describe('another Service Worker', () => {
  it('that takes the page over is named with the way out; status() and inference.fetch say so', async () => {
    const page = await openHost(context, OPTIONS);
    expect(await door(page)).toBe('service-worker');
    await registerInPage(page, '/other-sw.js');
    await expect
      .poll(told)
      .toMatch(/\/other-sw\.js has taken control of this page.*importScripts\('\/inpage-sw\.js'\)/);
    expect(await door(page)).toBe('fetch');
    expect((await ask(page, 'quick', 'inference.fetch')).status).toBe(200);
  });

  it('that was there first is named when its place is taken', async () => {
    await registerInPage(await openApp(), '/other-sw.js');
    const page = await openHost(context, OPTIONS);
    expect(await door(page)).toBe('service-worker');
    await expect.poll(told).toContain('replaces the Service Worker /other-sw.js');
  });

  it('of a narrower scope fails the start at once, and is named', async () => {
    await registerInPage(await openApp(), '/other-sw.js', '/host.html');
    await expect(openHost(context, OPTIONS)).rejects.toThrow(
      /\/other-sw\.js, controls this page.*importScripts\('\/inpage-sw\.js'\)/,
    );
  });

  it('that answers before the script which it imports fails the start, and is named', async () => {
    const script = `addEventListener('fetch', (event) => event.respondWith(fetch(event.request)));\n${OTHER}`;
    const late = `${script}\nimportScripts('/inpage-sw.js');`;
    await context.route('**/late-sw.js', (route) => route.fulfill({ contentType: 'text/javascript', body: late }));
    await expect(openHost(context, { ...OPTIONS, serviceWorker: '/late-sw.js' })).rejects.toThrow(
      /The Service Worker \/late-sw\.js handles requests to .*\/v1 before Inpage does. Move its `importScripts`/,
    );
  });

  it('that has a request to answer and so keeps the page is named', async () => {
    const app = await openApp();
    await registerInPage(app, '/other-sw.js');
    await app.evaluate(() => void fetch('/hang'));
    await expect(openHost(context, OPTIONS)).rejects.toThrow(
      /\/other-sw\.js, controls this page.* busy .*importScripts\('\/inpage-sw\.js'\)/,
    );
  });

  it('that is the app’s own script is found with whatever parameters, before and after the start', async () => {
    const scripts = (page: Page) =>
      page.evaluate(async () =>
        (await navigator.serviceWorker.getRegistrations()).map(({ active }) => new URL(active!.scriptURL).search),
      );
    await registerInPage(await openApp(), '/sw.js?v=3');
    const page = await openHost(context, { ...OPTIONS, serviceWorker: '/sw.js' });
    expect(await scripts(page)).toEqual(['?v=3']);
    expect((await ask(page, 'quick')).status).toBe(200);
    await registerInPage(page, '/sw.js?v=4');
    await page.waitForFunction(() => navigator.serviceWorker.controller?.scriptURL.endsWith('?v=4'));
    expect((await ask(page, 'quick')).status).toBe(200);
    expect(await door(page)).toBe('service-worker');
    expect(told()).toBe('');
  });
});

describe('other options', () => {
  it('in another tab are named in both', async () => {
    const first = await openHost(context, OPTIONS);
    const second = await openHost(context, { models: [countingModel(4, 0, 'quick')], requestTimeout: 5 });
    for (const page of [first, second]) {
      await expect
        .poll(() => warnings.filter((warning) => warning.page === page).map(({ text }) => text))
        .toContainEqual(
          expect.stringMatching(/another tab .* different options \(`models`, `requestTimeout`\)\. The two tabs/),
        );
    }
    expect([await door(first), await door(second)]).toEqual(['service-worker', 'service-worker']);
  });

  it('in the same tab are refused by name, until the first is stopped', async () => {
    const page = await openHost(context, OPTIONS);
    const start = (requestTimeout: number) =>
      page.evaluate(
        ([models, seconds]) =>
          window.startInference({ models: models as never, requestTimeout: seconds as number }).then(
            () => 'started',
            (error: Error & { param: string }) => `${error.param}: ${error.message}`,
          ),
        [OPTIONS.models, requestTimeout],
      );
    expect(await start(5)).toMatch(
      /^requestTimeout: .*already running .* with different options \(`requestTimeout`\).*`stop\(\)`/,
    );
    expect(await start(600)).toBe('started');
    expect(told()).toBe('');
  });
});
