/** Visitors who were there before, and an app that has left. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import type { InferenceOptions } from '../../src/index.js';
import { countingModel, started, stopServiceWorkers } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';
import { serveFolder } from './support/serve-demo.js';

const root = join(import.meta.dirname, '../..');
const cli = (...args: string[]): string =>
  execFileSync(process.execPath, [join(root, 'dist/cli.js'), ...args], { encoding: 'utf8' });

describe('an app that has left', () => {
  let context: BrowserContext;
  let folder: string;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  withContexts(
    async (fresh) => {
      folder = mkdtempSync(join(tmpdir(), 'inpage-left-'));
      cpSync(join(root, 'dist-demo'), folder, { recursive: true, filter: (file) => !file.includes('/models/') });
      cpSync(join(root, 'dist/uninstall.js'), join(folder, 'uninstall.js'));
      cpSync(join(root, 'dist/chunks'), join(folder, 'chunks'), { recursive: true });
      // The policy of the demo would keep the page from asking another origin at all.
      server = await serveFolder(folder, false);
      context = fresh;
    },
    async () => {
      await server.close();
      rmSync(folder, { recursive: true });
    },
  );

  /** A visit of the app while it still had inference; the page is closed. */
  const visit = async (options: InferenceOptions): Promise<void> => {
    const page = await context.newPage();
    await page.goto(`${server.origin}/host.html#${encodeURIComponent(JSON.stringify(options))}`);
    await started(page);
    expect(await statusOf(page, '/v1/models')).toBe(200);
    await page.close();
  };
  /** A page of a release without inference. */
  const openPlain = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${server.origin}/uninstall.js`);
    return page;
  };
  const statusOf = (page: Page, url: string, headers: Record<string, string> = {}): Promise<number | string> =>
    page.evaluate(
      async ([address, more]) => {
        try {
          return (await fetch(address, { headers: more })).status;
        } catch (error) {
          return (error as Error).name;
        }
      },
      [url, headers] as const,
    );
  const registrations = (page: Page): Promise<number> =>
    page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
  const models = [countingModel(3, 0)];

  it('without a word answers 503, as long as its Service Worker is there', async () => {
    await visit({ models });
    const page = await openPlain();
    expect(await statusOf(page, '/v1/models')).toBe(503);
  });

  it.each([false, true])(
    'calls uninstallInference, and its requests go to the network at once (isolated: %s)',
    async (crossOriginIsolation) => {
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

  it('stops, calls uninstallInference and starts again in one page', async () => {
    const page = await context.newPage();
    await page.goto(`${server.origin}/host.html#${encodeURIComponent(JSON.stringify({ models }))}`);
    await started(page);
    expect(await statusOf(page, '/v1/models')).toBe(200);
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

  it.each([false, true])(
    'serves the script that removes itself, and returning visitors are rid of it without any code (isolated: %s)',
    async (crossOriginIsolation) => {
      await visit({ models, crossOriginIsolation });
      expect(cli('init', folder, '--uninstall')).toContain('removes the Service Worker');
      const page = await openPlain();
      await expect.poll(() => registrations(page), { timeout: 30_000 }).toBe(0);
      expect(await statusOf(page, '/v1/models')).toBe(404);
    },
  );

  it('said `whenUnhosted: network`: requests go on, but none with a key to another origin', async () => {
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

  it('said so and came back: its own tab answers again', async () => {
    await visit({ models, whenUnhosted: 'network' });
    const page = await openPlain();
    // The worker that has seen a host waits for the next one: a tab may just be changing hands.
    expect(await statusOf(page, '/v1/models')).toBe(503);
    await stopServiceWorkers(page);
    expect(await statusOf(page, '/v1/models')).toBe(404);
    await visit({ models, whenUnhosted: 'network' });
  });
});
