/** An extension that is made of the built package, in Chromium. @module */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Frame, type Page, type Worker } from 'playwright';
import { wholeBrowser } from '../../support/chromium.js';
import { type ExtensionOptions, makeExtension } from './make-extension.js';

/** What a context answers: the result, or what is known of the error. */
export interface Told<Result = unknown> {
  result?: Result;
  error?: { name: string; code?: string; param?: string; message: string };
}

/** A context that the tests tell what to do: see `parts.js`. */
export type Tell = <Result>(operation: string, argument?: object) => Promise<Told<Result>>;

/** The extension, loaded. */
export interface OpenExtension {
  folder: string;
  context: BrowserContext;
  id: string;
  /** The background, which may have been ended. */
  worker(): Promise<Worker>;
  inWorker: Tell;
  /** The document that hosts the engine, once it has started. */
  inHost: Tell;
  /** A new page of the extension. */
  openPage(): Promise<{ page: Page; tell: Tell }>;
  /** Ends the background, as the browser does after a while. */
  endWorker(): Promise<void>;
  /** Loads the extension anew, as an update of it does: what is left of the old one in open pages has no extension any more. */
  reload(): Promise<void>;
  /** The same in a new process of the browser. */
  restart(): Promise<OpenExtension>;
  close(): Promise<void>;
}

/** Tells the content script of a page what to do, through messages of the page. */
export function contentScriptOf(page: Page): Tell {
  return (operation, argument) =>
    page.evaluate(
      async ([told, details]) => {
        const id = Math.random();
        const answered = new Promise<never>((resolve) => {
          addEventListener('message', function listen({ data }: MessageEvent) {
            if (data?.answers !== id) return;
            removeEventListener('message', listen);
            resolve(data.told as never);
          });
        });
        for (;;) {
          postMessage({ tells: id, operation: told, argument: details });
          const first = await Promise.race([answered, new Promise<undefined>((later) => setTimeout(later, 60_000))]);
          if (first) return first;
        }
      },
      [operation, argument] as const,
    );
}

/** Tells a web page, or a frame, what to do. */
export function webPageOf(page: Page | Frame): Tell {
  return (operation, argument) =>
    page.evaluate(([told, details]) => (globalThis as unknown as { run: RunInPage }).run(told, details), [
      operation,
      argument,
    ] as const);
}

declare const chrome: {
  runtime: { reload(): void; sendMessage(message: object): Promise<unknown> };
  /** In the browser's page of extensions. */
  developerPrivate: {
    getExtensionInfo(id: string): Promise<{ state: string }>;
    updateProfileConfiguration(update: { inDeveloperMode: boolean }): Promise<void>;
  };
};

type RunInPage = (operation: string, argument?: object) => Promise<Told<never>>;

/** Makes and loads the extension. */
export async function openExtension(options: ExtensionOptions = {}): Promise<OpenExtension> {
  const profile = mkdtempSync(join(tmpdir(), 'inpage-extension-'));
  await makeExtension(join(profile, 'extension'), options);
  return launch(profile);
}

/** What Chromium is started with to load the extension in a folder. */
export const extensionArguments = (folder: string): string[] => [
  '--headless=new',
  '--no-sandbox',
  '--no-first-run',
  '--disable-features=DisableLoadExtensionCommandLineSwitch',
  '--host-resolver-rules=MAP *.test 127.0.0.1',
  `--disable-extensions-except=${folder}`,
  `--load-extension=${folder}`,
];

async function launch(profile: string): Promise<OpenExtension> {
  const folder = join(profile, 'extension');
  const context = await chromium.launchPersistentContext(join(profile, 'profile'), {
    // The one without windows has no extensions.
    ...(wholeBrowser && { executablePath: wholeBrowser }),
    headless: false,
    args: extensionArguments(folder),
  });
  const ours = (): Worker | undefined => context.serviceWorkers().find((each) => each.url().endsWith('/background.js'));
  const worker = async (): Promise<Worker> => {
    for (;;) {
      const found = ours();
      if (found) return found;
      await context.waitForEvent('serviceworker', { timeout: 20_000 });
    }
  };
  const id = new URL((await worker()).url()).host;
  const inWorker: Tell = async (operation, argument) =>
    (await worker()).evaluate(([told, details]) => (globalThis as unknown as { run: RunInPage }).run(told, details), [
      operation,
      argument,
    ] as const);
  const inHost: Tell = async (operation, argument) =>
    (await worker()).evaluate(
      ([told, details]) => chrome.runtime.sendMessage({ toHost: told, argument: details }) as Promise<Told<never>>,
      [operation, argument] as const,
    );
  return {
    folder,
    context,
    id,
    worker,
    inWorker,
    inHost,
    async openPage() {
      const page = await context.newPage();
      await page.goto(`chrome-extension://${id}/page.html`);
      await page.waitForFunction(() => 'run' in globalThis);
      const tell: Tell = (operation, argument) =>
        page.evaluate(([told, details]) => (globalThis as unknown as { run: RunInPage }).run(told, details), [
          operation,
          argument,
        ] as const);
      return { page, tell };
    },
    async endWorker() {
      const page = await context.newPage();
      await page.goto(`chrome-extension://${id}/page.html`);
      const session = await context.newCDPSession(page);
      await session.send('ServiceWorker.enable');
      await session.send('ServiceWorker.stopAllWorkers');
      await page.close();
    },
    async reload() {
      const settings = await context.newPage();
      await settings.goto('chrome://extensions');
      // Else the browser leaves an unpacked extension disabled.
      await settings.evaluate(() => chrome.developerPrivate.updateProfileConfiguration({ inDeveloperMode: true }));
      const old = await worker();
      const ended = new Promise((resolve) => old.once('close', resolve));
      // It ends the context that is told so.
      await old.evaluate(() => chrome.runtime.reload()).catch(() => {});
      await ended;
      await settings.waitForFunction(
        async (ours) => (await chrome.developerPrivate.getExtensionInfo(ours)).state === 'ENABLED',
        id,
        { timeout: 30_000 },
      );
      await settings.close();
    },
    async restart() {
      await context.close();
      return launch(profile);
    },
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
