/**
 * Models that arrive whatever happens to a real Chromium: its tabs and itself are killed, its disk is full. Faults of servers
 * and of what is kept are tested in Node, in `test/store`.
 * `npm run test:long` does it with a model of 500 MB, which is what STORE_MB says.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { type BrowserContext, chromium, type Page } from 'playwright';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InferenceOptions, PageInference, StoredModel, TransformersEntry } from '../../src/index.js';
import { type FaultServer, sha256Of, startFaultServer } from '../store/support/fault-server.js';
import { ask, openHost } from './support/host-page.js';
import { CHROMIUM } from '../support/chromium.js';
import { paddedModel } from './support/padded-model.js';

const MB = 2 ** 20;
const PADDING = Number(process.env['STORE_MB'] ?? 24) * MB;
const WEIGHTS = 'onnx/model_quantized.onnx';
const FILES = paddedModel(PADDING);
const HASHES = Object.fromEntries(Object.entries(FILES).map(([name, bytes]) => [name, sha256Of(bytes)]));
const TOTAL = Object.values(FILES).reduce((sum, bytes) => sum + bytes.length, 0);
/** Bytes between the server and the page, of which a small model feels the loss. */
const ON_ITS_WAY = 2 * MB;
const TIMEOUT = 120_000 + PADDING / 1000;

let server: FaultServer;
let context: BrowserContext;
let profile: string;

const launch = (): Promise<BrowserContext> =>
  chromium.launchPersistentContext(profile, {
    ...CHROMIUM,
    args: ['--no-sandbox', '--disable-background-networking', '--no-first-run'],
    serviceWorkers: 'allow',
  });

/** On a disk, as browsers of people have it: private windows keep files in memory and do without some rules. */
beforeEach(async () => {
  server = await startFaultServer();
  for (const [name, bytes] of Object.entries(FILES)) server.files.set(`m/${name}`, bytes);
  profile = await mkdtemp(`${tmpdir()}/inpage-profile-`);
  context = await launch();
});
afterEach(async () => {
  await context.close();
  await server.close();
  await rm(profile, { recursive: true, force: true });
});

function entry(changes: Partial<TransformersEntry> = {}): TransformersEntry {
  return {
    id: 'padded',
    task: 'chat',
    backend: 'transformers',
    source: `${server.url}m/`,
    device: 'wasm',
    dtype: 'q8',
    ...changes,
  };
}

const open = (changes: Partial<TransformersEntry> = {}, options: InferenceOptions = {}): Promise<Page> =>
  openHost(context, { models: [entry(changes)], ...options });

type Method = 'load' | 'download' | 'remove';

/** What a call of the page API threw, or nothing. */
function run(page: Page, method: Method): Promise<{ code: string; message: string; details: object } | undefined> {
  return page.evaluate(async (name) => {
    try {
      await window.inference![name]('padded');
      return undefined;
    } catch (thrown) {
      const { code, message, details } = thrown as { code: string; message: string; details: object };
      return { code, message, details };
    }
  }, method);
}

const stored = (page: Page): Promise<StoredModel[]> => page.evaluate(() => window.inference!.stored());

/** Slow enough to be caught in the middle. */
function throttle(): void {
  // A busy page leaves up to half a megabyte of each connection unread, which a kill loses: slower where that is counted.
  Object.assign(server.behaviour, { chunkBytes: 32 * 1024, chunkPause: PADDING < 500 * MB ? 6 : 20 });
}

async function sentAtLeast(bytes: number): Promise<void> {
  await expect.poll(() => server.sent, { timeout: TIMEOUT, interval: 5 }).toBeGreaterThanOrEqual(bytes);
}

/** Kills the renderer, as a crash or the system does. */
async function crash(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const crashed = new Promise((resolve) => page.once('crash', resolve));
  void session.send('Page.crash').catch(() => {});
  await crashed;
  await page.close();
}

describe('a download', () => {
  it(
    'goes on where a killed tab stopped, at any point: at most 1.05 of its bytes are sent',
    { timeout: TIMEOUT },
    async () => {
      throttle();
      const kills = process.env['STORE_MB'] ? 20 : 4;
      const points = Array.from({ length: kills }, () => Math.random() * 0.9 * TOTAL).toSorted((a, b) => a - b);
      for (const point of points) {
        const page = await open();
        void run(page, 'download').catch(() => {});
        await sentAtLeast(point);
        await crash(page);
      }
      const page = await open();
      expect(await run(page, 'load')).toBeUndefined();
      expect((await ask(page, 'padded')).status).toBe(200);
      console.warn(`${kills} kills: ${(server.sent / TOTAL).toFixed(4)} of ${(TOTAL / MB).toFixed(0)} MB were sent`);
      expect(server.sent).toBeLessThan(1.05 * TOTAL + (PADDING < 500 * MB ? kills * ON_ITS_WAY : 0));
    },
  );

  it('goes on after the browser was killed', { timeout: TIMEOUT }, async () => {
    throttle();
    void run(await open(), 'download').catch(() => {});
    await sentAtLeast(TOTAL / 2);
    await context.close();
    context = await launch();
    expect(await run(await open(), 'load')).toBeUndefined();
    expect(server.sent).toBeLessThan(1.05 * TOTAL + ON_ITS_WAY);
  });

  it(
    'is one for three tabs, also when they have other options, and is asked to be kept',
    { timeout: TIMEOUT },
    async () => {
      throttle();
      await context.addInitScript(() => {
        navigator.storage.persist = async () => {
          localStorage.setItem('asked', `${localStorage.getItem('asked') ?? ''}*`);
          return true;
        };
      });
      // Other options make another engine, with workers of its own.
      const pages = await Promise.all([open(), open(), open({ contextLength: 512 })]);
      expect(await Promise.all(pages.map((page) => run(page, 'download')))).toEqual([undefined, undefined, undefined]);
      expect(server.sent).toBeLessThan(1.01 * TOTAL);
      // The tab whose engine fetches asks, once.
      const kept = pages.map(async (page) => {
        await page.waitForFunction(() => window.inference!.status()[0]?.persistent === true);
        return page.evaluate(() => localStorage.getItem('asked'));
      });
      expect(await Promise.any(kept)).toMatch(/^\*{1,3}$/);
    },
  );

  it('that is cancelled stops the bytes', { timeout: TIMEOUT }, async () => {
    throttle();
    const page = await open();
    const code = page.evaluate(async () => {
      const abort = new AbortController();
      Object.assign(window, { abort });
      return window
        .inference!.download('padded', { signal: abort.signal })
        .catch((error: { code: string }) => error.code);
    });
    await sentAtLeast(TOTAL / 3);
    await page.evaluate(() => (window as unknown as { abort: AbortController }).abort.abort());
    expect(await code).toBe('cancelled');
    const { sent } = server;
    await page.waitForTimeout(500);
    // What was on its way.
    expect(server.sent - sent).toBeLessThan(4 * MB);
  });
});

describe('storage', () => {
  it('that is too small leaves no half file behind, and says how much is needed', { timeout: TIMEOUT }, async () => {
    const page = await open();
    const session = await context.newCDPSession(page);
    const { origin } = new URL(page.url());
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 20 * MB });
    const thrown = await run(page, 'download');
    expect(thrown).toMatchObject({ code: 'insufficient_resources' });
    expect((thrown!.details as { neededBytes: number }).neededBytes).toBeGreaterThan(PADDING);
    const kept = (await stored(page)).flatMap(({ files }) => files.map(({ file }) => file));
    expect(kept).not.toContain(WEIGHTS);
  });

  it('is listed, used without a network, and given back', { timeout: TIMEOUT }, async () => {
    const page = await open();
    expect(await run(page, 'download')).toBeUndefined();
    const [model] = await stored(page);
    expect(model).toMatchObject({ models: ['padded'], complete: true, source: `${server.url}m/` });
    expect(model!.bytes).toBeGreaterThan(PADDING);
    await server.close();
    expect(await run(page, 'load')).toBeUndefined();
    expect((await ask(page, 'padded')).status).toBe(200);
    expect(await run(page, 'remove')).toBeUndefined();
    expect(await stored(page)).toEqual([]);
    server = await startFaultServer();
  });

  it('takes files that a person picked, by the same checks', { timeout: TIMEOUT }, async () => {
    const page = await open({ integrity: HASHES });
    const pick = (flip: boolean) =>
      page.evaluate(
        async ([origin, names, wrong]) => {
          const files = await Promise.all(
            names.map(async (name) => {
              const bytes = new Uint8Array(await (await fetch(`${origin}m/${name}`)).arrayBuffer());
              if (wrong) bytes[bytes.length - 1]! ^= 1;
              const file = new File([bytes], name.slice(name.lastIndexOf('/') + 1));
              Object.defineProperty(file, 'webkitRelativePath', { value: `stick/${name}` });
              return file;
            }),
          );
          const inference = window.inference as PageInference;
          return inference.importModel('padded', files).catch((error: { code: string }) => error.code);
        },
        [server.url, Object.keys(FILES), flip] as const,
      );
    expect(await pick(true)).toBe('unavailable');
    expect(await pick(false)).toBeUndefined();
    await server.close();
    expect(await run(page, 'load')).toBeUndefined();
    server = await startFaultServer();
  });
});
