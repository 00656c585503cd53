/** The files of an extension that is made of the built package. @module */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '../../..');
const LIBRARY = /^(extension|extension-host|entry|gateway-worker|model-worker|gguf-worker)\.js$|^(chunks|assets)$/;

/** How the extension differs from the usual one. */
export interface ExtensionOptions {
  /** Source of the options of `startInferenceHost`. */
  host?: string;
  manifest?: object;
  /** Source that the background runs last; `extension` is the module. */
  background?: string;
  /** It has a page that asks the person about web pages. */
  asks?: boolean;
  /** Bundled models whose files the extension has. */
  models?: string[];
}

/** Scripts that were bundled before, by format and source. */
const bundled = new Map<string, Promise<string>>();

/** Bundles a script of the extension as one file. */
function bundle(source: string, format: 'es' | 'iife'): Promise<string> {
  const key = `${format} ${source}`;
  const code = bundled.get(key) ?? buildOne(source, format);
  bundled.set(key, code);
  return code;
}

async function buildOne(source: string, format: 'es' | 'iife'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-part-'));
  try {
    const entry = join(folder, 'source.js');
    writeFileSync(entry, source);
    await build({
      configFile: false,
      logLevel: 'silent',
      publicDir: false,
      resolve: { alias: { 'inpage/extension': join(root, 'dist/extension.js') } },
      build: {
        outDir: join(folder, 'out'),
        minify: false,
        target: 'es2022',
        lib: { entry, formats: [format], name: 'part', fileName: () => 'part.js' },
      },
    });
    return readFileSync(join(folder, 'out/part.js'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const page = (...scripts: string[]): string =>
  `<!doctype html><title>Part</title>${scripts.map((src) => `<script type="module" src="${src}"></script>`).join('')}`;

const PARENT = `import { run, useInference } from ${JSON.stringify(join(import.meta.dirname, 'parts.js'))};\n`;

/** The scripts: name, source and format. */
const scripts = ({
  asks,
  background = '',
}: ExtensionOptions): [name: string, source: string, format: 'es' | 'iife'][] => [
  [
    'background',
    `${PARENT}import * as extension from 'inpage/extension';
    globalThis.run = run;
    globalThis.extension = extension;
    extension.keepInferenceHost({ host: 'host.html'${asks ? ", consent: 'consent.html'" : ''} });
    ${background}`,
    'es',
  ],
  [
    'page',
    `${PARENT}import * as extension from 'inpage/extension';\nglobalThis.extension = extension;\nglobalThis.run = run;`,
    'es',
  ],
  [
    'tell-host',
    `${PARENT}chrome.runtime.onMessage.addListener((sent, _, answer) => {
      if (sent?.toHost === undefined || globalThis.inference === undefined) return undefined;
      useInference(globalThis.inference);
      void run(sent.toHost, sent.argument).then(answer);
      return true;
    });`,
    'es',
  ],
  [
    'consent',
    `import { consentRequest } from 'inpage/extension';
    consentRequest().then((request) => (globalThis.request = request), (thrown) => (globalThis.refused = thrown.code));`,
    'es',
  ],
  // Of a web page, which is no part of the extension.
  ['web', `${PARENT}globalThis.run = run;`, 'iife'],
  [
    'content',
    `${PARENT}import { bridgePage } from 'inpage/extension';
    bridgePage();
    addEventListener('message', async ({ data, source }) => {
      if (data?.tells === undefined || source !== window) return;
      postMessage({ answers: data.tells, told: await run(data.operation, data.argument) });
    });`,
    'iife',
  ],
];

/** Writes the extension's files into a folder. */
export async function makeExtension(folder: string, options: ExtensionOptions): Promise<void> {
  const { host = '{}', manifest, models = [] } = options;
  mkdirSync(join(folder, 'lib'), { recursive: true });
  for (const model of models)
    cpSync(join(root, 'public/models', model), join(folder, 'models', model), { recursive: true });
  cpSync(join(root, 'dist'), join(folder, 'lib/dist'), {
    recursive: true,
    filter: (path) =>
      path === join(root, 'dist') || LIBRARY.test(path.slice(join(root, 'dist').length + 1).split('/')[0]!),
  });
  const files = {
    'host.html': page('host.js', 'tell-host.js'),
    'host.js': `import { startInferenceHost } from './lib/dist/extension-host.js';
      globalThis.inference = await startInferenceHost(${host});`,
    'page.html': page('page.js'),
    'consent.html': page('consent.js'),
    'manifest.json': JSON.stringify({
      manifest_version: 3,
      name: 'Under test',
      version: '1.0',
      permissions: ['offscreen', 'storage'],
      // Firefox makes a page of `scripts`.
      background: { service_worker: 'background.js', scripts: ['background.js'], type: 'module' },
      browser_specific_settings: { gecko: { id: 'under-test@inpage' } },
      content_scripts: [
        {
          matches: ['http://*/*'],
          js: ['content.js'],
          exclude_matches: ['http://*/plain'],
          run_at: 'document_start',
          all_frames: true,
        },
      ],
      content_security_policy: { extension_pages: "script-src 'self' 'wasm-unsafe-eval'; object-src 'self'" },
      ...manifest,
    }),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  for (const [name, source, format] of scripts(options))
    writeFileSync(join(folder, `${name}.js`), await bundle(source, format));
}
