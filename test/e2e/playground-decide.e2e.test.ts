/** The playground's panel for decisions, on the bundled model. */
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { demoOrigin } from './support/demo-origin.js';
import { openDemo, watch, type Watched } from './support/demo-page.js';
import { newContext } from './support/host-page.js';
import { connectToSharedChromium } from './support/shared-chromium.js';

let browser: Browser;
let watched: Watched;
let page: Page;
beforeAll(async () => {
  browser = await connectToSharedChromium();
  const context = await newContext(browser);
  watched = watch(context);
  page = await openDemo(context, demoOrigin(), 'decide');
});
afterAll(async () => {
  await browser.close();
  // Choices that were refused.
  expect(watched.problems.filter((problem) => !/status of 400/.test(problem))).toEqual([]);
});

const decide = (): Promise<void> => page.getByRole('button', { name: 'Decide', exact: true }).last().click();

/** A question's options with their bars, the likeliest first. */
async function optionsOf(question: string): Promise<{ name: string; probability: number }[]> {
  const meters = page.getByRole('region', { name: question }).getByRole('meter');
  await meters.first().waitFor();
  return meters.evaluateAll((bars) =>
    bars.map((bar) => ({
      name: bar.getAttribute('aria-label')!.replace('Probability of ', ''),
      probability: Number(bar.getAttribute('aria-valuenow')),
    })),
  );
}

it.each([
  ['A review', { 'Is it positive or negative?': 'positive', 'Does the writer like it?': 'yes' }],
  ['A complaint', { 'Is it positive or negative?': 'negative', 'Which team should answer?': 'billing' }],
  ['A person', { 'How old is Anna?': '31', 'Where does Anna live?': 'Oslo' }],
])('%s: tiny-chat finds the likeliest answers', async (example, answers) => {
  await page.getByRole('button', { name: example }).click();
  expect(await page.getByRole('meter').count()).toBe(0);
  await decide();
  for (const [question, answer] of Object.entries(answers)) {
    const options = await optionsOf(question);
    expect(options[0]?.name).toBe(answer);
    expect(options[0]?.probability).toBeGreaterThan(0.5);
    expect(options.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 6);
  }
});

it('asks the questions that are written, shows the request, and says what is wrong with one', async () => {
  await page.getByRole('button', { name: 'A review' }).click();
  await page.getByRole('button', { name: 'Remove question 2' }).click();
  await page.getByLabel('Choices, with commas between them').fill('good, bad');
  await page.getByRole('button', { name: 'Add a question' }).click();
  await page.getByLabel('Question', { exact: true }).last().fill('Is it about food?');
  await decide();
  const namesOf = async (question: string) => (await optionsOf(question)).map(({ name }) => name).toSorted();
  expect(await namesOf('Is it positive or negative?')).toEqual(['bad', 'good']);
  expect(await namesOf('Is it about food?')).toEqual(['no', 'yes']);
  expect(JSON.parse((await page.getByLabel('Request body').textContent())!)).toEqual({
    model: 'tiny-chat',
    input: 'The food was great and the people were friendly.',
    questions: [
      { type: 'choice', instructions: 'Is it positive or negative?', choices: [{ value: 'good' }, { value: 'bad' }] },
      { type: 'predicate', instructions: 'Is it about food?' },
    ],
  });
  await page.getByLabel('Choices, with commas between them').first().fill('good, good');
  await decide();
  await page.getByRole('alert').filter({ hasText: 'must have each value only once' }).waitFor();
  expect(await page.getByRole('meter').count()).toBe(0);
});

it('counts the questions in Metrics', async () => {
  await page.getByRole('navigation').getByRole('button', { name: 'Metrics', exact: true }).click();
  const decisions = page.getByRole('region', { name: 'Last requests: Decisions' });
  await decisions.getByRole('row', { name: '/decisions' }).first().waitFor();
  expect(await decisions.getByRole('row', { name: '/decisions' }).count()).toBe(5);
});
