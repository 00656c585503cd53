/** Mock Service Worker beside Inpage, in one script, in every order of starting and on every visit. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { serveFolder } from '../e2e/support/serve-demo.js';
import { expectAnswers, root, START_INPAGE, waitForStart } from './support.js';

const MSW = join(root, 'test/neighbours/node_modules/msw/lib');
const site = mkdtempSync(join(tmpdir(), 'inpage-msw-'));

/** Starts both in the order that the URL names; `*` between them is at once. */
const PAGE = `<!doctype html><title>App</title><script src="/msw.js"></script><script type="module">
import { startInference } from '/lib/index.js';
const { setupWorker, http, HttpResponse } = MockServiceWorker;
const worker = setupWorker(http.get('/api/user', () => HttpResponse.json({ name: 'Ada' })));
const { searchParams } = new URL(location.href);
const url = searchParams.get('msw') ?? '/sw.js';
const starts = {
  msw: () => worker.start({ serviceWorker: { url }, onUnhandledRequest: 'bypass', quiet: true }),
  inpage: async () => { window.inference = await startInference${START_INPAGE}; },
};
try {
  for (const step of searchParams.get('order').split(',')) {
    await Promise.all(step.split('*').map((name) => starts[name]()));
  }
  window.started = true;
} catch (error) {
  window.failed = String(error);
}
</script>`;

let browser: Browser;
let context: BrowserContext;
let app: Awaited<ReturnType<typeof serveFolder>>;
let warnings: string[];
beforeAll(async () => {
  execFileSync(process.execPath, [join(root, 'dist/cli.js'), 'init', site, '--models', '', '--no-webgpu']);
  mkdirSync(join(site, 'lib'));
  for (const file of ['index.js', 'gateway-worker.js', 'model-worker.js', 'chunks']) {
    cpSync(join(root, 'dist', file), join(site, 'lib', file), { recursive: true });
  }
  cpSync(join(MSW, 'iife/index.js'), join(site, 'msw.js'));
  cpSync(join(MSW, 'mockServiceWorker.js'), join(site, 'mockServiceWorker.js'));
  writeFileSync(join(site, 'index.html'), PAGE);
  writeFileSync(join(site, 'sw.js'), "importScripts('/inpage-sw.js', '/mockServiceWorker.js');\n");
  [browser, app] = await Promise.all([launchChromium(), serveFolder(site, false)]);
});
afterAll(async () => {
  await browser.close();
  await app.close();
  rmSync(site, { recursive: true });
});
beforeEach(async () => {
  context = await browser.newContext();
  warnings = [];
  context.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()));
});
afterEach(() => context.close());

async function visit(page: Page, query: string): Promise<void> {
  await page.goto(`${app.origin}/?${query}`);
  await waitForStart(page);
}

async function expectBoth(page: Page): Promise<void> {
  await expectAnswers(page);
  const user = await page.evaluate(async () => (await fetch('/api/user')).json() as Promise<unknown>);
  expect(user).toEqual({ name: 'Ada' });
}

it.each(['msw,inpage', 'inpage,msw', 'msw*inpage'])('works in the order %s, on every visit', async (order) => {
  const page = await context.newPage();
  for (let round = 0; round < 3; round++) {
    await visit(page, `order=${order}`);
    await expectBoth(page);
  }
  const second = await context.newPage();
  await visit(second, `order=${order}`);
  await expectBoth(second);
  expect(warnings.filter((text) => text.startsWith('inpage'))).toEqual([]);
});

it('is found although its script carries parameters', async () => {
  const page = await context.newPage();
  for (const order of ['msw,inpage', 'msw,inpage', 'inpage,msw']) {
    await visit(page, `order=${order}&msw=/sw.js?v=2`);
    await expectBoth(page);
  }
});

it('is told of when each has a script of its own', async () => {
  const page = await context.newPage();
  await visit(page, 'order=inpage,msw&msw=/mockServiceWorker.js');
  await expect.poll(() => warnings.join('\n')).toMatch(/\/mockServiceWorker\.js took this page over/);
});
