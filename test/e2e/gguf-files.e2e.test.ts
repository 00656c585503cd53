/** How GGUF files are kept on a device: fetched, gone on with, picked, damaged, removed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { GgufEntry, InferenceOptions, LoadProgress, PageInference, StoredModel } from '../../src/index.js';
import { tinyAdapter } from '../engines/gguf/support/tiny-adapter.js';
import { madeFile } from '../engines/gguf/support/made-architectures.js';
import { tinyFile } from '../engines/gguf/support/tiny-file.js';
import { type FaultServer, sha256Of, startFaultServer } from '../store/support/fault-server.js';
import { hubFiles } from '../store/support/hub-server.js';
import { CHROMIUM } from '../support/chromium.js';
import { openHost, stateOf } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

const MB = 2 ** 20;
/** 20 MB of weights. */
const SHAPE = { kind: 'F32', width: 256, inner: 3072 } as const;
const MODEL = tinyFile(SHAPE);
const ADAPTER = tinyAdapter({ model: SHAPE });
const TOTAL = MODEL.length + ADAPTER.length;

let server: FaultServer;
let context: BrowserContext;
withContexts((fresh) => (context = fresh));
beforeEach(async () => {
  server = await startFaultServer({
    'm/tiny.gguf': MODEL,
    'm/other.gguf': MODEL,
    'm/lora.gguf': ADAPTER,
    'm/gemma4.gguf': madeFile('gemma4'),
  });
});
afterEach(() => server.close());

const entry = (changes: Partial<GgufEntry> = {}): GgufEntry => ({
  id: 'tiny',
  task: 'chat',
  backend: 'gguf',
  source: `${server.url}m/tiny.gguf`,
  loras: [{ source: `${server.url}m/lora.gguf`, id: 'sql' }],
  ...changes,
});
const open = (changes: Partial<GgufEntry> = {}, options: InferenceOptions = {}): Promise<Page> =>
  openHost(context, { models: [entry(changes)], ...options });

interface Failure {
  code: string;
  message: string;
}

/** A download that was begun in a page. */
interface Download {
  abort: AbortController;
  ended: Promise<string | void>;
  reports: LoadProgress[];
}

/** What a call of the page API threw, or nothing. */
function run(page: Page, method: 'load' | 'download' | 'remove', model = 'tiny'): Promise<Failure | undefined> {
  return page.evaluate(
    async ([name, id]) => {
      try {
        await window.inference![name](id);
        return undefined;
      } catch (thrown) {
        const { code, message } = thrown as Failure;
        return { code, message };
      }
    },
    [method, model] as const,
  );
}

const stored = (page: Page): Promise<StoredModel[]> => page.evaluate(() => window.inference!.stored());

/** Status and text of an answer. */
function ask(page: Page, model = 'tiny', content = 'Hello!'): Promise<[number, string]> {
  return page.evaluate(
    async ([id, text]) => {
      const messages = [{ role: 'user', content: text }];
      const body = JSON.stringify({ model: id, messages, max_tokens: 12 });
      const response = await fetch('/v1/chat/completions', { method: 'POST', body });
      if (!response.ok) return [response.status, ''];
      const answer = (await response.json()) as { choices: { message: { content: string } }[] };
      return [response.status, answer.choices[0]!.message.content];
    },
    [model, content] as const,
  );
}

/** Bytes of all files in the origin's storage, wherever they lie. */
function bytesOnDisk(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const sizeOf = async (folder: FileSystemDirectoryHandle): Promise<number> => {
      let bytes = 0;
      for await (const handle of (folder as unknown as { values(): AsyncIterable<FileSystemHandle> }).values())
        bytes +=
          handle.kind === 'directory'
            ? await sizeOf(handle as FileSystemDirectoryHandle)
            : (await (handle as FileSystemFileHandle).getFile()).size;
      return bytes;
    };
    return sizeOf(await navigator.storage.getDirectory());
  });
}

/** Removes the bytes of all stored files, as no one should. */
function emptyDisk(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    for await (const name of (root as unknown as { keys(): AsyncIterable<string> }).keys())
      await root.removeEntry(name, { recursive: true });
  });
}

describe('[W25] the table of inputs of Gemma 4', () => {
  it('is read where the file is stored; where that is gone, requests are answered all the same', async () => {
    const page = await open({ source: `${server.url}m/gemma4.gguf`, loras: [] });
    const [status, text] = await ask(page);
    expect(status).toBe(200);
    await emptyDisk(page);
    // Rows of these tokens are in memory, those of others are not.
    expect(await ask(page)).toEqual([200, text]);
    const [later] = await ask(page, 'tiny', 'QXZ~%');
    expect(later).toBe(200);
  });
});

describe('[W12] a GGUF file', () => {
  it('is kept once, as it came, with its adapters and nothing else; a second visit needs no network', async () => {
    const page = await open();
    expect(await run(page, 'download')).toBeUndefined();
    const names = server.requests.map((line) => line.split(' ')[1]);
    expect(new Set(names)).toEqual(new Set(['m/tiny.gguf', 'm/lora.gguf']));
    expect(server.sent).toBe(TOTAL);
    const [model, ...more] = await stored(page);
    expect(more).toEqual([]);
    expect(model).toMatchObject({ models: ['tiny'], complete: true, source: `${server.url}m/`, bytes: TOTAL });
    expect(model!.files.map(({ file }) => file).toSorted()).toEqual(['lora.gguf', 'tiny.gguf']);
    await server.close();
    const [status, text] = await ask(page);
    expect([status, text === '']).toEqual([200, false]);
    expect((await ask(page, 'tiny:sql'))[0]).toBe(200);
    // Facts about files take a few kilobytes.
    expect(await bytesOnDisk(page)).toBeLessThan(TOTAL + 65_536);
    await page.close();
    const later = await open();
    expect(await ask(later)).toEqual([200, text]);
    expect(await run(later, 'remove')).toBeUndefined();
    expect(await stored(later)).toEqual([]);
    expect(await bytesOnDisk(later)).toBeLessThan(65_536);
    server = await startFaultServer();
  });

  it('is asked for once by a page that is opened again', async () => {
    const page = await open({ loras: [] });
    expect(await run(page, 'load')).toBeUndefined();
    await page.close();
    server.requests.length = 0;
    const later = await open({ loras: [] });
    expect(await run(later, 'load')).toBeUndefined();
    expect(server.requests).toEqual(['HEAD m/tiny.gguf']);
  });

  it('goes on where a download was broken off, tells how far it is, and is one for two tabs', async () => {
    Object.assign(server.behaviour, { chunkBytes: 128 * 1024, chunkPause: 5 });
    const page = await open();
    await page.evaluate(
      async (models) => {
        await window.inference!.stop();
        const reports: LoadProgress[] = [];
        window.inference = await window.startInference({ models, onProgress: (report) => void reports.push(report) });
        const abort = new AbortController();
        const ended = window.inference.download('tiny', { signal: abort.signal }).catch((error: Failure) => error.code);
        Object.assign(window, { download: { abort, ended, reports } });
      },
      [entry()],
    );
    await page.waitForFunction(
      (least) => {
        const { reports } = (window as unknown as { download: Download }).download;
        return (reports.at(-1)?.loadedBytes ?? 0) > least;
      },
      TOTAL / 3,
      { polling: 20 },
    );
    const [code, last] = await page.evaluate(async () => {
      const { abort, ended, reports } = (window as unknown as { download: Download }).download;
      abort.abort();
      return [await ended, reports.at(-1)] as const;
    });
    expect(code).toBe('cancelled');
    expect(last).toMatchObject({ model: 'tiny', stage: 'download' });
    // The adapter is small enough to have come with its head.
    expect(last!.totalBytes).toBeGreaterThanOrEqual(MODEL.length);
    expect(last!.loadedBytes).toBeLessThan(last!.totalBytes);
    await page.waitForTimeout(300);
    const { sent } = server;
    const other = await open({ contextLength: 256 });
    expect(await Promise.all([run(page, 'download'), run(other, 'download')])).toEqual([undefined, undefined]);
    expect(server.sent - sent).toBeLessThan(last!.totalBytes - last!.loadedBytes + MB);
    expect((await ask(other))[0]).toBe(200);
  });

  it('is of the `revision` of a hub', async () => {
    server.files.clear();
    for (const [name, bytes] of Object.entries(hubFiles('owner/tiny-GGUF', { 'tiny-Q4_0.gguf': MODEL }, 'v2')))
      server.files.set(name, bytes);
    const changes = { source: 'owner/tiny-GGUF', file: '*Q4_0.gguf', revision: 'v2', loras: [] };
    const page = await open(changes, { hub: server.url });
    expect((await ask(page))[0]).toBe(200);
    expect(server.requests.filter((line) => line.includes('resolve/main'))).toEqual([]);
    await server.close();
    const later = await open(changes, { hub: server.url });
    expect((await ask(later))[0]).toBe(200);
    server = await startFaultServer();
  });

  it('is what `integrity` says, by its name or as the one hash', async () => {
    const [right, wrong] = [sha256Of(MODEL), sha256Of(ADAPTER)];
    for (const integrity of [wrong, { 'tiny.gguf': wrong }]) {
      const page = await open({ integrity, loras: [] });
      const failure = await run(page, 'load');
      expect(failure?.code).toBe('unavailable');
      expect(failure?.message).toContain('tiny.gguf');
      await page.close();
    }
    for (const integrity of [right, { 'tiny.gguf': right }]) {
      const page = await open({ integrity, loras: [] });
      expect(await run(page, 'load')).toBeUndefined();
      expect((await stored(page))[0]).toMatchObject({ verified: true });
      await page.close();
    }
  });

  it('is taken from files that a person picks, by their names', async () => {
    const page = await open({ integrity: { 'tiny.gguf': sha256Of(MODEL), 'lora.gguf': sha256Of(ADAPTER) } });
    const pick = (names: Record<string, string>): Promise<string | undefined> =>
      page.evaluate(
        async ([url, all]) => {
          const files = await Promise.all(
            Object.entries(all).map(async ([name, from]) => new File([await (await fetch(url + from)).blob()], name)),
          );
          const inference = window.inference as PageInference;
          return inference.importModel('tiny', files).then(
            () => undefined,
            (error: Failure) => error.code,
          );
        },
        [`${server.url}m/`, names] as const,
      );
    // A file of another content, and one that is missing.
    expect(await pick({ 'tiny.gguf': 'lora.gguf', 'lora.gguf': 'lora.gguf' })).not.toBeUndefined();
    expect(await pick({ 'tiny.gguf': 'tiny.gguf' })).toBe('unavailable');
    expect(await pick({ 'tiny.gguf': 'tiny.gguf', 'lora.gguf': 'lora.gguf' })).toBeUndefined();
    await server.close();
    expect(await ask(page).then(([status]) => status)).toBe(200);
    expect((await ask(page, 'tiny:sql'))[0]).toBe(200);
    server = await startFaultServer();
  });
});

describe('[W11] a file that is not what it was', () => {
  const both = (): GgufEntry[] => [
    entry({ loras: [] }),
    entry({ id: 'other', source: `${server.url}m/other.gguf`, loras: [] }),
  ];

  it.each([
    ['cut by one byte', MODEL.subarray(0, MODEL.length - 1), /`tiny\.gguf` is incomplete/],
    ['cut in its head', MODEL.subarray(0, 1000), /`tiny\.gguf` is incomplete/],
    ['empty', new Uint8Array(), /tiny\.gguf/],
  ])('%s never answers; the next load tries again, and other models go on', async (_, bytes, message) => {
    server.files.set('m/tiny.gguf', bytes);
    const page = await openHost(context, { models: both() });
    const failure = await run(page, 'load');
    expect(failure?.code).toBe('unavailable');
    expect(failure?.message).toMatch(message);
    expect(server.sent).toBeLessThan(1.1 * MB);
    expect(await stateOf(page, 'tiny')).toBe('failed');
    expect((await ask(page))[0]).toBe(503);
    const [status, text] = await ask(page, 'other');
    expect(status).toBe(200);
    server.files.set('m/tiny.gguf', MODEL);
    expect(await run(page, 'load')).toBeUndefined();
    expect(await ask(page)).toEqual([200, text]);
  });

  it('that was changed on the disk is fetched anew', async () => {
    // Private windows keep files in memory, where changes leave no trace.
    const profile = mkdtempSync(join(tmpdir(), 'inpage-profile-'));
    const lasting = await chromium.launchPersistentContext(profile, { ...CHROMIUM, serviceWorkers: 'allow' });
    onTestFinished(async () => {
      await lasting.close();
      rmSync(profile, { recursive: true, force: true });
    });
    const models = [entry({ loras: [] })];
    const page = await openHost(lasting, { models });
    const [, text] = await ask(page);
    await page.close();
    const between = await lasting.newPage();
    await between.goto(new URL('/models/tiny-chat/config.json', page.url()).href);
    const changed = await between.evaluate(async (size) => {
      let count = 0;
      const visit = async (folder: FileSystemDirectoryHandle): Promise<void> => {
        for await (const handle of (folder as unknown as { values(): AsyncIterable<FileSystemHandle> }).values()) {
          if (handle.kind === 'directory') await visit(handle as FileSystemDirectoryHandle);
          else {
            const own = handle as FileSystemFileHandle;
            if ((await own.getFile()).size < size) continue;
            const writable = await own.createWritable({ keepExistingData: true });
            await writable.write({ type: 'write', position: size / 2, data: new Uint8Array(4096) });
            await writable.close();
            count += 1;
          }
        }
      };
      await visit(await navigator.storage.getDirectory());
      return count;
    }, MB);
    expect(changed).toBeGreaterThan(0);
    await between.close();
    const { sent } = server;
    const later = await openHost(lasting, { models });
    expect(await ask(later)).toEqual([200, text]);
    expect(server.sent).toBeGreaterThan(sent);
    expect((await stored(later))[0]).toMatchObject({ complete: true, bytes: MODEL.length });
  });

  it('that changes on the server while it is fetched is one of the two, as a whole', async () => {
    const second = tinyFile({ ...SHAPE, metadata: { 'general.name': 'Tony' } });
    Object.assign(server.behaviour, { chunkBytes: 256 * 1024, chunkPause: 3 });
    const page = await open({ loras: [] });
    const loading = run(page, 'load');
    await expect.poll(() => server.sent, { timeout: 60_000, interval: 2 }).toBeGreaterThan(4 * MB);
    server.files.set('m/tiny.gguf', second);
    const failure = await loading;
    expect([undefined, 'unavailable']).toContain(failure?.code);
    expect(await run(page, 'load')).toBeUndefined();
    const kept = await page.evaluate(
      async () => (await (await fetch('/v1/models/tiny?verbose=true')).json()) as object,
    );
    expect((await ask(page))[0]).toBe(200);
    expect(JSON.stringify(kept)).toMatch(/T[io]ny/);
  });
});
