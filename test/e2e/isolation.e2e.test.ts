/** An app on a host that sends no COOP and COEP headers, and asks the Service Worker for them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InferenceOptions } from '../../src/index.js';
import { started } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';
import { serveFolder } from './support/serve-demo.js';

const folder = join(import.meta.dirname, '../../dist-demo');
const elsewhere = mkdtempSync(join(tmpdir(), 'inpage-other-'));

describe('crossOriginIsolation: true', () => {
  let context: BrowserContext;
  let app: Awaited<ReturnType<typeof serveFolder>>;
  let other: Awaited<ReturnType<typeof serveFolder>>;
  beforeAll(async () => {
    app = await serveFolder(folder, false, false);
    writeFileSync(join(elsewhere, 'picture.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    writeFileSync(join(elsewhere, 'frame.html'), '<!doctype html>');
    other = await serveFolder(elsewhere, false, false);
  });
  afterAll(async () => {
    await app.close();
    await other.close();
    rmSync(elsewhere, { recursive: true });
  });
  withContexts((fresh) => (context = fresh));

  const open = async (page: Page, options: InferenceOptions): Promise<boolean> => {
    await page.goto(`${app.origin}/host.html#${encodeURIComponent(JSON.stringify(options))}`);
    await started(page);
    return page.evaluate(() => crossOriginIsolated);
  };
  const reload = async (page: Page): Promise<boolean> => {
    await page.reload();
    await started(page);
    return page.evaluate(() => crossOriginIsolated);
  };
  /** Threads of the embedding model, which takes half of the cores. */
  const threadsOf = (page: Page): Promise<{ status: number; threads: number | undefined; cores: number }> =>
    page.evaluate(async () => {
      const body = JSON.stringify({ model: 'tiny-embed', input: 'Hello' });
      const { status } = await fetch('/v1/embeddings', { method: 'POST', body });
      const model = window.inference!.status().find(({ id }) => id === 'tiny-embed');
      return { status, threads: model?.threads, cores: navigator.hardwareConcurrency };
    });

  it('isolates a page from its second load on, which then has threads; without it no page is', async () => {
    const page = await context.newPage();
    expect(await open(page, {})).toBe(false);
    expect(await reload(page)).toBe(false);
    // It would stay the host, with the one thread that it has.
    await page.close();
    const isolated = await context.newPage();
    // Another script takes the place of the one before.
    await open(isolated, { crossOriginIsolation: true });
    expect(await reload(isolated)).toBe(true);
    const { status, threads, cores } = await threadsOf(isolated);
    expect(status).toBe(200);
    expect(threads).toBe(Math.min(4, Math.ceil(cores / 2)));
    expect(await isolated.evaluate(() => navigator.serviceWorker.controller?.scriptURL)).toContain('isolated');
  });

  it('breaks what the documents say: frames of other origins, and no images', async () => {
    const page = await context.newPage();
    await open(page, { crossOriginIsolation: true });
    expect(await reload(page)).toBe(true);
    const seen = await page.evaluate(async (origin) => {
      const show = (element: HTMLImageElement | HTMLIFrameElement, src: string): Promise<string> =>
        new Promise((resolve) => {
          element.addEventListener('load', () => resolve('load'));
          element.addEventListener('error', () => resolve('error'));
          element.src = src;
          document.body.append(element);
        });
      const image = await show(new Image(), `${origin}/picture.svg`);
      await show(document.createElement('iframe'), `${origin}/frame.html`);
      await show(document.createElement('iframe'), '/host.html');
      return image;
    }, other.origin);
    expect(seen).toBe('load');
    const frames = page.frames().map((frame) => frame.url());
    expect(frames.some((url) => url.startsWith(other.origin))).toBe(false);
    expect(frames.filter((url) => url.startsWith(app.origin))).toHaveLength(2);
  });
});
