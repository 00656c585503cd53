/** A Firefox or WebKit that Playwright has downloaded, for machines whose system has none to install. @module */
import { existsSync } from 'node:fs';
import type { BrowserType, Page } from 'playwright';
import type { OpenBrowser, WebDriver } from './web-driver.js';

/** Undefined where Playwright has not downloaded it. */
export function findPlaywright(type: BrowserType): OpenBrowser | undefined {
  return existsSync(type.executablePath()) ? () => openPlaywright(type) : undefined;
}

/** @param launchOptions for a program elsewhere */
async function openPlaywright(
  type: BrowserType,
  launchOptions: Parameters<BrowserType['launch']>[0] = {},
): Promise<WebDriver> {
  const browser = await type.launch(launchOptions);
  const context = await browser.newContext();
  const pages = new Map<string, Page>();
  const newWindow = async (): Promise<string> => {
    const handle = `page ${pages.size + 1}`;
    pages.set(handle, await context.newPage());
    return handle;
  };
  let current = await newWindow();
  const page = (): Page => pages.get(current)!;
  return {
    browser: `${type.name()} ${browser.version()} of Playwright`,
    async navigateTo(url) {
      await page().goto(url);
    },
    execute: (script, argument) =>
      page().evaluate(`(${script.toString()})(${JSON.stringify(argument)})`) as ReturnType<typeof script>,
    newWindow,
    windowHandle: async () => current,
    async switchToWindow(handle) {
      current = handle;
    },
    closeWindow: () => page().close(),
    quit: () => browser.close(),
  };
}
