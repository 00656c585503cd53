/** The Vite plugin of the built package, in an app below a path. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, createServer, type InlineConfig } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectToSharedChromium } from '../../e2e/support/shared-chromium.js';
import { serveFolder } from '../../e2e/support/serve-demo.js';

const root = join(import.meta.dirname, '../../..');
const { inpage } = (await import(join(root, 'dist/vite.js'))) as typeof import('../../../src/tools/vite/index.js');

const site = mkdtempSync(join(tmpdir(), 'inpage-vite-'));
const app = join(site, 'source');
const out = join(site, 'public/app');
const config: InlineConfig = {
  configFile: false,
  root: app,
  base: '/app/',
  logLevel: 'silent',
  resolve: { alias: { inpage: join(root, 'dist/index.js') } },
  server: { host: '127.0.0.1', port: 0, fs: { allow: [app, root] } },
  plugins: [inpage({ models: ['tiny-chat'], webgpu: false })],
  build: { outDir: out, emptyOutDir: true },
};

beforeAll(() => {
  mkdirSync(app);
  writeFileSync(
    join(app, 'index.html'),
    '<!doctype html><title>App</title><script type="module" src="./main.js"></script>',
  );
  writeFileSync(
    join(app, 'main.js'),
    "import { startInference } from 'inpage';\nglobalThis.inference = await startInference();\n",
  );
});
afterAll(() => rmSync(site, { recursive: true }));

it('refuses options and models that do not exist', () => {
  expect(() => inpage({ model: ['tiny-chat'] } as object)).toThrow('Did you mean `models`?');
  expect(() => inpage({ models: ['tiny-chatt'] })).toThrow('Did you mean `tiny-chat`?');
});

describe('in development', () => {
  it.each([
    ['/app/inpage-sw.js', 'text/javascript'],
    ['/app/inpage/ort-wasm-simd-threaded.wasm', 'application/wasm'],
    ['/app/models/tiny-chat/tiny-chat-Q8_0.gguf', 'application/octet-stream'],
  ])('serves %s', async (path, type) => {
    const server = await createServer(config);
    await server.listen();
    try {
      const response = await fetch(new URL(path, server.resolvedUrls?.local[0]));
      expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
      expect((await response.arrayBuffer()).byteLength).toBe(Number(response.headers.get('content-length')));
    } finally {
      await server.close();
    }
  });
});

describe('a build', () => {
  beforeAll(() => build(config));

  it('holds what was asked for, and nothing that no page needs', () => {
    const files = readdirSync(out, { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(expect.arrayContaining(['inpage-sw.js', 'models/tiny-chat/tiny-chat-Q8_0.gguf']));
    expect(files.filter((file) => /asyncify|tiny-embed|README|tiny-chat\/onnx/.test(file))).toEqual([]);
    const largest = Math.max(...files.map((file) => statSync(join(out, file)).size));
    expect(largest).toBeLessThan(25 * 1024 * 1024);
  });

  it('answers below its path, with nothing said about paths', async () => {
    const server = await serveFolder(join(site, 'public'), false);
    const browser = await connectToSharedChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`${server.origin}/app/`);
      await page.waitForFunction('globalThis.inference');
      const answer = await page.evaluate(async () => {
        const messages = [{ role: 'user', content: 'What is the capital of France?' }];
        const body = JSON.stringify({ model: 'tiny-chat', messages });
        const response = await fetch('/v1/chat/completions', { method: 'POST', body });
        return response.text();
      });
      expect(answer).toContain('Paris');
    } finally {
      await browser.close();
      await server.close();
    }
  });
});

it.each(['/app/', '/'])('below %s the development server says why no Service Worker answered', async (base) => {
  const server = await createServer({ ...config, base });
  await server.listen();
  try {
    const [page] = server.resolvedUrls!.local;
    const response = await fetch(new URL('/v1/chat/completions', page), { method: 'POST', body: '{}' });
    expect(response.status).toBe(404);
    expect(response.headers.get('x-error-message')).toContain('Await `startInference()` before the first request');
    expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
  } finally {
    await server.close();
  }
});

it('leaves `/v1` to a server that renders pages, and to one that requests are passed on to', async () => {
  const other = await serveFolder(site);
  for (const own of [
    { appType: 'custom' as const },
    { server: { ...config.server, proxy: { '/v1': other.origin } } },
  ]) {
    const server = await createServer({ ...config, ...own });
    await server.listen();
    const response = await fetch(new URL('/v1/models', server.resolvedUrls!.local[0]));
    expect(response.headers.get('x-error-message') ?? '').not.toContain('startInference');
    await server.close();
  }
  await other.close();
});

describe('what other bundlers see of the package', () => {
  const dist = join(root, 'dist');
  const scripts = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(chunks\/.*|index|gateway-worker|model-worker|media-worker)\.js$/.test(file),
  );

  it('every file that a script names relative to itself is there', () => {
    const missing = scripts.flatMap((script) => {
      const code = readFileSync(join(dist, script), 'utf8');
      const named = code.matchAll(/new \w+\(\s*["'`]([^"'`]+)["'`],\s*import\.meta\.url\s*\)/g);
      return [...named].map(([, file]) => join(dist, script, '..', file!)).filter((file) => !existsSync(file));
    });
    expect(missing).toEqual([]);
  });

  it('addresses only known in the browser are hidden from webpack, which would look for files', () => {
    const problems = scripts.flatMap((script) => {
      const code = readFileSync(join(dist, script), 'utf8');
      const unnamed = [...code.matchAll(/new URL\(\s*[^"'`\s][^)]*?import\.meta\.url\s*\)/g)].map(([found]) => found);
      const imports = [...code.matchAll(/\bimport\((\s*(?:\/\*[^*]*\*\/\s*)*)[^"'`)\s][^)]*\)/g)];
      return [...unnamed, ...imports.filter(([found]) => !found.includes('webpackIgnore')).map(([found]) => found)];
    });
    expect(problems).toEqual([]);
  });

  it('the licences of what is bundled are in the package', () => {
    const notices = readFileSync(join(dist, 'THIRD-PARTY-NOTICES.md'), 'utf8');
    for (const name of [
      'mediabunny',
      '@huggingface/transformers',
      '@mlc-ai/web-llm',
      'hono',
      'onnxruntime-web',
      'hash-wasm',
    ]) {
      expect(notices).toContain(`## ${name} `);
    }
    expect(notices).toContain('Mozilla Public License');
    // Licence texts that their packages do not bring.
    const sectionOf = (name: string): string => notices.split(`## ${name} `)[1]!.split(/^## (?=.* \d+\.)/m)[0]!;
    expect(sectionOf('onnxruntime-web')).toMatch(/MIT License\s+Copyright \(c\) Microsoft Corporation/);
    expect(sectionOf('onnxruntime-web')).toContain('THIRD PARTY SOFTWARE NOTICES AND INFORMATION');
    expect(sectionOf('@mlc-ai/web-xgrammar')).toMatch(/Apache License\s+Version 2\.0/);
  });
});
