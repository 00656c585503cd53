/** The Cache API in Node: entries are copies, and what was put under a URL is what comes back. */

interface Entry {
  bytes: Uint8Array<ArrayBuffer>;
  headers: Headers;
}

export class MemoryCache {
  readonly entries = new Map<string, Entry>();

  async match(request: Request | string): Promise<Response | undefined> {
    const entry = this.entries.get(urlOf(request));
    return entry && new Response(entry.bytes.slice(), { headers: entry.headers });
  }

  async put(request: Request | string, response: Response): Promise<void> {
    const bytes = new Uint8Array(await response.arrayBuffer());
    this.entries.set(urlOf(request), { bytes, headers: new Headers(response.headers) });
  }

  async delete(request: Request | string): Promise<boolean> {
    return this.entries.delete(urlOf(request));
  }

  async keys(): Promise<Request[]> {
    return [...this.entries.keys()].map((url) => new Request(url));
  }
}

/** Stands for `caches`. */
export class MemoryCaches {
  readonly #caches = new Map<string, MemoryCache>();

  async open(name: string): Promise<MemoryCache> {
    const cache = this.#caches.get(name) ?? new MemoryCache();
    this.#caches.set(name, cache);
    return cache;
  }
}

function urlOf(request: Request | string): string {
  return typeof request === 'string' ? new URL(request).href : request.url;
}
