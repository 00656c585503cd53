/** An extension that is made of the built package, in an installed Firefox. @module */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InstalledFirefox, OpenFirefox } from '../../browsers/firefox.js';
import { retry } from '../../browsers/web-driver.js';
import { type ExtensionOptions, makeExtension } from './make-extension.js';
import type { Tell, Told } from './open-extension.js';

/** The extension, loaded. */
export interface FirefoxExtension {
  folder: string;
  /** Contexts of the extension. */
  background: Tell;
  page: Tell;
  host: Tell;
  /** Opens a web page in a tab of its own. */
  openWebPage(url: string): Promise<{ web: Tell; content: Tell }>;
  /** Paths of the frames in the background page. */
  frames(): Promise<string[]>;
  /** Takes the host out of the background page. */
  closeHost(): Promise<void>;
  /** The person allows the page that asks. */
  allow(): Promise<void>;
  close(): Promise<void>;
}

/** What a tab is told, by the function of `parts.js` that is called. */
type ScriptOfTab = (told: { operation: string; argument?: object | undefined }) => Promise<unknown>;

declare const browser: {
  runtime: {
    getBackgroundPage(): Promise<Window & { run: RunInPage }>;
    sendMessage(message: object): Promise<unknown>;
  };
};
type RunInPage = (operation: string, argument?: object) => Promise<unknown>;

/** Makes and loads the extension. @param preferences of Firefox */
export async function openInFirefox(
  open: OpenFirefox,
  options: ExtensionOptions,
  preferences: Parameters<OpenFirefox>[0] = {},
): Promise<FirefoxExtension> {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-extension-'));
  // The driver may open no page of an extension.
  await makeExtension(folder, { ...options, background: "chrome.tabs.create({ url: 'page.html' });" });
  const driver = await open(preferences);
  const close = async (): Promise<void> => {
    await driver.quit();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return await contextsOf(driver, { folder, close });
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

async function contextsOf(
  driver: InstalledFirefox,
  rest: Pick<FirefoxExtension, 'folder' | 'close'>,
): Promise<FirefoxExtension> {
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other: commands are for the tab that was switched to. */
  const inTab = <Argument, Result>(
    tab: string,
    script: (argument: Argument) => Promise<Result>,
    argument: Argument,
  ): Promise<Result> => {
    const done = last.then(async () => {
      await driver.switchToWindow(tab);
      return driver.execute(script, argument);
    });
    last = done.catch(() => {});
    return done;
  };
  const known = new Set(await driver.windowHandles());
  /** The tab that the extension has opened. */
  const takeNewTab = (): Promise<string> =>
    retry(async () => {
      const tab = (await driver.windowHandles()).find((each) => !known.has(each));
      if (tab === undefined) throw new Error('The extension has opened no tab.');
      known.add(tab);
      return tab;
    });
  const openTab = async (url: string): Promise<string> => {
    const tab = await driver.newWindow();
    known.add(tab);
    await driver.switchToWindow(tab);
    await driver.navigateTo(url);
    return tab;
  };
  const tellIn =
    (tab: string, script: ScriptOfTab): Tell =>
    async <Result>(operation: string, argument?: object) =>
      (await inTab(tab, script, { operation, argument })) as Told<Result>;
  await driver.loadExtension(rest.folder);
  const own = await takeNewTab();
  await retry(() =>
    inTab(
      own,
      async () => {
        if (!('run' in window)) throw new Error('The page has not started.');
      },
      undefined,
    ),
  );
  return {
    ...rest,
    page: tellIn(own, ({ operation, argument }) => (window as unknown as { run: RunInPage }).run(operation, argument)),
    background: tellIn(own, async ({ operation, argument }) =>
      (await browser.runtime.getBackgroundPage()).run(operation, argument),
    ),
    host: tellIn(own, ({ operation, argument }) => browser.runtime.sendMessage({ toHost: operation, argument })),
    frames: () =>
      inTab(
        own,
        async () => {
          const { document } = await browser.runtime.getBackgroundPage();
          return [...document.querySelectorAll('iframe')].map(({ src }) => new URL(src).pathname);
        },
        undefined,
      ),
    closeHost: () =>
      inTab(
        own,
        async () => (await browser.runtime.getBackgroundPage()).document.querySelector('iframe')?.remove(),
        undefined,
      ),
    async allow() {
      const tab = await takeNewTab();
      await retry(() =>
        inTab(
          tab,
          async () => (window as unknown as { request: { allow(): Promise<void> } }).request.allow(),
          undefined,
        ),
      );
    },
    async openWebPage(url) {
      const tab = await openTab(url);
      return {
        web: tellIn(tab, ({ operation, argument }) =>
          (window as unknown as { run: RunInPage }).run(operation, argument),
        ),
        content: tellIn(tab, ({ operation, argument }) => {
          const id = Math.random();
          const answered = new Promise((resolve) => {
            addEventListener('message', function listen({ data }: MessageEvent) {
              if (data?.answers !== id) return;
              removeEventListener('message', listen);
              resolve(data.told);
            });
          });
          window.postMessage({ tells: id, operation, argument }, '*');
          return answered;
        }),
      };
    },
  };
}
