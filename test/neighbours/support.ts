/** What the tests of neighbours share: the questions that each page answers. */
import type { Page } from 'playwright';
import { expect } from 'vitest';

/** Absolute path of a file of the project. */
export const root = new URL('../../', import.meta.url).pathname;

/** The script of a page: a service with one scripted model behind the named Service Worker. */
export const START_INPAGE = `({
  serviceWorker: '/sw.js',
  models: [{ id: 'echo', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'from inpage' }] } }],
})`;

/** Waits until the page's script is through. */
export async function waitForStart(page: Page): Promise<void> {
  await page.waitForFunction(() => 'started' in window || 'failed' in window);
  expect(await page.evaluate(() => (window as { failed?: string }).failed)).toBeUndefined();
}

/** The page's own `fetch` reaches the models. */
export async function expectAnswers(page: Page): Promise<void> {
  const answer = await page.evaluate(async () => {
    const body = JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'Hi' }] });
    const response = await fetch('/v1/chat/completions', { method: 'POST', body });
    return { status: response.status, text: await response.text() };
  });
  expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('from inpage') as string });
  const door = await page.evaluate(
    () => (window as unknown as { inference: { status(): { door: string }[] } }).inference.status()[0]?.door,
  );
  expect(door).toBe('service-worker');
}
