/** The whole service in Node: the app over a real scheduler and scripted models. */
import type { Backend } from '../../src/core/models/backend.js';
import { type AppOptions, createApp } from '../../src/service/http/app.js';
import { Catalog } from '../../src/core/models/catalog.js';
import type { ModelEntry } from '../../src/core/models/model-entry.js';
import type { ControlledInference } from '../../src/service/scheduler/inference.js';
import { Scheduler } from '../../src/service/scheduler/scheduler.js';
import { FileStorage } from '../../src/service/files/file-storage.js';
import { readPdfInNode } from '../../src/serve/models/pdf-in-node.js';
import { inProcessHost } from './in-process-host.js';

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

export async function buildApp(
  options: BuildAppOptions = {},
): Promise<{ app: ReturnType<typeof createApp>; inference: ControlledInference }> {
  const { models = [scriptedChat()], requestTimeout = 20, backends, ...appOptions } = options;
  const inference = new Scheduler({ catalog: new Catalog(models), host: inProcessHost(backends), requestTimeout });
  const fileStorage = new FileStorage(appOptions.files, {
    inference,
    now: appOptions.now ?? Date.now,
    createId: appOptions.createId ?? (() => crypto.randomUUID()),
    service: '/v1',
    readPdf: readPdfInNode,
    isLasting: false,
  });
  const app = createApp({ prefix: '/v1', fileStorage, ...appOptions, inference });
  return { app, inference };
}
