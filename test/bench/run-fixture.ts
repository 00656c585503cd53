/** What the service adds to the set-up of a Playwright test. */
import { join } from 'node:path';
import type { Browser } from 'playwright';
import type { ModelEntry } from '../../src/index.js';
import { type BenchRow, compare } from './bench-row.js';

const ROUNDS = 20;
const MODELS: ModelEntry[] = [
  { id: 'echo', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Hello!' }] } },
];

/** A test's context and page at the app, with the service and without it; both from the first call to the last. */
export async function fixtureRows(browser: Browser, origin: string): Promise<BenchRow[]> {
  const { installInference } = (await import(
    /* @vite-ignore */ join(import.meta.dirname, '../../dist/playwright.js')
  )) as typeof import('../../src/testing/playwright/index.js');
  const seconds = async (hasService: boolean): Promise<number> => {
    const start = performance.now();
    const context = await browser.newContext();
    const inference = hasService ? await installInference(context, { origin, models: MODELS }) : undefined;
    const page = await context.newPage();
    await page.goto(`${origin}/models/tiny-chat/config.json`);
    await inference?.stop();
    await context.close();
    return (performance.now() - start) / 1000;
  };
  const row = { name: 'a Playwright test with the service over one without', goal: 2, unit: 's', lower: true };
  const result = await compare(
    row,
    () => seconds(true),
    () => seconds(false),
    ROUNDS,
  );
  return [result];
}
