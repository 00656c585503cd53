/**
 * Pictures of the playground, to be looked at: every panel, wide and on a phone, light and dark; then of documents, and of the
 * page that is written for Chrome's built-in AI.
 * `node .ci/run-ts.mjs test/e2e/take-screenshots.ts [folder]` after `npm run build`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { finishedAnswer, openDemo, say, PANELS } from './support/demo-page.js';
import { newContext } from './support/host-page.js';
import { launchChromium } from './support/launch-chromium.js';
import { serveFolder } from './support/serve-demo.js';

const folder = process.argv[2] ?? 'test-results/screenshots';
mkdirSync(folder, { recursive: true });

const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

async function chat(page: Page): Promise<void> {
  await say(page, 'What is the capital of France?');
  await finishedAnswer(page);
  await say(page, 'What is 17 + 25?');
  await finishedAnswer(page);
}

/** A panel with something in it. */
const FILLED: Record<string, (page: Page) => Promise<void>> = {
  async Tools(page) {
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('The model answers').waitFor();
  },
  async JSON(page) {
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByLabel('Answer').waitFor();
    // The wire panel follows a little later; a phone does not show it here.
    if (page.viewportSize()?.width === SIZES.phone.width) return;
    await page.getByLabel('Events').getByRole('listitem').first().waitFor({ state: 'attached' });
  },
  async Check(page) {
    await page.getByRole('list', { name: 'Findings' }).waitFor();
  },
  async Transcribe(page) {
    await page.getByRole('button', { name: /^en-2/ }).click();
    await page.getByText('en-2.wav · ').waitFor();
  },
  async Models(page) {
    await page.locator('[part=model][data-state=loaded]').waitFor();
  },
  async Search(page) {
    await page.getByLabel('Query').fill('what time does my plane depart');
    await page.getByRole('list', { name: 'Notes, nearest first' }).getByText('Flight to Lisbon').waitFor();
  },
};

const server = await serveFolder(join(import.meta.dirname, '../../dist-demo'));
const browser = await launchChromium();
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await newContext(browser);
    const page = await openDemo(context, server.origin);
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    const shoot = (name: string) => page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) });
    await shoot('welcome');
    await chat(page);
    await shoot('chat');
    await page.getByRole('button', { name: 'Settings' }).click();
    await shoot('settings');
    for (const panel of PANELS.slice(1)) {
      if (size === 'phone') await page.getByLabel('Panel', { exact: true }).selectOption(panel);
      else await page.getByRole('navigation').getByRole('button', { name: panel, exact: true }).click();
      await FILLED[panel]?.(page);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      await shoot(panel.toLowerCase().replace(' ', '-'));
    }
    await context.close();
  }
}
const page = await browser.newPage({ viewport: SIZES.wide });
for (const name of ['index', 'options', 'errors']) {
  await page.goto(`${server.origin}/docs/${name}.html`);
  await page.screenshot({ path: join(folder, `docs-${name}-wide-light.png`) });
}
await page.addInitScript('delete globalThis.LanguageModel; delete globalThis.SemanticEmbedder;');
await page.goto(`${server.origin}/built-in-ai.html`);
await page.getByRole('button', { name: 'Ask' }).click();
await page.getByLabel('Answer').getByText('Paris').waitFor();
await page.getByRole('button', { name: 'Find' }).click();
await page.getByLabel('Found').getByText('cat').waitFor();
await page.screenshot({ path: join(folder, 'built-in-ai-wide-light.png') });
await browser.close();
await server.close();
console.error(`pictures in ${folder}`);
