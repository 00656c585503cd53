/** The gateway: the service behind ports. Runs in the gateway worker. @module */
import type { Remote } from 'comlink';
import { Catalog } from '../core/models/catalog.js';
import type { Sources } from '../store/list-stored.js';
import { createService } from './create-service.js';
import { type ControlledParts, serveServiceControl } from './service-control.js';
import type { GatewayOptions, HostPageControl } from './gateway-control.js';
import { COMPATIBILITY } from './http/policy/compatibility.js';
import { defaultCounterStore } from './http/policy/counter-store.js';
import type { ModelStore } from './http/endpoint/http-context.js';
import { fetchPart } from '../core/errors/fetch-part.js';
import type { ControlledInference } from './scheduler/inference.js';
import { type RequestFacts, serveCall } from './serve-call.js';
import { spawnInPage } from './spawn-in-page.js';
import type { PromptCacheContext } from './cache-prompt.js';
import { createWorkerModelHost } from './worker-model-host.js';

/** A configured gateway. */
export interface Gateway {
  /** Answers the call that comes through this port. */
  connect(port: MessagePort): void;
}

/** Builds the service from the page's options. Models run in workers that the page makes. */
export function createGateway(options: GatewayOptions, page: Remote<HostPageControl>): Gateway {
  const { models, load, requestTimeout } = options;
  const service = createService({
    options,
    catalog: new Catalog(models),
    host: createWorkerModelHost({ spawn: (entry) => spawnInPage(page, entry), load, requestTimeout }),
    counterStore: defaultCounterStore(),
    modelStore: (inference) => openModelStore({ models, load }, inference),
    files: { readPdf: (bytes) => page.readPdf(bytes), onStored: () => void page.keepStored().catch(() => {}) },
  });
  // Indexing that an end cut goes on.
  void service.fileStorage.resume().catch(() => {});
  const promptCache: PromptCacheContext = {
    inference: service.inference,
    compatibility: COMPATIBILITY[service.compatibility],
    isWanted: load.promptCache !== undefined,
  };
  const parts: ControlledParts = {
    service,
    cachePrompt: async (...args) => {
      const { cachePrompt } = await fetchPart(() => import('./cache-prompt.js'));
      return cachePrompt(promptCache, ...args);
    },
  };
  const handlers = {
    request: (request: Request, begin: () => void, { intercepted, ...facts }: RequestFacts) =>
      service.app(intercepted).fetch(request, { onBegin: begin, ...facts }),
    control: (port: MessagePort, lifeline: string | undefined) => serveServiceControl(port, lifeline, parts),
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
