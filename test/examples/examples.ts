/** What there is to see of each example. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright';
import type { ServeOptions } from '../../src/serve/serve-inference.js';
import { makeRankingModel } from '../bench/make-ranking-model.js';
import { askBundledModels } from './ask-bundled-models.js';

export interface Example {
  /** What is served of it, below its folder; undefined: it has a server of its own. */
  serve?: string;
  /** How that is started; the port comes behind `--port`. @default ['npm', 'start', '--', '--port'] */
  start?: string[];
  /** What the app's server finds at `OPENAI_BASE_URL`, by `inpage serve`. */
  service?: ServeOptions;
  /** The page of a browser extension. */
  extensionPage?: string;
  /**
   * Uses the page; rejects when it does not do what it should.
   * @param stopServer from then on the page is on its own
   */
  use: (page: Page, stopServer: () => Promise<void>) => Promise<void>;
}

/** Presses the one button, and waits for words in the answer. */
async function askFrance(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'What is the capital of France?' }).click();
  await page.getByRole('status').getByText('Paris').waitFor();
}

/** What the model of an app's server says: one word, so that it is one piece of the stream. */
const SERVED = 'Served';

/** webpack puts whole URLs into a build, Turbopack does not. */
async function wasBuiltByTurbopack(page: Page): Promise<void> {
  const scripts = await page.locator('script[src]').evaluateAll((all) => all.map((each) => each.getAttribute('src')));
  if (!scripts.some((src) => src?.includes('/turbopack-'))) throw new Error(`Not by Turbopack: ${scripts.join(', ')}`);
}

const TIMETABLE = 'The ferry to the island leaves at half past seven in the morning.';
const RECIPE = 'For the cake, mix flour, butter, sugar and three eggs.';

/** Without the hub the nearest passages are used, and the page says so; with it they are shown in both orders. */
async function useReranker(page: Page, near: Locator): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-ranker-'));
  try {
    makeRankingModel(folder);
    let isThere = false;
    await page.context().route('https://huggingface.co/**', async (route) => {
      const path = join(folder, 'ranker', new URL(route.request().url()).pathname.replace(/^.*\/resolve\/[^/]+\//, ''));
      if (!isThere) return route.abort();
      const headers = { 'access-control-allow-origin': '*' };
      return route.fulfill(existsSync(path) ? { path, headers } : { status: 404, headers });
    });
    const note = page.getByRole('note');
    const ask = page.getByRole('button', { name: 'Ask' });
    await page.getByRole('checkbox', { name: 'Rerank' }).check();
    await ask.click();
    await note.getByText('Not reranked').waitFor();
    isThere = true;
    await ask.click();
    const reranked = page.getByRole('list', { name: 'Reranked' }).getByRole('listitem');
    await reranked.first().waitFor();
    const [one, other] = [await near.allTextContents(), await reranked.allTextContents()];
    if (one.toSorted().join() !== other.toSorted().join())
      throw new Error(`Other passages were reranked: ${other.join()}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const EXAMPLES: Record<string, Example> = {
  'plain-page': { serve: '.', use: askFrance },
  'react-use-chat': {
    serve: 'dist',
    async use(page) {
      await page.getByLabel('Message').fill('What is the capital of France?');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.locator('[data-role=assistant]').getByText('Paris').waitFor();
    },
  },
  hono: {
    serve: 'dist',
    async use(page) {
      await askFrance(page);
      await page.getByRole('status').getByText('cities: ').waitFor();
    },
  },
  next: {
    serve: 'out',
    async use(page) {
      await askFrance(page);
      await wasBuiltByTurbopack(page);
      await askBundledModels(page, ['tiny-chat', 'tiny-embed']);
    },
  },
  'next-route': {
    service: {
      models: [{ id: 'gpt-5-mini', task: 'chat', backend: 'scripted', script: { replies: [{ text: SERVED }] } }],
    },
    async use(page) {
      const route = new URL('/api/chat', page.url()).href;
      // Past the page: what the handler answers on the server.
      const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }];
      const served = await (await page.request.post(route, { data: { messages } })).text();
      if (!served.includes(SERVED)) throw new Error(`The server's route answered: ${served}`);
      const asked = page.waitForResponse(route);
      await page.getByRole('button', { name: 'Send' }).click();
      if (!(await asked).fromServiceWorker()) throw new Error('The server answered the page.');
      await page.locator('[data-role=assistant]').getByText('Paris').waitFor();
      await wasBuiltByTurbopack(page);
    },
  },
  msw: {
    serve: 'dist',
    async use(page) {
      await page.getByText('Mocked: Ada').waitFor();
      await askFrance(page);
      // And once more on a visit that finds MSW's worker there.
      await page.reload();
      await page.getByText('Mocked: Ada').waitFor();
      await askFrance(page);
    },
  },
  'pwa-offline': {
    serve: 'dist',
    async use(page, stopServer) {
      await page.getByText('Ready to work offline.').waitFor();
      await stopServer();
      await page.reload();
      await askFrance(page);
    },
  },
  'browser-extension': {
    serve: 'dist',
    extensionPage: 'panel.html',
    async use(page) {
      await askFrance(page);
      const site = await page.context().newPage();
      await site.route('http://site.test/', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<p>What is the capital of France?</p>' }),
      );
      await site.goto('http://site.test/');
      await site.getByText('What is').dblclick({ modifiers: ['Alt'] });
      await site.getByRole('status').getByText('Paris').waitFor();
    },
  },
  'langchain-agent': {
    serve: 'dist',
    async use(page) {
      await page.getByRole('button', { name: 'What is the weather in Oslo?' }).click();
      await page.getByRole('listitem').getByText('get_weather').waitFor();
      await page.getByRole('status').getByText(/rain/).waitFor();
    },
  },
  retrieval: {
    serve: 'dist',
    async use(page) {
      const buffer = Buffer.from(`${RECIPE}\n\n${TIMETABLE}\n\nThe bank opens at nine.`);
      await page.locator('#files:enabled').waitFor();
      await page.getByLabel('Text files').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer });
      await page.getByLabel('Question').fill('When does the boat go to the island?');
      await page.getByRole('button', { name: 'Ask' }).click();
      const near = page.getByRole('list', { name: 'Nearest' }).getByRole('listitem');
      await near.first().getByText(TIMETABLE).waitFor();
      const answer = page.getByRole('status').filter({ hasText: /\w/ });
      await answer.waitFor();
      await useReranker(page, near);
    },
  },
};
