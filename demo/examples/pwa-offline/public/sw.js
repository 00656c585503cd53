// The app's own Service Worker: the relay first, then a copy of everything that passes.
importScripts('/inpage-sw.js');

const CACHE = 'app-1';
const isOwn = (url) => url.startsWith(`${location.origin}/`);

addEventListener('fetch', (event) => {
  if (event.request.method === 'GET' && isOwn(event.request.url)) event.respondWith(fromNetworkOrCopy(event));
});

async function fromNetworkOrCopy(event) {
  try {
    const response = await fetch(event.request);
    // The answer does not wait for the copy: a full disk must not look like a network that is down.
    if (response.status === 200) event.waitUntil(store(event.request, response.clone()));
    return response;
  } catch (error) {
    const copy = await caches.match(event.request, { ignoreVary: true }).catch(() => undefined);
    if (copy) return copy;
    throw error;
  }
}

/** A full disk keeps no copy, and the app goes on with the network. */
async function store(request, response) {
  try {
    const cache = await caches.open(CACHE);
    await cache.put(request, response);
  } catch (error) {
    console.warn('No offline copy was stored:', error.message);
  }
}

// The files of the first visit came before this worker: it fetches them when it takes over, and when the page names them.
addEventListener('activate', (event) => {
  const pages = clients.matchAll({ type: 'window', includeUncontrolled: true });
  event.waitUntil(pages.then((open) => keep(open.map(({ url }) => url))));
});
addEventListener('message', (event) => {
  if (event.data?.keep) event.waitUntil(keep(event.data.keep).then(() => event.ports[0]?.postMessage('kept')));
});

/** Stores these files, and the scripts and styles that they name. */
async function keep(urls) {
  const found = new Set(urls.map(withoutHash).filter(isOwn));
  for (const url of found) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.status !== 200) continue;
    const isText = /html|javascript|css/.test(response.headers.get('content-type'));
    const text = isText ? await response.clone().text() : '';
    await store(url, response);
    for (const [, path] of text.matchAll(/["'`(](\.{0,2}\/[\w./-]+\.(?:m?js|css))["'`)]/g))
      found.add(new URL(path, url).href);
  }
}

function withoutHash(url) {
  return url.split('#')[0];
}
