/** Released packages on `inpage/built-in-ai` and on `inpage/page-tools`, in a page. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { installIn, serveEntries } from '../e2e/support/built-in-ai.js';
import { bundleForPage } from '../e2e/support/bundle-for-page.js';
import { openHost, requireNothingLeaked, takeServerLog } from '../e2e/support/host-page.js';
import { withContexts } from '../e2e/support/shared-chromium.js';

const ROOT = join(import.meta.dirname, '../..');

let context: BrowserContext;
let bundle: string;
beforeAll(async () => {
  bundle = await bundleForPage(new URL('./newest/in-page.mjs', import.meta.url).href, 'newest');
});
withContexts(async (fresh) => {
  context = fresh;
  await serveEntries(context);
  await takeServerLog();
}, requireNothingLeaked);

it('[J23] costs nothing to those who do not import it', async () => {
  const sizes = execFileSync(process.execPath, ['.ci/check-size.mjs'], { cwd: ROOT, encoding: 'utf8' });
  expect(sizes).toMatch(/^ok +built-in-ai\.js .* of 16 kB/m);
  expect(sizes).toMatch(/^ok +page-tools\.js .* of 4 kB/m);
  const library = readFileSync(join(ROOT, 'dist/index.js'), 'utf8');
  expect(library).not.toMatch(/built-in-ai|page-tools|Proofreader|modelContext/);
  const page = await openHost(context, {});
  const globals = await page.evaluate(() => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    const usual = new Set(Object.getOwnPropertyNames(frame.contentWindow));
    return Object.getOwnPropertyNames(window).filter((name) => !usual.has(name) && !/^\d+$/.test(name));
  });
  // Those of the page itself.
  expect(globals.toSorted()).toEqual(['diagnose', 'inference', 'startInference']);
});

it.each(['@browser-ai/core', '@built-in-ai/core'])('[J23] %s works on it, unchanged', async (name) => {
  const page = await openHost(context, {});
  expect((await installIn(page, { force: true }))['installed']).toContain('LanguageModel');
  await page.evaluate(bundle);
  const seen = (await page.evaluate(`newest.builtInAI.tryProvider(${JSON.stringify(name)})`)) as {
    before: string;
    progress: number[];
    after: string;
    text: string;
    streamed: { text: string; pieces: number };
    object: unknown;
  };
  expect(seen).toMatchObject({
    before: 'downloadable',
    after: 'available',
    text: 'The capital of France is Paris.',
    streamed: { text: 'The capital of France is Paris.' },
    object: { city: expect.stringMatching(/^(Paris|Rome)$/) as string },
  });
  expect(seen.streamed.pieces).toBeGreaterThan(1);
  expect([seen.progress[0], seen.progress.at(-1)]).toEqual([0, 1]);
});

describe.each(['text', 'object'])('[J57] a tool of the page, by a browser whose executeTool takes a %s', (form) => {
  it.each(['openai', 'ai', 'agents'])('is called by the bundled model through %s', async (client) => {
    // The polyfill's own interface, not that of a browser which has one already.
    await context.addInitScript('delete Document.prototype.modelContext; delete Navigator.prototype.modelContext;');
    const page = await openHost(context, {});
    await page.evaluate(bundle);
    const { answer, calls, used } = (await page.evaluate(`(async () => {
      const { pageTools } = await import('/page-tools.js');
      const calls = await newest.pageTools.declareWeather();
      if (${form === 'object'}) newest.pageTools.takeObjects();
      const tools = pageTools();
      const { baseURL, fetch } = window.inference;
      const answer = await newest.pageTools.ask('${client}', tools, { baseURL, fetch });
      return { answer, calls, used: tools.calls };
    })()`)) as { answer: string; calls: unknown[]; used: number };
    expect(calls).toEqual([{ city: 'Oslo' }]);
    expect(used).toBe(1);
    expect(answer).toMatch(/rain|9/);
  });
});
