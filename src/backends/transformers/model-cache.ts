/** Model files in the Cache API: there without a network, and never older than the server's. @module */

/** Name of the cache that holds model files. */
export const MODEL_CACHE = 'inpage-models';

/** A server that does not answer within this many milliseconds counts as out of reach. */
const CHECK_DEADLINE = 3000;

/** What transformers.js asks of a cache. */
export interface ModelFileCache {
  match(request: string): Promise<Response | undefined>;
  put(request: string, response: Response): Promise<void>;
}

/**
 * The cache, checked against the server: a kept file whose ETag, date or length is not the server's any more counts as
 * missing. Without a network the kept file is used.
 * @param toURL the URL of a file's key; absent: files are not checked (the hub's are named by revision)
 */
export function keepFresh(toURL: ((key: string) => string) | undefined): ModelFileCache {
  return {
    async match(key) {
      const kept = await (await caches.open(MODEL_CACHE)).match(key);
      if (!kept || !toURL) return kept;
      return (await isStale(kept, toURL(key))) ? undefined : kept;
    },
    async put(key, response) {
      await (await caches.open(MODEL_CACHE)).put(key, response);
    },
  };
}

/** A file that the cache holds, of whatever age. @param key of the file */
export async function readKept(key: string): Promise<Response | undefined> {
  return (await caches.open(MODEL_CACHE)).match(key);
}

async function isStale(kept: Response, url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(CHECK_DEADLINE);
    const now = await fetch(url, { method: 'HEAD', cache: 'no-cache', signal });
    if (!now.ok) return false;
    for (const name of ['etag', 'last-modified']) {
      const [before, after] = [kept.headers.get(name), now.headers.get(name)];
      if (before !== null && after !== null) return before !== after;
    }
    return false;
  } catch {
    return false;
  }
}
