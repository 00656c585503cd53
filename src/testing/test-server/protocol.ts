/** What the test's thread and the server's thread send each other. Values of the test are JSON, which its own realm parses. @module */
import type { SerializedInferenceError } from '../../core/errors/inference-error.js';
import type { FaultSettings } from '../../core/models/fault-settings.js';
import type { OptionsByRealm } from '../../core/models/inference-options.js';
import type { ModelEntry, ScriptedEntry } from '../../core/models/model-entry.js';
import type { Script, ScriptedReply } from '../../core/models/script.js';
import type { AppLink } from './app-server/app-link.js';

/** A reply, or the number of a function in the test's thread that makes one. */
export type SentReply = ScriptedReply | { function: number };

/** A script as it crosses. */
export interface SentScript extends Omit<Script, 'replies'> {
  replies: SentReply[];
}

/** An entry as it crosses. */
export type SentEntry = Omit<ModelEntry, 'script'> & { script?: SentScript };

/** What the server is started with. */
export interface ServerSettings extends Omit<OptionsByRealm['gateway'], 'models'> {
  /** Undefined: every name is answered. */
  models: SentEntry[] | undefined;
  port: number;
  /** Unix milliseconds; undefined: the machine's clock, and random ids. */
  now: number | undefined;
  /** For an app's own server; undefined: it is not to ask. */
  app?: AppLink | undefined;
}

/** Where an entry of the journal belongs. The epoch grows with each reset. */
export interface EntryKey {
  epoch: number;
  index: number;
}

/** How a request ended. */
export type EntryEnd = 'done' | 'aborted' | 'broken';

/** To the server. None is answered, except that with `id`. */
export type ToServer =
  | { type: 'use'; script: SentScript; model: string | undefined }
  | { type: 'reset'; epoch: number }
  | { type: 'faults'; settings: FaultSettings }
  | { type: 'advance'; milliseconds: number }
  | { type: 'alarm'; id: number; milliseconds: number }
  | { type: 'recorded'; id: number }
  | { type: 'reply'; id: number; reply: ScriptedReply | undefined }
  | { type: 'reply-failed'; id: number }
  | { type: 'close' };

/** To the test. */
export type ToTest =
  /** `secrets`: what must not be shown. */
  | { type: 'listening'; port: number; secrets: string[] }
  | { type: 'start-failed'; message: string }
  | ({ type: 'arrived'; method: string; path: string; query: string; headers: string; startedAt: number } & EntryKey)
  | ({ type: 'read'; body: SentBody | undefined; model: string | undefined } & EntryKey)
  | ({ type: 'head'; status: number; headers: [string, string][]; firstByteMs: number } & EntryKey)
  | ({ type: 'piece'; text: string } & EntryKey)
  | ({ type: 'unmatched' } & EntryKey)
  | ({ type: 'end'; state: EntryEnd; durationMs: number } & EntryKey)
  /** The answer has its last event, and only its connection is to end. */
  | ({ type: 'complete'; durationMs: number } & EntryKey)
  | ({ type: 'ask'; id: number; function: number; request: string } & EntryKey)
  | { type: 'ask-over'; id: number }
  | { type: 'alarm'; id: number }
  | { type: 'recorded'; id: number; models?: ScriptedEntry[]; error?: SerializedInferenceError }
  | { type: 'closed' };

/** A body for the journal. */
export interface SentBody {
  kind: 'json' | 'text';
  text: string;
  cut: boolean;
}
