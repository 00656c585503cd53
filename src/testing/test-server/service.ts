/** The service between two resets, whose models are scripted, and whose ids and clock need not be those of the machine. @module */
import { Catalog } from '../../core/models/catalog.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { ScriptedReply } from '../../core/models/script.js';
import { createService, type Service } from '../../service/create-service.js';
import { createMemoryCounterStore } from '../../service/http/policy/counter-store.js';
import { readPdfInNode } from '../../serve/models/pdf-in-node.js';
import { OpenCatalog } from './open-catalog.js';
import type { SentEntry, SentScript, ServerSettings } from './protocol.js';
import { type AskFunction, ReplyDesk } from './reply-desk.js';
import { createScriptedHost } from './scripted-host.js';

/** A service for tests. */
export interface TestService extends Service {
  desk: ReplyDesk;
  /** Unix milliseconds. */
  now: () => number;
  /** Moves the clock, unless it is the machine's. */
  advance(milliseconds: number): void;
}

export function createTestService(settings: ServerSettings, ask: AskFunction): TestService {
  const { models, now: start, port: _port, app: _app, ...options } = settings;
  const scripts = new Map<string, SentScript>();
  for (const { id, script } of models ?? []) if (script) scripts.set(id, script);
  const desk = new ReplyDesk(scripts, ask);
  const clock = createClock(start);
  const service = createService({
    options,
    catalog: models ? new Catalog(models.map(withoutFunctions)) : new OpenCatalog(),
    host: createScriptedHost(desk),
    counterStore: createMemoryCounterStore(),
    files: {
      readPdf: readPdfInNode,
      isLasting: false,
      // Indexing takes ids at times of its own.
      ...(start !== undefined && { createId: countingIds(toUuid) }),
    },
    // A failure that a test has asked for is no news.
    onFailure: () => {},
    ...(start !== undefined && {
      now: clock.now,
      createId: countingIds(toUuid),
      createCallId: countingIds(toCallId),
    }),
  });
  return { ...service, desk, ...clock };
}

/** The entry as the engine knows it. */
function withoutFunctions({ script, ...entry }: SentEntry): ModelEntry {
  if (!script) return entry;
  const replies = script.replies.filter((reply): reply is ScriptedReply => !('function' in reply));
  return { ...entry, script: { ...script, replies } };
}

function createClock(start: number | undefined): Pick<TestService, 'now' | 'advance'> {
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
