/** Registers the Service Worker and waits until it controls the page. @module */
import { InferenceError } from '../errors/inference-error.js';
import type { CompatibilityName } from '../models/access-options.js';
import { rejectOnAbort } from '../platform/reject-on-abort.js';
import { PROTOCOL_VERSION, type Hello, type PageMessage } from '../relay/protocol.js';

/** Milliseconds for the whole way from registration to control. */
const CONTROL_DEADLINE = 15_000;

/** What the Service Worker must know; it travels in the script's URL, which outlives every restart. */
export interface ServiceWorkerSettings {
  /** Absolute. */
  script: string;
  /** See `InferenceOptions`. */
  crossOriginIsolation: boolean;
  prefix: string;
  compatibility: CompatibilityName;
  intercept: readonly string[];
  whenUnhosted: 'fail' | 'network';
}

/**
 * Resolves when requests of this page go through the Service Worker.
 * @param group of this tab
 * @throws InferenceError `unavailable` that says what to do
 */
export async function registerServiceWorker(
  container: ServiceWorkerContainer,
  settings: ServiceWorkerSettings,
  group: string,
): Promise<void> {
  const { script, crossOriginIsolation } = settings;
  const url = crossOriginIsolation ? new URL('inpage-sw-isolated.js', script) : new URL(script);
  if (crossOriginIsolation) url.searchParams.set('relay', script);
  url.searchParams.set('prefix', settings.prefix);
  if (settings.compatibility !== 'service') url.searchParams.set('compatibility', settings.compatibility);
  for (const base of settings.intercept) url.searchParams.append('intercept', base);
  if (settings.whenUnhosted === 'network') url.searchParams.set('unhosted', 'network');
  const registration = await register(container, url);
  if (!location.href.startsWith(registration.scope)) {
    throw failure(
      `The script ${url.pathname} controls only pages below ${registration.scope}. Serve it from a folder above this page.`,
    );
  }
  const deadline = AbortSignal.timeout(CONTROL_DEADLINE);
  try {
    await Promise.race([takeControl(container, registration, url, group), rejectOnAbort(deadline)]);
  } catch (thrown) {
    if (!deadline.aborted) throw thrown;
    throw failure(
      'The Service Worker did not take control of the page. Reload the page, or pass `serviceWorker: false`.',
    );
  }
}

async function register(container: ServiceWorkerContainer, url: URL): Promise<ServiceWorkerRegistration> {
  try {
    // What the script imports shall be as new as itself.
    return await container.register(url, { updateViaCache: 'none' });
  } catch (thrown) {
    throw failure(
      `The Service Worker script ${url.pathname} could not be registered. \`npx inpage init public\` copies it to a public folder, and the Vite plugin \`inpage/vite\` serves it; or pass \`serviceWorker: false\`.`,
      thrown,
    );
  }
}

async function takeControl(
  container: ServiceWorkerContainer,
  registration: ServiceWorkerRegistration,
  url: URL,
  group: string,
): Promise<void> {
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  if (!worker) throw failure('The Service Worker was removed while it was registered.');
  await activated(worker);
  const { version } = await claim(worker, group);
  if (version !== PROTOCOL_VERSION) {
    throw failure(
      `The Service Worker script ${url.pathname} belongs to another version of inpage. Copy it again: \`npx inpage init public\`.`,
    );
  }
  while (container.controller?.scriptURL !== url.href) {
    await new Promise((resolve) => container.addEventListener('controllerchange', resolve, { once: true }));
  }
}

function activated(worker: ServiceWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (worker.state === 'activated') resolve();
      if (worker.state === 'redundant') reject(failure('The Service Worker could not be installed.'));
    };
    worker.addEventListener('statechange', look);
    look();
  });
}

/** Hard-reloaded pages have no controller until they ask. */
function claim(worker: ServiceWorker, group: string): Promise<Hello> {
  const { port1, port2 } = new MessageChannel();
  const message: PageMessage = { inpage: 'claim', group };
  worker.postMessage(message, [port2]);
  return new Promise((resolve) => {
    port1.onmessage = (event: MessageEvent<Hello>) => {
      port1.close();
      resolve(event.data);
    };
  });
}

function failure(message: string, cause?: unknown): InferenceError {
  return new InferenceError('unavailable', message, {}, { cause });
}
