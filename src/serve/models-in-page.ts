/** Models that only a page can run: in that of a headless browser, which is opened again when it is lost. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import type { LoadedModel } from '../core/models/backend.js';
import type { ModelEntry } from '../core/models/model-entry.js';
import { respondsWithin } from '../core/platform/settled-within.js';
import type { ModelStore } from '../service/http/endpoint/http-context.js';
import type { ModelWorkerHandle } from '../service/remote-model.js';
import type { ControlledInference } from '../service/scheduler/inference.js';
import type { FetchOptions, ModelHost, StartOptions } from '../service/scheduler/model-host.js';
import { spawnInPage } from '../service/spawn-in-page.js';
import { createWorkerModelHost } from '../service/worker-model-host.js';
import type { PlainLoadOptions } from '../relay/protocol.js';
import { HOST_POLL_LIMIT } from '../relay/stream/call-timing.js';
import type { Sources } from '../store/list-stored.js';
import { machineMemory } from './models/model-threads.js';
import type { PageChannel } from './page-door.js';
import { PageKeeper, type PageKeeperOptions } from './page-keeper.js';

/** Gigabytes that browsers report at most, by which models are chosen for them. */
const MAX_PAGE_MEMORY = 8;

/** A host whose models have a worker of the page each. */
export class ModelsInPage implements ModelHost {
  readonly #keeper: PageKeeper;
  readonly #host: Required<ModelHost>;

  /**
   * @param load of all models
   * @param requestTimeout seconds
   */
  constructor(options: PageKeeperOptions, load: PlainLoadOptions, requestTimeout: number) {
    this.#keeper = new PageKeeper(options);
    this.#host = createWorkerModelHost({
      spawn: (entry) => this.#spawn(entry),
      load: { deviceMemory: Math.min(machineMemory(), MAX_PAGE_MEMORY), ...load },
      requestTimeout,
    });
  }

  /** The browser that runs the page, with its version; undefined before {@link open}. */
  get browser(): string | undefined {
    return this.#keeper.browser;
  }

  /** Whether that runs in its sandbox; undefined where that is not known. */
  get sandbox(): boolean | undefined {
    return this.#keeper.sandbox;
  }

  /** Opens the page. @throws Error that says what to do (no browser) */
  async open(): Promise<void> {
    await this.#keeper.page();
  }

  start(entry: ModelEntry, options: StartOptions): Promise<LoadedModel> {
    return this.#host.start(entry, options);
  }

  fetchFiles(entry: ModelEntry, options: FetchOptions): Promise<void> {
    return this.#host.fetchFiles(entry, options);
  }

  /** What the page's origin has stored, which is gone with the browser. */
  store(sources: Sources, inference: ControlledInference): ModelStore {
    return {
      list: async () => (await this.#page()).call((page) => page.stored(sources)),
      remove: async (model) => {
        await inference.unload(model);
        await (await this.#page()).call((page) => page.removeStored(model, sources));
      },
    };
  }

  /** Ends the browser. */
  close(): Promise<void> {
    return this.#keeper.close();
  }

  /** @throws InferenceError `unavailable` */
  async #page(): Promise<PageChannel> {
    try {
      return await this.#keeper.page();
    } catch (thrown) {
      const { message } = thrown as Error;
      throw new InferenceError('unavailable', message, { retryAfter: 5, reason: message });
    }
  }

  async #spawn(entry: ModelEntry, isFirst = true): Promise<ModelWorkerHandle> {
    const channel = await this.#page();
    try {
      return await channel.call((page) => spawnInPage(page, entry));
    } catch (thrown) {
      const isThere = await respondsWithin(
        channel.call((page) => page.ping()),
        HOST_POLL_LIMIT,
      );
      if (!isThere) await this.#keeper.replace(channel);
      // The page went away when it was asked, or before anybody knew.
      if (isFirst && channel.closed.aborted) return this.#spawn(entry, false);
      throw thrown;
    }
  }
}
