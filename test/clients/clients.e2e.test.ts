import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleForPage } from '../e2e/support/bundle-for-page.js';
import { type Door, newContext, openHost } from '../e2e/support/host-page.js';
import { connectToSharedChromium } from '../e2e/support/shared-chromium.js';
import { IMAGE_CLIENTS, SEEING_MODEL } from './scenarios/images.js';
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
  [browser, bundle] = await Promise.all([connectToSharedChromium(), bundleForPage(entry, 'scenarios')]);
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

describe('a model that sees', () => {
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    context = await newContext(browser);
    page = await openHost(context, { models: [SEEING_MODEL] });
    await page.evaluate(bundle);
  });
  afterAll(() => context.close());

  it.each(DOORS)('is shown two images by official clients, by %s', async (door) => {
    const tell = (seeds: readonly [number, number]) =>
      page.evaluate(
        async ([[first, second], by]) => {
          const { inference } = window;
          if (!inference) throw new Error('not started');
          const fetch = by === 'inference.fetch' ? inference.fetch : window.fetch.bind(window);
          const { drawnPicture, tellOfImages } = scenarios;
          return tellOfImages({ baseURL: inference.baseURL, fetch }, [drawnPicture(first), drawnPicture(second)]);
        },
        [seeds, door] as const,
      );
    const { texts, counted } = await tell([1, 2]);
    const [said] = Object.values(texts);
    expect(said).not.toBe('');
    expect(texts).toEqual(Object.fromEntries(Object.keys(IMAGE_CLIENTS).map((name) => [name, said])));
    expect(counted).toBeGreaterThan(20);
    // The order of the pictures is the client's.
    const other = await tell([2, 1]);
    expect(Object.values(other.texts)[0]).not.toBe(said);
    const verbose = await page.evaluate(async () => (await fetch('/v1/models?verbose=true')).json());
    expect(verbose).toMatchObject({
      data: [{ vendor_metadata: { capabilities: ['chat', 'completion', 'vision', 'decisions'] } }],
    });
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
