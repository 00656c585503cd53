/** Mistakes of people who use Inpage for the first time that show only in a page, each with the sentence that answers it. */
import type { BrowserContext, Page } from 'playwright';
import { beforeAll, describe, it } from 'vitest';
import { BELOW, BELOW_MODELS, openApp, STARTS } from './mistakes/app-below-a-path.js';
import { CALLS, STOPPED_CALLS, WARNED_STOPPED_CALLS } from './mistakes/calls.js';
import { answerElsewhere, answerTo, ELSEWHERE, load, type Mistake, PAGE } from './mistakes/make-mistake.js';
import { MODELS, OPTIONS, WAITING, WARNED_MODELS } from './mistakes/models.js';
import { demoOrigin } from './support/demo-origin.js';
import { newContext, openHost } from './support/host-page.js';
import { withBrowser } from './support/shared-chromium.js';

let page: Page;
/** Of the console, all levels. */
let lines: string[];

/** Opens one page for a group of mistakes. */
function withPage(open: (context: BrowserContext) => Promise<Page>): void {
  withBrowser(async (browser) => {
    const context = await newContext(browser);
    lines = [];
    context.on('console', (message) => lines.push(message.text()));
    await context.route(`${ELSEWHERE}/**`, answerElsewhere);
    await context.route('**/spa/**', (route) => route.fulfill(PAGE));
    await context.route('**/lfs/**', (route) =>
      route.fulfill({ body: 'version https://git-lfs.github.com/spec/v1\n' }),
    );
    // Chromium without windows has one that repeats what it is told.
    await context.addInitScript('delete globalThis.LanguageModel');
    page = await open(context);
  });
}

/** A test for each mistake. */
function answerMistakes(mistakes: readonly Mistake[]): void {
  it.for(mistakes)('%s', async ([, says, make], { expect }) => {
    expect((await answerTo(make, page)).replaceAll(demoOrigin(), '')).toBe(says);
  });
}

/** A test for each mistake that is answered in the console. */
function answerInConsole(mistakes: readonly Mistake[]): void {
  it.for(mistakes)('%s', async ([, says, make], { expect }) => {
    await make(page).catch(() => {});
    await expect.poll(() => lines).toContain(`inpage: ${says}`);
  });
}

describe('on a page that runs,', () => {
  withPage((context) => openHost(context, OPTIONS));

  describe.concurrent('a model', () => {
    answerMistakes(MODELS);
    answerInConsole(WARNED_MODELS);
    it('of a hub that limits requests says in `status()` what it waits for', async ({ expect }) => {
      const loading = load('waiting')(page).catch(() => {});
      const reason = () =>
        page.evaluate(() => window.inference!.status().find(({ id }) => id === 'waiting')?.progress?.waitingReason);
      await expect.poll(reason).toBe(WAITING);
      await loading;
    });
  });

  describe.concurrent('a call', () => {
    answerMistakes(CALLS);
  });

  describe('after `stop()`,', () => {
    beforeAll(() => page.evaluate(() => window.inference!.stop()));
    describe.concurrent('a call', () => {
      answerMistakes(STOPPED_CALLS);
      answerInConsole(WARNED_STOPPED_CALLS);
    });
  });
});

describe('in an app below a path,', () => {
  withPage(openApp);

  describe('a start', () => {
    answerMistakes(STARTS);
  });

  describe('a model', () => {
    beforeAll(() =>
      page.evaluate(async (models) => {
        window.inference = await window.startInference({ models, serviceWorker: false });
      }, BELOW_MODELS),
    );
    describe.concurrent('of it', () => {
      answerMistakes(BELOW);
    });
  });
});
