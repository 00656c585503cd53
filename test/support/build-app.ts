/** The whole service in Node: the app over a real scheduler and scripted models. */
import type { Backend } from '../../src/core/models/backend.js';
import { type AppOptions, createApp } from '../../src/service/http/app.js';
import { createMemoryCounterStore } from '../../src/service/http/policy/counter-store.js';
import { Catalog } from '../../src/core/models/catalog.js';
import type { ModelEntry } from '../../src/core/models/model-entry.js';
import type { ControlledInference } from '../../src/service/scheduler/inference.js';
import { Scheduler } from '../../src/service/scheduler/scheduler.js';
import { FileStorage } from '../../src/service/files/file-storage.js';
import { readPdfInNode } from '../../src/serve/models/pdf-in-node.js';
import { inProcessHost } from './in-process-host.js';
import { askThroughPorts } from './through-ports.js';

export interface BuildAppOptions extends Partial<Omit<AppOptions, 'inference'>> {
  models?: ModelEntry[];
  /** Seconds. @default 20 */
  requestTimeout?: number;
  backends?: Record<string, Backend>;
}

/** A chat model that answers `Hello there, friend.` unless its script says otherwise. */
export function scriptedChat(overrides: Partial<ModelEntry> = {}): ModelEntry {
  return {
    id: 'scripted-chat',
    task: 'chat',
    backend: 'scripted',
    script: { replies: [{ text: 'Hello there, friend.' }] },
    ...overrides,
  };
}

let isAskedThroughPorts = false;

/** Apps that are built from now on in this file are asked as a page asks: a suite can run through both doors. */
export function buildAppsBehindPorts(): void {
  isAskedThroughPorts = true;
}

export async function buildApp(
  options: BuildAppOptions = {},
): Promise<{ app: ReturnType<typeof createApp>; inference: ControlledInference }> {
  const { models = [scriptedChat()], requestTimeout = 20, backends, ...appOptions } = options;
  const inference = new Scheduler({ catalog: new Catalog(models), host: inProcessHost(backends), requestTimeout });
  const prefix = appOptions.prefix ?? '/v1';
  const fileStorage = new FileStorage(appOptions.files, {
    inference,
    now: appOptions.now ?? Date.now,
    createId: appOptions.createId ?? (() => crypto.randomUUID()),
    service: '/v1',
    readPdf: readPdfInNode,
    isLasting: false,
  });
  // Counters of a browser are those of all its apps.
  const counterStore = isAskedThroughPorts ? createMemoryCounterStore() : undefined;
  const app = createApp({ fileStorage, ...(counterStore && { counterStore }), ...appOptions, prefix, inference });
  if (isAskedThroughPorts) askThroughPorts(app, prefix);
  return { app, inference };
}
