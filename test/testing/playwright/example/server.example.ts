/** An app whose own server asks api.openai.com: the same script answers it, in the test's process. */
import { expect, test as base } from 'playwright/test';
import type { Page } from 'playwright';
import { type InferenceFixtures, inferenceFixtures } from 'inpage/playwright';

const test = base.extend<InferenceFixtures>(inferenceFixtures);

test.use({
  baseURL: process.env['APP_SERVER_URL']!,
  inferenceOptions: {
    server: true,
    intercept: ['https://api.openai.com/v1'],
    models: [
      { id: 'gpt-5', task: 'chat', backend: 'scripted', script: { replies: [{ match: 'Hi', text: 'Hello!' }] } },
    ],
  },
});

/** Asks the app's server from its page. */
function ask(page: Page, content: string): Promise<string> {
  return page.evaluate(async (text) => {
    const body = JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: text }] });
    return (await fetch('/ask/client', { method: 'POST', body })).text();
  }, content);
}

test('the server is answered by the script', async ({ page, inference }) => {
  await page.goto('/');
  expect(await ask(page, 'Hi')).toBe('Hello!');
  expect(inference.server!.requests).toMatchObject([{ path: '/v1/chat/completions', model: 'gpt-5', status: 200 }]);
  inference.server!.use({ text: 'For one test.' });
  expect(await ask(page, 'Anything')).toBe('For one test.');
  await inference.faults.set({ fail: { status: 429, count: 100 } });
  expect(await ask(page, 'Hi')).toContain('429');
});

test('the next test finds nothing of it', async ({ page, inference }) => {
  expect(inference.server!.requests).toEqual([]);
  await page.goto('/');
  expect(await ask(page, 'Hi')).toBe('Hello!');
});

test('fails when the server asks what no reply fits', async ({ page }) => {
  test.fail();
  await page.goto('/');
  await ask(page, 'Something else');
});
