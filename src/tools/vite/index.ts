/**
 * Vite plugin: serves and emits what a page needs beside its bundle (the Service Worker script, ONNX Runtime's files, the
 * bundled models), so that no request leaves the origin.
 * @module
 * @example
 * // vite.config.ts
 * import { inpage } from 'inpage/vite';
 * export default { plugins: [inpage()] };
 */
import { statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Plugin, ViteDevServer } from 'vite';
import * as v from 'valibot';
import { fields, oneOf, optional, parseOptions, type Same } from '../../core/models/option-schema.js';
import { checkPackedFolder, type PackedFolder, readPackedFolder } from '../../serve/static-files/packed-folders.js';
import {
  BUNDLED_MODELS,
  ISOLATION_HEADERS,
  listStaticFiles,
  sendFile,
  type StaticFile,
} from '../../serve/static-files/static-files.js';
import { ENGINES, leaveOutEngines } from './leave-out-engines.js';

/** Options of {@link inpage}. */
export interface InpagePluginOptions {
  /**
   * Which bundled models to serve below `/models/`; `false`: none.
   * @default ['tiny-chat', 'tiny-embed', 'tiny-whisper']; without the engine `transformers` only tiny-chat
   * @example
   * inpage({ models: ['tiny-chat'] });
   */
  models?: string[] | false;
  /**
   * Which engines to build in, by the `backend` of your entries. The others' code and files are left out: `web-llm` is 6 MB,
   * and `transformers` needs ONNX Runtime. All other backends are always there: an app with `gguf` entries only has `engines: []`.
   * @default both; without `webgpu`, which WebLLM needs, `transformers` only
   * @example
   * inpage({ engines: [] });
   */
  engines?: ('transformers' | 'web-llm')[];
  /**
   * Folders that `npx inpage pack` made, relative to Vite's `root`. The folder `packed/smollm` is what entries with
   * `source: '/models/smollm'` mean; its name gets a hash, so that its files can be cached forever.
   * @default []
   * @example
   * inpage({ packed: ['packed/smollm'] });
   */
  packed?: string[];
  /**
   * Serve ONNX Runtime for WebGPU too: 27 MB in one file, more than some hosts take. Without it, models of the backend
   * `transformers` run on WASM only (`device: 'wasm'`).
   * @default true
   * @example
   * inpage({ webgpu: false });
   */
  webgpu?: boolean;
  /**
   * Send COOP and COEP headers in dev and preview, so that WASM runs on several threads. In production your own server
   * must send them.
   * @default false
   * @example
   * inpage({ crossOriginIsolation: true });
   */
  crossOriginIsolation?: boolean;
}

const OPTIONS = fields(
  {
    engines: optional(v.array(oneOf(ENGINES), 'a list of engines')),
    models: optional(v.union([v.array(v.string()), v.literal(false)], 'a list of names, or false')),
    packed: optional(v.array(v.string(), 'a list of folders')),
    webgpu: optional(v.boolean('true or false')),
    crossOriginIsolation: optional(v.boolean('true or false')),
  },
  'an option of the plugin inpage',
);
true satisfies Same<v.InferInput<typeof OPTIONS>, InpagePluginOptions>;

/**
 * The Vite plugin. It serves the Service Worker, the engines' files and the bundled models in development and preview, and adds
 * them to a build.
 * @throws Error that names the option when there is no such option, or the model when it is not bundled. What is not a packed
 * folder fails the start, and a file that is not what its folder's manifest says fails the build
 * @example
 * export default { plugins: [inpage({ models: ['tiny-chat'] })] };
 */
export function inpage(options: InpagePluginOptions = {}): Plugin {
  parseOptions(OPTIONS, options);
  const webgpu = options.webgpu ?? true;
  const engines = options.engines ?? (webgpu ? ENGINES : ['transformers' as const]);
  const onnxRuntime = engines.includes('transformers');
  const runnable = onnxRuntime ? BUNDLED_MODELS : ['tiny-chat'];
  const files = listStaticFiles({ models: options.models ?? runnable, webgpu, onnxRuntime });
  let folders: PackedFolder[] = [];
  const fileOf = (url: string): string | undefined =>
    files.get(url)?.path ?? folders.map((folder) => folder.files.get(url)).find(Boolean);
  return {
    name: 'inpage',
    config: ({ base = '/', root = '.' }) => {
      folders = (options.packed ?? []).map((folder) => readPackedFolder(resolve(root, folder)));
      return {
        define: {
          INPAGE_BASE: JSON.stringify(appBase(base)),
          INPAGE_PACKED: JSON.stringify(hashedURLs(folders, base)),
        },
        optimizeDeps: { exclude: ['inpage'] },
        worker: { format: 'es', plugins: () => [leaveOutEngines(engines)] },
        ...(options.crossOriginIsolation
          ? { server: { headers: ISOLATION_HEADERS }, preview: { headers: ISOLATION_HEADERS } }
          : {}),
      };
    },
    configureServer: (server) =>
      answerInDevelopment(server, fileOf, options.crossOriginIsolation ? ISOLATION_HEADERS : {}),
    async generateBundle() {
      // A build for a server needs none of them.
      if (this.environment.config.consumer !== 'client') return;
      for (const folder of folders) await checkPackedFolder(folder);
      for (const [url, file] of files) {
        this.emitFile({ type: 'asset', fileName: url.slice(1), source: await readFile(file.path) });
      }
    },
    async writeBundle({ dir }) {
      if (this.environment.config.consumer !== 'client' || dir === undefined) return;
      const added = `inpage: engines ${engines.join(', ') || 'none'}; adds ${describeSizes(files)}`;
      // Whoever names engines has decided.
      const advice = options.engines
        ? ''
        : '. If all entries are `gguf`, `engines: []` leaves ONNX Runtime and WebLLM out';
      this.environment.logger.info(added + advice);
      // Copied, because weights can be larger than what a buffer holds.
      for (const folder of folders) {
        for (const [url, path] of folder.files) {
          await mkdir(dirname(join(dir, url)), { recursive: true });
          await cp(path, join(dir, url));
        }
      }
    },
  };
}

/** The files, and what is said of requests that no Service Worker answered. @returns adds what comes after Vite's own answers */
function answerInDevelopment(
  server: ViteDevServer,
  fileOf: (url: string) => string | undefined,
  headers: Record<string, string>,
): () => void {
  const { appType, base } = server.config;
  const { proxy } = server.config.server;
  // A server that renders pages may have a `/v1` of its own, and answers what is missing itself.
  const isOurs = (path: string): boolean => appType !== 'custom' && path.startsWith('/v1/');
  server.middlewares.use((request, response, next) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = decodeURIComponent(pathname);
    const file = fileOf(path.startsWith(base) ? `/${path.slice(base.length)}` : path);
    // Outside of the base Vite answers before it asks what comes later, but for what is passed on to another server.
    if (!path.startsWith(base) && !proxy && isOurs(path)) return sayNotAnswered(path, response);
    if (file === undefined) return next();
    sendFile(file, request, response, headers).catch(() => response.destroy());
  });
  return () =>
    server.middlewares.use((request, response, next) => {
      const { pathname } = new URL(request.originalUrl ?? '/', 'http://localhost');
      if (isOurs(pathname)) sayNotAnswered(pathname, response);
      else next();
    });
}

/** A request for the service that reached the development server, which would send the app's start page. */
function sayNotAnswered(path: string, response: ServerResponse): void {
  const message = `No Service Worker answered ${path}. Await \`startInference()\` before the first request; with \`serviceWorker: false\` use \`inference.fetch\`, and with another \`prefix\` its paths. \`npx inpage doctor\` finds what is missing.`;
  response.writeHead(404, { 'content-type': 'application/json', 'x-error-message': message });
  response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: 'not_found' } }));
}

/** Megabytes by folder, and in all. */
function describeSizes(files: ReadonlyMap<string, StaticFile>): string {
  const bytes = new Map<string, number>();
  for (const [url, { path }] of files) {
    const folder = url.slice(0, url.lastIndexOf('/') + 1).replace('/onnx/', '/');
    const name = url.includes('.asyncify.') ? `${folder} for WebGPU` : folder;
    bytes.set(name, (bytes.get(name) ?? 0) + statSync(path).size);
  }
  const megabytes = (size: number): string => `${(size / 1e6).toFixed(1)} MB`;
  const all = [...bytes.values()].reduce((sum, size) => sum + size, 0);
  const parts = [...bytes].filter(([folder]) => folder !== '/').map(([folder, size]) => `${folder} ${megabytes(size)}`);
  return megabytes(all) + (parts.length > 0 ? ` (${parts.join(', ')})` : '');
}

/** Where the app lives: a base on another origin (a CDN) holds its assets, but a Service Worker must be the page's own. */
function appBase(base: string): string {
  if (base === '' || base.startsWith('./')) return './';
  return base.startsWith('/') ? base : '/';
}

/** By the source that entries name. */
function hashedURLs(folders: readonly PackedFolder[], base: string): Record<string, string> {
  return Object.fromEntries(folders.map(({ source, hashed }) => [source, appBase(base) + hashed.slice(1)]));
}
