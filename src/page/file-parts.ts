/**
 * What only the page can do for files. It reads PDF in a worker of its own, made with the first one and ended when there is
 * none for a while.
 * @module
 */
import { InferenceError } from '../core/errors/inference-error.js';
import { withTrustedWorkers } from '../core/errors/trusted-types.js';
import type { PdfQuestion } from '../service/files/read/pdf-worker.js';
import type { Unreadable } from '../service/files/read/unreadable.js';
import { startWorker } from './start-worker.js';

// Bundlers know `new Worker(new URL(…))` by its letters.
const makePdfWorker = (): Worker =>
  withTrustedWorkers(
    () =>
      new Worker(new URL('../service/files/read/pdf-worker.ts', import.meta.url), {
        type: 'module',
        name: 'inpage-pdf',
      }),
  );

let isKept: Promise<unknown> | undefined;

/** Asks the browser to keep what is stored. Some ask the person in front of them, and one question is enough. */
export async function keepStored(): Promise<void> {
  await (isKept ??= navigator.storage?.persist?.() ?? Promise.resolve());
}

/** Milliseconds that an idle worker is kept. */
const IDLE_MS = 10_000;

/** Milliseconds that a file may take: some make a reader compute without an end. */
const LONGEST_MS = 120_000;

let started: Promise<Worker> | undefined;
let pending = 0;
let idle: ReturnType<typeof setTimeout> | undefined;

/** @throws InferenceError `unavailable` where the worker does not start */
export async function readPdf(bytes: Uint8Array<ArrayBuffer>): Promise<string[] | Unreadable> {
  clearTimeout(idle);
  pending += 1;
  try {
    const worker = await (started ??= start());
    return await ask(worker, bytes);
  } catch (thrown) {
    endWorker();
    throw thrown;
  } finally {
    pending -= 1;
    if (pending === 0) idle = setTimeout(endWorker, IDLE_MS);
  }
}

async function start(): Promise<Worker> {
  const { worker } = await startWorker(
    makePdfWorker,
    () => {},
    () => true,
  );
  return worker;
}

function ask(worker: Worker, bytes: Uint8Array<ArrayBuffer>): Promise<string[] | Unreadable> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new InferenceError('unavailable', 'The PDF took too long to read.')),
      LONGEST_MS,
    );
    port1.addEventListener('message', ({ data }: MessageEvent<string[] | Unreadable>) => {
      clearTimeout(late);
      port1.close();
      resolve(data);
    });
    port1.start();
    const question: PdfQuestion = { type: 'read-pdf', bytes };
    worker.postMessage(question, [port2]);
  });
}

function endWorker(): void {
  const ended = started;
  started = undefined;
  ended?.then((worker) => worker.terminate()).catch(() => {});
}
