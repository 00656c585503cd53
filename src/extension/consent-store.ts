/**
 * What the person has said of each origin. It lies in the extension's IndexedDB, which the background, pages of the extension
 * and the host share, and which no content script can reach: a page that has taken over its renderer can write to
 * `storage.local` as the content script beside it.
 * @module
 */
import { openDatabase } from '../core/platform/open-database.js';

const DATABASE = 'inpage-origins';
const TABLE = 'origins';

/** Name of the channel on which contexts tell each other of changes. */
const CHANNEL = 'inpage:origins';

/** An origin of which the person has said something. */
export interface AllowedOrigin {
  /** E.g. `https://example.com`. */
  origin: string;
  /** Whether it may use the models. */
  allowed: boolean;
}

/** All of them. */
export async function listDecisions(): Promise<AllowedOrigin[]> {
  return (await inTable('readonly', (table) => table.getAll())) as AllowedOrigin[];
}

/** Undefined: the person was not asked, or has not answered. */
export async function readDecision(origin: string): Promise<boolean | undefined> {
  const kept = await inTable('readonly', (table) => table.get(origin));
  return (kept as AllowedOrigin | undefined)?.allowed;
}

/** Resolves when it is kept, and the others are told. @param allowed undefined: forgets the origin */
export async function writeDecision(origin: string, allowed: boolean | undefined): Promise<void> {
  await inTable('readwrite', (table) =>
    allowed === undefined ? table.delete(origin) : table.put({ origin, allowed }),
  );
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(origin);
  channel.close();
}

/** Calls the listener with each origin of which another context has written. */
export function watchDecisions(listener: (origin: string) => void): void {
  new BroadcastChannel(CHANNEL).addEventListener('message', ({ data }: MessageEvent<string>) => listener(data));
}

async function inTable(mode: IDBTransactionMode, act: (table: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const database = await openDatabase(DATABASE, 1, (made) => made.createObjectStore(TABLE, { keyPath: 'origin' }));
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(TABLE, mode);
      const request = act(transaction.objectStore(TABLE));
      transaction.addEventListener('complete', () => resolve(request.result));
      transaction.addEventListener('abort', () =>
        reject(transaction.error ?? new Error('IndexedDB is not available.')),
      );
    });
  } finally {
    database.close();
  }
}
