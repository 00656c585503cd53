/**
 * Entry of a thread of Node that runs the script of a browser's worker: gives it what that script expects of its realm, and
 * starts it. So models have one engine, whose files are those that pages load.
 * @module
 */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { type MessagePort, parentPort, type Transferable, workerData } from 'node:worker_threads';
import { provideStore } from '../../store/storage/store-environment.js';
import { createSoftwareBitmap, SoftwareCanvas, SoftwareImageData } from './thread-canvas.js';
import { openThreadStore } from './thread-store.js';
import { type NodeWorkerData, NodeWorker } from './node-worker.js';

/** The package's own files, all that may be read from the disk by `fetch`. */
const PACKAGE = new URL('./', import.meta.url).href;

const parent = parentPort as MessagePort;
const messages = new EventTarget();
const fetchFromNetwork = globalThis.fetch;

const { script, name, store } = workerData as NodeWorkerData;

const REALM = {
  self: globalThis,
  name,
  location: new URL(script),
  navigator: {
    userAgent: `Node.js/${process.versions.node}`,
    // Node has it from version 21 on, and Web Locks from 24 on, which threads that wait for each other spin on.
    hardwareConcurrency: globalThis.navigator?.hardwareConcurrency ?? availableParallelism(),
  },
  // By it the libraries of the engines know Node, where they would do all else than in a worker of a browser.
  process: undefined,
  WorkerGlobalScope: Object,
  // Another library knows a worker by the name of its class.
  constructor: { name: 'DedicatedWorkerGlobalScope' },
  createImageBitmap: createSoftwareBitmap,
  OffscreenCanvas: SoftwareCanvas,
  ImageData: SoftwareImageData,
  addEventListener: messages.addEventListener.bind(messages),
  removeEventListener: messages.removeEventListener.bind(messages),
  onmessage: null as ((event: MessageEvent) => void) | null,
  postMessage: (message: unknown, transfer: Transferable[] = []): void => parent.postMessage(message, transfer),
  Worker: NodeWorker,
  // Memory can be shared between threads here.
  crossOriginIsolated: true,
  /** Reads the kernels, which lie beside the scripts. */
  async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const address = input instanceof Request ? input.url : String(input);
    if (!address.startsWith('file:')) return fetchFromNetwork(input, init);
    if (!new URL(address).href.startsWith(PACKAGE)) throw new TypeError(`${address} is not a file of this package.`);
    const headers = address.endsWith('.wasm') ? { 'content-type': 'application/wasm' } : {};
    return new Response(new Uint8Array(await readFile(new URL(address))), { headers });
  },
};
for (const [key, value] of Object.entries(REALM))
  Object.defineProperty(globalThis, key, { value, writable: true, configurable: true });
// What is rejected and awaited nowhere ends no worker in a browser.
process.on('unhandledRejection', (reason) => console.error('inpage:', reason));
messages.addEventListener('message', (event) => {
  (globalThis as unknown as typeof REALM).onmessage?.(event as MessageEvent);
});
if (store) provideStore(openThreadStore(store));

await import(script);
// Messages wait until the script listens.
parent.on('message', (data) => messages.dispatchEvent(new MessageEvent('message', { data })));
