// The demo's Service Worker: the library's relay, and an offline copy of the page. Apps that have a worker of their own
// do the same: import the relay first; it answers its own paths and leaves the rest to the listeners after it.
// The policy is for pages that require Trusted Types.
const policy = self.trustedTypes?.createPolicy('inpage', { createScriptURL: (url) => url });
importScripts(policy ? policy.createScriptURL('/inpage-sw.js') : '/inpage-sw.js');

const CACHE = 'inpage-demo-1';

// Built files carry a hash in their name and ONNX Runtime changes with them: the copy is as good as the network.
const isImmutable = (path) => /^\/(assets|inpage)\//.test(path);

async function fromNetwork(request) {
  const response = await fetch(request);
  if (response.status === 200) {
    const cache = await caches.open(CACHE);
    await cache.put(request, response.clone());
  }
  return response;
}

async function answer(request, path) {
  const copy = await caches.match(request, { ignoreVary: true });
  if (copy && isImmutable(path)) return copy;
  try {
    return await fromNetwork(request);
  } catch (error) {
    if (copy) return copy;
    throw error;
  }
}

self.addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (event.request.method !== 'GET' || origin !== self.location.origin || pathname.startsWith('/__')) return;
  event.respondWith(answer(event.request, pathname));
});
