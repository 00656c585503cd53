/**
 * The library's web build and ONNX Runtime's WASM, in Node: a test file that has this for `@huggingface/transformers`, as
 * those of the project `unit-web-build` and those that mock it, loads models as a worker of a browser does, from a store
 * in memory that `fetch` fills.
 */
import { readFile } from 'node:fs/promises';
import type { LoadOptions } from '../../../../src/core/models/backend.js';

const root = new URL('../../../../', import.meta.url);

/** What the tests' entries have as folder of their models' folders. */
const MODELS = 'http://localhost/models/';

export async function webBuild(): Promise<object> {
  Object.defineProperty(process.release, 'name', { value: 'browser' });
  return import(
    new URL('node_modules/@huggingface/transformers/dist/transformers.web.js', root).href
  ) as Promise<object>;
}

/** Repositories by name, of files by name: bytes, texts, or what is written as JSON. */
type Repositories = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A server of models, for `vi.stubGlobal('fetch', …)`. */
export function modelServer(repositories: Repositories) {
  const asked: string[] = [];
  return {
    /** Files that were asked for, without the name of their repository. */
    asked,
    async fetch(url: string, { method = 'GET' }: RequestInit = {}): Promise<Response> {
      const [, repository = '', file = ''] = new RegExp(`^${MODELS}([^/]+)/(.*)$`).exec(decodeURIComponent(url)) ?? [];
      asked.push(file);
      const content = repositories[repository]?.[file];
      if (content === undefined) return new Response(null, { status: 404 });
      const bytes = bytesOf(content);
      return new Response(method === 'HEAD' ? null : bytes, { headers: { 'content-length': String(bytes.length) } });
    },
  };
}

function bytesOf(content: unknown): Uint8Array<ArrayBuffer> {
  if (content instanceof Uint8Array) return Uint8Array.from(content);
  return new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content));
}

/** The named files of a folder of this repository, such as `public/models/tiny-chat/`. */
export async function filesOfFolder(folder: string, names: readonly string[]): Promise<Record<string, Uint8Array>> {
  const contents = names.map(async (name) => [name, await readFile(new URL(folder + name, root))] as const);
  return Object.fromEntries(await Promise.all(contents));
}

/** Where the app's files are, and where its models are asked for. */
export const LOAD: LoadOptions = {
  onProgress: () => {},
  signal: new AbortController().signal,
  assetsURL: new URL('node_modules/onnxruntime-web/dist/', root).href,
  pageURL: 'http://localhost/',
};
