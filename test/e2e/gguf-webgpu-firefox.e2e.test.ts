/** GGUF on WebGPU in Firefox, whose shader compiler (Naga) is another than Chromium's. Needs libvulkan; long: `npm run test:webgpu`. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GgufEntry, ModelStatus } from '../../src/index.js';
import { type InstalledFirefox, findInstalledFirefox } from '../browsers/firefox.js';
import { openHost } from '../browsers/host-page.js';
import { MADE_ON_GPU, madeEntry, writeMadeFiles } from './support/made-gguf.js';
import { serveFolder } from './support/serve-demo.js';

/** Of Chromium; for Firefox too it is the GPU that the processor plays. */
const SWIFTSHADER = '/usr/lib/chromium/vk_swiftshader_icd.json';
const PREFERENCES = { 'dom.webgpu.enabled': true, 'gfx.webgpu.ignore-blocklist': true };
const ENTRY: GgufEntry = {
  id: 'own',
  task: 'chat',
  backend: 'gguf',
  source: '/models/tiny-chat',
  file: 'tiny-chat-Q8_0.gguf',
  dtype: 'fp32',
};

const NO_ADAPTER = 'Firefox finds no adapter: install libvulkan1.';

const open = findInstalledFirefox();

/** What a model on a device answers, and its status. */
interface Answers {
  status: ModelStatus;
  texts: string[];
}

describe.runIf(process.env['LONG_RUNS'] && open && existsSync(SWIFTSHADER))('GGUF on WebGPU in Firefox', () => {
  let firefox: InstalledFirefox;
  let app: Awaited<ReturnType<typeof serveFolder>>;
  let made: string;
  beforeAll(async () => {
    process.env['VK_ICD_FILENAMES'] = SWIFTSHADER;
    made = await writeMadeFiles();
    [firefox, app] = await Promise.all([
      open!(PREFERENCES),
      serveFolder(join(import.meta.dirname, '../../dist-demo'), true, true, { '/made/': made }),
    ]);
    await firefox.navigateTo(`${app.origin}/host.html`);
  });
  afterAll(async () => {
    await firefox.quit();
    await app.close();
    await rm(made, { recursive: true });
  });

  const hasAdapter = (): Promise<boolean> =>
    firefox.execute(async () => Boolean(await navigator.gpu?.requestAdapter()), undefined);

  async function answers(entry: GgufEntry): Promise<Answers> {
    await openHost(firefox, app.origin, { models: [entry] });
    return firefox.execute(async () => {
      const inference = window.inference!;
      await inference.load('own');
      const texts: string[] = [];
      // Chosen on the GPU, and of logits that are read back.
      for (const more of [{}, { logit_bias: { 5: 1 } }]) {
        const messages = [{ role: 'user', content: 'What is the capital of France?' }];
        const body = JSON.stringify({ model: 'own', messages, max_tokens: 12, temperature: 0, ...more });
        const response = await inference.fetch('/v1/chat/completions', { method: 'POST', body });
        texts.push(
          ((await response.json()) as { choices: { message: { content: string } }[] }).choices[0]!.message.content,
        );
      }
      return { status: inference.status()[0]!, texts };
    }, undefined);
  }

  it('[W61] [W64] [W71] answers as on WASM, after the self-check', { timeout: 300_000 }, async ({ skip }) => {
    skip(!(await hasAdapter()), NO_ADAPTER);
    const [onGpu, onWasm] = [
      await answers({ ...ENTRY, device: 'webgpu' }),
      await answers({ ...ENTRY, device: 'wasm' }),
    ];
    expect(onGpu.status).toMatchObject({ device: 'webgpu', warning: expect.stringContaining('simulated') as string });
    expect(onWasm.status.device).toBe('wasm');
    expect(onGpu.texts).toEqual(onWasm.texts);
    expect(onGpu.texts[0]).toContain('Paris');
  });

  it.for(MADE_ON_GPU)('[W64] answers as on WASM with a made %s', { timeout: 300_000 }, async (name, { skip }) => {
    skip(!(await hasAdapter()), NO_ADAPTER);
    const [onGpu, onWasm] = [await answers(madeEntry(name, 'webgpu')), await answers(madeEntry(name, 'wasm'))];
    expect(onGpu.status.device).toBe('webgpu');
    expect(onGpu.texts).toEqual(onWasm.texts);
    expect(onWasm.texts.every((text) => text.length > 0)).toBe(true);
  });
});
