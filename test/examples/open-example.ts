/** A built example in Chromium: a site, or a page of an extension. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright';
import { wholeBrowser } from '../support/chromium.js';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { serveFolder } from '../e2e/support/serve-demo.js';
import { startServe } from '../support/start-serve.js';
import { startServer } from '../support/start-server.js';
import type { Example } from './examples.js';

/**
 * Opens a built example in Chromium and uses it.
 * @param folder where it was built
 * @param env of its server
 * @throws Error when it does not do what it should
 */
export async function openExample(folder: string, example: Example, env?: NodeJS.ProcessEnv): Promise<void> {
  const { serve, service, extensionPage, use } = example;
  if (extensionPage) return openExtension(join(folder, serve ?? '.'), extensionPage, use);
  const remote = service && (await startServe(service, 'service'));
  try {
    await openSite(folder, example, { ...env, ...(remote && { OPENAI_BASE_URL: remote.baseURL }) });
  } finally {
    await remote?.stop();
  }
}

async function openSite(folder: string, { serve, start, use }: Example, env: NodeJS.ProcessEnv): Promise<void> {
  const server = await (serve === undefined
    ? startServer(folder, start, env)
    : serveFolder(join(folder, serve), false));
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await watched(page, async () => {
      await page.goto(server.origin);
      await use(page, () => server.close());
    });
  } finally {
    await browser.close();
    await server.close().catch(() => {});
  }
}

/** Extensions are loaded by a browser with a profile. */
async function openExtension(folder: string, path: string, use: Example['use']): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'inpage-extension-'));
  const context = await chromium.launchPersistentContext(profile, {
    // The one without windows has no extensions.
    ...(wholeBrowser && { executablePath: wholeBrowser }),
    headless: false,
    args: [
      '--headless=new',
      '--no-sandbox',
      '--no-first-run',
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
    ],
  });
  try {
    const page = await context.newPage();
    await page.goto(await extensionURL(page, path));
    await watched(page, () => use(page, async () => {}));
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** Where the browser put the only extension that it has not brought itself. */
async function extensionURL(page: Page, path: string): Promise<string> {
  await page.goto('chrome://extensions');
  const id = await page.evaluate(async () => {
    const { chrome } = globalThis as unknown as {
      chrome: { developerPrivate: { getExtensionsInfo(): Promise<{ id: string; location: string }[]> } };
    };
    return (await chrome.developerPrivate.getExtensionsInfo()).find(({ location }) => location === 'UNPACKED')?.id;
  });
  return `chrome-extension://${id}/${path}`;
}

/** A failure with what the page itself said. */
async function watched(page: Page, use: () => Promise<void>): Promise<void> {
  const said: string[] = [];
  page.on('pageerror', (error) => said.push(error.message));
  page.on('console', (message) => message.type() === 'error' && said.push(message.text()));
  try {
    await use();
  } catch (thrown) {
    throw new Error(`${thrown instanceof Error ? thrown.message : String(thrown)}\n${said.join('\n')}`, {
      cause: thrown,
    });
  }
}
