import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContext } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ModelEntry } from '../../../src/index.js';
import { launchChromium } from '../../e2e/support/launch-chromium.js';
import { serveFolder } from '../../e2e/support/serve-demo.js';
import { startAppServer } from './support/app-server.js';

const { installInference, readRecording } = (await import(
  join(import.meta.dirname, '../../../dist/playwright.js')
)) as typeof import('../../../src/testing/playwright/index.js');

/** The app under test: its server knows nothing of the library. */
const APP = join(import.meta.dirname, 'example');
const ECHO: ModelEntry = {
  id: 'echo',
  task: 'chat',
  backend: 'scripted',
  script: { replies: [{ text: 'one two three' }] },
};

const CORS = { 'access-control-allow-origin': '*' };

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

  it('keeps requests to a known API that nothing answers on the machine, and remembers them', async () => {
    const inference = await installInference(context, {
      origin: app.origin,
      intercept: ['https://api.openai.com/v1'],
      models: [ECHO],
    });
    const page = await context.newPage();
    await page.goto(app.origin);
    const asked = (url: string) => page.evaluate((to) => fetch(to).then(({ status }) => status, String), url);
    expect(await asked('https://api.openai.com/v1/models')).toBe(200);
    expect(inference.blocked).toEqual([]);
    expect(await asked('https://api.anthropic.com/v1/models')).toMatch(/Failed to fetch/);
    expect(await asked('https://bedrock-runtime.eu-west-1.amazonaws.com/model')).toMatch(/Failed to fetch/);
    expect(inference.blocked.map((request) => new URL(request.url()).host)).toEqual([
      'api.anthropic.com',
      'bedrock-runtime.eu-west-1.amazonaws.com',
    ]);
  });

  it('leaves a known API alone that is allowed, or that a route of the test answers', async () => {
    await context.route('https://api.openai.com/**', (route) => route.fulfill({ status: 201, headers: CORS }));
    const inference = await installInference(context, {
      origin: app.origin,
      models: [ECHO],
      allowHosts: ['api.openai.com'],
    });
    await context.route('https://openrouter.ai/**', (route) => route.fulfill({ status: 202, headers: CORS }));
    const page = await context.newPage();
    await page.goto(app.origin);
    const statuses = await page.evaluate(async () => [
      (await fetch('https://api.openai.com/v1/models')).status,
      (await fetch('https://openrouter.ai/api/v1/models')).status,
    ]);
    expect(statuses).toEqual([201, 202]);
    expect(inference.blocked).toEqual([]);
  });

  it('names an unknown fault in the words of the page', async () => {
    const inference = await installInference(context, { origin: app.origin, models: [ECHO] });
    await expect(inference.faults.set({ delayPerEvent: 5 } as object)).rejects.toThrow(
      /^`delayPerEvent` is not a fault\. Did you mean `delayPerEventMs`\?$/,
    );
  });

  it('says which option is wrong, and leaves no page behind', async () => {
    await expect(installInference(context, { origin: app.origin, prefix: 'v1' })).rejects.toThrow(
      /^The option `prefix` must/,
    );
    const misspelt = { origin: app.origin, model: [] } as Parameters<typeof installInference>[1];
    await expect(installInference(context, misspelt)).rejects.toThrow('Did you mean `models`?');
    const hosts = { origin: app.origin, allowHost: [] } as Parameters<typeof installInference>[1];
    await expect(installInference(context, hosts)).rejects.toThrow('Did you mean `allowHosts`?');
    await expect(installInference(context, { origin: 'localhost' })).rejects.toThrow('must be the URL of the app');
    expect(context.pages()).toEqual([]);
  });
});

it('says so where there can be no Service Worker', async () => {
  const blocked = await browser.newContext({ serviceWorkers: 'block' });
  await expect(installInference(blocked, { origin: app.origin, models: [ECHO] })).rejects.toThrow(
    "Take `serviceWorkers: 'block'` out",
  );
  // No request leaves for it: the page is the library's own.
  await expect(installInference(blocked, { origin: 'http://192.0.2.1', models: [ECHO] })).rejects.toThrow(
    'on https or on localhost',
  );
  expect(blocked.pages()).toEqual([]);
  await blocked.close();
});

/** What the example `record` leaves. */
const RECORDING = join(APP, 'record.example.replies.json');

it('[Y25] its fixtures work in Playwright’s own runner, and record into a file', { timeout: 300_000 }, async () => {
  rmSync(RECORDING, { force: true });
  const server = await startAppServer();
  onTestFinished(() => server.stop());
  const run = promisify(execFile)('npx', ['playwright', 'test', '--config', APP], {
    env: { ...process.env, APP_URL: app.origin, APP_SERVER_URL: server.origin },
    cwd: APP,
  });
  // A failed run rejects with its report.
  const { stdout } = await run.catch((failure: { stdout: string }) => failure);
  const { stats } = JSON.parse(stdout) as { stats: object };
  expect(stats).toMatchObject({ expected: 13, unexpected: 0, flaky: 0 });
  // Some are expected to fail, for these reasons.
  expect(stdout).toContain("Add 'https://api.anthropic.com/v1' to `inferenceOptions.intercept`");
  expect(stdout).toMatch(/A request was not matched by any reply\.[^]*POST \/v1\/chat\/completions/);
  expect(stdout).toMatch(/No scripted reply matches this request\. Its last message is [^]*weather/);
  expect(readFileSync(RECORDING, 'utf8')).not.toContain('sk-test');
  const [{ id, script } = {}] = readRecording(RECORDING);
  rmSync(RECORDING);
  expect([id, script?.replies[0]?.match]).toEqual(['gpt-5', 'Hi']);
  expect(JSON.stringify(script)).toContain('Recorded!');
});
