/**
 * Kept model files that are damaged at every moment of a load: each load ends, in success or a typed error, and the next
 * one succeeds. `INPAGE_DAMAGE_ROUNDS` and `INPAGE_DAMAGE_SEED` say how many rounds and which ones.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { InferenceOptions, ModelEntry } from '../../src/index.js';
import { started, stopServiceWorkers } from '../e2e/support/host-page.js';
import { CHROMIUM } from '../support/chromium.js';
import { paddedModel } from '../e2e/support/padded-model.js';
import { serveFolder } from '../e2e/support/serve-demo.js';
import { type FaultServer, startFaultServer } from '../store/support/fault-server.js';
import { DAMAGES, damageOpfs } from './damage-files.js';

const ROUNDS = Number(process.env['INPAGE_DAMAGE_ROUNDS'] ?? 200);
const SEED = Number(process.env['INPAGE_DAMAGE_SEED'] ?? 1);
/** Threads that only compute, so that everything comes late. */
const BUSY = 2;
/** Milliseconds in which a load must end, however busy the machine is: what the scheduler grants a silent one, and some. */
const DEADLINE = 330_000;

const MODELS = {
  chat: paddedModel(9 * 2 ** 20),
  embeddings: bundled('tiny-embed', [
    'config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    '1_Pooling/config.json',
    'onnx/model_quantized.onnx',
  ]),
  'speech-to-text': bundled('tiny-whisper', [
    'config.json',
    'generation_config.json',
    'preprocessor_config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'onnx/encoder_model_quantized.onnx',
    'onnx/decoder_model_merged_quantized.onnx',
  ]),
};
const TASKS = Object.keys(MODELS) as (keyof typeof MODELS)[];
const MOMENTS = ['before', 'during', 'after'] as const;
const EVENTS = ['nothing', 'second tab', 'page closed', 'page reloaded', 'service worker stopped', 'unloaded'] as const;

function bundled(model: string, names: readonly string[]): Record<string, Uint8Array> {
  const folder = new URL(`../../public/models/${model}/`, import.meta.url);
  return Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, folder))]));
}

let server: FaultServer;
let busy: Worker[];
let site: { origin: string; close(): Promise<void> };

beforeAll(async () => {
  server = await startFaultServer();
  for (const [task, files] of Object.entries(MODELS)) {
    for (const [name, bytes] of Object.entries(files)) server.files.set(`${task}/${name}`, bytes);
  }
  site = await serveFolder(process.env['INPAGE_DAMAGE_DEMO'] ?? join(import.meta.dirname, '../../dist-demo'));
  busy = Array.from({ length: BUSY }, () => new Worker('for (;;) ;', { eval: true }));
});
afterAll(async () => {
  for (const worker of busy) await worker.terminate();
  await site.close();
  await server.close();
});

/** Numbers from 0 to 1, the same for each seed. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What is done in one round. */
interface Round {
  task: keyof typeof MODELS;
  damage: (typeof DAMAGES)[number];
  /** Part of a name; empty: all files. */
  file: string;
  moment: (typeof MOMENTS)[number];
  event: (typeof EVENTS)[number];
  /** Milliseconds from the load's begin to the damage or event. */
  delay: number;
}

function roundOf(seed: number): Round {
  const next = random(seed);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(next() * values.length)]!;
  return {
    task: pick(TASKS),
    damage: pick(DAMAGES),
    file: pick(['', '.onnx', 'config.json', 'tokenizer.json']),
    moment: pick(MOMENTS),
    event: pick(EVENTS),
    delay: Math.floor(next() ** 2 * 2_000),
  };
}

/** How a load ended: `loaded`, or the code of what it threw. */
type Ending = string;
const HANGS = 'hangs';

const entryOf = (task: Round['task']): ModelEntry => ({
  id: 'm',
  task,
  backend: 'transformers',
  source: `${server.url}${task}/`,
  device: 'wasm',
  dtype: 'q8',
});

async function open(context: BrowserContext, { task }: Round): Promise<Page> {
  const options: InferenceOptions = { models: [entryOf(task)] };
  const page = await context.newPage();
  await page.goto(`${site.origin}/host.html#${encodeURIComponent(JSON.stringify(options))}`, { timeout: 120_000 });
  await started(page);
  return page;
}

/** Ends in any case: a page that is closed, or a load that hangs, is told as such. */
async function load(page: Page, method: 'load' | 'download' | 'unload'): Promise<Ending> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Ending>((resolve) => (timer = setTimeout(() => resolve(HANGS), DEADLINE)));
  const called = page
    .evaluate(
      (name) =>
        window.inference![name]('m').then(
          () => 'loaded',
          (thrown: { code?: string; message: string; name: string }) =>
            thrown.name === 'InferenceError' ? `${thrown.code!}: ${thrown.message}` : `untyped: ${thrown.message}`,
        ),
      method,
    )
    .catch((thrown: Error) => `page gone: ${thrown.message.split('\n')[0]}`);
  const ending = await Promise.race([called, late]);
  clearTimeout(timer);
  return ending;
}

async function damage(page: Page, { damage: kind, file }: Round): Promise<number> {
  return page.evaluate(damageOpfs, [kind, file] as const);
}

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What happens beside the load. Returns the page that goes on, and how another tab's load ended. */
async function happen(
  round: Round,
  context: BrowserContext,
  page: Page,
): Promise<{ page: Page; beside?: Promise<Ending> }> {
  switch (round.event) {
    case 'nothing':
      return { page };
    case 'second tab':
      return { page, beside: load(await open(context, round), 'load') };
    case 'page closed':
      await page.close();
      return { page: await open(context, round) };
    case 'page reloaded':
      await page.reload({ timeout: 120_000 });
      await started(page);
      return { page };
    case 'service worker stopped':
      await stopServiceWorkers(page);
      return { page };
    case 'unloaded':
      void load(page, 'unload');
      return { page };
  }
}

/** Tells all that the browser knows of a load that hangs. */
async function inspect(page: Page): Promise<void> {
  const known = page.evaluate(async () => {
    const { held, pending } = await navigator.locks.query();
    const names = (locks: LockInfo[] = []) => locks.map(({ name, clientId }) => `${clientId?.slice(0, 4)} ${name}`);
    return { status: window.inference?.status(), held: names(held), pending: names(pending) };
  });
  console.warn(HANGS, JSON.stringify(await known.catch(String)), server.requests.slice(-20));
}

async function run(round: Round, context: BrowserContext): Promise<Ending[]> {
  let page = await open(context, round);
  const endings = [await load(page, round.moment === 'after' ? 'load' : 'download')];
  if (round.moment !== 'during') await damage(page, round);
  if (round.moment === 'after') await load(page, 'unload');
  const loading = load(page, 'load');
  await wait(round.delay);
  const happening = happen(round, context, page);
  if (round.moment === 'during') await damage(page, round).catch(() => 0);
  endings.push(await loading);
  if (endings.at(-1) === HANGS) await inspect(page);
  const { page: other, beside } = await happening;
  page = other;
  if (beside) endings.push(await beside);
  endings.push(await load(page, 'load'));
  if (endings.at(-1) === HANGS) await inspect(page);
  return endings;
}

const TYPED = /^(loaded$|page gone|unavailable|cancelled|insufficient_resources)/;

it(
  `${ROUNDS} rounds of damage: every load ends, and the last one of each round succeeds`,
  async () => {
    const profile = await mkdtemp(join(tmpdir(), 'inpage-damage-'));
    const counts: Record<string, number> = {};
    const wrong: unknown[] = [];
    let context: BrowserContext | undefined;
    for (let number = 0; number < ROUNDS; number++) {
      // A browser for ten rounds, so that what one leaves behind is met by the next.
      if (number % 10 === 0) {
        await context?.close();
        context = await chromium.launchPersistentContext(profile, {
          ...CHROMIUM,
          args: ['--no-sandbox', '--disable-background-networking', '--no-first-run'],
          serviceWorkers: 'allow',
        });
      }
      const round = roundOf(SEED * 1_000 + number);
      const begin = performance.now();
      const endings = await run(round, context!).catch((thrown: Error) => [`test: ${thrown.message}`]);
      const seconds = Math.round((performance.now() - begin) / 1000);
      const summary = JSON.stringify({ number, seconds, ...round, endings });
      if (process.env['INPAGE_DAMAGE_LOG']) console.warn(summary);
      const isRight = endings.every((ending) => TYPED.test(ending)) && endings.at(-1) === 'loaded';
      if (!isRight) {
        wrong.push(summary);
        console.warn('WRONG', summary);
      }
      for (const ending of endings) {
        const kind = ending.split(':')[0]!;
        counts[kind] = (counts[kind] ?? 0) + 1;
      }
      for (const page of context!.pages().slice(1)) await page.close();
    }
    await context?.close();
    await rm(profile, { recursive: true, force: true });
    console.warn('loads', counts);
    expect(wrong).toEqual([]);
  },
  ROUNDS * 60_000,
);
