/**
 * `npm run bench [-- --json FILE] [-- --only PART] [-- --size real|360m [--wllama FOLDER]]`: measures in real Chromium and prints a
 * table. Every row compares with the bare library or engine in the same run. Needs `npm run build` first. `--size real` makes
 * a model of 135 million random weights once, and measures it instead of the bundled one (`--size 360m`: of 360 million); `--wllama FOLDER` besides compares it
 * with llama.cpp, where `@wllama/wllama` 3 is installed in that folder.
 */
import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright';
import { build } from 'vite';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { serveFolder } from '../e2e/support/serve-demo.js';
import { makeVisionModels, VISION_MODELS } from '../vision/make-vision-models.js';
import { type BenchRow, compare } from './bench-row.js';
import { makeRealGguf, makeRealModel } from './real/make-real-model.js';
import { SHAPES } from './real/random-decoder.js';
import { processorTimes, secondsBetween } from './processor-seconds.js';
import { fixtureRows } from './run-fixture.js';
import { realRows } from './real/run-real.js';
import { makeRankingModel } from './make-ranking-model.js';
import { makeLargeModel, storeRows } from './store/run-store.js';

const root = join(import.meta.dirname, '../..');
const PARTS = [
  'text',
  'constraint',
  'agent',
  'transport',
  'pipeline',
  'open',
  'embedding',
  'rerank',
  'speech',
  'voice',
  'vision',
  'store',
  'fixture',
];

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};

const only = option('only');
const size = option('size');
const shape = size === undefined ? undefined : SHAPES[size];
if (size && !shape) throw new Error(`--size takes ${Object.keys(SHAPES).join(' or ')}.`);
const wllama = option('wllama');
if (wllama && size !== 'real') throw new Error('--wllama goes with --size real.');
const parts = only ? only.split(',') : PARTS;

/** Built like an app's pages, so that what is measured is what users get. */
async function serveBench(): Promise<{ origin: string; close(): Promise<void> }> {
  const { inpage } = (await import(
    /* @vite-ignore */ join(root, 'dist/vite.js')
  )) as typeof import('../../src/node/vite/index.js');
  const outDir = join(root, 'node_modules/.cache/inpage-bench');
  const pages = ['page', 'open-ours', 'open-peer', 'real/page', 'store/page'].map((name) =>
    join(root, `test/bench/${name}.html`),
  );
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    // With the models' samples, which the plugin leaves out.
    publicDir: join(root, 'public'),
    plugins: [inpage({ models: false })],
    resolve: { alias: { inpage: join(root, 'dist/index.js') } },
    build: { outDir, emptyOutDir: true, target: 'es2022', rolldownOptions: { input: pages } },
  });
  // The bare library gets its runtime as its own package has it.
  cpSync(join(root, 'node_modules/onnxruntime-web/dist'), join(outDir, 'ort'), {
    recursive: true,
    filter: (path) => !path.includes('.') || /dist$|asyncify\.(mjs|wasm)$/.test(path),
  });
  if (shape) {
    const folder = join(root, `node_modules/.cache/inpage-bench-model-${size}`);
    await makeRealModel(folder, shape);
    if (wllama) await makeRealGguf(join(folder, 'model.gguf'));
    if (!existsSync(join(outDir, 'models/real'))) symlinkSync(folder, join(outDir, 'models/real'));
  }
  await makeVisionModels();
  const ranking = join(root, 'node_modules/.cache/inpage-bench-ranking');
  if (parts.includes('rerank')) makeRankingModel(ranking);
  const hub = join(root, 'node_modules/.cache/inpage-bench-hub');
  if (!shape && parts.includes('store')) makeLargeModel(hub);
  const more = {
    '/vision/': VISION_MODELS,
    '/bench-hub/': hub,
    '/ranking/': ranking,
    ...(wllama && { '/wllama/': join(resolve(wllama), 'node_modules/@wllama/wllama/esm/') }),
  };
  return serveFolder(outDir, false, true, more, true);
}

/** Opening a page is measured from outside: each time a fresh page, everything already in the browser's caches. */
async function openRows(browser: Browser, origin: string): Promise<BenchRow[]> {
  const context = await browser.newContext();
  const open = async (name: string): Promise<number> => {
    const page = await context.newPage();
    page.on('pageerror', (error) => process.stderr.write(`${name}: ${error.message}\n`));
    try {
      await page.goto(`${origin}/test/bench/${name}.html`);
      await page.waitForFunction(() => 'bench' in window, undefined, { timeout: 120_000 });
      return await page.evaluate<number>('window.bench');
    } finally {
      await page.close();
    }
  };
  const row = { name: 'page open to first token, everything cached', goal: 2, unit: 'x', lower: true };
  const result = await compare(
    row,
    () => open('open-ours'),
    () => open('open-peer'),
    3,
  );
  await context.close();
  return [result];
}

async function pageRows(browser: Browser, origin: string, part: string): Promise<BenchRow[]> {
  const before = processorTimes();
  const page = await browser.newPage();
  try {
    page.on('pageerror', (error) => process.stderr.write(`${part}: ${error.message}\n`));
    await page.goto(`${origin}/test/bench/page.html?part=${part}`);
    await page.waitForFunction(() => 'bench' in window, undefined, { timeout: 600_000 });
    const result = await page.evaluate<BenchRow[] | string>('window.bench');
    const spent = secondsBetween(before, processorTimes());
    if (typeof result === 'string') throw new Error(`${part}: ${result}`);
    if (spent > 0) process.stdout.write(`${part}: ${spent.toFixed(2)} s of processor time\n`);
    return result;
  } finally {
    await page.close();
  }
}

function partRows(browser: Browser, origin: string, part: string): Promise<BenchRow[]> {
  if (part === 'open') return openRows(browser, origin);
  if (part === 'fixture') return fixtureRows(browser, origin);
  return part === 'store' ? storeRows(origin) : pageRows(browser, origin, part);
}

async function measure(origin: string): Promise<BenchRow[]> {
  const browser = await launchChromium();
  try {
    const rows: BenchRow[] = [];
    if (shape) {
      const realParts = only?.split(',') ?? ['engine', 'service', 'open', 'prompts', ...(wllama ? ['wllama'] : [])];
      for await (const row of realRows(browser, origin, realParts)) {
        rows.push(row);
        print(row);
      }
      return rows;
    }
    for (const part of parts) {
      const result = await partRows(browser, origin, part);
      rows.push(...result);
      for (const row of result) print(row);
    }
    return rows;
  } finally {
    await browser.close();
  }
}

function print({ name, ours, peer, ratio, goal, unit, lower }: BenchRow): void {
  const met = lower ? ratio <= goal : ratio >= goal;
  const cells = [
    name.padEnd(62),
    number(ours).padStart(9),
    number(peer).padStart(9),
    number(ratio).padStart(8),
    `${lower ? '<=' : '>='} ${goal}`.padEnd(8),
    met ? 'met ' : 'MISS',
    unit,
  ];
  process.stdout.write(`${cells.join('  ')}\n`);
}

const number = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));

const server = await serveBench();
try {
  process.stdout.write(
    `${'row'.padEnd(62)}  ${'ours'.padStart(9)}  ${'peer'.padStart(9)}  ${'ratio'.padStart(8)}  goal\n`,
  );
  const rows = await measure(server.origin);
  const file = option('json');
  if (file) writeFileSync(file, `${JSON.stringify(rows, null, 2)}\n`);
} finally {
  await server.close();
}
process.exit();
