/** Registers the Service Worker and waits until it controls the page. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import type { OptionsByRealm } from '../core/models/inference-options.js';
import { pause } from '../core/platform/pause.js';
import { rejectOnAbort } from '../core/platform/reject-on-abort.js';
import { trustedScriptURL, trustedTypesError } from '../core/errors/trusted-types.js';
import { PROTOCOL_VERSION, type GatewayHandshake, type PageMessage } from '../relay/protocol.js';

/** Milliseconds for the whole way from registration to control. */
const CONTROL_TIMEOUT_MS = 15_000;

/** Milliseconds until a registration that does not show the script yet is looked at again. */
const LOOK_AGAIN = 50;

/** Milliseconds that another script's worker gets to leave the page to the installed one, each time that it is asked to. */
const PING_TIMEOUT_MS = 1_000;

/** Milliseconds for a worker's first answer before its script is looked at. */
const CLAIM_PATIENCE_MS = 1_500;

/** How often it is asked to. */
const MAX_ATTEMPTS = 4;

/** What the Service Worker must know; it travels in the script's URL, which outlives every restart. */
export type ServiceWorkerSettings = OptionsByRealm['serviceWorker'] & {
  /** Absolute. */
  serviceWorker: string;
};

/** What the page tells the Service Worker when it takes control, and hears of it. */
export interface PageClaim {
  group: string;
  /** Aborts when the page no longer wants it. */
  signal: AbortSignal;
  /** Awaited with the name that the Service Worker has for this page. */
  onClaimed?: ((client: string) => Promise<void>) | undefined;
}

const BLOCKED =
  "Something in this browser blocks Service Workers: `register` gave nothing, as with Playwright's `serviceWorkers: 'block'`. Allow them, or pass `serviceWorker: false` and use `inference.fetch`.";

/** What the settings are called in the script's URL. Others are the app's own, and stay. */
const PARAMETERS = ['relay', 'prefix', 'compatibility', 'intercept', 'unhosted', 'route'];

/**
 * Resolves when requests of this page go through the Service Worker.
 * @returns whether they still do: another script may take the page over
 * @throws InferenceError `unavailable` that says what to do
 */
export async function registerServiceWorker(
  container: ServiceWorkerContainer,
  settings: ServiceWorkerSettings,
  claimed: PageClaim,
): Promise<() => boolean> {
  const deadline = AbortSignal.timeout(CONTROL_TIMEOUT_MS);
  try {
    return await Promise.race([registered(container, settings, { ...claimed, deadline }), rejectOnAbort(deadline)]);
  } catch (thrown) {
    if (!deadline.aborted) throw thrown;
    throw failure(
      'The Service Worker did not take control of the page. Reload the page, or pass `serviceWorker: false`.',
    );
  }
}

async function registered(
  container: ServiceWorkerContainer,
  settings: ServiceWorkerSettings,
  { group, signal, onClaimed, deadline }: PageClaim & { deadline: AbortSignal },
): Promise<() => boolean> {
  const before = await container.getRegistration().catch((cause: unknown) => {
    throw failure(
      'The browser refuses Service Workers for this site, as it does when site data (cookies) is blocked. Allow site data, or pass `serviceWorker: false` and use `inference.fetch`.',
      cause,
    );
  });
  const neighbour = before && chooseNewest(before)?.scriptURL;
  const url = scriptURL(settings, neighbour);
  // Registered by the app, with options of its own: those stay.
  const registration = before && serves(neighbour, url) ? before : await register(container, url);
  if (!location.href.startsWith(registration.scope)) {
    throw failure(
      `The script ${url.pathname} controls only pages below ${registration.scope}. Serve it from a folder above this page.`,
    );
  }
  const isOpen = (): boolean => serves(container.controller?.scriptURL, url);
  const client = await takeControl(container, registration, { url, group, isOpen, deadline });
  if (client !== undefined) await onClaimed?.(client);
  void import('./service-worker-neighbours.js').then(({ watchNeighbours }) =>
    watchNeighbours(container, { url, replaced: neighbour, isOpen }, signal),
  );
  return isOpen;
}

/** The script with the settings, where these are not the defaults; with the app's own parameters when it is there already. */
function scriptURL(settings: ServiceWorkerSettings, there?: string): URL {
  const { serviceWorker, crossOriginIsolation, prefix, compatibility, intercept, whenUnhosted, routes } = settings;
  const script = new URL(crossOriginIsolation ? 'inpage-sw-isolated.js' : serviceWorker, serviceWorker);
  const url = new URL(there !== undefined && new URL(there).pathname === script.pathname ? there : script);
  for (const name of PARAMETERS) url.searchParams.delete(name);
  if (crossOriginIsolation) url.searchParams.set('relay', serviceWorker);
  if (prefix !== '/v1') url.searchParams.set('prefix', prefix);
  if (compatibility !== undefined) url.searchParams.set('compatibility', compatibility);
  for (const base of intercept) url.searchParams.append('intercept', base);
  for (const key of routes) url.searchParams.append('route', key);
  if (whenUnhosted === 'network') url.searchParams.set('unhosted', 'network');
  return url;
}

/** Whether a worker's script is this one with these settings, whatever else its URL says. */
function serves(there: string | undefined, url: URL): boolean {
  if (there === undefined) return false;
  const { pathname, searchParams } = new URL(there);
  const settings = (parameters: URLSearchParams): string => PARAMETERS.map((name) => parameters.getAll(name)).join('|');
  return pathname === url.pathname && settings(searchParams) === settings(url.searchParams);
}

function chooseNewest({ installing, waiting, active }: ServiceWorkerRegistration): ServiceWorker | null {
  return installing ?? waiting ?? active;
}

async function register(container: ServiceWorkerContainer, url: URL): Promise<ServiceWorkerRegistration> {
  let registration: Partial<ServiceWorkerRegistration> | undefined;
  try {
    // What the script imports shall be as new as itself.
    registration = await container.register(trustedScriptURL(url), { updateViaCache: 'none' });
  } catch (thrown) {
    const refused = trustedTypesError(thrown);
    if (refused) throw refused;
    const explained = await import('./explain-registration.js').then(
      ({ explainRegistration }) => explainRegistration(String(thrown), url),
      () => String(thrown), // Not deployed any more.
    );
    throw failure(explained, thrown);
  }
  // As Playwright's `serviceWorkers: 'block'` and stubs of tests leave it.
  if (registration?.scope === undefined) throw failure(BLOCKED);
  return registration as ServiceWorkerRegistration;
}

async function takeControl(
  container: ServiceWorkerContainer,
  registration: ServiceWorkerRegistration,
  { url, group, isOpen, deadline }: { url: URL; group: string; isOpen: () => boolean; deadline: AbortSignal },
): Promise<string | undefined> {
  let client: string | undefined;
  for (const isUpdated of [false, true]) {
    const worker = await activatedWorker(container, registration, { url, deadline });
    const answered = new AbortController();
    const waiting = AbortSignal.any([deadline, answered.signal]);
    const hello = await Promise.race([claim(worker, group), foreignScript(url, waiting)]).finally(() =>
      answered.abort(),
    );
    client = hello.client;
    if (hello.version === PROTOCOL_VERSION) break;
    if (isUpdated) {
      throw failure(
        `The Service Worker script ${url.pathname} comes from a different version of Inpage. Copy it again: \`npx inpage init public\`.`,
      );
    }
    // The page may be newer than what the browser has stored of the script.
    await registration.update();
  }
  const nearest = await container.getRegistration();
  if (nearest && nearest.scope !== registration.scope) {
    throw lostTo(chooseNewest(nearest)?.scriptURL ?? nearest.scope, url, 'its scope is narrower than that of');
  }
  while (!isOpen()) {
    await new Promise((resolve) => container.addEventListener('controllerchange', resolve, { once: true }));
  }
  return client;
}

/** The newest worker of this script. A registration may still show the one before, of another script, and then it. */
async function activatedWorker(
  container: ServiceWorkerContainer,
  registration: ServiceWorkerRegistration,
  { url, deadline }: { url: URL; deadline: AbortSignal },
): Promise<ServiceWorker> {
  let hasFailed = false;
  let attempts = 0;
  for (;;) {
    deadline.throwIfAborted();
    const { installing, waiting, active } = registration;
    const worker = [installing, waiting, active].find(
      (each) => serves(each?.scriptURL, url) && each?.state !== 'redundant',
    );
    const state = worker && (await settledState(worker));
    if (worker && state === 'activated') return worker;
    const other = registration.active?.scriptURL;
    if (worker && state === 'installed' && other !== undefined && new URL(other).pathname !== url.pathname) {
      if (++attempts === MAX_ATTEMPTS) throw lostTo(other, url, 'it is still busy and could not be replaced by');
      await askAgain(container, worker, { url, attempts });
      continue;
    }
    if (!worker && hasFailed) throw failure('The Service Worker could not be installed.');
    hasFailed ||= state === 'redundant';
    if (!worker) await pause(LOOK_AGAIN);
  }
}

/**
 * Chromium asks the worker that has the page to leave it, and forgets that when this one starts again for a request
 * meanwhile. It asks again once for an installed worker that says so, and for each new one. That is the last resort: when a
 * worker is replaced, others may wait for it in vain.
 */
async function askAgain(
  container: ServiceWorkerContainer,
  worker: ServiceWorker,
  { url, attempts }: { url: URL; attempts: number },
): Promise<void> {
  if (attempts === 1) {
    const message: PageMessage = { inpage: 'activate' };
    worker.postMessage(message);
    return;
  }
  const again = new URL(url);
  again.searchParams.set('again', String(attempts));
  await register(container, again);
}

/** `activated`, `redundant` (removed or replaced), or `installed` when another worker does not give way for a while. */
function settledState(worker: ServiceWorker): Promise<ServiceWorkerState> {
  return new Promise((resolve) => {
    const look = (): void => {
      const { state } = worker;
      if (state === 'installed') setTimeout(resolve, PING_TIMEOUT_MS, state);
      if (state === 'activated' || state === 'redundant') resolve(state);
    };
    worker.addEventListener('statechange', look);
    look();
  });
}

/** Hard-reloaded pages have no controller until they ask. */
function claim(worker: ServiceWorker, group: string): Promise<GatewayHandshake> {
  const { port1, port2 } = new MessageChannel();
  const message: PageMessage = { inpage: 'claim', group };
  worker.postMessage(message, [port2]);
  return new Promise((resolve) => {
    port1.onmessage = (event: MessageEvent<GatewayHandshake>) => {
      port1.close();
      resolve(event.data);
    };
  });
}

/** Rejects when the worker's script is none of ours: it would never answer. */
async function foreignScript(url: URL, signal: AbortSignal): Promise<never> {
  await pause(CLAIM_PATIENCE_MS, signal);
  signal.throwIfAborted();
  const explained = await import('./explain-registration.js').then(
    ({ explainSilence }) => explainSilence(url, signal),
    () => undefined, // Not deployed any more.
  );
  if (explained === undefined) return rejectOnAbort(signal);
  throw failure(explained);
}

function lostTo(other: string, { pathname }: URL, reason: string): InferenceError {
  const path = new URL(other).pathname;
  return failure(
    `Another Service Worker, ${path}, controls this page because ${reason} ${pathname}. Make importScripts('${pathname}') its first line and pass \`serviceWorker: '${path}'\`, or pass \`serviceWorker: false\` and use \`inference.fetch\`.`,
  );
}

function failure(message: string, cause?: unknown): InferenceError {
  return new InferenceError('unavailable', message, {}, { cause });
}
