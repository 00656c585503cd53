/** vite-plugin-pwa (Workbox) beside Inpage, as documented: one script, in every order of starting and on every visit. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright';
import { build, type PluginOption } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { serveFolder } from '../e2e/support/serve-demo.js';
import { expectAnswers, root, startInpage, waitForStart } from './support.js';

const { inpage } = (await import(join(root, 'dist/vite.js'))) as typeof import('../../src/tools/vite/index.js');
const { VitePWA } = (await import(join(root, 'test/neighbours/node_modules/vite-plugin-pwa/dist/index.js'))) as {
  VitePWA: (options: object) => PluginOption;
};

const site = mkdtempSync(join(tmpdir(), 'inpage-pwa-'));
const app = join(site, 'source');
const out = join(site, 'public');

let browser: Browser;
let context: BrowserContext;
let server: Awaited<ReturnType<typeof serveFolder>>;
let warnings: string[];
beforeAll(async () => {
  mkdirSync(app);
  writeFileSync(
    join(app, 'index.html'),
    '<!doctype html><html><head><title>App</title></head><body><script type="module" src="./main.js"></script></body></html>',
  );
  writeFileSync(
    join(app, 'main.js'),
    `import { startInference } from 'inpage';
if (location.search === '?later') await navigator.serviceWorker.ready;
try {
  globalThis.inference = await ${startInpage("'/sw.js'")};
  globalThis.started = true;
} catch (error) {
  globalThis.failed = String(error);
}
`,
  );
  await build({
    configFile: false,
    root: app,
    logLevel: 'error',
    resolve: { alias: { inpage: join(root, 'dist/index.js') } },
    build: { outDir: out, emptyOutDir: true },
    plugins: [
      inpage({ models: false, webgpu: false }),
      VitePWA({
        workbox: { importScripts: ['/inpage-sw.js'] },
        showMaximumFileSizeToCacheInBytesWarning: true,
      }),
    ],
  });
  [browser, server] = await Promise.all([launchChromium(), serveFolder(out, false)]);
});
afterAll(async () => {
  await browser.close();
  await server.close();
  rmSync(site, { recursive: true });
});
beforeEach(async () => {
  context = await browser.newContext();
  warnings = [];
  context.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()));
});
afterEach(() => context.close());

it('builds, with a Workbox script', () => {
  expect(readdirSync(out)).toEqual(expect.arrayContaining(['sw.js', 'inpage-sw.js', 'registerSW.js']));
});

it.each([
  ['first', ''],
  ['after the other', '?later'],
])('works when Inpage starts %s, on every visit', async (_, query) => {
  const visit = async (page: Page): Promise<void> => {
    await page.goto(`${server.origin}/${query}`);
    await waitForStart(page);
    await expectAnswers(page);
  };
  const page = await context.newPage();
  for (let round = 0; round < 3; round++) await visit(page);
  await visit(await context.newPage());
  // Workbox has its copy of the page, too.
  await expect
    .poll(() => page.evaluate(async () => (await caches.match('/index.html', { ignoreSearch: true }))?.status))
    .toBe(200);
  expect(warnings.filter((text) => text.startsWith('inpage'))).toEqual([]);
});
