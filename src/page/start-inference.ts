/** `startInference`: one call gives the page its own `/v1`. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import type { FaultSettings } from '../core/models/fault-settings.js';
import { APP_BASE } from '../core/models/app-base.js';
import { availableLocks } from '../core/platform/web-locks.js';
import { resolveCompatibility, unavailableResponse } from '../relay/stream/request-payload.js';
import { OWN_PATH } from '../core/request/own-path.js';
import { deviceMemory } from '../core/platform/device-memory.js';
import { rejectOnAbort } from '../core/platform/reject-on-abort.js';
import type { ScriptedEntry } from '../core/models/model-entry.js';
import type { ModelStatus } from '../core/models/model-status.js';
import type { PickedFiles } from './picked-files.js';
import type { StoredModel } from './list-stored.js';
import { EngineClient } from './engine-client.js';
import type { LatestStart } from './diagnosis/latest-start.js';
import { differentOptions, engineGroup, hostLock, type OptionTexts, optionTexts } from './engine-group.js';
import { EngineTab } from './engine-tab.js';
import { createInferenceFetch } from './inference-fetch.js';
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
  /**
   * Reads a prompt ahead of time and keeps it on the disk: requests that begin like it then read only the rest, also after a
   * reload. Resolves when it is kept.
   * @param prompt messages as Chat Completions take them, without images, or a text as text completions take it
   * @throws InferenceError `invalid_request` without the option `promptCache`, `model_not_supported`, or
   * `insufficient_resources` when it cannot be kept: fewer than 64 tokens, or no room
   */
  cachePrompt(model: string, prompt: string | readonly object[]): Promise<void>;
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
  /** Calls the listener whenever {@link status} has changed. Returns a function that ends it. */
  subscribe(listener: () => void): () => void;
  /**
   * Simulates failures, delays and broken streams, to test an app. Off until set; they end with the
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
  /**
   * With the option `record`: a scripted entry for each model that has answered, which answers the same requests with the
   * same text and timing. API keys are replaced by `[secret]`.
   * @throws InferenceError `invalid_request` without the option
   */
  recorded(): Promise<ScriptedEntry[]>;
  /** Ends this tab's part: its engine when it hosts one, and `fetch`. Another open tab takes over. */
  stop(): Promise<void>;
}

/** Milliseconds from the call until the engine must answer. */
const START_TIMEOUT_MS = 40_000;

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
  const latest: LatestStart = (page[LATEST] = { state: 'starting' });
  try {
    const inference = await start(options, latest);
    latest.state = 'running';
    return inference;
  } catch (thrown) {
    latest.state = 'ended';
    latest.error = (thrown as Error).message;
    throw thrown;
  }
}

async function start(options: InferenceOptions, latest: LatestStart): Promise<PageInference> {
  const deadline = AbortSignal.timeout(START_TIMEOUT_MS);
  const resolved = await resolve(options, deadline);
  const texts = (latest.options = optionTexts(resolved, document.baseURI));
  const serviceWorker = serviceWorkerContainer(resolved.serviceWorker);
  const releasePage = claimPage(texts);
  const stopped = new AbortController();
  let isOpen = (): boolean => false;
  const group = serviceWorker && (await engineGroup(resolved, document.baseURI));
  let onBroken: (error: InferenceError) => void = () => {};
  const broken = new Promise<never>((_, reject) => (onBroken = reject));
  const gateway = gatewayOptions(resolved);
  const tab = new EngineTab({ gateway, group, serviceWorker, onBroken });
  const client = new EngineClient(tab.connect, resolved.page.onProgress);
  const store = async () => (await import('./manage-models.js')).createModelStore(client, gateway);
  const inference: PageInference = {
    baseURL: location.origin + resolved.gateway.prefix,
    fetch: createInferenceFetch({ ...resolved.serviceWorker, origin: location.origin }, tab.connect, (...request) =>
      globalThis.fetch(...request),
    ),
    load: (model) => client.load(model),
    unload: (model) => client.unload(model),
    download: async (...args) => (await store()).download(...args),
    importModel: async (...args) => (await store()).importModel(...args),
    cachePrompt: (model, prompt) => client.cachePrompt(model, prompt),
    stored: async () => (await store()).stored(),
    remove: async (model) => (await store()).remove(model),
    status: () => client.status().map((model) => ({ ...model, door: isOpen() ? 'service-worker' : 'fetch' })),
    subscribe: (listener) => client.subscribe(listener),
    faults: {
      set: (settings) => client.setFaults(settings),
      clear: () => client.setFaults({}),
    },
    recorded: () => client.recorded(),
    async stop() {
      releasePage();
      latest.state = 'ended';
      stopped.abort();
      client.stop();
      tab.stop();
      refusePlainRequests(resolved.serviceWorker, latest, group);
    },
  };
  try {
    const controlled = control(serviceWorker, resolved.serviceWorker, group, stopped.signal);
    const started = Promise.all([controlled, withDeadline(client.ready, deadline)]);
    await Promise.race([started, broken]);
    isOpen = await controlled;
    if (serviceWorker) await verifyInterception(inference.baseURL, serviceWorker, deadline);
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
  if (!serviceWorker) refusePlainRequests(resolved.serviceWorker, latest);
  return inference;
}

/**
 * A Service Worker that is there, but finds no host: answers at once what it relays of this page, until inference is started
 * again. Requests that may go on to the network are left alone.
 */
function refusePlainRequests(settings: OptionsByRealm['serviceWorker'], latest: LatestStart, group?: string): void {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (!container?.controller || settings.whenUnhosted === 'network') return;
  const { prefix, compatibility } = settings;
  void import('./refuse-requests.js')
    .then(({ refuseRequests }) =>
      refuseRequests(container, {
        prefix,
        group,
        isStopped: latest.state === 'ended',
        holds: () => page[LATEST] === latest,
        locks: availableLocks(),
        hostLocks: hostLock(`${prefix}:`),
        response: ({ url, intercepted }) => unavailableResponse(resolveCompatibility(compatibility, intercepted), url),
      }),
    )
    .catch(() => {}); // Not deployed any more: such requests wait, as they do where nothing listens.
}

/** The page may hold several copies of the library. */
const RUNNING = Symbol.for('inpage.running');
const LATEST = Symbol.for('inpage.latest');

const page = globalThis as { [RUNNING]?: Set<OptionTexts>; [LATEST]?: LatestStart };

/**
 * Notes that a service with these options runs on this page: a second one with other options would fight with it.
 * @returns to be called when it has stopped
 * @throws InferenceError `invalid_request` that names the options in which one that runs differs
 */
function claimPage(options: OptionTexts): () => void {
  const running = (page[RUNNING] ??= new Set());
  for (const other of running) {
    const names = differentOptions(options, other);
    if (names.length > 0) {
      const message = `Inference already runs on this page with other options (\`${names.join('`, `')}\`). Call its \`stop()\` first.`;
      throw new InferenceError('invalid_request', message, { param: names[0]! });
    }
  }
  running.add(options);
  return () => void running.delete(options);
}

/** The check of the options is fetched apart: nothing else of it is needed later. */
async function resolve(options: InferenceOptions, deadline: AbortSignal): Promise<OptionsByRealm> {
  const { resolveOptions } = await withDeadline(import('./resolve-options.js'), deadline);
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
  return { ...gateway, load: { ...model, assetsURL, pageURL: document.baseURI, deviceMemory: deviceMemory() } };
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

/** Scripts that hold nothing but the relay, so that nothing answers before it. */
const RELAY_SCRIPT = /\/inpage-sw(-isolated)?\.js$/;

/**
 * Asks through the page's own `fetch` whether its requests reach the gateway.
 * @throws InferenceError `unavailable` that names the script of the app which answers them before
 */
async function verifyInterception(
  baseURL: string,
  { controller }: ServiceWorkerContainer,
  signal: AbortSignal,
): Promise<void> {
  const script = new URL(controller?.scriptURL ?? baseURL).pathname;
  if (RELAY_SCRIPT.test(script)) return;
  const answer = await withDeadline(globalThis.fetch(baseURL + OWN_PATH, { signal, cache: 'no-store' }), signal);
  if (answer.headers.has('x-request-id')) return;
  throw new InferenceError(
    'unavailable',
    `The Service Worker ${script} answers ${baseURL} before inpage can: put its \`importScripts\` of inpage on the first line, above its own \`fetch\` listener. Or pass \`serviceWorker: false\` and use \`inference.fetch\`.`,
  );
}

async function withDeadline<Answer>(answered: Promise<Answer>, deadline: AbortSignal): Promise<Answer> {
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
