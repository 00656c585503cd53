/** The gateway: app and scheduler behind ports. Runs in the gateway worker. @module */
import type { Remote } from 'comlink';
import { InferenceError } from '../core/errors/inference-error.js';
import { Faults } from './http/faults.js';
import { createApp } from './http/app.js';
import { Catalog } from '../core/models/catalog.js';
import { settledWithin } from '../core/platform/settled-within.js';
import type { ModelWorkerHandle } from './remote-model.js';
import { serveEngineControl } from './engine-control.js';
import { serveCall } from './serve-call.js';
import { createWorkerModelHost } from './worker-model-host.js';
import { Scheduler } from './scheduler/scheduler.js';
import type { GatewayOptions, PageControl } from './gateway-control.js';

/** A configured gateway. */
export interface Gateway {
  /** Answers the call that comes through this port. */
  connect(port: MessagePort): void;
}

/** Builds app and scheduler from the page's options. Models run in workers that the page makes. */
export function createGateway(options: GatewayOptions, page: Remote<PageControl>): Gateway {
  const { models, load, requestTimeout } = options;
  const host = createWorkerModelHost({ spawn: () => spawn(page), load, requestTimeout });
  const inference = new Scheduler({
    catalog: new Catalog(models),
    host,
    requestTimeout,
    onFailure: (model, error) => console.error(`inpage: \`${model}\` failed. ${error.message}`),
  });
  const faults = new Faults();
  const app = createApp({ ...options, inference, faults });
  const handlers = {
    request: (request: Request, begin: () => void) => app.fetch(request, { onBegin: begin }),
    control: (port: MessagePort, lifeline: string | undefined) =>
      serveEngineControl(port, lifeline, { inference, faults }),
  };
  return {
    connect: (port) => void serveCall(port, handlers),
  };
}

/** Milliseconds until the page must have started a worker, or said why it could not: more than it gives the worker. */
const SPAWN_DEADLINE = 45_000;

async function spawn(page: Remote<PageControl>): Promise<ModelWorkerHandle> {
  const end = (id: number): void => void page.endModelWorker(id).catch(() => {});
  const asked = page.spawnModelWorker();
  const worker = await settledWithin(asked, SPAWN_DEADLINE);
  if (!worker) {
    void asked.then(({ id }) => end(id)).catch(() => {});
    throw new InferenceError('unavailable', 'The page did not start a worker in time.', { retryAfter: 5 });
  }
  const { id, port, lifeline } = worker;
  return { port, lifeline, end: () => end(id) };
}
