import { expect, test as base } from '@playwright/test';
import { inferenceFixtures, type InferenceFixtures } from 'inpage/playwright';

const test = base.extend<InferenceFixtures>(inferenceFixtures);

test('shows the answer', async ({ page, inference }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'France' }).click();
  await expect(page.getByRole('status')).toHaveText('Paris.');
  expect(inference.requests.map((request) => request.postDataJSON())).toMatchObject([{ model: 'gpt-5' }]);
});

test('says sorry when it asks too much', async ({ page, inference }) => {
  await inference.faults.set({ fail: { status: 429 } });
  await page.goto('/');
  await page.getByRole('button', { name: 'France' }).click();
  await expect(page.getByRole('status')).toHaveText('Sorry: 429');
});
