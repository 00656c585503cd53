/** What the store uses of its environment, so that tests can bring their own. @module */
import { pause } from '../../core/platform/pause.js';
import { settledWithin } from '../../core/platform/settled-within.js';
import { availableLocks } from '../../core/platform/web-locks.js';
import type { ByteStorage } from './byte-storage.js';
import { MemoryStorage } from './memory-storage.js';
import { OpfsStorage } from './opfs-storage.js';

export interface StoreEnvironment {
  storage: ByteStorage;
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Absent outside secure contexts, and in Node. */
  locks: LockManager | undefined;
  /** Bytes that may still be stored; undefined when the browser does not say. */
  freeBytes(): Promise<number | undefined>;
  /** The device knows that it has no network. */
  isOffline(): boolean;
  /** Resolves after so many milliseconds, or as soon as the network is back. Rejects when the signal aborts. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds of a clock that never runs backwards. */
  now(): number;
}

/** Opens what stores the files of a folder. @param folder absolute URL; ends with `/` */
export type OpenStore = (folder: string) => StoreEnvironment;

/** Where a thread of Node has its own: the scripts of the package are a browser's, and know no disk. */
const REALM_STORE = Symbol.for('inpage.store');

/** Has the files of this realm stored on a disk. */
export function provideStore(open: OpenStore): void {
  Object.defineProperty(globalThis, REALM_STORE, { value: open });
}

/** What stores the files of a folder in this realm. @param folder absolute URL; ends with `/` */
export async function storeOf(folder: string): Promise<StoreEnvironment> {
  const own = (globalThis as { [REALM_STORE]?: OpenStore })[REALM_STORE];
  return own ? own(folder) : browserStore();
}

/**
 * The realm this runs in: OPFS where it can be written, else memory. Every browser that Inpage runs in can write OPFS in
 * workers; private windows of Firefox and Safari refuse it, as browsers do where site data is blocked, and store nothing.
 */
export async function browserStore(): Promise<StoreEnvironment> {
  const storage = OpfsStorage.isWritable ? await opened(OpfsStorage) : undefined;
  return { ...defaultEnvironment, storage: storage ?? new MemoryStorage() };
}

/** Milliseconds in which a storage must open. On a disk that is full or broken some never do. */
const OPEN_TIMEOUT_MS = 10_000;

/** Undefined where this realm has no such storage, or one that does not open. */
export function opened<Storage>(kind: { create(): Promise<Storage | undefined> }): Promise<Storage | undefined> {
  return settledWithin(kind.create(), OPEN_TIMEOUT_MS);
}

/** Everything but the storage, as browsers and Node have it. */
export const defaultEnvironment: Omit<StoreEnvironment, 'storage'> = {
  async fetch(url, init) {
    if (!/^[a-z-]+-extension:$/.test(new URL(url, 'https://inpage.invalid').protocol))
      return globalThis.fetch(url, init);
    // A browser extension has no server. Chromium answers a range of a packaged file with status 200, as if it were all of it.
    const headers = new Headers(init.headers);
    headers.delete('range');
    try {
      return await globalThis.fetch(url, { ...init, headers });
    } catch (thrown) {
      // What is not in the package is a network error.
      if (init.signal?.aborted) throw thrown;
      return new Response(null, { status: 404 });
    }
  },
  get locks() {
    return availableLocks();
  },
  async freeBytes() {
    const { quota, usage } = (await globalThis.navigator?.storage?.estimate?.()) ?? {};
    return quota === undefined || usage === undefined ? undefined : quota - usage;
  },
  // Node's navigator does not say, and then there is a network.
  isOffline: () => (globalThis.navigator as { onLine?: boolean } | undefined)?.onLine === false,
  async pause(milliseconds, signal) {
    const online = new AbortController();
    globalThis.addEventListener?.('online', () => online.abort(), { signal: AbortSignal.any([signal, online.signal]) });
    await pause(milliseconds, AbortSignal.any([signal, online.signal]));
    online.abort();
    signal.throwIfAborted();
  },
  now: () => performance.now(),
};
