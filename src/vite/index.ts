/**
 * Vite plugin: serves and emits what a page needs beside its bundle, so that not one request leaves the origin: the
 * Service Worker script, ONNX Runtime's files, and the bundled models.
 * @module
 * @example
 * // vite.config.ts
 * import { inpage } from 'inpage/vite';
 * export default { plugins: [inpage()] };
 */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';
import { checkNames } from '../models/check-names.js';
import { ISOLATION_HEADERS, sendFile } from '../static-files/send-file.js';
import { BUNDLED_MODELS, listStaticFiles } from '../static-files/static-files.js';

/** Options of {@link inpage}. */
export interface InpagePluginOptions {
  /**
   * Which bundled models to serve below `/models/`; `false`: none.
   * @default ['tiny-chat', 'tiny-embed', 'tiny-whisper']
   */
  models?: string[] | false;
  /**
   * Serve ONNX Runtime for WebGPU too: 27 MB in one file, more than some hosts take. Without it, models of the backend
   * `transformers` run on WASM only (`device: 'wasm'`).
   * @default true
   */
  webgpu?: boolean;
  /**
   * Send COOP and COEP headers in dev and preview, so that WASM runs on several threads. In production your own server
   * must send them.
   * @default false
   */
  crossOriginIsolation?: boolean;
}

const OPTIONS: Record<keyof InpagePluginOptions, true> = { models: true, webgpu: true, crossOriginIsolation: true };

/**
 * See the module's example. Works in dev, build and preview.
 * @throws Error that names the option when there is no such one, or the model when it is not bundled
 */
export function inpage(options: InpagePluginOptions = {}): Plugin {
  checkNames(options, OPTIONS, 'an option of the plugin inpage');
  const files = listStaticFiles({ models: options.models ?? BUNDLED_MODELS, webgpu: options.webgpu ?? true });
  return {
    name: 'inpage',
    config: ({ base = '/' }) => ({
      define: { INPAGE_BASE: JSON.stringify(appBase(base)) },
      optimizeDeps: { exclude: ['inpage'] },
      worker: { format: 'es' },
      ...(options.crossOriginIsolation
        ? { server: { headers: ISOLATION_HEADERS }, preview: { headers: ISOLATION_HEADERS } }
        : {}),
    }),
    configureServer(server) {
      const { base } = server.config;
      server.middlewares.use((request, response, next) => {
        const { pathname } = new URL(request.url ?? '/', 'http://localhost');
        const file = files.get(pathname.startsWith(base) ? `/${pathname.slice(base.length)}` : pathname);
        if (!file) return next();
        const headers = options.crossOriginIsolation ? ISOLATION_HEADERS : {};
        sendFile(file.path, request, response, headers).catch(() => response.destroy());
      });
    },
    async generateBundle() {
      // A build for a server needs none of them.
      if (this.environment.config.consumer !== 'client') return;
      for (const [url, file] of files) {
        this.emitFile({ type: 'asset', fileName: url.slice(1), source: await readFile(file.path) });
      }
    },
  };
}

/** Where the app lives: a base on another origin (a CDN) holds its assets, but a Service Worker must be the page's own. */
function appBase(base: string): string {
  if (base === '' || base.startsWith('./')) return './';
  return base.startsWith('/') ? base : '/';
}
