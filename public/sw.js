// The demo's Service Worker: the library's relay, and an offline copy of the page. Apps that have a worker of their own
// do the same: import the relay first; it answers its own paths and leaves the rest to the listeners after it.
// The policy is for pages that require Trusted Types.
const policy = self.trustedTypes?.createPolicy('inpage', { createScriptURL: (url) => url });
importScripts(policy ? policy.createScriptURL('/inpage-sw.js') : '/inpage-sw.js');

const CACHE = 'inpage-demo-1';

// Built files carry a hash in their name and ONNX Runtime changes with them: the copy is as good as the network.
const isImmutable = (path) => /^\/(assets|inpage)\//.test(path);

async function fromNetwork(event) {
  const response = await fetch(event.request);
  // The answer does not wait for the copy: a full disk must not look like a network that is down.
  if (response.status === 200) event.waitUntil(store(event.request, response.clone()));
  return response;
}

/** Where there is no room, no copy is kept; the page looks into the cache before it says that it works offline. */
async function store(request, response) {
  try {
    const cache = await caches.open(CACHE);
    await cache.put(request, response);
  } catch (error) {
    console.warn('No offline copy was stored:', error.message);
  }
}

async function answer(event, path) {
  // A browser that refuses its storage has no copy, and still has the network.
  const copy = await caches.match(event.request, { ignoreVary: true }).catch(() => undefined);
  if (copy && isImmutable(path)) return copy;
  try {
    return await fromNetwork(event);
  } catch (error) {
    if (copy) return copy;
    throw error;
  }
}

self.addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (event.request.method !== 'GET' || origin !== self.location.origin || pathname.startsWith('/__')) return;
  event.respondWith(answer(event, pathname));
});
