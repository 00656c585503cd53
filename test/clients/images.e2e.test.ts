import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleForPage } from '../e2e/support/bundle-for-page.js';
import { type Door, newContext, openHost } from '../e2e/support/host-page.js';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { IMAGE_CLIENTS, SEEING_MODEL } from './scenarios/images.js';

let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  const entry = new URL('./scenarios/in-page.ts', import.meta.url).href;
  const [started, bundle] = await Promise.all([launchChromium(), bundleForPage(entry, 'scenarios')]);
  browser = started;
  context = await newContext(browser);
  page = await openHost(context, { models: [SEEING_MODEL] });
  await page.evaluate(bundle);
});
afterAll(() => browser.close());

it.each<Door>(['service-worker', 'inference.fetch'])('official clients show two images, by %s', async (door) => {
  const tell = (seeds: readonly [number, number]) =>
    page.evaluate(
      async ([[first, second], by]) => {
        const { inference } = window;
        if (!inference) throw new Error('not started');
        const fetch = by === 'inference.fetch' ? inference.fetch : window.fetch.bind(window);
        const { drawnPicture, tellOfImages } = scenarios;
        return tellOfImages({ baseURL: inference.baseURL, fetch }, [drawnPicture(first), drawnPicture(second)]);
      },
      [seeds, door] as const,
    );
  const { texts, counted } = await tell([1, 2]);
  const [said] = Object.values(texts);
  expect(said).not.toBe('');
  expect(texts).toEqual(Object.fromEntries(Object.keys(IMAGE_CLIENTS).map((name) => [name, said])));
  expect(counted).toBeGreaterThan(20);
  // The order of the pictures is the client's.
  const other = await tell([2, 1]);
  expect(Object.values(other.texts)[0]).not.toBe(said);
  const verbose = await page.evaluate(async () => (await fetch('/v1/models?verbose=true')).json());
  expect(verbose).toMatchObject({ data: [{ vendor_metadata: { capabilities: ['chat', 'completion', 'vision'] } }] });
});
