/**
 * Models that arrive whatever happens, in real Chromium, from a server that misbehaves as it is told.
 * `STORE_MB=500 npx vitest run --project e2e test/e2e/model-store.e2e.test.ts` does it with a model of that size.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { type BrowserContext, chromium, type Page } from 'playwright';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelEntry, PageInference, StoredModel } from '../../src/index.js';
import { type FaultServer, sha256Of, startFaultServer } from '../store/support/fault-server.js';
import { ask, openHost } from './support/host-page.js';
import { CHROMIUM } from './support/launch-chromium.js';
import { paddedModel } from './support/padded-model.js';

const MB = 2 ** 20;
const PADDING = Number(process.env['STORE_MB'] ?? 40) * MB;
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

function entry(changes: Partial<ModelEntry> = {}): ModelEntry {
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

const open = (changes: Partial<ModelEntry> = {}): Promise<Page> => openHost(context, { models: [entry(changes)] });

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
  Object.assign(server.behaviour, {
    chunkBytes: 32 * 1024,
    chunkPause: Math.max(1, Math.round((40 * MB * 6) / PADDING)),
  });
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
      const kills = process.env['STORE_MB'] ? 20 : 5;
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

  it('is one for three tabs, also when they have other options', { timeout: TIMEOUT }, async () => {
    throttle();
    // Other options make another engine, with workers of its own.
    const pages = await Promise.all([open(), open(), open({ contextLength: 512 })]);
    expect(await Promise.all(pages.map((page) => run(page, 'download')))).toEqual([undefined, undefined, undefined]);
    expect(server.sent).toBeLessThan(1.01 * TOTAL);
  });

  it('waits while there is no network and goes on then', { timeout: TIMEOUT }, async () => {
    throttle();
    const page = await open();
    const done = run(page, 'download');
    await sentAtLeast(TOTAL / 3);
    await context.setOffline(true);
    const before = server.sent;
    await page.waitForTimeout(1_500);
    await context.setOffline(false);
    expect(await done).toBeUndefined();
    expect(before).toBeLessThan(TOTAL);
    expect(await run(page, 'load')).toBeUndefined();
  });

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

describe('content', () => {
  it.each([
    ['once: it is fetched again', 1, undefined],
    ['always: it is refused', Infinity, expect.stringContaining('model_quantized.onnx')],
  ])('with one wrong byte %s', { timeout: TIMEOUT }, async (_, times, message: unknown) => {
    server.behaviour.lies = { file: `m/${WEIGHTS}`, at: 12 * MB, times };
    const page = await open({ integrity: HASHES });
    const thrown = await run(page, 'load');
    expect(thrown?.message).toEqual(message);
  });

  it.each(['flipped', 'truncated', 'foreign'] as const)(
    'that was %s in storage heals',
    { timeout: TIMEOUT },
    async (kind) => {
      const page = await open({ integrity: HASHES });
      expect(await run(page, 'download')).toBeUndefined();
      await damage(page, kind);
      const before = server.sent;
      expect(await run(page, 'load')).toBeUndefined();
      expect((await ask(page, 'padded')).status).toBe(200);
      expect(server.sent - before).toBeGreaterThan(0);
      expect((await stored(page))[0]).toMatchObject({ complete: true, verified: true });
    },
  );
});

/** Changes the largest kept file behind the store's back. */
function damage(page: Page, kind: 'flipped' | 'truncated' | 'foreign'): Promise<void> {
  return page.evaluate(async (how) => {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle('inpage-models');
    let largest: FileSystemFileHandle | undefined;
    let size = 0;
    for await (const folder of root.values()) {
      for await (const handle of (folder as FileSystemDirectoryHandle).values()) {
        const file = handle.kind === 'file' ? await handle.getFile() : undefined;
        if (file && file.size > size) [largest, size] = [handle as FileSystemFileHandle, file.size];
      }
    }
    const writable = await largest!.createWritable({ keepExistingData: how !== 'foreign' });
    if (how === 'flipped') await writable.write({ type: 'write', position: 1000, data: new Uint8Array([1, 2, 3]) });
    if (how === 'truncated') await writable.truncate(size - 1000);
    if (how === 'foreign') await writable.write(new Uint8Array(size));
    await writable.close();
  }, kind);
}

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
