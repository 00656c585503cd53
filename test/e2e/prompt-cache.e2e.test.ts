/** Prompts that survive a reload, in Chromium with its own file system. */
import type { Browser, BrowserContext, Page } from 'playwright';
import { expect, it } from 'vitest';
import { newContext, openHost, started } from './support/host-page.js';
import { withBrowser } from './support/shared-chromium.js';

const RULES = 'Always answer in one short sentence, and never say more than was asked. '.repeat(40);
const MESSAGES = [
  { role: 'system', content: RULES },
  { role: 'user', content: 'What is the capital of France?' },
];

let browser: Browser;
let context: BrowserContext;
let page: Page;
withBrowser(async (connected) => {
  browser = connected;
  context = await newContext(browser);
  page = await openHost(context, { promptCache: '100MB' });
});

interface Answer {
  text: string;
  prompt: number;
  cached: number;
}

/** By the endpoint whose usage tells what was known of the prompt. */
const ask = (more: object = {}): Promise<Answer> =>
  page.evaluate(
    async ([input, fields]) => {
      const response = await fetch('/v1/responses', {
        method: 'POST',
        body: JSON.stringify({ model: 'tiny-chat', input, max_output_tokens: 20, ...fields }),
      });
      const { output, usage } = (await response.json()) as {
        output: { content?: { text: string }[] }[];
        usage: { input_tokens: number; input_tokens_details: { cached_tokens: number } };
      };
      const text = JSON.stringify(output.map(({ content }) => content?.map((part) => part.text)));
      return { text, prompt: usage.input_tokens, cached: usage.input_tokens_details.cached_tokens };
    },
    [MESSAGES, more] as const,
  );

async function reload(): Promise<void> {
  await page.reload();
  await started(page);
}

const kept = () =>
  page.evaluate(async () => {
    const models = await window.inference!.stored();
    return models.find(({ models: ids }) => ids.includes('tiny-chat'))?.promptCache;
  });

it('[P02] [P03] a marked prompt is read once: after a reload all but its end is known, and the answer is the same', async () => {
  const first = await ask({ prompt_cache_key: 'rules' });
  expect(first.prompt).toBeGreaterThan(512);
  expect(first.cached).toBe(0);
  // Blocks are written one by one, behind the answer.
  let before = 0;
  const isWritten = async (): Promise<boolean> => {
    const { bytes = 0 } = (await kept()) ?? {};
    const isSame = bytes > 0 && bytes === before;
    before = bytes;
    return isSame;
  };
  await expect.poll(isWritten, { timeout: 30_000, interval: 1_500 }).toBe(true);
  expect(await kept()).toMatchObject({ count: 1 });
  await reload();
  const again = await ask();
  expect(again.cached).toBeGreaterThanOrEqual(first.prompt - 128);
  expect(again.text).toBe(first.text);
});

it('[P06] [P07] what is removed is read again; a warmed prompt is not', async () => {
  await page.evaluate(() => window.inference!.remove('tiny-chat'));
  expect(await kept()).toBeUndefined();
  await page.evaluate((messages) => window.inference!.cachePrompt('tiny-chat', messages), MESSAGES);
  expect(await kept()).toMatchObject({ count: 1 });
  await reload();
  const { cached, prompt } = await ask();
  expect(cached).toBeGreaterThanOrEqual(prompt - 128);
});
