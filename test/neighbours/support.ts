/** What the tests of neighbours share: the questions that each page answers. */
import type { Page } from 'playwright';
import { expect } from 'vitest';
import type { PageInference } from '../../src/index.js';

/** Absolute path of a file of the project. */
export const root = new URL('../../', import.meta.url).pathname;

/** What `status()` calls the way of a page's requests. */
export type Door = 'service-worker' | 'fetch';

/**
 * The expression that starts a service with one scripted model.
 * @param serviceWorker the option, as JavaScript
 */
export const startInpage = (serviceWorker: string): string => `startInference({
  serviceWorker: ${serviceWorker},
  models: [{ id: 'echo', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'from inpage' }] } }],
})`;

/** Waits until the page's script is through. */
export async function waitForStart(page: Page): Promise<void> {
  await page.waitForFunction(() => 'started' in window || 'failed' in window);
  expect(await page.evaluate(() => (window as { failed?: string }).failed)).toBeUndefined();
}

/** The models answer, by the page's own `fetch` or, without a Service Worker, by that of the service. */
export async function expectAnswers(page: Page, door: Door = 'service-worker'): Promise<void> {
  const answer = await page.evaluate(async (by) => {
    const { inference } = window as unknown as { inference: PageInference };
    const send = by === 'fetch' ? inference.fetch : fetch;
    const body = JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'Hi' }] });
    const response = await send(`${inference.baseURL}/chat/completions`, { method: 'POST', body });
    return { status: response.status, text: await response.text(), door: inference.status()[0]?.door };
  }, door);
  expect(answer).toEqual({ status: 200, text: expect.stringContaining('from inpage') as string, door });
}
