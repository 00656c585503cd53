import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContext } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../src/index.js';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { serveFolder } from '../e2e/support/serve-demo.js';

const { installInference } = (await import(
  join(import.meta.dirname, '../../dist/playwright.js')
)) as typeof import('../../src/playwright/index.js');

/** The app under test: its server knows nothing of the library. */
const APP = join(import.meta.dirname, 'example');
const ECHO: ModelEntry = {
  id: 'echo',
  task: 'chat',
  backend: 'scripted',
  script: { replies: [{ text: 'one two three' }] },
};

let browser: Browser;
let context: BrowserContext;
let app: Awaited<ReturnType<typeof serveFolder>>;
beforeAll(async () => {
  [browser, app] = await Promise.all([launchChromium(), serveFolder(APP, false)]);
});
afterAll(async () => {
  await browser.close();
  await app.close();
});
beforeEach(async () => {
  context = await browser.newContext();
});
afterEach(() => context.close());

describe('installInference', () => {
  it('answers an app that never heard of it, streams included, and notes its requests', async () => {
    const inference = await installInference(context, { origin: app.origin, models: [ECHO] });
    const page = await context.newPage();
    await page.goto(app.origin);
    const streamed = await page.evaluate(async () => {
      const body = { model: 'echo', stream: true, messages: [{ role: 'user', content: 'Hi' }] };
      const response = await fetch('/v1/chat/completions', { method: 'POST', body: JSON.stringify(body) });
      return { status: response.status, text: await response.text() };
    });
    expect(streamed.status).toBe(200);
    expect(streamed.text).toContain('"content":" two"');
    expect(streamed.text.trim()).toMatch(/data: \[DONE\]$/);
    expect(inference.baseURL).toBe(`${app.origin}/v1`);
    expect(inference.requests.map((request) => request.url())).toEqual([`${app.origin}/v1/chat/completions`]);
    expect(inference.requests[0]?.postDataJSON()).toMatchObject({ model: 'echo', stream: true });
    expect(await inference.status()).toMatchObject([{ id: 'echo', state: 'ready' }]);
  });

  it('runs the bundled models where the app serves none', async () => {
    const inference = await installInference(context, { origin: app.origin });
    await inference.load('tiny-embed');
    const page = await context.newPage();
    await page.goto(app.origin);
    const length = await page.evaluate(async () => {
      const body = JSON.stringify({ model: 'tiny-embed', input: 'a cat' });
      const response = await fetch('/v1/embeddings', { method: 'POST', body });
      return ((await response.json()) as { data: { embedding: number[] }[] }).data[0]?.embedding.length;
    });
    expect(length).toBeGreaterThan(100);
  });

  it('gives the origin back when it stops', async () => {
    const inference = await installInference(context, { origin: app.origin, models: [ECHO] });
    await inference.stop();
    const page = await context.newPage();
    await page.goto(app.origin);
    expect(await page.evaluate(async () => (await fetch('/v1/models')).status)).toBe(404);
    expect(context.pages()).toEqual([page]);
  });

  it('gives an open page back when that is loaded again, and never sends it to the network before', async () => {
    const inference = await installInference(context, { origin: app.origin, models: [ECHO] });
    const page = await context.newPage();
    await page.goto(app.origin);
    const status = () => page.evaluate(async () => (await fetch('/v1/models')).status);
    expect(await status()).toBe(200);
    await inference.stop();
    expect(await status()).toBe(503);
    await page.reload();
    expect(await status()).toBe(404);
  });

  it('says which option is wrong, and leaves no page behind', async () => {
    await expect(installInference(context, { origin: app.origin, prefix: 'v1' })).rejects.toThrow(/`prefix` must be/);
    expect(context.pages()).toEqual([]);
  });
});

it('its fixtures work in Playwright’s own runner', async () => {
  const run = promisify(execFile)('npx', ['playwright', 'test', '--config', APP], {
    env: { ...process.env, APP_URL: app.origin },
    cwd: APP,
  });
  // A failed run rejects with its report.
  const { stdout } = await run.catch((failure: { stdout: string }) => failure);
  const { stats } = JSON.parse(stdout) as { stats: object };
  expect(stats).toMatchObject({ expected: 2, unexpected: 0 });
});
