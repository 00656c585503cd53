/**
 * The package: one environment of Vite for each way in which its files are made, all built by one run
 * (`vite build --app`).
 * @module
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { minify, type MinifyOptions } from 'terser';
import type { EnvironmentOptions, LibraryOptions, LogLevel, Plugin, UserConfig } from 'vite';
import { createPackage } from './create-package.js';
import { ggufKernels } from './gguf-kernels/gguf-kernels.js';
import { type Groups, inOneFileEach } from './in-one-file-each.js';
import { copyOnnxRuntime } from './onnx-runtime.js';
import { TEST_SERVER_ENVIRONMENTS, testServerThread } from './test-server-build.js';
import { mp3Worker } from './mp3-worker.js';
import { shortenShaders } from './shorten-shaders.js';
import { thirdPartyNotices } from './third-party-notices.js';
import { webLlmModelList } from './web-llm-model-list.js';

const path = (relative: string): string => join(import.meta.dirname, '..', relative);

const { version: VERSION } = JSON.parse(readFileSync(path('package.json'), 'utf8')) as { version: string };

/** The library's workers keep their place beside `index.js`, written as `new Worker(new URL(…))`, which Vite and webpack know. */
const WORKERS = ['gateway-worker', 'model-worker', 'media-worker', 'gguf-worker', 'pdf-worker'] as const;

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
    renderChunk(code, { fileName }) {
      let changed = code;
      const beside = fileName.startsWith('chunks/') ? '..' : '.';
      for (const name of WORKERS) {
        changed = changed.replaceAll(placeholder(name), `new URL('${beside}/${name}.js', import.meta.url)`);
      }
      return changed === code ? null : { code: changed, map: null };
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
      const changed = code
        .replace(
          /new \w+\(\s*["'](ort[-.][\w.-]+)["'],\s*import\.meta\.url\s*\)/g,
          "new URL('/inpage/$1', globalThis.location.href)",
        )
        // A module on the disk was put there by a bundler, thinks the engine. In a thread of Node it is where it says.
        .replace(/import\.meta\.url\s*>\s*"file:"/g, '$& && globalThis.location.protocol !== "file:"');
      return changed === code ? null : { code: changed, map: null };
    },
  };
}

/**
 * Vite leaves the spaces in libraries, for the sake of annotations that bundlers read. The page's entry and the Service
 * Worker have budgets, so a second minifier takes them out, and keeps the annotations. So has the GGUF engine.
 * @param names of the files; by default all
 */
function shrinkOnceMore(options: MinifyOptions, names = /^/): Plugin {
  return {
    name: 'inpage:shrink-once-more',
    enforce: 'post',
    async writeBundle(_, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type !== 'chunk' || !names.test(output.fileName)) continue;
        const file = path(`dist/${output.fileName}`);
        const { code } = await minify(readFileSync(file, 'utf8'), {
          ecma: 2020,
          // What is fetched on demand is used whole, and Rolldown warns of annotations that this minifier has moved.
          format: { preserve_annotations: output.isEntry, comments: /webpackIgnore|turbopackIgnore|@vite-ignore/ },
          ...options,
        });
        if (code !== undefined) writeFileSync(file, code);
      }
    },
  };
}

/** Chunks are called after their first module. */
const GGUF_CHUNKS = /chunks\/(gguf-|assemble-text-model|load-reading-model|thread-jobs)/;

/** Name of the chunk of what the page's entry imports. */
const ENTRY = 'entry';

/** All that the page's entry imports at once; gzip packs it better than a dozen small ones. What comes later, in one piece each. */
function pageFiles(withImports: (file: string) => ReadonlySet<string>): Groups {
  const entry = path('src/index.ts');
  const first = new Set([...withImports('src/index.ts')].filter((id) => id !== entry));
  const later = (file: string, others: readonly ReadonlySet<string>[]): Set<string> =>
    new Set(
      [...withImports(file)].filter((id) => id !== path(file) && [first, ...others].every((set) => !set.has(id))),
    );
  const options = later('src/page/resolve-options.ts', []);
  return { [ENTRY]: first, options, store: later('src/page/manage-models.ts', [options]) };
}

/**
 * What a gateway and a model's worker have in common; what else a gateway has that some models have; what else every gateway has, or it would come in as many pieces as its lazy
 * parts share; what most models have; what reads tokenizers from files of their own, which
 * GGUF files do without; what models of text have; what their engines on WASM have, the own one and transformers.js; the own one;
 * what only transformers.js has.
 */
const WORKER_FILES = [
  'workers',
  'some-workers',
  'gateway',
  'json',
  'any-model',
  'tokenizer-files',
  'text',
  'text-engines',
  'gguf-threads',
  'gguf',
  'schema',
  'transformers',
] as const;

/** A model's worker starts with a few files in two steps, and none brings an engine that is not needed. */
function workerFiles(
  withImports: (file: string) => ReadonlySet<string>,
  withLater: (file: string) => ReadonlySet<string>,
): Groups {
  const engine = (file: string): ReadonlySet<string> => withImports(`src/engines/${file}.ts`);
  const [gateway, worker] = [
    withImports('src/service/gateway-worker.ts'),
    withImports('src/engines/worker/model-worker.ts'),
  ];
  const text = engine('transformers/text/load-text-model');
  const embeddings = engine('transformers/embeddings/load-embedding-model');
  const webLlm = engine('web-llm/web-llm-backend');
  const gguf = engine('gguf/gguf-backend');
  const backend = engine('transformers/transformers-backend');
  const early = new Set([...gateway, ...backend].filter((id) => worker.has(id) || text.has(id)));
  const beside = [...text].filter((id) => !worker.has(id) && !early.has(id));
  const ofModels = beside.filter((id) => webLlm.has(id));
  const ofEngines = beside.filter((id) => !webLlm.has(id));
  const others = ['engines/worker/model-worker', 'sound/media-worker', 'service/files/read/pdf-worker'].map((file) =>
    withLater(`src/${file}.ts`),
  );
  // Its parts come on demand.
  const ofGguf = [gguf, engine('gguf/assemble-text-model'), engine('gguf/load-reading-model')];
  const ofEngine = ofGguf.slice(0, 2).flatMap((ids) => [...ids]);
  const isGguf = (id: string): boolean => /engines\/gguf\/|gguf-kernels/.test(id);
  const withoutGguf = (id: string): boolean => ofGguf.every((ids) => !ids.has(id));
  return {
    workers: early,
    // Apart: with it they would bring the gateway, and all that it loads later, into their own bundles.
    'some-workers': new Set([...gateway].filter((id) => !early.has(id) && others.some((set) => set.has(id)))),
    gateway: new Set([...gateway].filter((id) => !early.has(id) && id !== path('src/service/gateway-worker.ts'))),
    // Engines have it, and parts of the gateway that come later: no chunk of an engine may take that along.
    json: new Set(
      ['json/mend-json', 'json/own-entry', 'platform/is-node'].flatMap((name) => [
        ...withImports(`src/core/${name}.ts`),
      ]),
    ),
    // With what a worker has before its model: no chunk of an engine may take that along.
    'any-model': new Set([
      ...ofModels.filter((id) => embeddings.has(id) && !withoutGguf(id)),
      ...[...worker].filter((id) => text.has(id) && !early.has(id)),
    ]),
    'tokenizer-files': new Set(ofModels.filter((id) => embeddings.has(id) && withoutGguf(id))),
    text: new Set(ofModels.filter((id) => !embeddings.has(id))),
    'text-engines': new Set([...ofEngines.filter((id) => gguf.has(id)), ...ofEngine.filter((id) => !isGguf(id))]),
    // Threads have nothing else.
    'gguf-threads': new Set(
      [...engine('gguf/gguf-worker')].filter((id) => isGguf(id) && !id.endsWith('/gguf-worker.ts')),
    ),
    gguf: new Set(ofEngine.filter(isGguf)),
    schema: withImports('src/core/schema/check-schema-structure.ts'),
    transformers: new Set(ofEngines.filter((id) => !gguf.has(id))),
  };
}

/** Packages whose files are copied, and those that only the scripts of Node have. */
const [COPIED, OF_NODE] = [
  ['onnxruntime-web', '@mlc-ai/web-xgrammar', '@jsquash/webp'],
  ['jpeg-js', 'omggif', 'upng-js', 'pako'],
];

/** The decoder of WebP pictures for threads of Node, beside what loads it. */
function copyWebpDecoder(): Plugin {
  return {
    name: 'inpage:copy-webp-decoder',
    closeBundle: () => cpSync(path('node_modules/@jsquash/webp/codec/dec/webp_dec.wasm'), path('dist/webp_dec.wasm')),
  };
}

/** What runs in pages and their workers. */
const browserFiles = (
  lib: LibraryOptions,
  rolldownOptions: NonNullable<EnvironmentOptions['build']>['rolldownOptions'] = {},
): EnvironmentOptions => ({
  consumer: 'client',
  build: { target: 'es2022', minify: true, lib, rolldownOptions },
});

const modules = (entry: Record<string, string>): LibraryOptions => ({ entry, formats: ['es'] });

/** One classic script. */
const script = (entry: string, name: string, global = 'inpage'): LibraryOptions => ({
  entry: path(entry),
  formats: ['iife'],
  name: global,
  fileName: () => name,
});

const chunks = { chunkFileNames: 'chunks/[name]-[hash].js', assetFileNames: 'assets/[name]-[hash][extname]' };

const ENVIRONMENTS = {
  workers: browserFiles(
    modules({
      uninstall: path('src/page/uninstall-inference.ts'),
      'gateway-worker': path('src/service/gateway-worker.ts'),
      'model-worker': path('src/engines/worker/model-worker.ts'),
      'media-worker': path('src/sound/media-worker.ts'),
      'gguf-worker': path('src/engines/gguf/gguf-worker.ts'),
      'pdf-worker': path('src/service/files/read/pdf-worker.ts'),
    }),
    { output: chunks },
  ),
  // Built apart from the workers: one file, without pieces that it would share with them.
  page: browserFiles(modules({ index: path('src/index.ts'), 'extension-host': path('src/extension/host.ts') }), {
    // Beside the workers, whose places it names.
    output: { ...chunks, chunkFileNames: ({ name }) => (name === ENTRY ? `${ENTRY}.js` : chunks.chunkFileNames) },
  }),
  // For pages that ask for it: one file, which the library itself never imports.
  builtInAI: browserFiles(modules({ 'built-in-ai': path('src/built-in-ai/index.ts') })),
  elements: browserFiles(modules({ elements: path('src/elements/index.ts') })),
  pageTools: browserFiles(modules({ 'page-tools': path('src/page-tools/index.ts') })),
  // One file: content scripts and background workers can load no other.
  extension: browserFiles(modules({ extension: path('src/extension/index.ts') }), { output: { codeSplitting: false } }),
  react: browserFiles(modules({ react: path('src/page/react.ts') }), { external: ['react'] }),
  // The page that tools open, and its gateway: each one file, because every request of a page under test passes the
  // test's process. What a start does not need stays apart.
  hostPage: browserFiles(modules({ 'host/page': path('src/page/host-page.ts') }), {
    preserveEntrySignatures: false,
    output: { chunkFileNames: 'host/[name].js' },
  }),
  hostGateway: browserFiles(modules({ 'host/gateway-worker': path('src/service/gateway-worker.ts') }), {
    preserveEntrySignatures: false,
    output: { codeSplitting: false },
  }),
  // The checks of `inpage doctor`, which evaluates them in pages of others.
  diagnosis: browserFiles(script('src/page/diagnosis/run-checks.ts', 'diagnose.js', 'inpageDiagnosis')),
  serviceWorker: {
    ...browserFiles(script('src/service-worker/service-worker.ts', 'service-worker.js')),
    // What is so in every Service Worker: what the library does elsewhere is left out of its few bytes.
    define: { 'globalThis.isSecureContext': 'true', 'globalThis.process': 'undefined' },
  },
  isolation: browserFiles(script('src/service-worker/isolation.ts', 'service-worker-isolated.js')),
  node: {
    consumer: 'server',
    // The package has no dependencies.
    resolve: { noExternal: true },
    build: {
      target: 'node20',
      minify: false,
      ssr: true,
      lib: modules({
        vite: path('src/tools/vite/index.ts'),
        cli: path('src/tools/cli/cli.ts'),
        playwright: path('src/testing/playwright/index.ts'),
        serve: path('src/serve/index.ts'),
        'thread-worker': path('src/serve/models/thread-worker.ts'),
      }),
      rolldownOptions: { external: [/^node:/, 'vite', 'playwright'] },
    },
  },
  ...TEST_SERVER_ENVIRONMENTS,
  // The package `create-inpage`: one with nothing in it but the command line and the templates.
  create: {
    consumer: 'server',
    resolve: { noExternal: true },
    build: {
      target: 'node20',
      minify: false,
      ssr: true,
      outDir: 'dist-create',
      emptyOutDir: true,
      lib: modules({ index: path('src/tools/create/create.ts') }),
      rolldownOptions: { external: [/^node:/], output: { chunkFileNames: '[name].js' } },
    },
  },
} satisfies Record<string, EnvironmentOptions>;

type Name = keyof typeof ENVIRONMENTS;

/** The plugin, in these environments only. */
const within = (names: readonly Name[], plugin: Plugin): Plugin => ({
  ...plugin,
  applyToEnvironment: ({ name }) => (names as readonly string[]).includes(name),
});

/** @param afterwards what is built from the finished package, by the same run */
export function packageBuild(afterwards?: (logLevel: LogLevel | undefined) => Promise<unknown>): UserConfig {
  return {
    publicDir: false,
    base: './',
    define: { INPAGE_VERSION: JSON.stringify(VERSION) },
    plugins: [
      within(['workers', 'page', 'hostPage', 'hostGateway'], separateWorkers()),
      shortenShaders(),
      within(['page'], inOneFileEach([ENTRY, 'options', 'store'], pageFiles)),
      within(['workers'], inOneFileEach(WORKER_FILES, workerFiles)),
      within(['workers'], dropInlinedWasm()),
      within(['workers'], mp3Worker()),
      within(['workers'], ggufKernels()),
      within(['workers'], copyOnnxRuntime(path('dist/ort'))),
      within(['workers'], thirdPartyNotices([...COPIED, ...OF_NODE])),
      within(['page', 'node'], webLlmModelList()),
      within(['node'], copyWebpDecoder()),
      testServerThread(),
      within(['create'], createPackage()),
      within(
        ['page', 'builtInAI', 'pageTools', 'extension'],
        shrinkOnceMore({ module: true, compress: { passes: 2, ecma: 2020 } }),
      ),
      within(
        ['workers'],
        shrinkOnceMore(
          { module: true, compress: { passes: 3, ecma: 2020, pure_getters: true, unsafe_arrows: true } },
          GGUF_CHUNKS,
        ),
      ),
      within(['hostPage', 'hostGateway'], shrinkOnceMore({ module: true, compress: { ecma: 2020 } })),
      within(
        ['serviceWorker'],
        shrinkOnceMore({
          compress: { passes: 3, ecma: 2020, pure_getters: true, unsafe: true, unsafe_arrows: true },
        }),
      ),
    ],
    build: { outDir: 'dist', emptyOutDir: false },
    environments: ENVIRONMENTS,
    builder: {
      async buildApp(builder) {
        rmSync(path('dist'), { recursive: true, force: true });
        const others = Object.keys(ENVIRONMENTS).filter((name) => name !== 'workers');
        await builder.build(builder.environments['workers']!);
        // After the workers: the page has a chunk of theirs by the same name, and its own, smaller form of it stays.
        await Promise.all(others.map((name) => builder.build(builder.environments[name]!)));
        await afterwards?.(builder.config.logLevel);
      },
    },
  };
}
