/** An unloaded model takes no memory any more, however often it was loaded. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rendererUsage } from '../bench/processor-time.js';
import { ask, openHost } from '../e2e/support/host-page.js';
import { CHROMIUM } from '../support/chromium.js';
import { paddedModel } from '../e2e/support/padded-model.js';
import { type FaultServer, startFaultServer } from '../store/support/fault-server.js';

const PADDING = 200 * 2 ** 20;
const ROUNDS = 3;
/** Of what a loaded model takes: code, caches and pages that the allocator keeps. */
const LEFT = 0.25;
const TIMEOUT = 300_000;

let server: FaultServer;
let profile: string;
let context: BrowserContext;

beforeAll(async () => {
  server = await startFaultServer();
  for (const [name, bytes] of Object.entries(paddedModel(PADDING))) server.files.set(`m/${name}`, bytes);
  profile = await mkdtemp(`${tmpdir()}/inpage-profile-`);
  context = await chromium.launchPersistentContext(profile, {
    ...CHROMIUM,
    args: ['--no-sandbox', '--disable-background-networking', '--no-first-run'],
    serviceWorkers: 'allow',
  });
});
afterAll(async () => {
  await context.close();
  await server.close();
  await rm(profile, { recursive: true, force: true });
});

const call = (page: Page, method: 'load' | 'unload'): Promise<void> =>
  page.evaluate((name) => window.inference![name]('padded'), method);

/** Only Linux tells what a process holds. */
it.skipIf(process.platform !== 'linux')(
  'unloading gives back what loading took, again and again',
  async () => {
    const source = `${server.url}m/`;
    const entry = { id: 'padded', task: 'chat', backend: 'transformers', source, device: 'wasm', dtype: 'q8' } as const;
    const page = await openHost(context, { models: [entry] });
    const before = rendererUsage().bytes;
    for (let round = 0; round < ROUNDS; round++) {
      await call(page, 'load');
      expect((await ask(page, 'padded')).status).toBe(200);
      const taken = rendererUsage().bytes - before;
      expect(taken).toBeGreaterThan(PADDING);
      await call(page, 'unload');
      await expect.poll(() => rendererUsage().bytes - before, { timeout: TIMEOUT }).toBeLessThan(taken * LEFT);
      console.warn(`round ${round}: ${taken >> 20} MB, after unload ${(rendererUsage().bytes - before) >> 20} MB`);
    }
  },
  ROUNDS * TIMEOUT,
);
