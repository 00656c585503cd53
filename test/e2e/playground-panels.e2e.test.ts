/** The playground's panels and offers that need no conversation: one page, one loaded model. */
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultServer, sha256Of, startFaultServer } from '../store/support/fault-server.js';
import { demoOrigin } from './support/demo-origin.js';
import { finishedAnswer, openDemo, say, watch, type Watched } from './support/demo-page.js';
import { newContext } from './support/host-page.js';
import { paddedModel } from './support/padded-model.js';
import { connectToSharedChromium } from './support/shared-chromium.js';

/** What a device with 4 GB, plenty of room and no GPU is offered. */
const OFFERED = 'Qwen2.5-0.5B-Instruct';

let browser: Browser;
let context: BrowserContext;
let watched: Watched;
let hub: FaultServer;
let page: Page;
beforeAll(async () => {
  browser = await connectToSharedChromium();
  hub = await startFaultServer(hubFiles(`onnx-community/${OFFERED}`));
  context = await newContext(browser);
  watched = watch(context);
  await context.addInitScript((url) => {
    // The empty page before has no storage.
    if (location.protocol === 'http:') localStorage.setItem('inpage-demo-hub', url);
    navigator.storage.estimate = async () => ({ quota: 5e9, usage: 0 });
    Object.defineProperty(navigator, 'deviceMemory', { value: 4 });
    Object.defineProperty(navigator, 'gpu', { value: undefined });
  }, hub.url);
  page = await openDemo(context, demoOrigin());
});
afterAll(async () => {
  await browser.close();
  await hub.close();
  expect(watched.problems).toEqual([]);
});

/** tiny-chat under the name of the model that is offered. */
function hubFiles(id: string): Record<string, Uint8Array> {
  const files = paddedModel(2 ** 20);
  const tree = Object.entries(files).map(([path, bytes]) => ({
    type: 'file',
    path,
    size: bytes.length,
    lfs: { oid: sha256Of(bytes), size: bytes.length },
  }));
  const served = Object.entries(files).map(([name, bytes]) => [`${id}/resolve/main/${name}`, bytes] as const);
  return { [`api/models/${id}/tree/main`]: Buffer.from(JSON.stringify(tree)), ...Object.fromEntries(served) };
}

const go = (panel: string): Promise<void> =>
  page.getByRole('navigation').getByRole('button', { name: panel, exact: true }).click();

it('a better model is one click away; without a network the click says so, and nothing else', async () => {
  const offer = page.getByRole('complementary', { name: 'A better model' });
  await offer.getByText(OFFERED).waitFor();
  await context.setOffline(true);
  await offer.getByRole('button', { name: 'Get it' }).click();
  expect(await page.getByRole('alert').allInnerTexts()).toEqual([
    expect.stringMatching(/^There is no network now, and the model comes from 127\.0\.0\.1/),
  ]);
  expect(await page.locator('progress').count()).toBe(0);
  await context.setOffline(false);
  await offer.getByRole('button', { name: 'Try again' }).click();
  await offer.waitFor({ state: 'detached' });
  expect(await page.getByLabel('Model').inputValue()).toBe(OFFERED);
  await say(page, 'What is the capital of France?');
  expect((await finishedAnswer(page)).text).toContain('Paris');
});

it('the way to ask is within reach on a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByLabel('think').check();
  await page.getByText('Messages', { exact: true }).click();
  await say(page, 'What is 2 + 3?');
  await page.locator('footer', { hasText: 'Messages' }).waitFor();
  expect(await page.getByLabel('Request body').textContent()).toContain('"thinking"');
  await page.setViewportSize({ width: 1280, height: 800 });
});

describe('JSON', () => {
  it('an answer conforms to the schema', async () => {
    await go('JSON');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    const answer = JSON.parse(await page.getByLabel('Answer').innerText()) as object;
    expect(answer).toMatchObject({ name: expect.any(String), age: expect.any(Number), city: expect.any(String) });
  });

  it('names the field of a bad schema', async () => {
    const schema = page.getByLabel('JSON Schema');
    const alert = page.getByRole('alert');
    await schema.fill('{ "type": "object", "properties": { "age": { "type": "integr" } } }');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await alert.filter({ hasText: 'properties.age.type' }).waitFor();
    expect(await schema.getAttribute('aria-invalid')).toBe('true');
    await schema.fill('{ "type": ');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await alert.filter({ hasText: 'The schema is no JSON' }).waitFor();
  });
});

it('metrics are shown by kind of request, with the first token that the chat told', async () => {
  await go('Chat');
  const facts = await page.locator('[data-role=assistant] footer').last().innerText();
  await go('Search');
  await page.getByRole('img', { name: 'Map of 40 notes' }).waitFor();
  await go('Metrics');
  const first = /first after (\d+) ms/.exec(facts)![1]!;
  const chat = page.getByRole('region', { name: 'Last requests: Chat' });
  await chat.getByRole('row', { name: '/messages' }).getByText(first, { exact: true }).waitFor();
  await page.getByRole('figure', { name: /^Texts per second/ }).waitFor();
  expect(await page.getByRole('figure', { name: /^First token/ }).innerText()).toMatch(
    /\d ms[\s\S]*newest on the right/,
  );
  // The browser takes its time.
  await page.getByText(/MB: page .*, workers with the models [1-9]/).waitFor({ timeout: 90_000 });
});
