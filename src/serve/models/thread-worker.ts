/**
 * Entry of a thread of Node that runs the script of a browser's worker: gives it what that script expects of its realm, and
 * starts it. So models have one engine, whose files are those that pages load.
 * @module
 */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { type MessagePort, parentPort, type Transferable, workerData } from 'node:worker_threads';
import { type NodeWorkerData, NodeWorker } from './node-worker.js';

/** The package's own files, all that may be read from the disk. */
const PACKAGE = new URL('./', import.meta.url).href;

const parent = parentPort as MessagePort;
const messages = new EventTarget();
const fetchFromNetwork = globalThis.fetch;

const { script } = workerData as NodeWorkerData;

const REALM = {
  self: globalThis,
  location: new URL(script),
  addEventListener: messages.addEventListener.bind(messages),
  removeEventListener: messages.removeEventListener.bind(messages),
  postMessage: (message: unknown, transfer: Transferable[] = []): void => parent.postMessage(message, transfer),
  Worker: NodeWorker,
  // Memory can be shared between threads here.
  crossOriginIsolated: true,
  /** Reads the kernels, which lie beside the scripts. */
  async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const address = input instanceof Request ? input.url : String(input);
    if (!address.startsWith('file:')) return fetchFromNetwork(input, init);
    if (!new URL(address).href.startsWith(PACKAGE)) throw new TypeError(`${address} is not a file of this package.`);
    return new Response(new Uint8Array(await readFile(new URL(address))));
  },
};
for (const [name, value] of Object.entries(REALM))
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
// Node has it from version 21 on.
globalThis.navigator ??= { hardwareConcurrency: availableParallelism() } as Navigator;
// What is rejected and awaited nowhere ends no worker in a browser.
process.on('unhandledRejection', (reason) => console.error('inpage:', reason));

await import(script);
// Messages wait until the script listens.
parent.on('message', (data) => messages.dispatchEvent(new MessageEvent('message', { data })));
