/** Loads that are interrupted in a real page, by it or by what happens to it: each ends, and the next one works. */
import { type Browser, type BrowserContext, type Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { InferenceOptions } from '../../src/index.js';
import { type FaultServer, startFaultServer } from '../store/support/fault-server.js';
import { ask, kill, newContext, openHost, workersOf } from './support/host-page.js';
import { launchChromium } from './support/launch-chromium.js';
import { paddedModel } from './support/padded-model.js';

const MB = 2 ** 20;
const FILES = paddedModel(3 * MB);

let browser: Browser;
let server: FaultServer;
let context: BrowserContext;
let page: Page;
let options: InferenceOptions;

beforeAll(async () => {
  browser = await launchChromium(['--js-flags=--expose-gc']);
});
afterAll(() => browser.close());
beforeEach(async () => {
  server = await startFaultServer();
  for (const [name, bytes] of Object.entries(FILES)) server.files.set(`m/${name}`, bytes);
  // Slow enough to be caught in the middle.
  Object.assign(server.behaviour, { chunkBytes: 16 * 1024, chunkPause: 50 });
  const source = `${server.url}m/`;
  options = {
    models: [{ id: 'm', task: 'chat', backend: 'transformers', source, device: 'wasm', dtype: 'q8' }],
  };
  context = await newContext(browser);
  page = await openHost(context, options);
});
afterEach(async () => {
  await context.close();
  await server.close();
});

/** Begins to load. @returns the code of what it threw, or `loaded` */
async function begin(): Promise<{ ending: Promise<string> }> {
  const ending = page.evaluate(() =>
    window.inference!.load('m').then(
      () => 'loaded',
      (thrown: { name: string; code: string }) => `${thrown.name} ${thrown.code}`,
    ),
  );
  await expect.poll(() => server.sent).toBeGreaterThan(MB / 2);
  return { ending };
}

async function expectNext(): Promise<void> {
  server.behaviour.chunkPause = 0;
  expect(await (await begin()).ending).toBe('loaded');
  expect((await ask(page, 'm')).status).toBe(200);
}

it('by `unload`, and loaded again at once', async () => {
  const { ending } = await begin();
  server.behaviour.chunkPause = 0;
  const next = await page.evaluate(async () => {
    const unloading = window.inference!.unload('m');
    await window.inference!.load('m');
    await unloading;
    return window.inference!.status()[0]?.state;
  });
  expect(await ending).toBe('InferenceError unavailable');
  expect(next).toBe('ready');
  await expect.poll(async () => (await workersOf(page, 'model-worker')).length).toBe(1);
});

it('by the end of their worker', async () => {
  const { ending } = await begin();
  const [worker] = await workersOf(page, 'model-worker');
  await kill(worker!);
  expect(await ending).toBe('InferenceError unavailable');
  await expectNext();
});

it('by `stop`, with a new start after it', async () => {
  const { ending } = await begin();
  await page.evaluate(() => window.inference!.stop());
  expect(await ending).toBe('InferenceError cancelled');
  await expect.poll(() => page.workers().length).toBe(0);
  await page.evaluate(async (said) => {
    window.inference = await window.startInference(said);
  }, options);
  await expectNext();
});

it('by nothing but the collection of garbage, of which Chromium takes file handles to be that are being opened', async () => {
  server.behaviour.chunkPause = 0;
  page.on('worker', (worker) => {
    const collect = () => void setInterval(() => (globalThis as unknown as { gc: () => void }).gc(), 1);
    if (worker.url().includes('model-worker')) worker.evaluate(collect).catch(() => {});
  });
  for (let round = 0; round < 3; round++) {
    const kept = await page.evaluate(async () => {
      await window.inference!.download('m');
      const [model] = await window.inference!.stored();
      await window.inference!.remove('m');
      return model?.complete;
    });
    expect(kept).toBe(true);
  }
});
