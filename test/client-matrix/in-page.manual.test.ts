/** Clients of the matrix in a page: at the page's own base and at their usual addresses, by both doors. */
import type { BrowserContext, Page } from 'playwright';
import { afterAll, describe, expect, it } from 'vitest';
import { bundleForPage } from '../e2e/support/bundle-for-page.js';
import { type Door, openHost, takeServerLog } from '../e2e/support/host-page.js';
import { withBrowser } from '../e2e/support/shared-chromium.js';
import { matrixModels } from './models.js';

/** Where a client finds the service; without an address it takes its own. */
interface Service {
  baseURL?: string;
  /** For clients of Ollama's. */
  address?: string;
  fetch: typeof fetch;
}

/** A bundle of `in-page.mjs`: of each task `true`, or what came instead. */
interface Clients {
  outcomes(client: string, service: Service, tasks: readonly string[]): Promise<Record<string, true | string>>;
}

declare global {
  // The bundles' globals.
  var newest: Clients;
  var ollama: Clients;
}

const DOORS: Door[] = ['service-worker', 'inference.fetch'];
const OPENAI = 'https://api.openai.com/v1';
const TYPESAFE = 'https://api.typesafe.ai/v1';
/** Most clients name the first, LangChain's embeddings the second. */
const OLLAMA = ['http://127.0.0.1:11434', 'http://localhost:11434'];

/** What clients of Ollama's API do. */
const OLLAMA_TASKS = ['chat', 'stream', 'tools', 'object', 'embeddings'];

describe.each(DOORS)('clients in the page, by %s', (door) => {
  let context: BrowserContext;
  let page: Page;
  withBrowser(async (browser) => {
    const entryOf = (name: string) => new URL(`./${name}/in-page.mjs`, import.meta.url).href;
    const bundles = await Promise.all(['newest', 'ollama'].map((name) => bundleForPage(entryOf(name), name)));
    await takeServerLog();
    // An app that calls another origin allows it in its policy; the demo's own policy does not.
    context = await browser.newContext({ bypassCSP: true });
    context.setDefaultTimeout(100_000);
    page = await openHost(context, {
      models: matrixModels([]),
      intercept: [OPENAI, TYPESAFE, ...OLLAMA],
      ...(door === 'inference.fetch' && { serviceWorker: false }),
    });
    for (const bundle of bundles) await page.evaluate(bundle);
  });
  afterAll(async () => {
    await context.close();
    expect((await takeServerLog()).filter((line) => /\/(v1|api)\//.test(line))).toEqual([]);
  });

  const outcomes = (
    bundle: 'newest' | 'ollama',
    client: string,
    place: { baseURL?: string; address?: string },
    tasks: readonly string[],
  ) =>
    page.evaluate(
      ([of, name, where, wanted, by]) => {
        const { inference } = window;
        if (!inference) throw new Error('not started');
        const send = by === 'inference.fetch' ? inference.fetch : window.fetch.bind(window);
        return globalThis[of].outcomes(name, { ...where, fetch: send }, wanted);
      },
      [bundle, client, place, tasks, door] as const,
    );
  const own = (): Promise<string> => page.evaluate(() => window.inference!.baseURL);
  const all = (tasks: readonly string[]) => Object.fromEntries(tasks.map((task) => [task, true]));

  it.each(['openai', 'ai'])(
    '[D19] %s decides and chats at the base of the page and at its usual address',
    async (name) => {
      const tasks = ['decisions', 'chat', 'stream'];
      expect(await outcomes('newest', name, { baseURL: await own() }, tasks)).toEqual(all(tasks));
      expect(await outcomes('newest', name, {}, tasks)).toEqual(all(tasks));
    },
  );

  it("[D19] TypeSafe's client decides at the page's origin and at its usual address", async () => {
    const { origin } = new URL(await own());
    for (const place of [{ baseURL: origin }, {}])
      expect([place, await outcomes('newest', 'typesafe', place, ['decisions'])]).toEqual([place, { decisions: true }]);
  });

  it("[D19] Ollama's systemone is answered at both, and at TypeSafe's address", async () => {
    for (const place of [{ address: await own() }, {}, { address: TYPESAFE }, { address: new URL(TYPESAFE).origin }])
      expect([place, await outcomes('ollama', 'ollama', place, ['decisions'])]).toEqual([place, { decisions: true }]);
  });

  it.each(['ollama', 'ai-sdk-ollama', 'ollama-ai-provider-v2', '@langchain/ollama'])(
    '[O24] %s does all of its tasks at the base of the page and at its usual address',
    async (name) => {
      for (const place of [{ address: await own() }, {}])
        expect(await outcomes('ollama', name, place, OLLAMA_TASKS)).toEqual(all(OLLAMA_TASKS));
    },
  );
});
