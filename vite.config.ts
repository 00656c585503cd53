/**
 * One config: `vite build --app` makes the package, and from the package the demo; with `--mode library` only the
 * package. Mode `demo` serves the demo. Vitest takes the rest.
 * @module
 */
import { playwright } from '@vitest/browser-playwright';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';
import { defineConfig, type TestProjectInlineConfiguration, type ViteUserConfig } from 'vitest/config';
import { docsPages } from './.ci/docs/docs-pages.js';
import { ggufKernels } from './.ci/gguf-kernels/gguf-kernels.js';
import { serveOnnxRuntime } from './.ci/onnx-runtime.js';
import { packageBuild } from './.ci/package-build.js';
import WaitingFirst from './.ci/waiting-first.js';
import { webLlmModelList } from './.ci/web-llm-model-list.js';
import { CHROMIUM, CHROMIUM_ARGUMENTS, LATE_WASM_TIER_UP, SWIFTSHADER } from './test/support/chromium.js';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

const CROSS_ORIGIN_ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

const UNIT_TESTS = {
  // Projects with another number come after them: they share two cores.
  sequence: { groupOrder: 0 },
  environment: 'node',
  execArgv: [LATE_WASM_TIER_UP],
  setupFiles: ['test/support/property-seed.ts', 'test/support/compare-bytes.ts'],
  // Styles are empty in tests, but for those that are read as text.
  css: { include: [/\?raw$/] },
  maxWorkers: '100%',
  testTimeout: 60_000,
} satisfies TestProjectInlineConfiguration['test'];

/**
 * Browser and end-to-end tests run beside each other: the former compute on one core, the latter wait most of the time.
 * Vitest wants one number for both; it counts the workers of the end-to-end tests.
 */
const BESIDE_EACH_OTHER = {
  sequence: { groupOrder: 1 },
  maxWorkers: 4,
} satisfies TestProjectInlineConfiguration['test'];

/**
 * Unit tests that replace modules, or change what a library has once for all, such as the `env` of transformers.js by loading
 * a model with its Node build: each file needs modules of its own, and so a process of its own.
 */
const OWN_MODULES = 'test/**/*.isolated.test.ts';
/** Unit tests that load models as a worker does: their `@huggingface/transformers` is the library's web build. */
const WEB_BUILD = 'test/**/*.web-build.test.ts';
const NO_UNIT_TESTS = ['**/node_modules/**', 'test/**/*.{browser,e2e,gpu,long,manual}.test.ts'];

/** What tests in a browser import: bundled before they begin, or each new import would load the page again. */
const BROWSER_DEPENDENCIES = [
  '@huggingface/tokenizers',
  '@huggingface/transformers',
  '@mlc-ai/web-llm',
  'ai',
  '@ai-sdk/openai',
  '@ai-sdk/openai-compatible',
  '@ai-sdk/anthropic',
  'openai/helpers/zod',
  'zod',
  'comlink',
  'eventsource-parser',
  '@cfworker/json-schema',
  'fast-check',
  'hono/tiny',
  'valibot',
  'mediabunny',
  '@mediabunny/mp3-encoder',
  'openai',
  '@anthropic-ai/sdk',
  'react',
  'react-dom/client',
  'vue',
];

/** @param tests their files */
const browserProject = (tests: string): TestProjectInlineConfiguration => ({
  extends: true,
  server: { headers: CROSS_ORIGIN_ISOLATION },
  plugins: [serveOnnxRuntime()],
  test: {
    ...BESIDE_EACH_OTHER,
    name: 'browser',
    globalSetup: ['test/vision/make-vision-models.ts'],
    include: [tests],
    testTimeout: 120_000,
    browser: {
      enabled: true,
      // One file after another. The option of the same name outside `browser` would be one worker for the whole group.
      fileParallelism: false,
      headless: true,
      screenshotFailures: false,
      provider: playwright({
        launchOptions: {
          ...CHROMIUM,
          args: [...CHROMIUM_ARGUMENTS, `--js-flags=${LATE_WASM_TIER_UP}`, ...SWIFTSHADER],
        },
      }),
      instances: [{ browser: 'chromium' }],
    },
  },
});

/** @param browserTests of the project `browser` */
const testing = (browserTests: string): ViteUserConfig => ({
  plugins: [webLlmModelList(), ggufKernels()],
  worker: { format: 'es' },
  optimizeDeps: {
    include: BROWSER_DEPENDENCIES,
  },
  test: {
    // Nothing waits this long in a test that passes; a busy machine may.
    hookTimeout: 120_000,
    sequence: { sequencer: WaitingFirst },
    env: { LONG_RUNS: process.env['LONG_RUNS'] ?? '' },
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        test: {
          ...UNIT_TESTS,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...NO_UNIT_TESTS, OWN_MODULES, WEB_BUILD],
          unstubGlobals: true,
          isolate: false,
        },
      },
      {
        extends: true,
        test: { ...UNIT_TESTS, name: 'unit-isolated', include: [OWN_MODULES] },
      },
      {
        extends: true,
        resolve: {
          alias: {
            '@huggingface/transformers': path('node_modules/@huggingface/transformers/dist/transformers.web.js'),
          },
        },
        test: {
          ...UNIT_TESTS,
          name: 'unit-web-build',
          include: [WEB_BUILD],
          setupFiles: [...UNIT_TESTS.setupFiles, 'test/engines/transformers/support/browser-globals.ts'],
          unstubGlobals: true,
          isolate: false,
        },
      },
      browserProject(browserTests),
      {
        extends: true,
        test: {
          ...BESIDE_EACH_OTHER,
          name: 'e2e',
          globalSetup: ['test/e2e/support/serve-demo.ts', 'test/e2e/support/start-shared-chromium.ts'],
          include: ['test/**/*.e2e.test.ts'],
          environment: 'node',
          testTimeout: 120_000,
          // Modules stay: what they import takes longer to load than many a test to run.
          isolate: false,
        },
      },
    ],
  },
});

/** The demo takes the library as a stranger would: from the built package, with its Vite plugin. */
async function demo(): Promise<ViteUserConfig> {
  const { inpage } = (await import(path('dist/vite.js'))) as typeof import('./src/tools/vite/index.js');
  return {
    root: path('demo'),
    publicDir: path('public'),
    appType: 'mpa',
    plugins: [inpage({ crossOriginIsolation: true, models: false }), docsPages(), sayWhatIsServed()],
    resolve: {
      alias: {
        'inpage/elements': path('dist/elements.js'),
        'inpage/built-in-ai': path('dist/built-in-ai.js'),
        inpage: path('dist/index.js'),
      },
    },
    // The examples beside it are apps of their own.
    optimizeDeps: { entries: ['index.html', 'host.html', 'built-in-ai.html', 'elements.html'] },
    worker: { format: 'es' },
    build: {
      outDir: path('dist-demo'),
      emptyOutDir: true,
      target: 'es2022',
      rolldownOptions: {
        input: {
          index: path('demo/index.html'),
          host: path('demo/host.html'),
          'built-in-ai': path('demo/built-in-ai.html'),
          elements: path('demo/elements.html'),
        },
      },
    },
  };
}

/** `npm start` says what stands at the address that it prints. */
function sayWhatIsServed(): Plugin {
  return {
    name: 'inpage:say-what-is-served',
    configurePreviewServer:
      ({ config }) =>
      () =>
        config.logger.info(
          'The playground: its `/v1` is answered by models inside the page. Documents are below /docs/.',
        ),
  };
}

export default defineConfig(({ command, mode }) => {
  if (mode === 'demo') return demo();
  if (command === 'serve')
    return testing(mode === 'long' ? 'test/{engines,language,sound}/**/*.long.test.ts' : 'test/**/*.browser.test.ts');
  if (mode === 'library') return packageBuild();
  return packageBuild(async (logLevel) =>
    build({ configFile: false, mode: 'demo', ...(logLevel && { logLevel }), ...(await demo()) }),
  );
});
