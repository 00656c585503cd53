/** The service, put together in one place: page, `serve` and test server bring what differs between them. @module */
import type { Catalog } from '../core/models/catalog.js';
import { InferenceError } from '../core/errors/inference-error.js';
import { secretsOfOptions } from '../core/models/header-secrets.js';
import type { CompatibilityName, OptionsByRealm } from '../core/models/inference-options.js';
import type { ScriptedEntry } from '../core/models/model-entry.js';
import { resolveCompatibility } from '../relay/stream/request-payload.js';
import { type App, createApp } from './http/app.js';
import { createUuid } from '../core/platform/create-uuid.js';
import { FileStorage, type FileStorageSettings } from './files/file-storage.js';
import { Faults } from './http/endpoint/faults.js';
import type { ModelStore } from './http/endpoint/http-context.js';
import type { CounterStore } from './http/policy/counter-store.js';
import { Recorder } from './recorder.js';
import { ResponseStorage } from './response-storage.js';
import type { ModelHost } from './scheduler/model-host.js';
import { Scheduler } from './scheduler/scheduler.js';

/** What differs between the hosts of a service. */
export interface ServiceParts {
  options: Omit<OptionsByRealm['gateway'], 'models'>;
  catalog: Catalog;
  /** Where models run. */
  host: ModelHost;
  /** Where requests are counted. */
  counterStore: CounterStore;
  /** The model files of this place; absent: there are none to list or remove. */
  modelStore?: (inference: Scheduler) => ModelStore;
  /** How files of clients are read and kept here. */
  files?: Partial<Pick<FileStorageSettings, 'createId' | 'isLasting' | 'onStored' | 'readPdf'>>;
  /** Unix milliseconds. @default the machine's */
  now?: () => number;
  /** Ids of requests and answers. @default random uuids */
  createId?: () => string;
  /** Ids of tool calls. @default random */
  createCallId?: () => string;
  /** Told once of every load that failed and every engine that was lost. @default an error in the console */
  onFailure?: (model: string, error: InferenceError) => void;
}

/** A service that answers requests. */
export interface Service {
  /** @param isIntercepted what answers requests that were meant for servers of other origins */
  app(isIntercepted: boolean): App;
  /** How requests are answered that are meant for this service itself. */
  compatibility: CompatibilityName;
  inference: Scheduler;
  faults: Faults;
  responseStorage: ResponseStorage;
  fileStorage: FileStorage;
  /** A scripted entry for each model that has answered. @throws InferenceError `invalid_request` without the option `record` */
  recorded(): ScriptedEntry[];
  /** Ends the models. */
  stop(): Promise<void>;
}

/**
 * Puts recorder, scheduler, faults, storage and the two apps together.
 * @example
 * const service = createService({ options, catalog: new Catalog(models), host, counterStore: createMemoryCounterStore() });
 * const response = await service.app(false).request('/v1/models');
 */
export function createService(parts: ServiceParts): Service {
  const { options, catalog, now, createId } = parts;
  const recorder = options.record ? new Recorder(secretsOfOptions({ ...options, models: catalog.entries })) : undefined;
  const inference = new Scheduler({
    catalog,
    host: recorder?.host(parts.host) ?? parts.host,
    requestTimeout: options.requestTimeout,
    onFailure: parts.onFailure ?? logFailure,
    ...(now && { clock: now }),
    ...(parts.createCallId && { createId: parts.createCallId }),
  });
  const faults = new Faults();
  const responseStorage = new ResponseStorage(options.storeResponses, {
    now: now ?? Date.now,
    service: options.prefix,
    apiKeys: options.apiKeys,
  });
  const fileStorage = new FileStorage(options.files, {
    inference,
    now: now ?? Date.now,
    createId: createUuid,
    service: options.prefix,
    ...parts.files,
  });
  const modelStore = parts.modelStore?.(inference);
  const shared = {
    ...options,
    inference,
    faults,
    fileStorage,
    counterStore: parts.counterStore,
    ...(modelStore && { modelStore }),
    ...(now && { now }),
    ...(createId && { createId }),
  };
  const answering = (isIntercepted: boolean): App => {
    const compatibility = resolveCompatibility(options.compatibility, isIntercepted);
    return createApp({ ...shared, compatibility, isIntercepted, ...responseStorage.optionsFor(compatibility) });
  };
  const own = answering(false);
  let elsewhere: App | undefined;
  return {
    app: (isIntercepted) => (isIntercepted ? (elsewhere ??= answering(true)) : own),
    compatibility: resolveCompatibility(options.compatibility, false),
    inference,
    faults,
    responseStorage,
    fileStorage,
    recorded() {
      if (recorder) return recorder.models();
      throw new InferenceError('invalid_request', 'No answers are recorded. Set the option `record` to `true`.', {
        param: 'record',
      });
    },
    async stop() {
      await fileStorage.stop();
      await inference.stop();
    },
  };
}

function logFailure(model: string, error: InferenceError): void {
  console.error(`inpage: \`${model}\` failed. ${error.message}`);
}
