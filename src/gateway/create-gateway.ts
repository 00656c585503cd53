/** The gateway: app and scheduler behind ports. Runs in the gateway worker. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import { Faults } from './http/faults.js';
import { createApp } from './http/app.js';
import { Catalog } from '../core/models/catalog.js';
import { settledWithin } from '../core/platform/settled-within.js';
import type { LoadProgress } from '../core/models/model-entry.js';
import type { Ask } from '../relay/control/control-line.js';
import type { ControlPayload, Snapshot } from '../relay/protocol.js';
import type { ModelWorkerHandle } from './remote-model.js';
import { serveCall } from './serve-call.js';
import { createWorkerModelHost } from './worker-model-host.js';
import { type ControlledInference, Scheduler } from './scheduler/scheduler.js';
import type { GatewayOptions, PageControl } from './gateway-control.js';

/** A configured gateway. */
export interface Gateway {
  /** Answers the call that comes through this port. */
  connect(port: MessagePort): void;
}

/** Builds app and scheduler from the page's options. Models run in workers that the page makes. */
export function createGateway(options: GatewayOptions, page: Ask<PageControl>): Gateway {
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
    control: (payload: ControlPayload, signal: AbortSignal) => answerControl({ inference, faults }, payload, signal),
  };
  return {
    connect: (port) => void serveCall(port, handlers),
  };
}

/** Milliseconds until the page must have started a worker, or said why it could not: more than it gives the worker. */
const SPAWN_DEADLINE = 45_000;

async function spawn(page: Ask<PageControl>): Promise<ModelWorkerHandle> {
  const asked = page('spawnModelWorker', undefined);
  const result = await settledWithin(asked, SPAWN_DEADLINE);
  if (!result) {
    void asked.then((late) => (late.started ? page('endModelWorker', late.id) : undefined)).catch(() => {});
    throw new InferenceError('unavailable', 'The page did not start a worker in time.', { retryAfter: 5 });
  }
  if (!result.started) throw new InferenceError('unavailable', result.reason, { retryAfter: 5, reason: result.reason });
  const { id, port, lifeline } = result;
  return { port, lifeline, end: () => void page('endModelWorker', id) };
}

async function* answerControl(
  { inference, faults }: { inference: ControlledInference; faults: Faults },
  payload: ControlPayload,
  signal: AbortSignal,
): AsyncGenerator<Snapshot> {
  if (payload.control === 'watch') return yield* watch(inference, signal);
  if (payload.control === 'faults') faults.set(payload.settings);
  else if (payload.control === 'fetchFiles') {
    await inference.fetchFiles(payload.model, { localFiles: payload.localFiles, signal });
  } else await inference[payload.control](payload.model);
  yield { models: inference.status(), progress: [] };
}

/** A snapshot now and after every change; a slow reader gets fewer of them, but always the latest. */
async function* watch(inference: ControlledInference, signal: AbortSignal): AsyncGenerator<Snapshot> {
  let progress = new Map<string, LoadProgress>();
  let changed = true;
  let wake = (): void => {};
  const stopListening = inference.onChange((report) => {
    // Reports of one file replace each other, so that a slow reader does not make them pile up.
    if (report) progress.set(JSON.stringify([report.model, report.file, report.stage]), report);
    changed = true;
    wake();
  });
  const onAbort = (): void => wake();
  signal.addEventListener('abort', onAbort);
  try {
    while (!signal.aborted) {
      if (changed) {
        changed = false;
        const reports = [...progress.values()];
        progress = new Map();
        yield { models: inference.status(), progress: reports };
      } else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stopListening();
    signal.removeEventListener('abort', onAbort);
  }
}
