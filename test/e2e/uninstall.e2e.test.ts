/** Visitors who were there before, and an app that has left. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright';
import { describe, it, type TestContext } from 'vitest';
import type { InferenceOptions } from '../../src/index.js';
import { countingModel, newContext, started, stopServiceWorkers } from './support/host-page.js';
import { withBrowser } from './support/shared-chromium.js';
import { serveFolder } from './support/serve-demo.js';

const root = join(import.meta.dirname, '../..');
const cli = (...args: string[]): string =>
  execFileSync(process.execPath, [join(root, 'dist/cli.js'), ...args], { encoding: 'utf8' });

let browser: Browser;
withBrowser((connected) => (browser = connected));

/** An app on a server and in a browser of its own, since the tests run at once: they wait for the same silence. */
async function makeApp({ onTestFinished, expect }: TestContext): Promise<App> {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-left-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(root, 'dist-demo'), folder, { recursive: true, filter: (file) => !/\/models\/|\.wasm$/.test(file) });
  cpSync(join(root, 'dist/uninstall.js'), join(folder, 'uninstall.js'));
  cpSync(join(root, 'dist/chunks'), join(folder, 'chunks'), { recursive: true });
  // The policy of the demo would keep the page from asking another origin at all.
  const server = await serveFolder(folder, false);
  onTestFinished(() => server.close());
  const context = await newContext(browser);
  onTestFinished(() => context.close());
  const openHost = async (options: InferenceOptions): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${server.origin}/host.html#${encodeURIComponent(JSON.stringify(options))}`);
    await started(page);
    expect(await statusOf(page, '/v1/models')).toBe(200);
    return page;
  };
  return {
    folder,
    openHost,
    visit: async (options) => (await openHost(options)).close(),
    openPlain: async () => {
      const page = await context.newPage();
      await page.goto(`${server.origin}/uninstall.js`);
      return page;
    },
  };
}

interface App {
  folder: string;
  /** A page of the app while it still has inference. */
  openHost: (options: InferenceOptions) => Promise<Page>;
  /** The same, closed again. */
  visit: (options: InferenceOptions) => Promise<void>;
  /** A page of a release without inference. */
  openPlain: () => Promise<Page>;
}

function statusOf(page: Page, url: string, headers: Record<string, string> = {}): Promise<number | string> {
  return page.evaluate(
    async ([address, more]) => {
      try {
        return (await fetch(address, { headers: more })).status;
      } catch (error) {
        return (error as Error).name;
      }
    },
    [url, headers] as const,
  );
}

const registrations = (page: Page): Promise<number> =>
  page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
const models = [countingModel(3, 0)];

describe.concurrent('an app that has left', () => {
  it('without a word answers 503, as long as its Service Worker is there', async (test) => {
    const { expect } = test;
    const { visit, openPlain } = await makeApp(test);
    await visit({ models });
    const page = await openPlain();
    expect(await statusOf(page, '/v1/models')).toBe(503);
  });

  it.for([false, true])(
    'calls uninstallInference, and its requests go to the network at once (isolated: %s)',
    async (crossOriginIsolation, test) => {
      const { expect } = test;
      const { visit, openPlain } = await makeApp(test);
      await visit({ models, crossOriginIsolation });
      const [page, other] = [await openPlain(), await openPlain()];
      // As text, because the test's own build would rewrite the import.
      const uninstall = (): Promise<boolean> =>
        page.evaluate("import('/uninstall.js').then(({ uninstallInference }) => uninstallInference())");
      expect(await uninstall()).toBe(true);
      expect(await statusOf(page, '/v1/models')).toBe(404);
      expect(await statusOf(other, '/v1/models')).toBe(404);
      expect(await uninstall()).toBe(false);
      expect(await registrations(page)).toBe(0);
      // The browser ends the worker, and starts it again for the pages that it still has.
      await stopServiceWorkers(page);
      expect(await statusOf(page, '/v1/models')).toBe(404);
      expect(await statusOf(other, '/v1/models')).toBe(404);
    },
  );

  it('[H23] takes what was stored of responses with it, and what was counted', async (test) => {
    const { expect } = test;
    const { openHost, openPlain } = await makeApp(test);
    const host = await openHost({ models, compatibility: 'hosted' });
    const stored = (page: Page): Promise<string[]> =>
      page.evaluate(async () =>
        (await indexedDB.databases()).map(({ name = '' }) => name).toSorted((a, b) => (a < b ? -1 : 1)),
      );
    await host.evaluate(async () => {
      const body = JSON.stringify({ model: 'counting', input: 'Hi' });
      await (await fetch('/v1/responses', { method: 'POST', body })).text();
    });
    expect(await stored(host)).toEqual(['inpage-counters', 'inpage-responses']);
    await host.close();
    const page = await openPlain();
    await page.evaluate("import('/uninstall.js').then(({ uninstallInference }) => uninstallInference())");
    await expect.poll(() => stored(page), { timeout: 30_000 }).toEqual([]);
  });

  it('stops, calls uninstallInference and starts again in one page', async (test) => {
    const { expect } = test;
    const { openHost } = await makeApp(test);
    const page = await openHost({ models });
    const again = `(async () => {
      await inference.stop();
      const { uninstallInference } = await import('/uninstall.js');
      await uninstallInference();
      const left = (await fetch('/v1/models')).status;
      await startInference(${JSON.stringify({ models })});
      return [left, (await fetch('/v1/models')).status];
    })()`;
    expect(await page.evaluate(again)).toEqual([404, 200]);
    await stopServiceWorkers(page);
    expect(await statusOf(page, '/v1/models')).toBe(200);
  });

  it.for([false, true])(
    'serves the script that removes itself, and returning visitors are rid of it without any code (isolated: %s)',
    async (crossOriginIsolation, test) => {
      const { expect } = test;
      const { visit, openPlain, folder } = await makeApp(test);
      await visit({ models, crossOriginIsolation });
      expect(cli('init', folder, '--uninstall')).toContain('removes the Service Worker');
      const page = await openPlain();
      await expect.poll(() => registrations(page), { timeout: 30_000 }).toBe(0);
      expect(await statusOf(page, '/v1/models')).toBe(404);
    },
  );

  it('said `whenUnhosted: network`: requests go on, but none with a key to another origin', async (test) => {
    const { expect } = test;
    const { visit, openPlain } = await makeApp(test);
    const elsewhere = 'https://api.example.test/v1';
    await visit({ models, whenUnhosted: 'network', intercept: [elsewhere] });
    const page = await openPlain();
    await stopServiceWorkers(page);
    const asked: Parameters<typeof statusOf>[] = [
      [page, '/v1/models'],
      [page, '/v1/models', { authorization: 'Bearer key' }],
      [page, `${elsewhere}/models`, { authorization: 'Bearer key' }],
      [page, `${elsewhere}/models`, { 'x-api-key': 'key' }],
      [page, `${elsewhere}/models?key=secret`],
    ];
    // At once, because each 503 waits as long as a host may take to come.
    expect(await Promise.all(asked.map((each) => statusOf(...each)))).toEqual([404, 404, 503, 503, 503]);
    // It went on, and nobody is there.
    expect(await statusOf(page, `${elsewhere}/models`)).toBe('TypeError');
  });

  it('said so and came back: its own tab answers again', async (test) => {
    const { expect } = test;
    const { visit, openPlain } = await makeApp(test);
    await visit({ models, whenUnhosted: 'network' });
    const page = await openPlain();
    // The worker that has seen a host waits for the next one: a tab may just be changing hands.
    expect(await statusOf(page, '/v1/models')).toBe(503);
    await stopServiceWorkers(page);
    expect(await statusOf(page, '/v1/models')).toBe(404);
    await visit({ models, whenUnhosted: 'network' });
  });
});
