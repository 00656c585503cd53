/** A browser's worker as a thread of Node: the same scripts, the same messages. @module */
import { type Transferable, Worker as Thread } from 'node:worker_threads';

/** What a thread is started with. */
export interface NodeWorkerData {
  /** URL of the script that a browser's worker would run. */
  script: string;
}

/** Runs first in each thread. Beside this module, and the workers' scripts, in the built package. */
const BOOTSTRAP = new URL('./thread-worker.js', import.meta.url);

/** `Worker` as browsers have it, as far as Inpage's own scripts use it. Its event `close` comes when the thread has ended. */
export class NodeWorker extends EventTarget {
  readonly #thread: Thread;

  /** @param script `file:` URL of a module */
  constructor(script: string | URL, { name = 'inpage' }: WorkerOptions = {}) {
    super();
    const workerData: NodeWorkerData = { script: String(script) };
    // Flags and loaders of the program are not for this thread.
    this.#thread = new Thread(BOOTSTRAP, { name, workerData, execArgv: [] });
    this.#thread.on('message', (data) => this.dispatchEvent(new MessageEvent('message', { data })));
    this.#thread.on('error', ({ message }) => this.dispatchEvent(Object.assign(new Event('error'), { message })));
    this.#thread.on('exit', () => this.dispatchEvent(new Event('close')));
  }

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    this.#thread.postMessage(message, transfer);
  }

  /** Ends the thread, whatever it computes, and those that it has started. */
  terminate(): void {
    void this.#thread.terminate();
  }
}
