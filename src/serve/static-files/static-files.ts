/** The files that an app serves for the library, by the URL path the library asks for, and how they are sent. @module */
import { createReadStream, existsSync, readdirSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { ownEntry } from '../../core/json/own-entry.js';
import { suggestName } from '../../core/models/suggest-name.js';

export interface StaticFile {
  /** Absolute path in the installed package. */
  path: string;
}

/** All that come with the package. */
export const BUNDLED_MODELS = ['tiny-chat', 'tiny-embed', 'tiny-whisper'];

const MEDIA_TYPES: Record<string, string> = {
  js: 'text/javascript',
  mjs: 'text/javascript',
  html: 'text/html',
  json: 'application/json',
  wasm: 'application/wasm',
};

/** By the extension of a file's name. */
export function mediaTypeOf(path: string): string {
  return ownEntry(MEDIA_TYPES, path.slice(path.lastIndexOf('.') + 1)) ?? 'application/octet-stream';
}

/** What an app may leave out. */
export interface StaticFileOptions {
  /** Which bundled models to include; `false`: none. */
  models: readonly string[] | false;
  /** ONNX Runtime for WebGPU (27 MB), which models with `device: 'webgpu'` or `'auto'` use where there is a GPU. */
  webgpu: boolean;
  /** @default true */
  onnxRuntime?: boolean;
}

/** Cards, samples and notes of the bundled models, which no engine asks for. */
const SAMPLES = /^(README\.md|notes\.json|clips[\\/])/;

/** The graphs that tiny-chat was made of: test data of this repository, which the package lacks. */
const TEST_DATA = /^\/models\/tiny-chat\/(?:onnx\/|.*\.json$)/;

/**
 * URL path to file: `/inpage-sw.js`, `/inpage-sw-isolated.js`, `/inpage/<ONNX Runtime file>`, `/models/<model>/<file>`.
 * Paths are those of the built package, where this module is bundled into `dist/`.
 * @throws Error for a model that is not bundled
 */
export function listStaticFiles({ models, webgpu, onnxRuntime = true }: StaticFileOptions): Map<string, StaticFile> {
  const packaged = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  const files = new Map<string, StaticFile>([
    ['/inpage-sw.js', { path: packaged('./service-worker.js') }],
    ['/inpage-sw-isolated.js', { path: packaged('./service-worker-isolated.js') }],
  ]);
  if (onnxRuntime) {
    addFolder(files, packaged('./ort/'), '/inpage/', (file) => webgpu || !file.includes('.asyncify.'));
  }
  for (const model of models || []) {
    if (!BUNDLED_MODELS.includes(model)) {
      throw new Error(`There is no bundled model \`${model}\`. ${suggestName(model, BUNDLED_MODELS)}`);
    }
    const folder = packaged(`../public/models/${model}/`);
    addFolder(files, folder, `/models/${model}/`, (file) => !SAMPLES.test(file));
  }
  return files;
}

function addFolder(
  files: Map<string, StaticFile>,
  folder: string,
  url: string,
  isWanted: (file: string) => boolean,
): void {
  // The package `inpage-testing` has neither models nor ONNX Runtime.
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const file = relative(folder, path);
    const name = url + file.replaceAll('\\', '/');
    if (isWanted(file) && !TEST_DATA.test(name)) files.set(name, { path });
  }
}

/** WASM gets several threads only on a page that came with these. */
export const ISOLATION_HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/**
 * Answers with the file, or with 404 when it is not there any more. Rejects when the client leaves in between.
 * @param headers beside type and length
 */
export async function sendFile(
  path: string,
  { method }: IncomingMessage,
  response: ServerResponse,
  headers: Record<string, string> = {},
): Promise<void> {
  const facts: Stats | undefined = await stat(path).catch(() => undefined);
  if (!facts) return void response.writeHead(404).end('Not Found');
  response.writeHead(200, { ...headers, 'content-type': mediaTypeOf(path), 'content-length': facts.size });
  if (method === 'HEAD') response.end();
  else await pipeline(createReadStream(path), response);
}
