import type { Browser } from 'playwright';
import { expect, it } from 'vitest';
import { SEEING_MODEL } from '../clients/scenarios/images.js';
import { demoOrigin } from './support/demo-origin.js';
import { finishedAnswer, openDemo, say } from './support/demo-page.js';
import { newContext } from './support/host-page.js';
import { withBrowser } from './support/shared-chromium.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

let browser: Browser;
withBrowser((connected) => (browser = connected));

it('the chat shows images to a model that sees, chosen or pasted, in every dialect', async () => {
  const context = await newContext(browser);
  const entry = { ...SEEING_MODEL, metadata: { capabilities: ['chat', 'vision'] }, maxCompletionTokens: 8 };
  const page = await openDemo(context, demoOrigin(), 'chat', entry);
  const sent: string[] = [];
  await page.exposeFunction('noteBody', (body: string) => sent.push(body));
  await page.evaluate(() => {
    const { fetch } = globalThis;
    const note = (globalThis as unknown as { noteBody(body: string): void }).noteBody;
    globalThis.fetch = (input, init) => {
      if (typeof init?.body === 'string') note(init.body);
      return fetch(input, init);
    };
  });
  await page.getByLabel('Model').selectOption('tiny-chat');
  expect(await page.locator('.composer input[type=file]').count()).toBe(0);
  await page.getByLabel('Model').selectOption(entry.id);
  await page.locator('.composer input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: PNG });
  await page.getByLabel('Message', { exact: true }).evaluate((box, base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([bytes], 'b.png', { type: 'image/png' }));
    box.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, PNG.toString('base64'));
  await page.locator('.composer .images img').nth(1).waitFor();
  await page.getByRole('button', { name: 'Remove image 2' }).click();
  await expect.poll(() => page.locator('.composer .images img').count()).toBe(1);
  await say(page, 'What is this?');
  expect((await finishedAnswer(page)).text).not.toBe('');
  expect(await page.locator('.turn.user .images img').count()).toBe(1);
  await page.getByText('Messages', { exact: true }).click();
  await say(page, 'And now?');
  expect((await finishedAnswer(page)).text).not.toBe('');
  await page.getByText('Responses', { exact: true }).click();
  await say(page, 'And now?');
  expect((await finishedAnswer(page)).text).not.toBe('');
  for (const part of ['image_url', 'media_type', 'input_image'])
    expect(sent.some((body) => body.includes(`"${part}"`))).toBe(true);
  await context.close();
});
