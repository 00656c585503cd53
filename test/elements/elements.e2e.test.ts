import axe from 'axe-core';
import type { BrowserContext } from 'playwright';
import { expect, it } from 'vitest';
import { demoOrigin } from '../e2e/support/demo-origin.js';
import { withContexts } from '../e2e/support/shared-chromium.js';
import { axeInEveryState } from './axe-states.js';

let context: BrowserContext;
withContexts((made) => (context = made));

it('[I03] [I05] [I13] [I16] [I21] the two tags work on a page of the demo, from nothing to an answer', async () => {
  const page = await context.newPage();
  await page.goto(`${demoOrigin()}/elements.html`);
  const row = page.locator('[part=model][data-model=tiny-chat]');
  await expect.poll(() => row.locator('[part=size]').textContent(), { timeout: 60_000 }).toBe('7.2 MB');
  await row.locator('[data-action=download]').click();
  await expect.poll(() => row.getAttribute('data-state'), { timeout: 60_000 }).toBe('stored');
  await row.locator('[data-action=load]').click();
  await expect.poll(() => row.getAttribute('data-state'), { timeout: 60_000 }).toBe('loaded');
  await page.locator('[part=input]').fill('What is the capital of France?');
  await page.locator('[part=input]').press('Enter');
  await expect
    .poll(() => page.locator('[data-role=assistant] [part=text]').textContent(), { timeout: 60_000 })
    .toBe('The capital of France is Paris.');
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe: run } = window as unknown as { axe: typeof axe };
    return (await run.run()).violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
  });
  expect(violations).toEqual([]);
  expect(await page.evaluate(axeInEveryState)).toEqual([]);
});
