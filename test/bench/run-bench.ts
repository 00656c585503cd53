/**
 * `npm run bench [-- --json FILE] [-- --only PART] [-- --aimock FOLDER] [-- --size real|360m [--wllama FOLDER]]`: measures in real Chromium and prints a
 * table. Every row compares with the bare library or engine in the same run. Needs `npm run build` first. `--size real` makes
 * a model of 135 million random weights once, and measures it instead of the bundled one (`--size 360m`: of 360 million), its GGUF files
 * beside llama.cpp too; `--wllama FOLDER` adds llama.cpp in WASM, where `@wllama/wllama` 3 is installed in that folder. The parts `serve`
 * and `kernels` open no browser; `--aimock FOLDER` compares it with aimock, where `@copilotkit/aimock` is installed in that folder. The
 * part `gpu`, which runs alone, measures GGUF files on this machine's GPU in Node (`gpu-engine`), and in Chromium beside what else runs
 * there (`gpu-peers`; `INPAGE_WEBLLM_MODEL=FOLDER` adds WebLLM); where there is no GPU, small ones on one in software.
 */
import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, BrowserContext } from 'playwright';
import { build } from 'vite';
import { ggufKernels } from '../../.ci/gguf-kernels/gguf-kernels.js';
import { gpuPeerRows } from './gpu/gpu-peers.js';
import { measureThisGpu } from './gpu/run-gpu.js';
import { webLlmFolder } from './gpu/web-llm-folder.js';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { serveFolder } from '../e2e/support/serve-demo.js';
import { makeVisionModels, VISION_MODELS } from '../vision/make-vision-models.js';
import { type BenchRow, compare, median } from './bench-row.js';
import { makeRealGguf, makeRealModel } from './real/make-real-model.js';
import { LARGE_SHAPE, SHAPES } from './real/random-decoder.js';
import { processorTimes, secondsBetween } from './processor-seconds.js';
import { fileRows } from './run-files.js';
import { fixtureRows } from './run-fixture.js';
import { GGUF_PRECISIONS, LARGE_FILE } from './real/gguf-rows.js';
import { realRows } from './real/run-real.js';
import { kernelRows } from './kernels/kernel-rows.js';
import { makeRankingModel } from './make-ranking-model.js';
import { shortTextRows } from './run-short-text.js';
import { stateRows } from './run-state.js';
import { serveRows } from './serve/run-serve.js';
import { makeLargeModel, storeRows } from './store/run-store.js';

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache');
const outDir = join(cache, 'inpage-bench');
const PARTS = [
  'text',
  'constraint',
  'agent',
  'transport',
  'pipeline',
  'open',
  'embedding',
  'short-text',
  'rerank',
  'speech',
  'voice',
  'vision',
  'store',
  'fixture',
  'state',
  'files',
  'serve',
  'kernels',
];

/** What needs no page. */
const IN_NODE: Readonly<Record<string, () => Promise<BenchRow[]>>> = {
  serve: () => serveRows(option('aimock')),
  kernels: kernelRows,
};

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
const realParts = only?.split(',') ?? [
  'engine',
  'service',
  'open',
  'prompts',
  ...(size === 'real' ? ['gguf', 'gguf-peers', 'gguf-service', 'gguf-memory', 'gguf-decisions', 'gguf-threads'] : []),
];
/** Of the model of 135 million weights. */
const realFolder = join(cache, `inpage-bench-model-${size}`);
/** These run alone: `gpu` is the other two. */
const isOnGpu = only !== undefined && ['gpu', 'gpu-engine', 'gpu-peers'].includes(only);
const webLlm = isOnGpu ? webLlmFolder(cache) : undefined;

/** Built like an app's pages, so that what is measured is what users get. */
async function serveBench(): Promise<{ origin: string; close(): Promise<void> }> {
  const { inpage } = (await import(
    /* @vite-ignore */ join(root, 'dist/vite.js')
  )) as typeof import('../../src/tools/vite/index.js');
  const pages = ['page', 'open-ours', 'open-peer', 'short-text', 'state', 'files', 'real/page', 'store/page'].map(
    (name) => join(root, `test/bench/${name}.html`),
  );
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    // With the models' samples, which the plugin leaves out.
    publicDir: join(root, 'public'),
    plugins: [inpage({ models: false })],
    // One of the bench's workers has the GGUF engine's sources.
    worker: { format: 'es', plugins: () => [ggufKernels()] },
    resolve: { alias: { inpage: join(root, 'dist/index.js') } },
    build: { outDir, emptyOutDir: true, target: 'es2022', rolldownOptions: { input: pages } },
  });
  // The bare library gets its runtime as its own package has it.
  cpSync(join(root, 'node_modules/onnxruntime-web/dist'), join(outDir, 'ort'), {
    recursive: true,
    filter: (path) => !path.includes('.') || /dist$|asyncify\.(mjs|wasm)$/.test(path),
  });
  if (shape && !isOnGpu) {
    const folder = realFolder;
    await makeRealModel(folder, shape);
    if (size === 'real' && realParts.some((part) => part.startsWith('gguf')))
      for (const precision of GGUF_PRECISIONS) await makeRealGguf(join(folder, `model-${precision}.gguf`), precision);
    if (realParts.includes('gguf-memory')) await makeRealGguf(join(folder, LARGE_FILE), 'Q4_0', LARGE_SHAPE);
    if (!existsSync(join(outDir, 'models/real'))) symlinkSync(folder, join(outDir, 'models/real'));
  }
  await makeVisionModels();
  const ranking = join(cache, 'inpage-bench-ranking');
  if (parts.includes('rerank')) makeRankingModel(ranking);
  const hub = join(cache, 'inpage-bench-hub');
  if (!shape && parts.includes('store')) makeLargeModel(hub);
  const more = {
    '/vision/': VISION_MODELS,
    '/bench-hub/': hub,
    '/ranking/': ranking,
    ...(webLlm && { '/web-llm/resolve/main/': webLlm.folder }),
    ...(wllama && { '/wllama/': join(resolve(wllama), 'node_modules/@wllama/wllama/esm/') }),
  };
  return serveFolder(outDir, false, true, more, true);
}

/**
 * Opening a page is measured from outside: each time a fresh page, everything already in the browser's caches, or nothing.
 * Each side has a context of its own, as its users have: a Service Worker that still runs would keep a process for the
 * other side's page, with runtime and code compiled.
 */
async function openRows(browser: Browser, origin: string): Promise<BenchRow[]> {
  const warm: Record<string, BrowserContext> = {
    'open-ours': await browser.newContext(),
    'open-peer': await browser.newContext(),
  };
  const rows = [
    ...(await openings('page open to first token, everything cached', 0.6, (name) =>
      openPage(warm[name]!, origin, name),
    )),
    ...(await openings('page open to first token, nothing cached', 0.8, async (name) => {
      const cold = await browser.newContext();
      const opening = await openPage(cold, origin, name);
      await cold.close();
      return opening;
    })),
  ];
  await Promise.all(Object.values(warm).map((context) => context.close()));
  return rows;
}

/** Milliseconds in which a page that was closed is gone. */
const SETTLED = 2_500;

/** Milliseconds until the first token, and seconds of all processors until then. */
interface Opening {
  clock: number;
  computed: number;
}

async function openPage(context: BrowserContext, origin: string, name: string): Promise<Opening> {
  const page = await context.newPage();
  page.on('pageerror', (error) => process.stderr.write(`${name}: ${error.message}\n`));
  try {
    // The browser still compiles and cleans up for the page before, the other side's.
    await page.waitForTimeout(SETTLED);
    const before = processorTimes();
    await page.goto(`${origin}/test/bench/${name}.html`);
    await page.waitForFunction(() => 'bench' in window, undefined, { timeout: 120_000 });
    const computed = secondsBetween(before, processorTimes());
    return { clock: await page.evaluate<number>('window.bench'), computed };
  } finally {
    await page.close();
  }
}

/** One row by the clock, and one in processor time where the system tells it. */
async function openings(name: string, goal: number, open: (name: string) => Promise<Opening>): Promise<BenchRow[]> {
  const spent: Record<string, number[]> = {};
  const timed = (page: string) => async (): Promise<number> => {
    const { clock, computed } = await open(page);
    (spent[page] ??= []).push(computed);
    return clock;
  };
  const row = { name, goal, unit: 'x', lower: true };
  const byClock = await compare(row, timed('open-ours'), timed('open-peer'));
  // Without the round that warms up.
  const [ours, peer] = ['open-ours', 'open-peer'].map((page) => median(spent[page]!.slice(1))) as [number, number];
  const computed = { ...row, name: `${name}: processor time`, ours, peer, ratio: ours / peer, unit: 's' };
  return peer > 0 ? [byClock, computed] : [byClock];
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
  if (part === 'short-text') return shortTextRows(browser, origin);
  if (part === 'fixture') return fixtureRows(browser, origin);
  if (part === 'state') return stateRows(browser, origin);
  if (part === 'files') return fileRows(browser, origin);
  if (IN_NODE[part]) return IN_NODE[part]();
  return part === 'store' ? storeRows(origin) : pageRows(browser, origin, part);
}

/** @param origin undefined: only what needs no page */
async function measure(origin: string | undefined): Promise<BenchRow[]> {
  if (origin === undefined) {
    const rows = await Promise.all(parts.map((part) => IN_NODE[part]!()));
    for (const row of rows.flat()) print(row);
    return rows.flat();
  }
  const browser = await launchChromium();
  try {
    const rows: BenchRow[] = [];
    if (shape) {
      const gguf = { folder: realFolder, wllama: wllama !== undefined };
      for await (const row of realRows(browser, origin, { parts: realParts, gguf })) {
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

const HEADER = `${'row'.padEnd(62)}  ${'ours'.padStart(9)}  ${'peer'.padStart(9)}  ${'ratio'.padStart(8)}  goal\n`;

function print({ name, ours, peer, ratio, goal, unit, lower }: BenchRow): void {
  const cells = [
    name.padEnd(62),
    number(ours).padStart(9),
    number(peer).padStart(9),
    number(ratio).padStart(8),
    (goal === undefined ? '' : `${lower ? '<=' : '>='} ${goal}`).padEnd(8),
    goal === undefined ? '    ' : (lower ? ratio <= goal : ratio >= goal) ? 'met ' : 'MISS',
    unit,
  ];
  process.stdout.write(`${cells.join('  ')}\n`);
}

/** What ends within a tick of the clock has no rate. */
function number(value: number): string {
  if (!Number.isFinite(value)) return 'too fast';
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** What is said, and rows of the comparison. */
async function measureOnGpu(): Promise<{ report: string; rows: BenchRow[] }> {
  const isReal = size === 'real';
  let report = '';
  const say = (text: string): void => {
    report += `${text}\n`;
    process.stdout.write(`${text}\n`);
  };
  if (only !== 'gpu-peers') say(await measureThisGpu(isReal));
  if (only === 'gpu-engine') return { report, rows: [] };
  const { origin, close } = await serveBench();
  try {
    const rows: BenchRow[] = [];
    const served = join(outDir, 'models/real');
    for await (const row of gpuPeerRows({ isReal, origin, served, cache, webLlm, say })) {
      if (rows.length === 0) process.stdout.write(HEADER);
      rows.push(row);
      print(row);
    }
    return { report, rows };
  } finally {
    await close();
  }
}

if (isOnGpu) {
  const measured = await measureOnGpu();
  const file = option('json');
  if (file) writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
  process.exit();
}

const server = parts.every((part) => IN_NODE[part]) && !shape ? undefined : await serveBench();
try {
  process.stdout.write(HEADER);
  const rows = await measure(server?.origin);
  const file = option('json');
  if (file) writeFileSync(file, `${JSON.stringify(rows, null, 2)}\n`);
} finally {
  await server?.close();
}
process.exit();
