/** What a gateway keeps of responses: one store for all its apps, opened with the first request that needs it. @module */
import { type Keeping, keepingOf } from './state/keeping.js';
import type { ResponseStore } from './state/response-store.js';
import type { StoredResponses } from '../core/models/stored-model.js';
import type { CompatibilityName, OptionsByRealm } from '../core/models/inference-options.js';
import { fetchPart } from '../core/errors/fetch-part.js';

/** See the module. */
export class KeptResponses {
  readonly #option: OptionsByRealm['gateway']['storeResponses'];
  readonly #settings: { now: () => number; service: string };
  #store: Promise<ResponseStore> | undefined;

  /** @param settings `service`: services of other names have responses of their own */
  constructor(option: OptionsByRealm['gateway']['storeResponses'], settings: { now: () => number; service: string }) {
    this.#option = option;
    this.#settings = settings;
  }

  /** For an app of this kind; undefined: it keeps nothing. */
  opener(compatibility: CompatibilityName): (() => Promise<ResponseStore>) | undefined {
    const keeping = keepingOf(this.#option, compatibility);
    return keeping && (() => this.#open(keeping));
  }

  async usage(): Promise<StoredResponses> {
    return (await this.#all()).usage();
  }

  /** Removes all, of every caller. */
  async clear(): Promise<void> {
    await (await this.#all()).clear();
  }

  async #open(keeping: Keeping): Promise<ResponseStore> {
    this.#store ??= fetchPart(() => import('./state/open-response-store.js')).then(({ openResponseStore }) =>
      openResponseStore(keeping, this.#settings),
    );
    // A part that could not be fetched is asked for again.
    this.#store.catch(() => (this.#store = undefined));
    return this.#store;
  }

  /** While nothing is kept, what was kept before. */
  async #all(): Promise<Pick<ResponseStore, 'usage' | 'clear'>> {
    const keeping = keepingOf(this.#option, 'hosted');
    if (keeping) return this.#open(keeping);
    return (await fetchPart(() => import('./state/open-response-store.js'))).storeOnDevice();
  }
}
