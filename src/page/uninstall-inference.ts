/**
 * Removes the library from a site, also for visitors whose browsers still have its Service Worker. Public, an entry of its
 * own.
 * @module
 */
import { APP_BASE } from '../core/models/app-base.js';
import { removeAllCachedPrompts } from '../store/prompts/prompt-block-store.js';
import { removeAllModels } from '../store/storage/model-folder.js';
import type { PageMessage } from '../relay/protocol.js';
import { pageServiceWorkers } from '../core/platform/service-worker-container.js';

/** What to remove. */
export interface UninstallOptions {
  /**
   * URL of the Service Worker's script, as `startInference` was given it. An app's own script that imports the relay is
   * left alone: take the import out of it instead.
   * @default 'inpage-sw.js' below the app's base
   * @example
   * uninstallInference({ serviceWorker: '/sw.js' });
   */
  serviceWorker?: string;
}

/**
 * Removes the Service Worker. Requests of this page and of other open pages go to the network at once. Only an empty cache
 * is left: it tells a worker that open pages still have, and that the browser restarts, that it was removed. Call it in a
 * release that no longer starts inference; it does nothing where nothing is. Models that were downloaded, prompts that were
 * cached (`promptCache`), responses that were stored (`storeResponses`), files that were uploaded, and counters of requests are
 * removed, too. Never rejects: what the browser refuses is left.
 * @returns whether there was a Service Worker to remove
 * @example
 * import { uninstallInference } from 'inpage/uninstall';
 * await uninstallInference();
 */
export async function uninstallInference({
  serviceWorker = `${APP_BASE}inpage-sw.js`,
}: UninstallOptions = {}): Promise<boolean> {
  const script = new URL(serviceWorker, document.baseURI);
  const container = pageServiceWorkers();
  // Refused where site data is blocked: then there is none.
  const registrations = (await container?.getRegistrations().catch(() => undefined)) ?? [];
  let removed = false;
  for (const registration of registrations) {
    const workers = [registration.active, registration.waiting, registration.installing].filter(
      (each) => each !== null,
    );
    if (!workers.some(({ scriptURL }) => isOf(scriptURL, script))) continue;
    const message: PageMessage = { inpage: 'leave' };
    // Removed, a worker still serves the pages that it has, until they are closed.
    for (const worker of workers) worker.postMessage(message);
    removed = (await registration.unregister()) || removed;
  }
  await removeFiles();
  await Promise.all(DATABASES.map(removeDatabase));
  return removed;
}

/** As far as no worker of an open page is just using one. */
async function removeFiles(): Promise<void> {
  const { storage } = navigator as { storage?: StorageManager };
  const root = await storage?.getDirectory?.().catch(() => undefined);
  if (!root) return;
  await removeAllCachedPrompts(root).catch(() => {});
  await removeAllModels(root).catch(() => {});
  await root.removeEntry('inpage-files', { recursive: true }).catch(() => {});
}

/** Stored responses, files of clients, and the counters of rate limits, whose rows have digests of keys. */
const DATABASES = ['inpage-responses', 'inpage-files', 'inpage-counters'];

/** Engines of open pages close a database when they are told. One that does not is removed when its page has gone. */
function removeDatabase(name: string): Promise<void> {
  return new Promise((resolve) => {
    try {
      const request = indexedDB.deleteDatabase(name);
      for (const outcome of ['success', 'error', 'blocked']) request.addEventListener(outcome, () => resolve());
    } catch {
      // Refused where site data is blocked: then there is none.
      resolve();
    }
  });
}

/** Settings travel in the script's query. */
function isOf(scriptURL: string, script: URL): boolean {
  const { origin, pathname, searchParams } = new URL(scriptURL);
  return origin === script.origin && (pathname === script.pathname || searchParams.get('relay') === script.href);
}
