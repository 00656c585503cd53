/** What the plugin adds to an app: the figures of install.md, what is left out, and what is printed. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, createLogger } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { InpagePluginOptions } from '../../../src/tools/vite/index.js';
import { readDocument } from '../../docs/support/code-blocks.js';

const root = join(import.meta.dirname, '../../..');
const { inpage } = (await import(join(root, 'dist/vite.js'))) as typeof import('../../../src/tools/vite/index.js');

const folder = mkdtempSync(join(tmpdir(), 'inpage-sizes-'));
const app = join(folder, 'app');
beforeAll(() => {
  mkdirSync(app);
  writeFileSync(join(app, 'index.html'), '<!doctype html><script type="module" src="./main.js"></script>');
  writeFileSync(join(app, 'main.js'), "import { startInference } from 'inpage';\nawait startInference();\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Builds the app and returns its files with their bytes, and what was printed. */
async function built(options: InpagePluginOptions): Promise<{ files: Map<string, number>; printed: string }> {
  const outDir = join(folder, 'out');
  const customLogger = createLogger('info');
  let printed = '';
  customLogger.info = (text) => {
    printed += `${text}\n`;
  };
  await build({
    configFile: false,
    root: app,
    customLogger,
    resolve: { alias: { inpage: join(root, 'dist/index.js') } },
    plugins: [inpage(options)],
    build: { outDir, emptyOutDir: true, reportCompressedSize: false },
  });
  const names = readdirSync(outDir, { recursive: true, encoding: 'utf8' });
  const files = names.flatMap((name) => {
    const facts = statSync(join(outDir, name));
    return facts.isFile() ? [[name, facts.size] as const] : [];
  });
  return { files: new Map(files), printed };
}

const megabytes = (files: ReadonlyMap<string, number>): number =>
  Math.round([...files.values()].reduce((sum, size) => sum + size, 0) / 1e6);

/** Rows of install.md's table: `| … | `inpage({ … })` | 40 MB |`. */
const rows = [...readDocument('demo/docs/install.md').matchAll(/\| `inpage\((.*?)\)` +\| (\d+) MB/g)].map(
  ([, options = '', size]) => [options, Number(size)] as const,
);

it('install.md has figures', () => {
  expect(rows.length).toBeGreaterThanOrEqual(4);
});

it.each(rows)('inpage(%s) makes %i MB', async (text, size) => {
  // The documents are our own.
  const options = (await import(`data:text/javascript,export default ${encodeURIComponent(text || '{}')}`)) as {
    default: InpagePluginOptions;
  };
  const { files, printed } = await built(options.default);
  expect(megabytes(files)).toBe(size);
  expect(printed).toMatch(/inpage: engines .+; adds \d+\.\d MB/);
});

it('what is not named is left out, and a model that needs it is told so', async () => {
  const { files, printed } = await built({ models: false, webgpu: false });
  expect(printed).toMatch(/inpage: engines transformers; adds 14\.\d MB \(\/inpage\/ 14\.\d MB\)/);
  // WebLLM is the only script of this size.
  const scripts = [...files].filter(([name]) => name.endsWith('.js'));
  expect(scripts.filter(([, size]) => size > 3e6)).toEqual([]);
  expect([...files.keys()].filter((name) => /asyncify|(^|\/)models\//.test(name))).toEqual([]);
  const code = scripts.map(([name]) => readFileSync(join(folder, 'out', name), 'utf8')).join('');
  expect(code).toContain('This build leaves out the engine web-llm');
  expect(code).not.toContain('This build leaves out the engine transformers');
});

it('without transformers there is no ONNX Runtime', async () => {
  const { files } = await built({ models: false, engines: ['web-llm'] });
  // The GGUF engine's kernels are kilobytes.
  const wasm = [...files].filter(([name]) => name.endsWith('.wasm') && !/\/gguf-\w+-[\w-]+\.wasm$/.test(name));
  expect(wasm).toEqual([]);
  expect([...files].some(([name, size]) => name.endsWith('.js') && size > 3e6)).toBe(true);
});

it('an app with GGUF models only deploys at most 12 MB, and is told how', async () => {
  const { files, printed } = await built({ engines: [] });
  expect(printed).toContain('inpage: engines none; adds ');
  expect(megabytes(files)).toBeLessThanOrEqual(12);
  expect([...files.keys()].filter((name) => /(^|\/)ort-|tiny-(embed|whisper)|\.onnx$/.test(name))).toEqual([]);
  const told = '`engines: []` leaves ONNX Runtime';
  expect(printed).not.toContain(told);
  expect((await built({ models: false, webgpu: false })).printed).toContain(told);
});

it('an engine that does not exist is refused', () => {
  expect(() => inpage({ engines: ['onnx'] } as object)).toThrow('transformers, web-llm');
});
