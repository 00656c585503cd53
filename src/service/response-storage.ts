/** What a gateway keeps of responses: one store for all its apps, opened with the first request that needs it. @module */
import { type StoragePolicy, chooseStoragePolicy } from './state/storage-policy.js';
import { RecentItems } from './state/recent-items.js';
import type { ResponseStore } from './state/response-store.js';
import type { StoredResponses } from '../core/models/stored-model.js';
import type { ApiKey, CompatibilityName, OptionsByRealm } from '../core/models/inference-options.js';
import { fetchPart } from '../core/errors/fetch-part.js';
import type { AppOptions } from './http/app.js';

/** See the module. */
export class ResponseStorage {
  readonly #option: OptionsByRealm['gateway']['storeResponses'];
  readonly #settings: { now: () => number; service: string; shares: number };
  readonly #recentItems = new RecentItems();
  #store: Promise<ResponseStore> | undefined;
  /** What earlier visits have left, while nothing is added to it. */
  #left: ResponseStore | undefined;

  /** @param settings `service`: services of other names have responses of their own; `apiKeys`: each has its share */
  constructor(
    option: OptionsByRealm['gateway']['storeResponses'],
    { now, service, apiKeys = [] }: { now: () => number; service: string; apiKeys?: readonly ApiKey[] | undefined },
  ) {
    this.#option = option;
    const shares = apiKeys.filter((each) => typeof each === 'string' || each.revoked !== true).length;
    this.#settings = { now, service, shares };
  }

  /** What an app of this kind is made with. */
  optionsFor(compatibility: CompatibilityName): Pick<AppOptions, 'responses' | 'recentItems'> {
    const policy = chooseStoragePolicy(this.#option, compatibility);
    return { recentItems: this.#recentItems, responses: policy && (() => this.#open(policy)) };
  }

  async usage(): Promise<StoredResponses> {
    const usages = await Promise.all((await this.#all()).map((store) => store.usage()));
    const sum = (field: keyof StoredResponses): number => usages.reduce((total, each) => total + each[field], 0);
    return { responses: sum('responses'), conversations: sum('conversations'), bytes: sum('bytes') };
  }

  /** Removes all, of every caller. What is made in the background, in whichever tab, is cancelled first. */
  async clear(): Promise<void> {
    this.#recentItems.clear();
    for (const store of await this.#all()) await clearStore(store);
  }

  async #open(policy: StoragePolicy): Promise<ResponseStore> {
    this.#store ??= fetchPart(() => import('./state/open-response-store.js')).then(({ openResponseStore }) =>
      openResponseStore(policy, this.#settings),
    );
    // A part that could not be fetched is asked for again.
    this.#store.catch(() => (this.#store = undefined));
    return this.#store;
  }

  /** What was opened, and what is on the device: nothing is made for it. */
  async #all(): Promise<ResponseStore[]> {
    const own = this.#store ? [await this.#store] : [];
    if (own.length > 0 && this.#option !== 'memory') return own;
    this.#left ??= await (await fetchPart(() => import('./state/open-response-store.js'))).storeOnDevice();
    return this.#left ? [...own, this.#left] : own;
  }
}

/** Removes everything, of all callers, after what is on its way was ended, whichever engine makes it. */
export async function clearStore(store: ResponseStore): Promise<void> {
  const pending = await store.pending();
  if (pending.length > 0) {
    const { stopRun } = await fetchPart(() => import('./http/responses/stop-run.js'));
    await Promise.all(pending.map(stopRun));
  }
  await store.clear();
}
