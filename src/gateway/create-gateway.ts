/** The gateway: app and scheduler behind ports. Runs in the gateway worker. @module */
import type { Remote } from 'comlink';
import { InferenceError } from '../core/errors/inference-error.js';
import { Catalog } from '../core/models/catalog.js';
import { secretsOfOptions } from '../core/models/header-secrets.js';
import type { ModelEntry } from '../core/models/model-entry.js';
import { settledWithin } from '../core/platform/settled-within.js';
import type { Sources } from '../store/list-stored.js';
import { resolveCompatibility } from '../relay/stream/request-payload.js';
import { type ControlledParts, serveEngineControl } from './engine-control.js';
import type { GatewayOptions, PageControl } from './gateway-control.js';
import { type App, createApp, defaultCounterStore } from './http/app.js';
import { COMPATIBILITY } from './http/policy/compatibility.js';
import { Faults } from './http/endpoint/faults.js';
import type { ModelStore } from './http/endpoint/http-context.js';
import { fetchPart } from '../core/errors/fetch-part.js';
import { Recorder } from './recorder.js';
import { ResponseStorage } from './response-storage.js';
import type { ModelWorkerHandle } from './remote-model.js';
import type { ControlledInference } from './scheduler/inference.js';
import { Scheduler } from './scheduler/scheduler.js';
import { type RequestFacts, serveCall } from './serve-call.js';
import { type PromptCacheContext, cachePrompt } from './cache-prompt.js';
import { createWorkerModelHost } from './worker-model-host.js';

/** A configured gateway. */
export interface Gateway {
  /** Answers the call that comes through this port. */
  connect(port: MessagePort): void;
}

/** Builds app and scheduler from the page's options. Models run in workers that the page makes. */
export function createGateway(options: GatewayOptions, page: Remote<PageControl>): Gateway {
  const { models, load, requestTimeout } = options;
  const recorder = options.record ? new Recorder(secretsOfOptions(options)) : undefined;
  const host = createWorkerModelHost({ spawn: (entry) => spawn(page, entry), load, requestTimeout });
  const inference = new Scheduler({
    catalog: new Catalog(models),
    host: recorder?.host(host) ?? host,
    requestTimeout,
    onFailure: (model, error) => console.error(`inpage: \`${model}\` failed. ${error.message}`),
  });
  const faults = new Faults();
  const counterStore = defaultCounterStore();
  const responseStorage = new ResponseStorage(options.storeResponses, { now: Date.now, service: options.prefix });
  const modelStore = openModelStore({ models, load }, inference);
  const shared = { ...options, counterStore, inference, faults, modelStore };
  const answering = (isIntercepted: boolean): App => {
    const compatibility = resolveCompatibility(options.compatibility, isIntercepted);
    return createApp({ ...shared, compatibility, isIntercepted, ...responseStorage.optionsFor(compatibility) });
  };
  const [own, elsewhere] = [answering(false), answering(true)];
  const compatibility = COMPATIBILITY[resolveCompatibility(options.compatibility, false)];
  const promptCache: PromptCacheContext = { inference, compatibility, isWanted: load.promptCache !== undefined };
  const parts: ControlledParts = {
    inference,
    faults,
    recorder,
    responseStorage,
    cachePrompt: (...args) => cachePrompt(promptCache, ...args),
  };
  const handlers = {
    request: (request: Request, begin: () => void, { intercepted, ...facts }: RequestFacts) =>
      (intercepted ? elsewhere : own).fetch(request, { onBegin: begin, ...facts }),
    control: (port: MessagePort, lifeline: string | undefined) => serveEngineControl(port, lifeline, parts),
  };
  return {
    connect: (port) => void serveCall(port, handlers),
  };
}

/** Few requests ask for it, so its code is loaded with the first one. */
function openModelStore(sources: Sources, inference: ControlledInference): ModelStore {
  const part = () => fetchPart(() => import('../store/list-stored.js'));
  return {
    list: async () => (await part()).listStored(sources),
    remove: async (model) => (await part()).removeStored(model, sources, (id) => inference.unload(id)),
  };
}

/** Milliseconds until the page must have started a worker, or said why it could not: more than it gives the worker. */
const SPAWN_TIMEOUT_MS = 45_000;

async function spawn(page: Remote<PageControl>, { backend }: ModelEntry): Promise<ModelWorkerHandle> {
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
