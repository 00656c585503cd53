/** An extension that is made of the built package, in Chromium. @module */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Frame, type Page, type Worker } from 'playwright';
import { build } from 'vite';
import { wholeBrowser } from '../../support/chromium.js';

const root = join(import.meta.dirname, '../../..');
const LIBRARY = /^(extension|extension-host|entry|gateway-worker|model-worker|gguf-worker)\.js$|^(chunks|assets)$/;

/** How the extension differs from the usual one. */
export interface ExtensionOptions {
  /** Source of the options of `startInferenceHost`. */
  host?: string;
  manifest?: object;
  /** It has a page that asks the person about web pages. */
  asks?: boolean;
  /** Bundled models whose files the extension has. */
  models?: string[];
}

/** What a context answers: the result, or what is known of the error. */
interface Told<Result = unknown> {
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
  /** A new page of the extension. */
  openPage(): Promise<{ page: Page; tell: Tell }>;
  /** Ends the background, as the browser does after a while. */
  endWorker(): Promise<void>;
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

/** Bundles a script of the extension as one file. */
async function bundle(folder: string, name: string, source: string, format: 'es' | 'iife'): Promise<void> {
  const entry = join(folder, `${name}.source.js`);
  writeFileSync(entry, source);
  await build({
    configFile: false,
    logLevel: 'silent',
    publicDir: false,
    resolve: { alias: { 'inpage/extension': join(root, 'dist/extension.js') } },
    build: {
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      target: 'es2022',
      lib: { entry, formats: [format], name: 'part', fileName: () => `${name}.js` },
    },
  });
  rmSync(entry);
}

/** Writes the extension's files into a folder. */
async function makeExtension(folder: string, { host = '{}', manifest, asks = false, models = [] }: ExtensionOptions) {
  mkdirSync(join(folder, 'lib'), { recursive: true });
  for (const model of models)
    cpSync(join(root, 'public/models', model), join(folder, 'models', model), { recursive: true });
  cpSync(join(root, 'dist'), join(folder, 'lib/dist'), {
    recursive: true,
    filter: (path) =>
      path === join(root, 'dist') || LIBRARY.test(path.slice(join(root, 'dist').length + 1).split('/')[0]!),
  });
  const parts = join(import.meta.dirname, 'parts.js');
  const page = (script: string): string =>
    `<!doctype html><title>Part</title><script type="module" src="${script}"></script>`;
  const files = {
    'host.html': page('host.js'),
    'host.js': `import { startInferenceHost } from './lib/dist/extension-host.js';
      globalThis.inference = await startInferenceHost(${host});`,
    'page.html': page('page.js'),
    'consent.html': page('consent.js'),
    'manifest.json': JSON.stringify({
      manifest_version: 3,
      name: 'Under test',
      version: '1.0',
      permissions: ['offscreen', 'storage'],
      background: { service_worker: 'background.js', type: 'module' },
      content_scripts: [
        {
          matches: ['http://*/*'],
          js: ['content.js'],
          exclude_matches: ['http://*/plain'],
          run_at: 'document_start',
          all_frames: true,
        },
      ],
      content_security_policy: { extension_pages: "script-src 'self' 'wasm-unsafe-eval'; object-src 'self'" },
      ...manifest,
    }),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const parent = `import { run } from ${JSON.stringify(parts)};\n`;
  await bundle(
    folder,
    'background',
    `${parent}import * as extension from 'inpage/extension';
    globalThis.run = run;
    globalThis.extension = extension;
    extension.keepInferenceHost({ host: 'host.html'${asks ? ", consent: 'consent.html'" : ''} });`,
    'es',
  );
  await bundle(
    folder,
    'page',
    `${parent}import * as extension from 'inpage/extension';\nglobalThis.extension = extension;\nglobalThis.run = run;`,
    'es',
  );
  await bundle(
    folder,
    'consent',
    `import { consentRequest } from 'inpage/extension';
    consentRequest().then((request) => (globalThis.request = request), (thrown) => (globalThis.refused = thrown.code));`,
    'es',
  );
  // Of a web page, which is no part of the extension.
  await bundle(folder, 'web', `${parent}globalThis.run = run;`, 'iife');
  await bundle(
    folder,
    'content',
    `${parent}import { bridgePage } from 'inpage/extension';
    bridgePage();
    addEventListener('message', async ({ data, source }) => {
      if (data?.tells === undefined || source !== window) return;
      postMessage({ answers: data.tells, told: await run(data.operation, data.argument) });
    });`,
    'iife',
  );
}

type RunInPage = (operation: string, argument?: object) => Promise<Told<never>>;

/** Makes and loads the extension. */
export async function openExtension(options: ExtensionOptions = {}): Promise<OpenExtension> {
  const profile = mkdtempSync(join(tmpdir(), 'inpage-extension-'));
  await makeExtension(join(profile, 'extension'), options);
  return launch(profile);
}

async function launch(profile: string): Promise<OpenExtension> {
  const folder = join(profile, 'extension');
  const context = await chromium.launchPersistentContext(join(profile, 'profile'), {
    // The one without windows has no extensions.
    ...(wholeBrowser && { executablePath: wholeBrowser }),
    headless: false,
    args: [
      '--headless=new',
      '--no-sandbox',
      '--no-first-run',
      '--disable-features=DisableLoadExtensionCommandLineSwitch',
      '--host-resolver-rules=MAP *.test 127.0.0.1',
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
    ],
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
  return {
    folder,
    context,
    id,
    worker,
    inWorker,
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
