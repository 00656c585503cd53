/** Clients of the matrix in a page: at the page's own base and at their usual addresses, by both doors. */
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleForPage } from '../e2e/support/bundle-for-page.js';
import { type Door, openHost, takeServerLog } from '../e2e/support/host-page.js';
import { connectToSharedChromium } from '../e2e/support/shared-chromium.js';
import type * as InPage from './in-page.mjs';
import { MATRIX_MODELS } from './models.js';

declare global {
  // The bundle's global.
  var matrix: typeof InPage;
}

type Client = Parameters<typeof InPage.outcomes>[0];

const DOORS: Door[] = ['service-worker', 'inference.fetch'];
const OPENAI = 'https://api.openai.com/v1';
const TYPESAFE = 'https://api.typesafe.ai/v1';
const OLLAMA = 'http://127.0.0.1:11434';

/** What Ollama's client does that clients of models do. */
const OLLAMA_TASKS = ['chat', 'stream', 'tools', 'object', 'embeddings'];

let browser: Browser;
let bundle: string;
beforeAll(async () => {
  const entry = new URL('./in-page.mjs', import.meta.url).href;
  [browser, bundle] = await Promise.all([connectToSharedChromium(), bundleForPage(entry, 'matrix')]);
});
afterAll(() => browser.close());

describe.each(DOORS)('clients in the page, by %s', (door) => {
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    await takeServerLog();
    // An app that calls another origin allows it in its policy; the demo's own policy does not.
    context = await browser.newContext({ bypassCSP: true });
    context.setDefaultTimeout(100_000);
    page = await openHost(context, {
      models: MATRIX_MODELS,
      intercept: [OPENAI, TYPESAFE, OLLAMA],
      ...(door === 'inference.fetch' && { serviceWorker: false }),
    });
    await page.evaluate(bundle);
  });
  afterAll(async () => {
    await context.close();
    expect((await takeServerLog()).filter((line) => /\/(v1|api)\//.test(line))).toEqual([]);
  });

  const outcomes = (client: Client, address: { baseURL?: string; host?: string }, tasks: readonly string[]) =>
    page.evaluate(
      ([name, place, wanted, by]) => {
        const { inference } = window;
        if (!inference) throw new Error('not started');
        const send = by === 'inference.fetch' ? inference.fetch : window.fetch.bind(window);
        return matrix.outcomes(name, { ...place, fetch: send }, wanted);
      },
      [client, address, tasks, door] as const,
    );
  const own = (): Promise<string> => page.evaluate(() => window.inference!.baseURL);
  const all = (tasks: readonly string[]) => Object.fromEntries(tasks.map((task) => [task, true]));

  it.each(['openai', 'ai'] as const)('%s chats at the base of the page and at its usual address', async (client) => {
    const tasks = ['chat', 'stream'];
    expect(await outcomes(client, { baseURL: await own() }, tasks)).toEqual(all(tasks));
    expect(await outcomes(client, {}, tasks)).toEqual(all(tasks));
  });

  it("Ollama's build for browsers does all of its tasks at both", async () => {
    expect(await outcomes('ollama', { host: await own() }, OLLAMA_TASKS)).toEqual(all(OLLAMA_TASKS));
    expect(await outcomes('ollama', {}, OLLAMA_TASKS)).toEqual(all(OLLAMA_TASKS));
  });

  it("Ollama's systemone is answered at both, and at TypeSafe's address", async () => {
    for (const address of [{ host: await own() }, {}, { host: TYPESAFE }, { host: new URL(TYPESAFE).origin }])
      expect([address, await outcomes('ollama', address, ['decisions'])]).toEqual([address, { decisions: true }]);
  });
});
