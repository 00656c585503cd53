/** GGUF files in a page of a browser with WebGPU, whose GPU the processor plays: slow but true. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GgufEntry, ModelStatus } from '../../src/index.js';
import { SWIFTSHADER } from '../support/chromium.js';
import { newContext, started } from './support/host-page.js';
import { launchChromium } from './support/launch-chromium.js';
import { MADE_ON_GPU, madeEntry, writeMadeFiles } from './support/made-gguf.js';
import { serveFolder } from './support/serve-demo.js';

const demo = join(import.meta.dirname, '../../dist-demo');
/** Shaders take half a minute to compile in software: `npm run test:webgpu`. */
const isLong = Boolean(process.env['LONG_RUNS']);
const CHAT: GgufEntry = {
  id: 'own',
  task: 'chat',
  backend: 'gguf',
  source: '/models/tiny-chat',
  file: 'tiny-chat-Q8_0.gguf',
  dtype: 'fp32',
};

let browser: Browser;
/** As it is built; and where the adapter says that it is no simulated one. */
let [app, appOnGpu]: Awaited<ReturnType<typeof serveFolder>>[] = [];
let [made, trusting]: string[] = [];
beforeAll(async () => {
  made = await writeMadeFiles();
  trusting = await writeTrustingWorker();
  const folders = { '/made/': made };
  [browser, app, appOnGpu] = await Promise.all([
    launchChromium(SWIFTSHADER),
    serveFolder(demo, true, true, folders),
    serveFolder(demo, true, true, { ...folders, [`/assets/${WORKER}`]: trusting }),
  ]);
});
afterAll(async () => {
  await browser.close();
  await Promise.all([app, appOnGpu].map((each) => each!.close()));
  await Promise.all([made, trusting].map((folder) => rm(folder!, { recursive: true })));
});

/** What the file of the worker begins with. */
const WORKER = 'model-worker';

/** @returns a new folder with a worker that takes any adapter for a GPU */
async function writeTrustingWorker(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trusting-'));
  const name = readdirSync(join(demo, 'assets')).find((each) => each.startsWith(WORKER))!;
  const code = readFileSync(join(demo, 'assets', name), 'utf8');
  const trust = "Object.defineProperty(GPUAdapterInfo.prototype, 'isFallbackAdapter', { get: () => false });\n";
  await writeFile(join(folder, name.slice(WORKER.length)), trust + code);
  return folder;
}

interface Opened {
  page: Page;
  urls: string[];
}

async function open(entry: GgufEntry, { origin } = app!): Promise<Opened> {
  const context = await newContext(browser);
  const urls: string[] = [];
  context.on('request', (request) => urls.push(request.url()));
  const page = await context.newPage();
  await page.goto(`${origin}/host.html#${encodeURIComponent(JSON.stringify({ models: [entry] }))}`);
  await started(page);
  return { page, urls };
}

async function answer({ page }: Opened, more: object = {}): Promise<string> {
  return page.evaluate(
    async (body) => {
      const response = await fetch('/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return (JSON.parse(text) as { choices: { message: { content: string } }[] }).choices[0]!.message.content;
    },
    {
      model: 'own',
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
      max_tokens: 12,
      temperature: 0,
      ...more,
    },
  );
}

const statusOf = async ({ page }: Opened): Promise<ModelStatus> =>
  (await page.evaluate(() => window.inference!.status()))[0]!;

/** What the origin's private files say, but for their large ones. */
const storedTexts = ({ page }: Opened): Promise<string> =>
  page.evaluate(async () => {
    const textOf = async (folder: FileSystemDirectoryHandle): Promise<string> => {
      let text = '';
      for await (const handle of folder.values()) {
        if (handle.kind === 'directory') text += await textOf(handle);
        else {
          const file = await handle.getFile();
          if (file.size < 1e6) text += await file.text();
        }
      }
      return text;
    };
    return textOf(await navigator.storage.getDirectory());
  });

describe('a GGUF model where the only GPU is simulated', () => {
  it('[W60] [W62] runs on WASM with `auto`, says why, and fetches nothing for a GPU', async () => {
    const opened = await open(CHAT);
    await answer(opened);
    expect(await statusOf(opened)).toMatchObject({
      device: 'wasm',
      deviceReason: expect.stringContaining('simulated by the processor') as string,
    });
    expect(opened.urls.filter((url) => url.includes('gguf-webgpu'))).toEqual([]);
  });

  it.runIf(isLong)(
    '[W61] [W64] [W66] [W71] [W72] answers on it with `webgpu` as on WASM, with a warning, by at most 40 kB of code',
    async () => {
      const [onGpu, onWasm] = [await open({ ...CHAT, device: 'webgpu' }), await open({ ...CHAT, device: 'wasm' })];
      const stages = await onGpu.page.evaluate(async () => {
        const seen = new Set<string | undefined>();
        const timer = setInterval(() => seen.add(window.inference!.status()[0]!.progress?.stage), 5);
        await window.inference!.load('own');
        clearInterval(timer);
        return [...seen];
      });
      expect(stages).toContain('compile');
      // What the self-check found is kept with the file, also when that has only just come.
      expect(await storedTexts(onGpu)).toContain('computes right');
      expect(await statusOf(onGpu)).toMatchObject({
        device: 'webgpu',
        dtype: 'fp32',
        warning: expect.stringContaining('simulated') as string,
      });
      expect(await answer(onGpu)).toBe(await answer(onWasm));
      expect(await answer(onGpu, { logit_bias: { 5: 1 } })).toBe(await answer(onWasm, { logit_bias: { 5: 1 } }));
      const seeded = { temperature: 1, top_p: 0.9, seed: 3 };
      expect(await answer(onGpu, seeded)).toBe(await answer(onGpu, seeded));
      const code = [...new Set(onGpu.urls)].filter((url) => url.includes('gguf-webgpu'));
      expect(code.length).toBeGreaterThan(0);
      const bytes = code.map((url) => gzipSync(readFileSync(join(demo, new URL(url).pathname)), { level: 9 }).length);
      expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(40_000);
    },
    600_000,
  );

  it.runIf(isLong)(
    '[W62] [W63] is taken by `auto` where it says that it is no simulated one, with shaders that are tuned there',
    async () => {
      const [onGpu, onWasm] = [await open(CHAT, appOnGpu), await open({ ...CHAT, device: 'wasm' })];
      expect(await answer(onGpu)).toBe(await answer(onWasm));
      const status = await statusOf(onGpu);
      expect(status).toMatchObject({ device: 'webgpu' });
      expect(status).not.toHaveProperty('deviceReason');
      expect(status).not.toHaveProperty('warning');
      const texts = await storedTexts(onGpu);
      for (const fact of ['computes right', 'keeps bits', '32 sums', '64 sums', 'halves'])
        expect(texts).toContain(fact);
    },
    600_000,
  );

  it.runIf(isLong).each(MADE_ON_GPU)(
    '[W64] answers on it as on WASM with a made %s',
    async (name) => {
      const [onGpu, onWasm] = [await open(madeEntry(name, 'webgpu')), await open(madeEntry(name, 'wasm'))];
      const [given, expected] = [await answer(onGpu), await answer(onWasm)];
      expect(expected).not.toBe('');
      expect(given).toBe(expected);
      expect((await statusOf(onGpu)).device).toBe('webgpu');
      await Promise.all([onGpu, onWasm].map(({ page }) => page.context().close()));
    },
    600_000,
  );
});
