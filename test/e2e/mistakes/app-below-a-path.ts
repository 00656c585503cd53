/** An app below the path `/app/`: starts that fail, and models whose places are those of an app at the root. */
import type { BrowserContext, Page, Route } from 'playwright';
import type { InferenceOptions, ModelEntry } from '../../../src/index.js';
import { demoOrigin } from '../support/demo-origin.js';
import { gguf, load, lost, type Mistake, onnx, PAGE, TINY_CHAT, TINY_EMBED, unfetched } from './make-mistake.js';

/** No secure context. */
const INSECURE = 'http://app.example';

const script = (body: string, contentType = 'text/javascript') => ({ contentType, body });

/** Scripts of the app, none of which is a Service Worker of Inpage for its pages. */
const SCRIPTS = {
  'other-sw.js': script('addEventListener("push", () => {});'),
  'plain-sw.js': script('', 'text/plain'),
  'page-sw.js': PAGE,
  'broken-sw.js': script('throw new Error("Oh no")'),
  'deep/sw.js': script('importScripts("/inpage-sw.js");'),
};

/** Serves the demo below `/app/`, without its models at the root. @returns the app's page, whose start has failed */
export async function openApp(context: BrowserContext): Promise<Page> {
  // The files of the demo, which are at the root.
  const fromDemo = async (route: Route): Promise<void> => {
    const { pathname } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: demoOrigin() + pathname.replace('/app/', '/') }) });
  };
  for (const part of ['**/app/**', `${INSECURE}/**`]) await context.route(part, fromDemo);
  await context.route(`${demoOrigin()}/models/tiny-chat/**`, (route) => route.fulfill({ status: 404 }));
  await context.route(`${demoOrigin()}/models/tiny-embed/**`, (route) => route.fulfill(PAGE));
  await context.route('**/ort-wasm*.mjs', (route) => route.fulfill(script('', 'text/plain')));
  for (const [path, answer] of Object.entries(SCRIPTS))
    await context.route(`**/app/${path}*`, (route) => route.fulfill(answer));
  return openBelow(context, { serviceWorker: '/app/other-sw.js' });
}

/** Waits until its start has succeeded or failed. */
async function openBelow(context: BrowserContext, options: InferenceOptions, origin = demoOrigin()): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${origin}/app/host.html#${encodeURIComponent(JSON.stringify(options))}`);
  await page.waitForFunction(() => window.inference !== undefined || window.inferenceError !== undefined);
  return page;
}

const failedStart = (page: Page) => page.evaluate(() => window.inferenceError);
const start = (serviceWorker: string) => (page: Page) =>
  page.evaluate((url) => window.startInference({ serviceWorker: url }).then(() => {}), serviceWorker);
const fails = (path: string, reason: string): string =>
  `The Service Worker script ${path} could not be registered: ${reason}`;

const SCRIPT_COPY =
  '`npx inpage init public` copies it to a public folder, and the Vite plugin `inpage/vite` serves it; or pass `serviceWorker: false`.';

/** Each start ends before the next one, because a page has one service. */
export const STARTS: readonly Mistake[] = [
  [
    'a Service Worker of the app without the import',
    "The Service Worker /app/other-sw.js does not import Inpage. Make importScripts('inpage-sw.js') its first line, or leave `serviceWorker` out.",
    failedStart,
  ],
  [
    'a Service Worker that is missing',
    fails('/app/nowhere.js', `A bad HTTP response code (404) was received when fetching the script. ${SCRIPT_COPY}`),
    start('/app/nowhere.js'),
  ],
  [
    'a Service Worker as plain text',
    fails(
      '/app/plain-sw.js',
      "The script has an unsupported MIME type ('text/plain'). Your server sends it as text/plain. Send .js files as `text/javascript`.",
    ),
    start('/app/plain-sw.js'),
  ],
  [
    'a Service Worker for which the server sends its page',
    fails('/app/page-sw.js', `The script has an unsupported MIME type ('text/html'). ${SCRIPT_COPY}`),
    start('/app/page-sw.js'),
  ],
  [
    'a Service Worker that throws',
    fails(
      '/app/broken-sw.js',
      'ServiceWorker script evaluation failed. Your server has this script, so look for its error in the console of the browser; or pass `serviceWorker: false`.',
    ),
    start('/app/broken-sw.js'),
  ],
  [
    'a Service Worker of a narrower scope',
    'The script /app/deep/sw.js controls only pages below /app/deep/. Serve it from a folder above this page.',
    start('/app/deep/sw.js'),
  ],
  [
    'a page that is no secure context',
    'This page cannot use a Service Worker, which requires https or localhost, and site data that is not blocked. Pass `serviceWorker: false` and use `inference.fetch`.',
    async (page) => failedStart(await openBelow(page.context(), {}, INSECURE)),
  ],
];

const COPY =
  'Run `npx inpage init public` to copy the bundled models to a public folder. If your app is not at the root of its origin, set `source` to their place below the app.';
export const BELOW_MODELS: readonly ModelEntry[] = [
  gguf('bundled-gguf', { source: TINY_CHAT }),
  onnx('bundled', TINY_EMBED),
  onnx('hub', { source: 'owner/name' }),
  onnx('here', { ...TINY_EMBED, source: '/app/models/tiny-embed' }),
];

export const BELOW: readonly Mistake[] = [
  ['bundled at the root', lost('bundled-gguf', `${TINY_CHAT} returned status 404. ${COPY}`), load('bundled-gguf')],
  [
    'bundled at the root, whose server sends its page',
    lost(
      'bundled',
      `/models/tiny-embed/config.json returned an HTML page instead of a model file, so the file is probably missing on the server. ${COPY}`,
    ),
    load('bundled'),
  ],
  [
    'that the policy of the page does not allow',
    lost('hub', unfetched('https://huggingface.co/owner/name/resolve/main/config.json')),
    load('hub'),
  ],
  [
    'whose runtime is served as plain text',
    lost(
      'here',
      '/inpage/ort-wasm-simd-threaded.mjs was served as text/plain instead of JavaScript. Configure your server to send .mjs files as text/javascript.',
    ),
    load('here'),
  ],
];
