/** The gateway: app and scheduler behind ports. Runs in the gateway worker. @module */
import type { Remote } from 'comlink';
import { Catalog } from '../core/models/catalog.js';
import { secretsOfOptions } from '../core/models/header-secrets.js';
import type { Sources } from '../store/list-stored.js';
import { resolveCompatibility } from '../relay/stream/request-payload.js';
import { type ControlledParts, serveEngineControl } from './engine-control.js';
import type { GatewayOptions, HostPageControl } from './gateway-control.js';
import { createUuid } from '../core/platform/create-uuid.js';
import { FileStorage } from './files/file-storage.js';
import { type App, createApp, defaultCounterStore } from './http/app.js';
import { COMPATIBILITY } from './http/policy/compatibility.js';
import { Faults } from './http/endpoint/faults.js';
import type { ModelStore } from './http/endpoint/http-context.js';
import { fetchPart } from '../core/errors/fetch-part.js';
import { Recorder } from './recorder.js';
import { ResponseStorage } from './response-storage.js';
import type { ControlledInference } from './scheduler/inference.js';
import { Scheduler } from './scheduler/scheduler.js';
import { type RequestFacts, serveCall } from './serve-call.js';
import { spawnInPage } from './spawn-in-page.js';
import { type PromptCacheContext, cachePrompt } from './cache-prompt.js';
import { createWorkerModelHost } from './worker-model-host.js';

/** A configured gateway. */
export interface Gateway {
  /** Answers the call that comes through this port. */
  connect(port: MessagePort): void;
}

/** Builds app and scheduler from the page's options. Models run in workers that the page makes. */
export function createGateway(options: GatewayOptions, page: Remote<HostPageControl>): Gateway {
  const { models, load, requestTimeout } = options;
  const recorder = options.record ? new Recorder(secretsOfOptions(options)) : undefined;
  const host = createWorkerModelHost({ spawn: (entry) => spawnInPage(page, entry), load, requestTimeout });
  const inference = new Scheduler({
    catalog: new Catalog(models),
    host: recorder?.host(host) ?? host,
    requestTimeout,
    onFailure: (model, error) => console.error(`inpage: \`${model}\` failed. ${error.message}`),
  });
  const faults = new Faults();
  const counterStore = defaultCounterStore();
  const responseStorage = new ResponseStorage(options.storeResponses, { now: Date.now, service: options.prefix });
  const fileStorage = new FileStorage(options.files, {
    inference,
    now: Date.now,
    createId: createUuid,
    service: options.prefix,
    readPdf: (bytes) => page.readPdf(bytes),
    onStored: () => void page.keepStored().catch(() => {}),
  });
  void fileStorage.resume().catch(() => {});
  const modelStore = openModelStore({ models, load }, inference);
  const shared = { ...options, counterStore, inference, faults, modelStore, fileStorage };
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
    fileStorage,
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
