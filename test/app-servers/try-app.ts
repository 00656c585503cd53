/** What each of the apps must do, asked from pages of two tests at a time. */
import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright';
import type { installInference } from '../../src/testing/playwright/index.js';
import type { TestServer } from '../../src/testing/test-server/index.js';

interface Tools {
  browser: Browser;
  installInference: typeof installInference;
}

interface RunningTest {
  page: Page;
  server: TestServer;
  stop(): Promise<void>;
}

/** Requests of each test that are under way at a time. */
const AT_A_TIME = 10;

/** @throws Error about what an app does not do */
export async function tryApp(origin: string, tools: Tools): Promise<void> {
  const [one, two] = await Promise.all([beginTest(origin, tools), beginTest(origin, tools)]);
  one.server.use({ text: 'The first answer.' });
  two.server.use({ text: 'The second answer.' });
  for (const ask of [askHandler, askComponent]) {
    const rounds = Array.from({ length: AT_A_TIME }, () => Promise.all([ask(one.page), ask(two.page)]));
    for (const [first, second] of await Promise.all(rounds)) {
      assert.equal(first, 'The first answer.');
      assert.equal(second, 'The second answer.');
    }
  }
  assert.deepEqual([one.server.requests.length, two.server.requests.length], [2 * AT_A_TIME, 2 * AT_A_TIME]);
  await leaveMidway(one);
  await two.stop();
  assert.match(await askHandler(two.page), /^failed: inpage: .* api\.openai\.com/);
  // The other test goes on.
  one.server.reset();
  one.server.use({ text: 'Still here.' });
  assert.equal(await askHandler(one.page), 'Still here.');
  await one.stop();
}

async function beginTest(origin: string, { browser, installInference: install }: Tools): Promise<RunningTest> {
  const context = await browser.newContext();
  const { server, stop } = await install(context, {
    origin,
    server: true,
    intercept: ['https://api.openai.com/v1'],
  });
  const page = await context.newPage();
  await page.goto(origin);
  return { page, server: server!, stop };
}

/** The text of a stream that a route handler passes on, or why there is none. */
function askHandler(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const body = JSON.stringify({ content: 'From a handler' });
    const response = await fetch('/api/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const text = await response.text();
    if (!response.ok) return text;
    const chunks = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { choices: { delta: { content?: string } }[] });
    return chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
  });
}

/** What a page says that asks while it is rendered. */
function askComponent(page: Page): Promise<string | undefined> {
  return page.evaluate(async () => {
    const html = await (await fetch('/asks')).text();
    return /<output>(.*?)<\/output>/.exec(html)?.[1];
  });
}

/** A page that leaves a stream ends its answer. */
async function leaveMidway({ page, server }: RunningTest): Promise<void> {
  // It would take minutes.
  server.use({ text: 'word ', repeat: 5_000, tokenDelayMs: 50 });
  await page.evaluate(async () => {
    const leaving = new AbortController();
    const body = JSON.stringify({ content: 'A long one' });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch('/api/chat', { method: 'POST', headers, body, signal: leaving.signal });
    const reader = response.body!.getReader();
    let text = '';
    while (!text.includes('word')) text += new TextDecoder().decode((await reader.read()).value);
    leaving.abort();
  });
  const entry = await server.requests.at(-1)!.finished;
  assert.equal(entry.state, 'aborted');
}
