/** The first visit loads the page before the Service Worker is in place: hand those files to its cache afterwards. */

/** The cache that `public/sw.js` answers from. */
const CACHE = 'inpage-demo-1';

export async function keepOfflineCopy(): Promise<void> {
  if (!('caches' in globalThis)) return;
  const resources = performance.getEntriesByType('resource').map((entry) => new URL(entry.name));
  const own = resources.filter(
    ({ origin, pathname }) => origin === location.origin && /^\/(assets|src|inpage)\//.test(pathname),
  );
  const cache = await caches.open(CACHE);
  const wanted = [location.pathname, ...new Set(own.map((url) => url.pathname))];
  await Promise.allSettled(wanted.map(async (path) => (await cache.match(path)) ?? cache.add(path)));
}
