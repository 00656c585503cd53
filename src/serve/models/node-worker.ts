/** A browser's worker as a thread of Node: the same scripts, the same messages. @module */
import { type Transferable, Worker as Thread } from 'node:worker_threads';
import type { ThreadStoreData } from './thread-store.js';

/** What a thread is started with. */
export interface NodeWorkerData {
  /** URL of the script that a browser's worker would run. */
  script: string;
  /** What the script knows as `self.name`. */
  name: string;
  /** Of the thread of a model; those that it starts itself open no files. */
  store?: ThreadStoreData;
}

/** Runs first in each thread. Beside this module, and the workers' scripts, in the built package. */
const BOOTSTRAP = new URL('./thread-worker.js', import.meta.url);

/** `Worker` as browsers have it, as far as the scripts of the package use it. Its event `close` comes when the thread has ended. */
export class NodeWorker extends EventTarget {
  /** ONNX Runtime listens in this way. */
  onmessage: ((event: MessageEvent) => void) | null = null;
  onerror: ((event: Event) => void) | null = null;
  readonly #thread: Thread;

  /** @param script `file:` URL of a module */
  constructor(script: string | URL, { name = 'inpage' }: WorkerOptions = {}, store?: ThreadStoreData) {
    super();
    const workerData: NodeWorkerData = { script: String(script), name, ...(store && { store }) };
    const transferList = store ? [store.port] : [];
    // Flags and loaders of the program are not for this thread.
    this.#thread = new Thread(BOOTSTRAP, { name, workerData, transferList, execArgv: [] });
    this.#thread.on('message', (data) => this.dispatchEvent(new MessageEvent('message', { data })));
    this.#thread.on('error', ({ message }) => this.dispatchEvent(Object.assign(new Event('error'), { message })));
    this.#thread.on('exit', () => this.dispatchEvent(new Event('close')));
    this.addEventListener('message', (event) => this.onmessage?.(event as MessageEvent));
    this.addEventListener('error', (event) => this.onerror?.(event));
  }

  postMessage(message: unknown, transfer: Transferable[] | { transfer?: Transferable[] } = []): void {
    this.#thread.postMessage(message, Array.isArray(transfer) ? transfer : transfer.transfer);
  }

  /** Ends the thread, whatever it computes, and those that it has started. */
  terminate(): void {
    void this.#thread.terminate();
  }
}
