/** The whole app over the bundled models, in this realm instead of workers. For Chromium tests. */
import { transformersBackend } from '../../../src/engines/transformers/transformers-backend.js';
import { type App, createApp } from '../../../src/service/http/app.js';
import { createMemoryCounterStore } from '../../../src/service/http/policy/counter-store.js';
import { Catalog } from '../../../src/core/models/catalog.js';
import { DEFAULT_MODELS } from '../../../src/core/models/default-catalog.js';
import { Scheduler } from '../../../src/service/scheduler/scheduler.js';

const assetsURL = new URL('/inpage/', location.href).href;

export function browserApp(): App {
  const inference = new Scheduler({
    catalog: new Catalog(DEFAULT_MODELS),
    host: {
      start: (entry, options) => transformersBackend.load(entry, { ...options, assetsURL, pageURL: location.href }),
    },
    requestTimeout: 100,
  });
  return createApp({ inference, prefix: '/v1', counterStore: createMemoryCounterStore() });
}

/** What an SDK takes as its `fetch`. */
export function fetchOf(app: App): typeof fetch {
  return async (input, init) => app.fetch(new Request(input, init));
}

/** A file that the test server serves. */
export async function fileAt(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await fetch(path)).arrayBuffer());
}
