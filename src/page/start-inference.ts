/** `startInference`: one call gives the page its own `/v1`. @module */
import { InferenceError, isInferenceError } from '../core/errors/inference-error.js';
import { APP_BASE } from '../core/models/app-base.js';
import { availableLocks } from '../core/platform/web-locks.js';
import { resolveCompatibility, unavailableResponse } from '../relay/stream/request-payload.js';
import type { PageInference } from '../core/models/page-inference.js';
import { pageServiceWorkers } from '../core/platform/service-worker-container.js';
import { deviceMemory } from '../core/platform/device-memory.js';
import { rejectOnAbort } from '../core/platform/reject-on-abort.js';
import type { Connect } from '../relay/handshake.js';
import { ServiceClient, STOPPED } from './service-client.js';
import type { LatestStart } from './diagnosis/latest-start.js';
import { hostLock } from './host-lock.js';
import type { differentOptions as DifferentOptions, OptionTexts } from './service-group.js';
import { ServiceTab } from './service-tab.js';
import { createInferenceFetch, readable } from './inference-fetch.js';
import type { Refusal } from './refuse-requests.js';
import { type PageClaim, registerServiceWorker } from './register-service-worker.js';
import type { GatewayOptions } from '../service/gateway-control.js';
import type { InferenceOptions, OptionsByRealm } from '../core/models/inference-options.js';

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
  return (await startService(options)).inference;
}

/** @internal A running service, and how its gateway is reached. */
export interface StartedService {
  inference: PageInference;
  connect: Connect;
  settings: OptionsByRealm['serviceWorker'];
}

/** @internal The same for who passes on requests of others. */
export async function startService(options: InferenceOptions): Promise<StartedService> {
  const latest: LatestStart = (page[LATEST] = { state: 'starting' });
  try {
    const started = await start(options, latest);
    latest.state = 'running';
    return started;
  } catch (thrown) {
    // What a browser or a tool throws where it denies a part of the platform.
    const failure = isInferenceError(thrown)
      ? thrown
      : new InferenceError('unavailable', `Inference could not start. ${String(thrown)}`, {}, { cause: thrown });
    latest.state = 'ended';
    latest.error = failure.message;
    throw failure;
  }
}

async function start(options: InferenceOptions, latest: LatestStart): Promise<StartedService> {
  await shown(latest);
  const deadline = AbortSignal.timeout(START_TIMEOUT_MS);
  // Fetched apart: nothing of it is needed once the service runs.
  const checks = await withDeadline(import('./resolve-options.js'), deadline);
  const resolved = checks.resolveOptions(options, checks.pageLocation('startInference'));
  const texts = (latest.options = checks.optionTexts(resolved, document.baseURI));
  const serviceWorker = serviceWorkerContainer(resolved.serviceWorker);
  const releasePage = claimPage(texts, checks.differentOptions);
  const stopped = new AbortController();
  let isOpen = (): boolean => false;
  const group = serviceWorker && (await checks.serviceGroup(resolved, document.baseURI));
  let onBroken: (error: InferenceError) => void = () => {};
  const broken = new Promise<never>((_, reject) => (onBroken = reject));
  const gateway = gatewayOptions(resolved);
  const tab = new ServiceTab({ gateway, group, serviceWorker, onBroken });
  const client = new ServiceClient(tab.connect, resolved.page.onProgress);
  const store = async () => (await import('./manage-models.js')).createModelStore(client, gateway);
  const refusal = { response: refusing(resolved.serviceWorker) };
  const connect: Connect = async (signal) => {
    if (!stopped.signal.aborted) return tab.connect(signal);
    const { refuseHere } = await import('./refuse-requests.js');
    return refuseHere(refusal, STOPPED);
  };
  const createServiceFetch = (network: typeof fetch): typeof fetch =>
    createInferenceFetch({ ...resolved.serviceWorker, origin: location.origin }, connect, network);
  const own =
    resolved.serviceWorker.routes.length > 0
      ? (await withDeadline(import('./routes/page-routes.js'), deadline)).startRoutes(resolved, {
          inference: () => inference,
          createServiceFetch,
          toRequest: readable,
          container: serviceWorker,
          stopped: stopped.signal,
        })
      : undefined;
  const inference: PageInference = {
    baseURL: location.origin + resolved.gateway.prefix,
    fetch: own?.fetch ?? createServiceFetch((...request) => globalThis.fetch(...request)),
    load: (model) => client.load(model),
    unload: (model) => client.unload(model),
    download: async (...args) => (await store()).download(...args),
    importModel: async (...args) => (await store()).importModel(...args),
    cachePrompt: (model, prompt) => client.cachePrompt(model, prompt),
    estimate: async (model) =>
      (await import('./diagnosis/estimate-model.js')).estimateModel(model, gateway, {
        stored: async () => (await store()).stored(),
      }),
    stored: async () => (await store()).stored(),
    remove: async (model) => (await store()).remove(model),
    status: () => client.status().map((model) => ({ ...model, door: isOpen() ? 'service-worker' : 'fetch' })),
    subscribe: (listener) => client.subscribe(listener),
    faults: {
      set: (settings) => client.setFaults(settings),
      clear: () => client.setFaults({}),
    },
    recorded: () => client.recorded(),
    storedResponses: () => client.storedResponses(),
    removeResponses: () => client.removeResponses(),
    storedFiles: () => client.storedFiles(),
    removeFiles: () => client.removeFiles(),
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
    const claim = { group, signal: stopped.signal, onClaimed: own?.hold };
    const controlled = control(serviceWorker, resolved.serviceWorker, claim);
    const started = Promise.all([controlled, withDeadline(client.ready, deadline)]);
    await Promise.race([started, broken]);
    isOpen = await controlled;
    if (serviceWorker) await verifyAppScript(inference.baseURL, serviceWorker, deadline);
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
  return { inference, connect: tab.connect, settings: resolved.serviceWorker };
}

/**
 * A Service Worker that is there, but finds no host: answers at once what it relays of this page, until inference is started
 * again. Requests that may go on to the network are left alone.
 */
function refusePlainRequests(settings: OptionsByRealm['serviceWorker'], latest: LatestStart, group?: string): void {
  const container = pageServiceWorkers();
  if (!container?.controller || settings.whenUnhosted === 'network') return;
  const { prefix } = settings;
  void import('./refuse-requests.js')
    .then(({ refuseRequests }) =>
      refuseRequests(container, {
        prefix,
        group,
        latest,
        newest: () => page[LATEST],
        locks: availableLocks(),
        hostLocks: hostLock(`${prefix}:`),
        response: refusing(settings),
      }),
    )
    .catch(() => {}); // Not deployed any more: such requests wait, as they do where nothing listens.
}

/**
 * Resolves when the browser lets the page run. It holds back workers, locks and registrations of one that it prerenders until
 * somebody looks at it, so no deadline may begin before.
 */
async function shown(latest: LatestStart): Promise<void> {
  const prerendered = globalThis.document as (Document & { prerendering?: boolean }) | undefined;
  if (!prerendered?.prerendering) return;
  latest.state = 'held-back';
  console.warn('inpage: this page is prerendered. Inference starts when it is shown.');
  await new Promise((resolve) => prerendered.addEventListener('prerenderingchange', resolve, { once: true }));
  latest.state = 'starting';
}

/** See `Refusal.response`. */
function refusing({ compatibility, prefix }: OptionsByRealm['serviceWorker']): Refusal['response'] {
  return ({ url, intercepted }) => unavailableResponse(resolveCompatibility(compatibility, intercepted), url, prefix);
}

/** The page may hold several copies of the library. */
const RUNNING = Symbol.for('inpage.running');
const LATEST = Symbol.for('inpage.latest');

const page = globalThis as { [RUNNING]?: Set<OptionTexts>; [LATEST]?: LatestStart };

/**
 * Registers a running service. A second one on the same page must have the same options.
 * @returns to be called when it has stopped
 * @throws InferenceError `invalid_request` that names the options in which one that runs differs
 */
function claimPage(options: OptionTexts, differentOptions: typeof DifferentOptions): () => void {
  const running = (page[RUNNING] ??= new Set());
  for (const other of running) {
    const names = differentOptions(options, other);
    if (names.length > 0) {
      const message = `Inference is already running on this page with different options (\`${names.join('`, `')}\`). Call its \`stop()\` first.`;
      throw new InferenceError('invalid_request', message, { param: names[0]! });
    }
  }
  running.add(options);
  return () => void running.delete(options);
}

function serviceWorkerContainer({
  serviceWorker,
}: OptionsByRealm['serviceWorker']): ServiceWorkerContainer | undefined {
  if (serviceWorker === false) return undefined;
  const container = pageServiceWorkers();
  if (container) return container;
  throw new InferenceError(
    'unavailable',
    'This page cannot use a Service Worker, which requires https or localhost, and site data that is not blocked. Pass `serviceWorker: false` and use `inference.fetch`.',
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
  { group, ...claim }: Omit<PageClaim, 'group'> & { group: string | undefined },
): Promise<() => boolean> {
  const { serviceWorker } = settings;
  if (!container || serviceWorker === false || group === undefined) return () => false;
  return registerServiceWorker(container, { ...settings, serviceWorker }, { ...claim, group });
}

/** Scripts that hold nothing but the relay, so that nothing answers before it. */
const RELAY_SCRIPT = /\/inpage-sw(-isolated)?\.js$/;

/** As `verifyInterception`, where a script of the app has the page. */
async function verifyAppScript(
  baseURL: string,
  { controller }: ServiceWorkerContainer,
  deadline: AbortSignal,
): Promise<void> {
  const script = new URL(controller?.scriptURL ?? baseURL).pathname;
  if (RELAY_SCRIPT.test(script)) return;
  const { verifyInterception } = await withDeadline(import('./verify-interception.js'), deadline);
  await withDeadline(verifyInterception(baseURL, script, deadline), deadline);
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
