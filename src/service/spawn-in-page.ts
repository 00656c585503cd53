/** Model workers that a page makes for its gateway, wherever that runs. @module */
import type { Remote } from 'comlink';
import { InferenceError } from '../core/errors/inference-error.js';
import type { ModelEntry } from '../core/models/model-entry.js';
import { settledWithin } from '../core/platform/settled-within.js';
import type { PageControl } from './gateway-control.js';
import type { ModelWorkerHandle } from './remote-model.js';

/** Milliseconds until the page must have started a worker, or said why it could not: more than it gives the worker. */
const SPAWN_TIMEOUT_MS = 45_000;

/** @throws InferenceError `unavailable` */
export async function spawnInPage(page: Remote<PageControl>, { backend }: ModelEntry): Promise<ModelWorkerHandle> {
  const end = (id: number): void => void page.endModelWorker(id).catch(() => {});
  const asked = backend === 'built-in' ? page.serveInPage() : page.spawnModelWorker();
  const worker = await settledWithin(asked, SPAWN_TIMEOUT_MS);
  if (!worker) {
    void asked.then(({ id }) => end(id)).catch(() => {});
    throw new InferenceError('unavailable', 'The page did not start a worker in time.', { retryAfter: 5 });
  }
  const { id, port, lifeline } = worker;
  return { port, lifeline, end: () => end(id) };
}
