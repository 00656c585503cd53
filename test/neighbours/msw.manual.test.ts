/** Mock Service Worker beside Inpage: both documented set-ups, in every order of starting, on every visit, and what is no set-up. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { serveFolder } from '../e2e/support/serve-demo.js';
import { type Door, expectAnswers, root, startInpage, waitForStart } from './support.js';

/** Starts both in the order that the URL names; `*` between them is at once. */
const PAGE = `<!doctype html><title>App</title><script src="/msw.js"></script><script type="module">
import { startInference } from '/lib/index.js';
const { setupWorker, http, HttpResponse } = MockServiceWorker;
const worker = setupWorker(http.get('/api/user', () => HttpResponse.json({ name: 'Ada' })));
const { searchParams } = new URL(location.href);
const url = searchParams.get('msw') ?? '/sw.js';
const script = searchParams.get('inpage') ?? '/sw.js';
const starts = {
  msw: () => worker.start({ serviceWorker: { url }, onUnhandledRequest: 'bypass', quiet: true }),
  inpage: async () => { window.inference = await ${startInpage("script === 'false' ? false : script")}; },
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

const ORDERS = ['msw,inpage', 'inpage,msw', 'msw*inpage'];
const OWN_SCRIPT = 'msw=/mockServiceWorker.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

describe.each([
  ['3', 'msw'],
  ['2', 'msw-2'],
])('MSW %s', (_, name) => {
  const lib = join(root, 'test/neighbours/node_modules', name, 'lib');
  const site = mkdtempSync(join(tmpdir(), 'inpage-msw-'));
  let context: BrowserContext;
  let app: Awaited<ReturnType<typeof serveFolder>>;
  let warnings: string[];
  beforeAll(async () => {
    execFileSync(process.execPath, [join(root, 'dist/cli.js'), 'init', site, '--models', '', '--no-webgpu']);
    // Whatever the build makes; the engine's files are where `init` put them.
    const isScript = (path: string): boolean => !/\/dist\/(ort|types|host)$/.test(path);
    cpSync(join(root, 'dist'), join(site, 'lib'), { recursive: true, filter: isScript });
    cpSync(join(lib, 'iife/index.js'), join(site, 'msw.js'));
    cpSync(join(lib, 'mockServiceWorker.js'), join(site, 'mockServiceWorker.js'));
    writeFileSync(join(site, 'index.html'), PAGE);
    writeFileSync(join(site, 'sw.js'), "importScripts('/inpage-sw.js', '/mockServiceWorker.js');\n");
    app = await serveFolder(site, false);
  });
  afterAll(async () => {
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

  async function expectBoth(page: Page, door: Door = 'service-worker'): Promise<void> {
    await expectAnswers(page, door);
    const user = await page.evaluate(async () => (await fetch('/api/user')).json() as Promise<unknown>);
    expect(user).toEqual({ name: 'Ada' });
  }

  const told = (): string[] => warnings.filter((text) => text.startsWith('inpage'));

  /** Three visits of one tab, the last of which stays while a second tab opens. */
  async function expectEveryVisit(page: Page, query: string, door: Door = 'service-worker'): Promise<void> {
    for (let round = 0; round < 3; round++) {
      await visit(page, query);
      await expectBoth(page, door);
    }
    const second = await context.newPage();
    await visit(second, query);
    await expectBoth(second, door);
    await expectBoth(page, door);
    expect(told()).toEqual([]);
  }

  it.each(ORDERS)('shares one script, in the order %s, on every visit', async (order) => {
    await expectEveryVisit(await context.newPage(), `order=${order}`);
  });

  it.each(ORDERS)(
    'keeps its own script beside `serviceWorker: false`, in the order %s, on every visit',
    async (order) => {
      await expectEveryVisit(await context.newPage(), `order=${order}&${OWN_SCRIPT}&inpage=false`, 'fetch');
    },
  );

  it('is found although its script carries parameters', async () => {
    const page = await context.newPage();
    for (const order of ['msw,inpage', 'msw,inpage', 'inpage,msw']) {
      await visit(page, `order=${order}&msw=/sw.js?v=2`);
      await expectBoth(page);
    }
  });

  it.each(ORDERS)(
    'that had the page alone, under its own script, shares one from the next visit, in the order %s',
    async (order) => {
      const page = await context.newPage();
      for (let round = 0; round < 2; round++) await visit(page, `order=msw&${OWN_SCRIPT}`);
      await visit(page, `order=${order}`);
      await expectBoth(page);
      // On that visit the other script was there, which is told.
      warnings = [];
      await expectEveryVisit(page, `order=${order}`);
    },
  );

  it('that had the page in an earlier visit gives it up to Inpage alone', async () => {
    const page = await context.newPage();
    for (let round = 0; round < 2; round++) await visit(page, `order=msw&${OWN_SCRIPT}`);
    for (let round = 0; round < 2; round++) {
      await visit(page, 'order=inpage&inpage=/inpage-sw.js');
      await expectAnswers(page);
    }
  });

  it('joins an Inpage that had the page alone in an earlier visit', async () => {
    const page = await context.newPage();
    for (let round = 0; round < 2; round++) await visit(page, 'order=inpage&inpage=/inpage-sw.js');
    await expectEveryVisit(page, 'order=msw*inpage');
  });

  it.each(['inpage,msw', 'msw,inpage'])(
    'is told of when each has a script of its own, in the order %s',
    async (order) => {
      const page = await context.newPage();
      await visit(page, `order=${order}&${OWN_SCRIPT}&inpage=/inpage-sw.js`);
      const loser =
        order === 'inpage,msw'
          ? /\/mockServiceWorker\.js has taken control of this page/
          : /replaces .*\/mockServiceWorker\.js/;
      await expect.poll(() => told().join('\n')).toMatch(loser);
    },
  );
});
