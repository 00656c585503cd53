/** Keeps the answers of the models that the tests of a file asked, in a file beside it. */
import { expect, test as base } from 'playwright/test';
import { type InferenceFixtures, inferenceFixtures } from 'inpage/playwright';

const test = base.extend<InferenceFixtures>(inferenceFixtures);

test.use({
  inferenceOptions: {
    record: true,
    intercept: ['https://api.openai.com/v1'],
    models: [{ id: 'gpt-5', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Recorded!' }] } }],
  },
});

test('records the answer', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Ask' }).click();
  await expect(page.getByRole('status')).toHaveText('Recorded!');
});
