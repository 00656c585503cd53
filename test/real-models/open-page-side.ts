/** This project's engine in Chromium, as a side of a comparison of speeds. @module */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'vite';
import { ggufKernels } from '../../.ci/gguf-kernels/gguf-kernels.js';
import { rendererUsage } from '../bench/processor-time.js';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { serveFolder } from '../e2e/support/serve-demo.js';
import type { Run } from '../llama-cpp/time-sides.js';
import type { SpeedPage } from './speed-page.js';
import { promptFor, READ, WRITTEN } from './speed-task.js';
import type { SpeedOrder } from './speed-worker.js';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = 'test/real-models/speed-page.html';
const BUILT = join(ROOT, 'node_modules/.cache/inpage-speed-page');
/** Linux counts in hundredths of a second: what takes less is done so often that it takes this long, at about this rate. */
const [LEAST_SECONDS, FASTEST] = [0.5, 2000];

export async function buildSpeedPage(): Promise<void> {
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    worker: { format: 'es', plugins: () => [ggufKernels()] },
    build: { outDir: BUILT, emptyOutDir: true, target: 'es2022', rolldownOptions: { input: join(ROOT, PAGE) } },
  });
}

/**
 * @param threads 1: seconds are processor time of the renderers; more: seconds by the clock
 * @returns what measures, and what closes the browser
 */
export async function openPageSide(path: string, threads: number): Promise<{ run: Run; close(): Promise<void> }> {
  const file = new Uint8Array(readFileSync(path));
  const prompt = await promptFor(file);
  const server = await serveFolder(BUILT, false, true, { '/weights/': dirname(path) });
  const browser = await launchChromium();
  const page = await browser.newPage();
  await page.goto(`${server.origin}/${PAGE}`);
  await page.waitForFunction(() => 'ask' in globalThis);
  const ask = async (order: SpeedOrder): Promise<number> => {
    const before = rendererUsage().seconds;
    const { seconds } = await page.evaluate((given) => (globalThis as unknown as SpeedPage).ask(given), order);
    return threads > 1 ? seconds : rendererUsage().seconds - before;
  };
  await ask({ kind: 'load', url: `${server.origin}/weights/${basename(path)}`, threads });
  const times = file.length < 2 ** 25 ? Math.ceil((LEAST_SECONDS * FASTEST) / READ) : 1;
  return {
    async run() {
      const spent = { reading: 0, writing: 0 };
      for (let time = 0; time < times; time++) {
        spent.reading += (await ask({ kind: 'read', prompt })) / times;
        spent.writing += (await ask({ kind: 'write', count: WRITTEN })) / times;
      }
      return spent;
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
