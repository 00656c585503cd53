import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../src/index.js';
import { launchChromium } from '../../e2e/support/launch-chromium.js';
import type { StartedApp } from '../test-server/app-server/start-app.js';
import { startAppServer } from './support/app-server.js';

const { installInference } = (await import(
  join(import.meta.dirname, '../../../dist/playwright.js')
)) as typeof import('../../../src/testing/playwright/index.js');

const scripted = (text: string): ModelEntry => ({
  id: 'gpt-5',
  task: 'chat',
  backend: 'scripted',
  script: { replies: [{ text }] },
});
const INTERCEPT = ['https://api.openai.com/v1'];

let browser: Browser;
let app: StartedApp;
let context: BrowserContext;
beforeAll(async () => {
  [browser, app] = await Promise.all([launchChromium(), startAppServer()]);
});
afterAll(async () => {
  await browser.close();
  await app.stop();
});
beforeEach(async () => {
  context = await browser.newContext();
});
afterEach(() => context.close());

/** A page of the app. */
async function openApp(from: BrowserContext): Promise<Page> {
  const page = await from.newPage();
  await page.goto(app.origin);
  return page;
}

/** Sends a question from the page, to the app's server or to an API. */
function ask(page: Page, url: string, content = 'Hi'): Promise<string> {
  return page.evaluate(
    async ([to, text]) => {
      const body = JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: text }] });
      return (await fetch(to!, { method: 'POST', body })).text();
    },
    [url, content],
  );
}

describe('installInference({ server: true })', () => {
  it('[Y25] starts a test server with the same models and options, and ends it', async () => {
    const inference = await installInference(context, {
      origin: app.origin,
      server: true,
      prefix: '/ai/v1',
      apiKeys: ['sk-one'],
      compatibility: 'hosted',
      rateLimits: { requestsPerMinute: 7 },
      models: [
        { ...scripted('Hello!'), fallback: 'of-the-page' },
        { id: 'of-the-page', task: 'chat', backend: 'web-llm', source: 'x/y' },
      ],
    });
    const server = inference.server!;
    expect(server.baseURL).toBe(`${server.origin}/ai/v1`);
    expect((await fetch(`${server.baseURL}/models`)).status).toBe(401);
    const headers = { authorization: 'Bearer sk-one' };
    const listed = (await (await fetch(`${server.baseURL}/models`, { headers })).json()) as { data: { id: string }[] };
    expect(listed.data.map(({ id }) => id)).toEqual(['gpt-5']);
    // `none` is an effort of hosted services.
    const body = JSON.stringify({
      model: 'gpt-5',
      reasoning_effort: 'none',
      messages: [{ role: 'user', content: 'Hi' }],
    });
    const answer = await fetch(`${server.baseURL}/chat/completions`, { method: 'POST', headers, body });
    expect(answer.headers.get('x-ratelimit-limit-requests')).toBe('7');
    expect(await answer.text()).toContain('Hello!');

    expect((await context.cookies(app.origin)).map(({ name }) => name)).toEqual(['inpage-test-server']);
    expect(await context.cookies('http://other.test')).toEqual([]);
    await inference.stop();
    expect(await context.cookies(app.origin)).toEqual([]);
    await expect(fetch(server.origin)).rejects.toThrow('fetch failed');
  });

  it('[Y25] answers every model name where no models are given, by the replies of the test', async () => {
    const { server } = await installInference(context, { origin: app.origin, server: true, intercept: INTERCEPT });
    server!.use(({ messages }) => ({ text: `You said: ${JSON.stringify(messages[0]?.content)}` }));
    expect(await ask(await openApp(context), '/ask/client', 'Hi there')).toBe('You said: "Hi there"');
  });

  it('[Y25] has no server without the option', async () => {
    const { server } = await installInference(context, { origin: app.origin, models: [scripted('Hi')] });
    expect(server).toBeUndefined();
    expect(await context.cookies()).toEqual([]);
    await expect(installInference(context, { origin: app.origin, server: 'yes' } as never)).rejects.toThrow(
      'The option `server` must be true or false',
    );
  });

  it('[Y25] sets faults in the page and on the server', async () => {
    const options = { origin: app.origin, server: true, intercept: INTERCEPT, models: [scripted('Hello!')] };
    const { faults, server } = await installInference(context, options);
    const page = await openApp(context);
    await faults.set({ fail: { status: 500, count: 100 } });
    expect(await ask(page, '/ask/fetch')).toMatch(/^500 /);
    expect(await ask(page, 'https://api.openai.com/v1/chat/completions')).toContain('error');
    await faults.clear();
    expect(await ask(page, '/ask/fetch')).toMatch(/^200 .*Hello!/);
    expect(await ask(page, 'https://api.openai.com/v1/chat/completions')).toContain('Hello!');
    // What the page asks itself is answered there.
    expect(server!.requests).toHaveLength(2);
    await expect(faults.set({ delay: 5 } as object)).rejects.toThrow(/is not a fault/);
  });

  it('[Y26] answers the app’s server for the page of each test, also for two at a time, and streams', async () => {
    const others = await browser.newContext();
    const tests = [context, others].map(async (each, index) => {
      const model = scripted(index === 0 ? 'first' : 'second');
      const options = { origin: app.origin, server: true, intercept: INTERCEPT, models: [model] };
      const { server } = await installInference(each, options);
      return { page: await openApp(each), server: server! };
    });
    const [one, two] = (await Promise.all(tests)) as [Awaited<(typeof tests)[0]>, Awaited<(typeof tests)[0]>];
    const rounds = Array.from({ length: 10 }, async () =>
      Promise.all([ask(one.page, '/ask/client'), ask(two.page, '/ask/https')]),
    );
    for (const [first, second] of await Promise.all(rounds)) {
      expect(first).toBe('first');
      expect(second).toContain('second');
    }
    expect([one.server.requests.length, two.server.requests.length]).toEqual([10, 10]);

    // It would take minutes.
    one.server.use({ text: 'word ', repeat: 5_000, tokenDelayMs: 50 });
    const begun = await one.page.evaluate(async () => {
      const leaving = new AbortController();
      const body = JSON.stringify({ model: 'gpt-5', stream: true, messages: [{ role: 'user', content: 'Hi' }] });
      const response = await fetch('/stream', { method: 'POST', body, signal: leaving.signal });
      const reader = response.body!.getReader();
      let text = '';
      while (!text.includes('word')) text += new TextDecoder().decode((await reader.read()).value);
      leaving.abort();
      return text;
    });
    expect(begun).toContain('data: ');
    expect((await one.server.requests.at(-1)!.finished).state).toBe('aborted');
    await others.close();
  });
});
