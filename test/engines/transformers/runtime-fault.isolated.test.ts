/** What is said when the browser could not load ONNX Runtime, by what the app's server answers. */
import { env } from '@huggingface/transformers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadFailure } from '../../../src/engines/common/load-failure.js';
import { findRuntimeFault } from '../../../src/engines/transformers/ort/runtime-fault.js';

const { signal } = new AbortController();
const MJS = 'https://app.test/inpage/ort-wasm-simd-threaded.mjs';
const WASM = 'https://app.test/inpage/ort-wasm-simd-threaded.wasm';
const FAILED = new Error(`no available backend found. ERR: [wasm] TypeError: Importing a module script failed.`);

const served = new Map<string, () => Response>();
const { wasm } = env.backends.onnx;
const paths = wasm!.wasmPaths!;
beforeEach(() => {
  wasm!.wasmPaths = { mjs: MJS, wasm: WASM };
  served.clear();
  served.set(MJS, () => new Response('', { headers: { 'content-type': 'text/javascript' } }));
  served.set(WASM, () => new Response('', { headers: { 'content-type': 'application/octet-stream' } }));
  vi.stubGlobal(
    'fetch',
    async (url: string) => served.get(url)?.() ?? Promise.reject(new TypeError('Failed to fetch')),
  );
});
afterEach(() => {
  wasm!.wasmPaths = paths;
  vi.unstubAllGlobals();
});

const page = () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } });
const typed = (type: string) => () => new Response('', { headers: { 'content-type': type } });

it.each<[string, string, () => Response, RegExp]>([
  [
    'a script served as plain text',
    MJS,
    typed('text/plain'),
    /\.mjs was served as text\/plain .* \.mjs files as text\/javascript/,
  ],
  [
    'a script that is missing',
    MJS,
    () => new Response('', { status: 404 }),
    /\.mjs returned status 404\. Run `npx inpage init public`/,
  ],
  ['a page instead of the script', MJS, page, /\.mjs returned an HTML page instead of the file\. Run/],
  ['WebAssembly that is missing', WASM, () => new Response('', { status: 404 }), /\.wasm returned status 404/],
])('%s', async (_, url, response, said) => {
  served.set(url, response);
  const error = loadFailure(FAILED, { id: 'm' }, signal, await findRuntimeFault(FAILED, signal));
  expect(error.message).toMatch(said);
  expect(error.details).toMatchObject({ url, permanent: true });
});

it('nothing is found where all is served, no server answers, or something else failed', async () => {
  expect(await findRuntimeFault(FAILED, signal)).toBeUndefined();
  expect(await findRuntimeFault(new Error('Shape mismatch'), signal)).toBeUndefined();
  served.clear();
  expect(await findRuntimeFault(FAILED, signal)).toBeUndefined();
});
