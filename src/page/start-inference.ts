/** The door of the library: one call gives the page its own `/v1`. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import type { FaultSettings } from '../core/models/fault-settings.js';
import { APP_BASE } from '../core/models/app-base.js';
import { rejectOnAbort } from '../core/platform/reject-on-abort.js';
import type { ModelStatus } from '../core/models/model-status.js';
import type { PickedFiles } from './picked-files.js';
import type { StoredModel } from './stored-models.js';
import { EngineClient } from './engine-client.js';
import { engineGroup, optionTexts } from './engine-group.js';
import { EngineTab } from './engine-tab.js';
import { createInferenceFetch } from './inference-fetch.js';
import { occupyPage } from './page-occupancy.js';
import { registerServiceWorker } from './register-service-worker.js';
import type { GatewayOptions } from '../gateway/gateway-control.js';
import type { InferenceOptions, OptionsByRealm } from '../core/models/inference-options.js';

/** A running service. */
export interface PageInference {
  /** Absolute base of the service, e.g. `https://app.example/v1`: an SDK's `baseURL`. */
  readonly baseURL: string;
  /** A fetch for an SDK's `fetch` option: the same answers, no Service Worker involved on the hosting tab. */
  readonly fetch: typeof fetch;
  /** Loads a model before its first request. Rejects with an InferenceError. */
  load(model: string): Promise<void>;
  /** Ends the model's engine and frees its memory; a request that it works on fails with 503. */
  unload(model: string): Promise<void>;
  /**
   * Brings a model's files into the store of this device without loading it. Told to `onProgress`; goes on where an
   * earlier attempt stopped.
   * @throws InferenceError `insufficient_resources` (no room: `details` has needed and free bytes, and what could be
   * removed), `unavailable`, or `cancelled` when the signal aborts
   */
  download(model: string, options?: { signal?: AbortSignal }): Promise<void>;
  /**
   * The same from files or a folder that the person picks or drops, e.g. of a USB stick, by the same checks.
   * @throws InferenceError like {@link download}, and `invalid_request` for what are no files
   */
  importModel(model: string, files: PickedFiles, options?: { signal?: AbortSignal }): Promise<void>;
  /** The models of which something is kept on this device, of other catalogs too. */
  stored(): Promise<StoredModel[]>;
  /**
   * Unloads a model and removes its files from this device.
   * @param model its id, or the `source` that {@link stored} tells
   * @throws InferenceError `model_not_found`, or `unavailable` while it is being fetched
   */
  remove(model: string): Promise<void>;
  /** The models' state as the engine told it last. */
  status(): ModelStatus[];
  /**
   * Rehearsal switches for tests: failures, delays and broken streams on demand. Off until set; they end with the
   * engine.
   * @example
   * await inference.faults.set({ fail: { status: 429, count: 2, retryAfter: 1 } });
   */
  readonly faults: {
    /** Replaces all switches. */
    set(settings: FaultSettings): Promise<void>;
    /** Turns everything off. */
    clear(): Promise<void>;
  };
  /** Ends this tab's part: its engine when it hosts one, and `fetch`. Another open tab takes over. */
  stop(): Promise<void>;
}

/** Milliseconds from the call until the engine must answer. */
const START_DEADLINE = 40_000;

/**
 * Starts inference in this page. Resolves when requests to `baseURL` are answered; models load on their first request.
 * @throws InferenceError `invalid_request` (an option is wrong, `param` names it) or `unavailable` (says what to do)
 * @example
 * const inference = await startInference();
 * const response = await fetch('/v1/chat/completions', {
 *   method: 'POST',
 *   body: JSON.stringify({ model: 'tiny-chat', messages: [{ role: 'user', content: 'What is the capital of France?' }] }),
 * });
 */
export async function startInference(options: InferenceOptions = {}): Promise<PageInference> {
  const deadline = AbortSignal.timeout(START_DEADLINE);
  const resolved = await resolve(options, deadline);
  const serviceWorker = serviceWorkerContainer(resolved.serviceWorker);
  const texts = optionTexts(resolved, document.baseURI);
  const leavePage = occupyPage(texts);
  const stopped = new AbortController();
  let isOpen = (): boolean => false;
  const group = serviceWorker && (await engineGroup(resolved, document.baseURI));
  let onBroken: (error: InferenceError) => void = () => {};
  const broken = new Promise<never>((_, reject) => (onBroken = reject));
  const gateway = gatewayOptions(resolved);
  const tab = new EngineTab({ gateway, group, serviceWorker, onBroken });
  const client = new EngineClient(tab.connect, resolved.page.onProgress);
  const store = async () => (await import('./model-store.js')).createModelStore(client, gateway);
  const inference: PageInference = {
    baseURL: location.origin + resolved.gateway.prefix,
    fetch: createInferenceFetch({ ...resolved.serviceWorker, origin: location.origin }, tab.connect, (...request) =>
      globalThis.fetch(...request),
    ),
    load: (model) => client.load(model),
    unload: (model) => client.unload(model),
    download: async (...args) => (await store()).download(...args),
    importModel: async (...args) => (await store()).importModel(...args),
    stored: async () => (await store()).stored(),
    remove: async (model) => (await store()).remove(model),
    status: () => client.status().map((model) => ({ ...model, door: isOpen() ? 'service-worker' : 'fetch' })),
    faults: {
      set: (settings) => client.setFaults(settings),
      clear: () => client.setFaults({}),
    },
    async stop() {
      leavePage();
      stopped.abort();
      client.stop();
      tab.stop();
    },
  };
  try {
    const controlled = control(serviceWorker, resolved.serviceWorker, group, stopped.signal);
    const started = Promise.all([controlled, inTime(client.ready, deadline)]);
    await Promise.race([started, broken]);
    isOpen = await controlled;
    if (group !== undefined) {
      const ofWorker = Object.keys(resolved.serviceWorker);
      void import('./other-tabs.js').then(({ watchOtherTabs }) =>
        watchOtherTabs({ group, options: texts, ofWorker }, stopped.signal),
      );
    }
  } catch (thrown) {
    await inference.stop();
    throw thrown;
  }
  return inference;
}

/** The check of the options is fetched apart: nothing else of it is needed later. */
async function resolve(options: InferenceOptions, deadline: AbortSignal): Promise<OptionsByRealm> {
  const { resolveOptions } = await inTime(import('./resolve-options.js'), deadline);
  return resolveOptions(options, { origin: location.origin, pageURL: document.baseURI });
}

function serviceWorkerContainer({
  serviceWorker,
}: OptionsByRealm['serviceWorker']): ServiceWorkerContainer | undefined {
  if (serviceWorker === false) return undefined;
  if (navigator.serviceWorker) return navigator.serviceWorker;
  throw new InferenceError(
    'unavailable',
    'This page cannot have a Service Worker (it needs https or localhost). Pass `serviceWorker: false` and use `inference.fetch`.',
  );
}

function gatewayOptions({ gateway, model, serviceWorker: { serviceWorker } }: OptionsByRealm): GatewayOptions {
  // Engine files lie beside the Service Worker's script, where the Vite plugin and the command line tool put them.
  const assetsURL = new URL('inpage/', serviceWorker || new URL(APP_BASE, document.baseURI)).href;
  return { ...gateway, load: { ...model, assetsURL, pageURL: document.baseURI } };
}

async function control(
  container: ServiceWorkerContainer | undefined,
  settings: OptionsByRealm['serviceWorker'],
  group: string | undefined,
  signal: AbortSignal,
): Promise<() => boolean> {
  const { serviceWorker } = settings;
  if (!container || serviceWorker === false || group === undefined) return () => false;
  return registerServiceWorker(container, { ...settings, serviceWorker }, group, signal);
}

async function inTime<Answer>(answered: Promise<Answer>, deadline: AbortSignal): Promise<Answer> {
  try {
    return await Promise.race([answered, rejectOnAbort(deadline)]);
  } catch (thrown) {
    if (!deadline.aborted) throw thrown;
    throw new InferenceError(
      'unavailable',
      'The inference engine did not start in time.',
      { retryAfter: 5 },
      { cause: thrown },
    );
  }
}
