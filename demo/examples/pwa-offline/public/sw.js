// The app's own Service Worker: the relay first, then a copy of everything that passes.
importScripts('/inpage-sw.js');

const CACHE = 'app-1';

self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET' || !event.request.url.startsWith(self.location.origin)) return;
  event.respondWith(fromNetworkOrCopy(event.request));
});

async function fromNetworkOrCopy(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.status === 200) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const copy = await cache.match(request, { ignoreVary: true });
    if (copy) return copy;
    throw error;
  }
}
