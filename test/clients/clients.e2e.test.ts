import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleForPage } from '../e2e/support/bundle-for-page.js';
import { type Door, newContext, openHost } from '../e2e/support/host-page.js';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import type * as InPage from './scenarios/in-page.js';
import { SCENARIOS } from './scenarios/index.js';
import { SCENARIO_MODELS } from './scenarios/scenario.js';

declare global {
  // The bundle's global.
  var scenarios: typeof InPage;
}

const DOORS: Door[] = ['service-worker', 'inference.fetch'];

let browser: Browser;
let bundle: string;
beforeAll(async () => {
  const entry = new URL('./scenarios/in-page.ts', import.meta.url).href;
  [browser, bundle] = await Promise.all([launchChromium(), bundleForPage(entry, 'scenarios')]);
});
afterAll(() => browser.close());

describe.each(DOORS)('official clients in the page, by %s', (door) => {
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    context = await newContext(browser);
    page = await openHost(context, {
      models: SCENARIO_MODELS,
      ...(door === 'inference.fetch' && { serviceWorker: false }),
    });
    await page.evaluate(bundle);
  });
  afterAll(() => context.close());

  it.each(SCENARIOS)('$name', async ({ name, expected }) => {
    const result = await page.evaluate(
      ([wanted, by]) => {
        const { inference } = window;
        if (!inference) throw new Error('not started');
        const send = by === 'inference.fetch' ? inference.fetch : window.fetch.bind(window);
        const scenario = scenarios.SCENARIOS.find((candidate) => candidate.name === wanted);
        return scenario?.run({ baseURL: inference.baseURL, fetch: send });
      },
      [name, door] as const,
    );
    expect({ result }).toMatchObject({ result: expected });
  });
});

it('tiny-chat gives one answer to one conversation through all four dialects', async () => {
  const context = await newContext(browser);
  const page = await openHost(context, {});
  await page.evaluate(bundle);
  const answers = await page.evaluate(() => {
    const [system, user] = ['You are a helpful assistant.', 'What is the capital of France?'];
    const rawPrompt = scenarios.chatMl(system, user);
    const connection = { baseURL: window.inference?.baseURL ?? '', fetch: window.fetch.bind(window) };
    return scenarios.answersOfAllDialects(connection, { model: 'tiny-chat', system, user, rawPrompt, maxTokens: 40 });
  });
  expect(answers['chat']?.text).toContain('Paris');
  for (const answer of Object.values(answers)) expect(answer).toEqual(answers['chat']);
  await context.close();
});
