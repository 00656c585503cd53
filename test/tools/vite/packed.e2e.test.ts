/** A model from hub to app: packed by the command line, emitted by the Vite plugin, opened where there is no network. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, createServer, type InlineConfig } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ModelEntry } from '../../../src/index.js';
import { ask } from '../../e2e/support/host-page.js';
import { launchChromium } from '../../e2e/support/launch-chromium.js';
import { paddedModel } from '../../e2e/support/padded-model.js';
import { serveFolder } from '../../e2e/support/serve-demo.js';
import { startFaultServer } from '../../store/support/fault-server.js';
import { hubFiles } from '../../store/support/hub-server.js';

const MB = 2 ** 20;
const root = join(import.meta.dirname, '../../..');
const { inpage } = (await import(join(root, 'dist/vite.js'))) as typeof import('../../../src/tools/vite/index.js');

const site = mkdtempSync(join(tmpdir(), 'inpage-packed-'));
const app = join(site, 'source');
const packed = join(app, 'packed/tiny');
const out = join(site, 'public');
const config = (): InlineConfig => ({
  configFile: false,
  root: app,
  logLevel: 'silent',
  resolve: { alias: { inpage: join(root, 'dist/index.js') } },
  server: { host: '127.0.0.1', port: 0 },
  plugins: [inpage({ models: false, webgpu: false, packed: ['packed/tiny'] })],
  build: { outDir: out, emptyOutDir: true },
});
const manifestHash = (): string =>
  createHash('sha256')
    .update(readFileSync(join(packed, 'inpage-model.json')))
    .digest('hex')
    .slice(0, 8);

/** An app's own worker: the relay, and a copy of the page. */
const OFFLINE_COPY = `
const policy = trustedTypes.createPolicy('inpage', { createScriptURL: (url) => url });
importScripts(policy.createScriptURL('/inpage-sw.js'));
addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (origin !== location.origin || pathname.startsWith('/models/')) return;
  event.respondWith(
    caches.open('app').then(async (cache) => {
      const kept = await cache.match(event.request);
      if (kept) return kept;
      const response = await fetch(event.request);
      if (response.ok) await cache.put(event.request, response.clone());
      return response;
    }),
  );
});
`;

let entry: ModelEntry;

beforeAll(async () => {
  const hub = await startFaultServer(hubFiles('owner/Tiny', paddedModel(MB)));
  const options = ['--hub', hub.url, '--device', 'wasm', '--part-size', '3MB'];
  const { stdout } = await promisify(execFile)('node', [
    join(root, 'dist/cli.js'),
    'pack',
    'owner/Tiny',
    packed,
    ...options,
  ]);
  await hub.close();
  entry = JSON.parse(stdout) as ModelEntry;
  mkdirSync(app, { recursive: true });
  writeFileSync(
    join(app, 'index.html'),
    '<!doctype html><title>App</title><script type="module" src="./main.js"></script>',
  );
  writeFileSync(
    join(app, 'main.js'),
    `import { startInference } from 'inpage';
    globalThis.inference = await startInference({ serviceWorker: '/sw.js', models: [${stdout}] });`,
  );
  mkdirSync(join(app, 'public'));
  writeFileSync(join(app, 'public/sw.js'), OFFLINE_COPY);
});
afterAll(() => rmSync(site, { recursive: true }));

it('a packed model is emitted below a name with its hash, and runs where no other host can be reached', async () => {
  await build(config());
  const folder = `models/tiny-${manifestHash()}`;
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' });
  expect(files).toEqual(
    expect.arrayContaining([`${folder}/inpage-model.json`, `${folder}/onnx/model_quantized.onnx.2`]),
  );
  expect(
    Math.max(...readdirSync(join(out, folder, 'onnx')).map((name) => statSync(join(out, folder, 'onnx', name)).size)),
  ).toBe(3e6);

  const server = await serveFolder(out);
  const browser = await launchChromium(['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost']);
  try {
    const context = await browser.newContext();
    const asked: string[] = [];
    context.on('request', (request) => asked.push(request.url()));
    const page = await context.newPage();
    await page.goto(`${server.origin}/`);
    await page.waitForFunction(() => window.inference);
    expect((await ask(page, entry.id)).status).toBe(200);
    expect(asked.filter((url) => !url.startsWith(server.origin) && !url.startsWith('blob:'))).toEqual([]);
    // Now the worker keeps all that the page is made of; the model's files it leaves to the store.
    await page.reload();
    await page.waitForFunction(() => window.inference);
    expect((await ask(page, entry.id)).status).toBe(200);
    await server.close();
    await context.setOffline(true);
    await page.reload();
    await page.waitForFunction(() => window.inference);
    expect((await ask(page, entry.id)).status).toBe(200);
    const [model] = await page.evaluate(() => window.inference!.stored());
    expect(model).toMatchObject({ models: [entry.id], complete: true, verified: true });
  } finally {
    await browser.close();
    await server.close();
  }
});

it('a packed model is served in development', async () => {
  const server = await createServer(config());
  await server.listen();
  try {
    const url = `models/tiny-${manifestHash()}/onnx/model_quantized.onnx.0`;
    const response = await fetch(new URL(url, server.resolvedUrls?.local[0]));
    expect((await response.arrayBuffer()).byteLength).toBe(3e6);
  } finally {
    await server.close();
  }
});

it('a packed model with a wrong byte fails the build, and a folder that is none fails the start', async () => {
  const path = join(packed, 'onnx/model_quantized.onnx.1');
  const bytes = readFileSync(path);
  bytes[7]! ^= 1;
  writeFileSync(path, bytes);
  await expect(build(config())).rejects.toThrow('model_quantized.onnx');
  writeFileSync(path, bytes.subarray(1));
  await expect(build(config())).rejects.toThrow('model_quantized.onnx.1');
  rmSync(packed, { recursive: true });
  await expect(build(config())).rejects.toThrow('inpage pack');
});
