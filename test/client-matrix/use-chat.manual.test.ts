/** `useChat` of the AI SDK, unchanged, in a page whose `/api/chat` is a route. */
import type { BrowserContext, Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleForPage } from '../e2e/support/bundle-for-page.js';
import { demoOrigin } from '../e2e/support/demo-origin.js';
import { requireNothingLeaked, takeServerLog } from '../e2e/support/host-page.js';
import { withContexts } from '../e2e/support/shared-chromium.js';
import type { InferenceOptions } from '../../src/index.js';

type Routes = NonNullable<InferenceOptions['routes']>;

/** What `use-chat.mjs` exports. */
interface Chat {
  POST: Routes[string];
  open(): void;
  shown: string[];
}

declare global {
  var chatApp: Chat;
}

const LONG = Array.from({ length: 2_000 }, (_, index) => `${index}`).join(' ');

const MODELS: InferenceOptions['models'] = [
  {
    id: 'scripted-chat',
    task: 'chat',
    backend: 'scripted',
    script: {
      replies: [
        { match: { user: 'weather', hasToolResult: true }, text: 'It rains.' },
        { match: { user: 'weather' }, toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] },
        { match: { user: 'time', hasToolResult: true }, text: 'It is noon.' },
        { match: { user: 'time' }, toolCalls: [{ name: 'get_time', arguments: { city: 'Oslo' } }] },
        { match: { user: 'Count' }, text: LONG, tokenDelayMs: 100 },
        { match: { user: 'Hello' }, text: 'one two three four', tokenDelayMs: 100 },
        { text: 'I am free.' },
      ],
    },
  },
];

let context: BrowserContext;
let bundle: string;
beforeAll(async () => {
  bundle = await bundleForPage(new URL('./newest/use-chat.mjs', import.meta.url).href, 'chatApp');
});
withContexts(async (fresh) => {
  context = fresh;
  await takeServerLog();
}, requireNothingLeaked);

async function openChat(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${demoOrigin()}/host.html#${encodeURIComponent('{"models":1}')}`);
  await page.waitForFunction(() => window.inferenceError !== undefined);
  await page.evaluate(bundle);
  await page.evaluate(async (models) => {
    window.inference = await window.startInference({ models, routes: { 'POST /api/chat': globalThis.chatApp.POST } });
    globalThis.chatApp.open();
  }, MODELS!);
  return page;
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

const answer = (page: Page) => page.locator('[data-role=assistant]').last();
const stateOf = (page: Page) => page.evaluate(() => window.inference!.status()[0]?.state);

describe('[U19] useChat of @ai-sdk/react with its default transport, on a route of the page', () => {
  it('shows an answer while it comes', async () => {
    const page = await openChat();
    await send(page, 'Hello.');
    await answer(page).getByText('one two three four', { exact: true }).waitFor();
    await page.getByRole('status').getByText('ready').waitFor();
    const shown = await page.evaluate(() => globalThis.chatApp.shown);
    const texts = [...new Set(shown)].filter((text) => text !== '');
    expect(texts.every((text) => 'one two three four'.startsWith(text))).toBe(true);
    expect(texts.length).toBeGreaterThan(2);
  });

  it('is stopped by stop(), and the engine is free', async () => {
    const page = await openChat();
    await send(page, 'Count.');
    await answer(page).getByText('0 1').waitFor();
    expect(await stateOf(page)).toBe('busy');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('status').getByText('ready').waitFor();
    await expect.poll(() => stateOf(page)).toBe('ready');
    expect((await answer(page).textContent())!.length).toBeLessThan(LONG.length);
    await send(page, 'Are you free?');
    await answer(page).getByText('I am free.').waitFor();
  });

  it.each([
    ['of the app', 'How is the weather in Oslo?', 'It rains.'],
    ['of the handler', 'What time is it in Oslo?', 'It is noon.'],
  ])('has round trips of a tool %s', async (_, question, text) => {
    const page = await openChat();
    await send(page, question);
    await expect.poll(() => answer(page).textContent()).toBe(text);
    await page.getByRole('status').getByText('ready').waitFor();
  });
});
