/** The service between two resets: gateway, scheduler and models, whose ids and clock are not those of the machine. @module */
import { Catalog } from '../../core/models/catalog.js';
import { secretsOfOptions } from '../../core/models/header-secrets.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { ScriptedReply } from '../../core/models/script.js';
import { type App, createApp } from '../../gateway/http/app.js';
import { Faults } from '../../gateway/http/endpoint/faults.js';
import { createMemoryCounterStore } from '../../gateway/http/policy/counter-store.js';
import { createUuid } from '../../core/platform/create-uuid.js';
import { FileStorage } from '../../gateway/files/file-storage.js';
import { ResponseStorage } from '../../gateway/response-storage.js';
import { Recorder } from '../../gateway/recorder.js';
import { Scheduler } from '../../gateway/scheduler/scheduler.js';
import { resolveCompatibility } from '../../relay/stream/request-payload.js';
import { readPdfInNode } from '../models/pdf-in-node.js';
import { OpenCatalog } from './open-catalog.js';
import type { SentEntry, SentScript, ServerSettings } from './protocol.js';
import { type AskFunction, ReplyDesk } from './reply-desk.js';
import { createScriptedHost } from './scripted-host.js';

export interface Service {
  /** @param isIntercepted what answers requests that were meant for servers of other origins */
  app(isIntercepted: boolean): App;
  desk: ReplyDesk;
  faults: Faults;
  recorder: Recorder | undefined;
  /** Unix milliseconds. */
  now: () => number;
  /** Moves the clock, unless it is the machine's. */
  advance(milliseconds: number): void;
  /** Ends the models. */
  stop(): Promise<void>;
}

export function createService(settings: ServerSettings, ask: AskFunction): Service {
  const { models, requestTimeout, now: start, port: _port, app: _app, ...options } = settings;
  const entries = models?.map(withoutFunctions);
  const scripts = new Map<string, SentScript>();
  for (const { id, script } of models ?? []) if (script) scripts.set(id, script);
  const desk = new ReplyDesk(scripts, ask);
  const recorder = options.record ? new Recorder(secretsOfOptions(settings)) : undefined;
  const host = createScriptedHost(desk);
  const clock = createClock(start);
  const inference = new Scheduler({
    catalog: entries ? new Catalog(entries) : new OpenCatalog(),
    host: recorder?.host(host) ?? host,
    requestTimeout,
    ...(start !== undefined && { clock: clock.now, createId: countingIds(toCallId) }),
  });
  const faults = new Faults();
  const responseStorage = new ResponseStorage(options.storeResponses, { now: clock.now, service: options.prefix });
  const createId = start === undefined ? createUuid : countingIds(toUuid);
  const fileStorage = new FileStorage(undefined, {
    inference,
    now: clock.now,
    // Indexing takes ids at times of its own.
    createId: start === undefined ? createUuid : countingIds(toUuid),
    service: options.prefix,
    readPdf: readPdfInNode,
    isLasting: false,
  });
  const shared = {
    ...options,
    fileStorage,
    inference,
    faults,
    counterStore: createMemoryCounterStore(),
    now: clock.now,
    createId,
  };
  const answering = (isIntercepted: boolean): App => {
    const compatibility = resolveCompatibility(options.compatibility, isIntercepted);
    return createApp({ ...shared, compatibility, isIntercepted, ...responseStorage.optionsFor(compatibility) });
  };
  const own = answering(false);
  let elsewhere: App | undefined;
  const app = (isIntercepted: boolean): App => (isIntercepted ? (elsewhere ??= answering(true)) : own);
  const stop = async (): Promise<void> => {
    await fileStorage.stop();
    await inference.stop();
  };
  return { app, desk, faults, recorder, ...clock, stop };
}

/** The entry as the engine knows it. */
function withoutFunctions({ script, ...entry }: SentEntry): ModelEntry {
  if (!script) return entry;
  const replies = script.replies.filter((reply): reply is ScriptedReply => !('function' in reply));
  return { ...entry, script: { ...script, replies } };
}

function createClock(start: number | undefined): Pick<Service, 'now' | 'advance'> {
  if (start === undefined) return { now: Date.now, advance: () => {} };
  let now = start;
  return { now: () => now, advance: (milliseconds) => void (now += milliseconds) };
}

/** Ids that count from 1. */
function countingIds(write: (count: number) => string): () => string {
  let count = 0;
  return () => write((count += 1));
}

const toUuid = (count: number): string => `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
const toCallId = (count: number): string => `call_${String(count).padStart(24, '0')}`;
