/**
 * `POLYFILL=folder npm run outside -- polyfill`, after a build: the cases of `cases.mjs` on `inpage/built-in-ai` and on Google's
 * prompt-api-polyfill, whose folder that is. Both ask the same model of the same page, the polyfill by its backend for OpenAI, whose
 * address the page answers. Prints a table; fails where ours does not do what a case expects.
 * @module
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright';
import { build, type Plugin } from 'vite';
import { installIn, serveEntries } from '../e2e/support/built-in-ai.js';
import { bundleForPage } from '../e2e/support/bundle-for-page.js';
import { newContext, started } from '../e2e/support/host-page.js';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { serveFolder } from '../e2e/support/serve-demo.js';
import { CASES } from './cases.mjs';

/** Milliseconds that a case may take. */
const PATIENCE = 60_000;

const { POLYFILL: folder } = process.env;
if (folder === undefined) throw new Error('Set POLYFILL to the folder of prompt-api-polyfill.');

const OPENAI = 'https://api.openai.com/v1';
const server = await serveFolder(join(import.meta.dirname, '../../dist-demo'), false);
const browser = await launchChromium();
const bundles = {
  cases: await bundleForPage(new URL('./cases.mjs', import.meta.url).href, 'cases'),
  polyfill: await bundlePolyfill(join(folder, 'prompt-api-polyfill.js')),
};

const ours = await results(async (page) => void (await installIn(page, { force: true })));
const theirs = await results(async (page) => {
  await page.evaluate(`window.__FORCE_PROMPT_API_POLYFILL__ = true;
    window.OPENAI_CONFIG = { apiKey: 'none', modelName: 'tiny-chat' };`);
  await page.evaluate(bundles.polyfill);
});
await browser.close();
await server.close();

process.stdout.write('| case | `inpage/built-in-ai` | `prompt-api-polyfill` |\n| --- | --- | --- |\n');
for (const title of Object.keys(CASES))
  process.stdout.write(`| ${[title, ours[title], theirs[title]].join(' | ')} |\n`);
process.exitCode = Object.values(ours).every((result) => result === 'yes') ? 0 : 1;

/** Each case in a page of its own. */
async function results(install: (page: Page) => Promise<void>): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const title of Object.keys(CASES)) {
    const context = await newContext(browser);
    try {
      const result = await Promise.race([tryCase(context, install, title), after(PATIENCE)]);
      found[title] = result === true ? 'yes' : `no: ${result.replaceAll('\n', ' ').slice(0, 80)}`;
    } finally {
      await context.close();
    }
  }
  return found;
}

async function tryCase(
  context: BrowserContext,
  install: (page: Page) => Promise<void>,
  title: string,
): Promise<string | true> {
  await serveEntries(context);
  const page = await context.newPage();
  await page.goto(`${server.origin}/host.html#${encodeURIComponent(JSON.stringify({ intercept: [OPENAI] }))}`);
  await started(page);
  // What is asked of the model, by either side.
  await page.evaluate(`window.asked = [];
    for (const object of [window, window.inference]) {
      const send = object.fetch.bind(object);
      object.fetch = (input, init) => (window.asked.push({ body: init?.body, signal: init?.signal }), send(input, init));
    }`);
  await install(page);
  await page.evaluate(bundles.cases);
  return (await page.evaluate(`cases.tryCase(${JSON.stringify(title)})`)) as string | true;
}

async function after(milliseconds: number): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
  return `nothing in ${milliseconds / 1000} s`;
}

/** With its backend for OpenAI alone: packages of the others are not here. */
async function bundlePolyfill(entry: string): Promise<string> {
  const backends: Plugin = {
    name: 'backends',
    enforce: 'pre',
    resolveId(id) {
      if (id === 'openai') return fileURLToPath(import.meta.resolve('openai'));
      return /\/backends\/(firebase|gemini|transformers|webllm)\.js$/.test(id) ? '\0none' : undefined;
    },
    load: (id) => (id === '\0none' ? 'export default undefined;' : undefined),
  };
  const result = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [backends],
    build: { write: false, minify: false, lib: { entry, formats: ['iife'], name: 'polyfill' } },
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (!output || !('output' in output)) throw new Error('Vite built nothing.');
  return output.output[0].code;
}
