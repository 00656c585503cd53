/**
 * One config, chosen by mode: `library` (the workers), `page` (what a page imports), `host-page` and `host-gateway` (what tools start in a
 * page of theirs), `node` (Vite plugin, command line, Playwright fixtures),
 * `service-worker` and `isolation` (one classic script each), `demo` (the playground, built against the finished library), `test` (vitest).
 * @module
 */
import { playwright } from '@vitest/browser-playwright';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { minify, type MinifyOptions } from 'terser';
import type { Plugin } from 'vite';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { docsPages } from './.ci/docs/docs-pages.js';
import { copyOnnxRuntime, serveOnnxRuntime } from './.ci/onnx-runtime.js';
import { thirdPartyNotices } from './.ci/third-party-notices.js';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** The library's workers keep their place beside `index.js`, written as `new Worker(new URL(…))`, which Vite and webpack know. */
const WORKERS = ['gateway-worker', 'model-worker'] as const;

/** Turns `new URL('../x-worker.ts', import.meta.url)` into the same with the built file, past Vite's own worker bundling. */
function separateWorkers(): Plugin {
  const placeholder = (name: string): string => `__INPAGE_${name.toUpperCase().replace('-', '_')}__`;
  return {
    name: 'inpage:separate-workers',
    enforce: 'pre',
    transform(code) {
      let changed = code;
      for (const name of WORKERS) {
        changed = changed.replace(
          new RegExp(`new URL\\('[./\\w-]*/${name}\\.ts', import\\.meta\\.url\\)`, 'g'),
          placeholder(name),
        );
      }
      return changed === code ? null : { code: changed, map: null };
    },
    renderChunk(code) {
      let changed = code;
      for (const name of WORKERS) {
        changed = changed.replaceAll(placeholder(name), `new URL('./${name}.js', import.meta.url)`);
      }
      return changed === code ? null : { code: changed, map: null };
    },
  };
}

/**
 * The list of WebLLM's ready-made models as a module of its own: a page that shows it, and the bundler of an app, need
 * not take the whole library for it.
 */
function webLlmModelList(): Plugin {
  const id = 'virtual:web-llm-models';
  return {
    name: 'inpage:web-llm-model-list',
    resolveId: (source) => (source === id ? `\0${id}` : null),
    async load(resolved) {
      if (resolved !== `\0${id}`) return null;
      const { prebuiltAppConfig } = await import('@mlc-ai/web-llm');
      return `export default ${JSON.stringify(prebuiltAppConfig.model_list)};`;
    },
  };
}

/**
 * ONNX Runtime names its wasm files relative to its own module, which would inline 40 MB of them here. The engine is
 * always told where the app serves them; this keeps the names and drops the copies.
 */
function dropInlinedWasm(): Plugin {
  return {
    name: 'inpage:drop-inlined-wasm',
    enforce: 'pre',
    transform(code, id) {
      if (!/onnxruntime-web|@huggingface.transformers/.test(id)) return null;
      const changed = code.replace(
        /new \w+\(\s*["'](ort[-.][\w.-]+)["'],\s*import\.meta\.url\s*\)/g,
        "new URL('/inpage/$1', globalThis.location.href)",
      );
      return changed === code ? null : { code: changed, map: null };
    },
  };
}

const library: ViteUserConfig = {
  publicDir: false,
  base: './',
  plugins: [
    separateWorkers(),
    dropInlinedWasm(),
    copyOnnxRuntime(path('dist/ort')),
    thirdPartyNotices(['onnxruntime-web', '@mlc-ai/web-xgrammar']),
  ],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    minify: true,
    lib: {
      entry: {
        uninstall: path('src/page/uninstall-inference.ts'),
        'gateway-worker': path('src/gateway/gateway-worker.ts'),
        'model-worker': path('src/model/model-worker.ts'),
      },
      formats: ['es'],
    },
    rolldownOptions: {
      output: { chunkFileNames: 'chunks/[name]-[hash].js', assetFileNames: 'assets/[name]-[hash][extname]' },
    },
  },
};

/**
 * Vite leaves the spaces in libraries, for the sake of annotations that bundlers read. The page's entry and the Service
 * Worker have budgets, so a second minifier takes them out, and keeps the annotations.
 */
function shrinkOnceMore(options: MinifyOptions): Plugin {
  return {
    name: 'inpage:shrink-once-more',
    enforce: 'post',
    async writeBundle(_, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type !== 'chunk') continue;
        const file = path(`dist/${output.fileName}`);
        const { code } = await minify(readFileSync(file, 'utf8'), {
          ecma: 2020,
          format: { preserve_annotations: true, comments: /webpackIgnore|turbopackIgnore|@vite-ignore/ },
          ...options,
        });
        if (code !== undefined) writeFileSync(file, code);
      }
    },
  };
}

/** The page's own entry, built apart from the workers: one file, without pieces that it would share with them. */
const page: ViteUserConfig = {
  ...library,
  plugins: [
    separateWorkers(),
    webLlmModelList(),
    shrinkOnceMore({ module: true, compress: { passes: 2, ecma: 2020 } }),
  ],
  build: {
    ...library.build,
    emptyOutDir: false,
    lib: { entry: { index: path('src/index.ts') }, formats: ['es'] },
  },
};

/**
 * The page that tools open, and its gateway: each one file, because every request of a page under test passes the test's
 * process.
 */
const host = (entry: string, name: string): ViteUserConfig => ({
  publicDir: false,
  base: './',
  plugins: [separateWorkers(), shrinkOnceMore({ module: true, compress: { ecma: 2020 } })],
  build: {
    outDir: 'dist',
    emptyOutDir: false,
    target: 'es2022',
    minify: true,
    lib: { entry: { [`host/${name}`]: path(entry) }, formats: ['es'] },
    rolldownOptions: {
      preserveEntrySignatures: false,
      // What a start does not need stays apart.
      output: name === 'page' ? { chunkFileNames: 'host/[name].js' } : { codeSplitting: false },
    },
  },
});

/** One classic script. */
const serviceWorker = (entry: string, name: string, plugins: Plugin[] = []): ViteUserConfig => ({
  publicDir: false,
  plugins,
  build: {
    outDir: 'dist',
    emptyOutDir: false,
    target: 'es2022',
    minify: true,
    lib: {
      entry: path(entry),
      formats: ['iife'],
      name: 'inpage',
      fileName: () => name,
    },
  },
});

const node: ViteUserConfig = {
  publicDir: false,
  plugins: [webLlmModelList()],
  // The package has no dependencies.
  ssr: { noExternal: true },
  build: {
    outDir: 'dist',
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    ssr: true,
    lib: {
      entry: {
        vite: path('src/node/vite/index.ts'),
        cli: path('src/node/cli/cli.ts'),
        playwright: path('src/node/playwright/index.ts'),
        bridge: path('src/node/bridge/index.ts'),
      },
      formats: ['es'],
    },
    rolldownOptions: { external: [/^node:/, 'vite', 'playwright'] },
  },
};

/** Debian's Chromium when it is there, else playwright's own browser. */
const executablePath = process.env['CHROMIUM'] ?? (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined);

/** WebGPU on the CPU: slow but true. */
const SWIFTSHADER = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'];

const CROSS_ORIGIN_ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** @param browserTests of the project `browser` */
const testing = (browserTests: string): ViteUserConfig => ({
  plugins: [webLlmModelList()],
  worker: { format: 'es' },
  optimizeDeps: {
    include: [
      '@huggingface/jinja',
      '@huggingface/tokenizers',
      '@huggingface/transformers',
      '@mlc-ai/web-llm',
      'ai',
      '@ai-sdk/openai',
      '@ai-sdk/openai-compatible',
      '@ai-sdk/anthropic',
      'openai/helpers/zod',
      'zod',
      'eventsource-parser',
      '@cfworker/json-schema',
      'fast-check',
      'hono/tiny',
      'valibot',
      'mediabunny',
      'openai',
      '@anthropic-ai/sdk',
    ],
  },
  test: {
    // Nothing waits this long in a test that passes; a busy machine may.
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // One project after the other: they share two cores.
          sequence: { groupOrder: 0 },
          include: ['test/**/*.test.ts'],
          // The client matrix has packages of its own.
          exclude: ['**/node_modules/**', 'test/**/*.{browser,e2e,gpu,long,manual}.test.ts'],
          environment: 'node',
          setupFiles: ['test/support/property-seed.ts'],
          maxWorkers: '100%',
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        server: { headers: CROSS_ORIGIN_ISOLATION },
        plugins: [serveOnnxRuntime()],
        test: {
          name: 'browser',
          sequence: { groupOrder: 1 },
          globalSetup: ['test/vision/make-vision-models.ts'],
          include: [browserTests],
          testTimeout: 120_000,
          fileParallelism: false,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                ...(executablePath ? { executablePath } : {}),
                args: ['--no-sandbox', '--disable-background-networking', '--no-first-run', ...SWIFTSHADER],
              },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          sequence: { groupOrder: 2 },
          globalSetup: ['test/e2e/support/serve-demo.ts'],
          include: ['test/**/*.e2e.test.ts'],
          environment: 'node',
          testTimeout: 120_000,
          // Most of the time they wait for something.
          maxWorkers: 2,
        },
      },
    ],
  },
});

/** The demo takes the library as a stranger would: from the built package, with its Vite plugin. */
async function demo(): Promise<ViteUserConfig> {
  const { inpage } = (await import(path('dist/vite.js'))) as typeof import('./src/node/vite/index.js');
  return {
    root: path('demo'),
    publicDir: path('public'),
    appType: 'mpa',
    plugins: [inpage({ crossOriginIsolation: true, models: false }), docsPages()],
    resolve: { alias: { inpage: path('dist/index.js') } },
    // The examples beside it are apps of their own.
    optimizeDeps: { entries: ['index.html', 'host.html'] },
    worker: { format: 'es' },
    build: {
      outDir: path('dist-demo'),
      emptyOutDir: true,
      target: 'es2022',
      rolldownOptions: { input: { index: path('demo/index.html'), host: path('demo/host.html') } },
    },
  };
}

export default defineConfig(({ mode }) => {
  switch (mode) {
    case 'library':
      return library;
    case 'page':
      return page;
    case 'host-page':
      return host('src/page/host-page.ts', 'page');
    case 'host-gateway':
      return host('src/gateway/gateway-worker.ts', 'gateway-worker');
    case 'service-worker':
      return serviceWorker('src/service-worker/service-worker.ts', 'service-worker.js', [
        shrinkOnceMore({
          compress: { passes: 3, ecma: 2020, pure_getters: true, unsafe: true, unsafe_arrows: true },
        }),
      ]);
    case 'isolation':
      return serviceWorker('src/service-worker/isolation.ts', 'service-worker-isolated.js');
    case 'node':
      return node;
    case 'demo':
      return demo();
    case 'long':
      return testing('test/**/*.long.test.ts');
    default:
      return testing('test/**/*.browser.test.ts');
  }
});
