/** How an app's author tests it: the app asks api.openai.com, and a scripted model in the browser answers. */
import { expect, test as base } from 'playwright/test';
import { type InferenceFixtures, inferenceFixtures } from 'inpage/playwright';

const test = base.extend<InferenceFixtures>(inferenceFixtures);

test.use({
  inferenceOptions: {
    intercept: ['https://api.openai.com/v1'],
    models: [{ id: 'gpt-5', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Hello!' }] } }],
  },
});

test('shows the answer', async ({ page, inference }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Ask' }).click();
  await expect(page.getByRole('status')).toHaveText('Hello!');
  expect(inference.requests.map((request) => request.postDataJSON())).toMatchObject([{ model: 'gpt-5' }]);
});

test('is sorry when it asks too much', async ({ page, inference }) => {
  await inference.faults.set({ fail: { status: 429 } });
  await page.goto('/');
  await page.getByRole('button', { name: 'Ask' }).click();
  await expect(page.getByRole('status')).toHaveText('Sorry: 429');
});

test('fails when the app asks a service that the test did not think of', async ({ page }) => {
  test.fail();
  await page.goto('/');
  await page.evaluate(() => fetch('https://api.anthropic.com/v1/messages', { method: 'POST' }).catch(() => {}));
});

test.describe('without a reply that fits', () => {
  test.use({
    inferenceOptions: {
      intercept: ['https://api.openai.com/v1'],
      models: [
        {
          id: 'gpt-5',
          task: 'chat',
          backend: 'scripted',
          script: { replies: [{ match: 'weather', text: 'It rains.' }] },
        },
      ],
    },
  });

  test('fails, even if the app hides the error', async ({ page }) => {
    test.fail();
    await page.goto('/');
    await page.getByRole('button', { name: 'Ask' }).click();
    await expect(page.getByRole('status')).toHaveText('Sorry: 400');
  });
});
