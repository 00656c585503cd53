/** What contexts of an extension and its host say to each other besides the messages of calls. @module */
import type { SerializedInferenceError } from '../core/errors/inference-error.js';
import type { CompatibilityName } from '../core/models/inference-options.js';
import type { ModelStatus } from '../core/models/model-status.js';
import type { StoredModel } from '../core/models/stored-model.js';
import type { CallTiming } from '../relay/stream/call-timing.js';

/**
 * Names of connections to the host, by what they are for: a request to the service, one of the web page that the content script
 * speaks for, a call of {@link HostCall}, the models' state.
 */
export const HOST_PORTS = {
  request: 'inpage:request',
  page: 'inpage:page',
  control: 'inpage:control',
  status: 'inpage:status',
} as const;

/** See {@link HOST_PORTS}. */
export type HostPortKind = keyof typeof HOST_PORTS;

/** First message of the host on each connection, once it has started. */
export interface HostHello {
  type: 'hello';
  version: number;
  /** Of the service. */
  prefix: string;
  compatibility: CompatibilityName | null;
}

/** The models' state, whenever it changes. */
export type StatusItem = ModelStatus[];

/** What a context may ask of the host, and what comes of it. */
export interface HostCalls {
  load(model: string): Promise<void>;
  unload(model: string): Promise<void>;
  download(model: string): Promise<void>;
  stored(): Promise<StoredModel[]>;
  remove(model: string): Promise<void>;
}

/** Payload of a call; its one item is the result. */
export interface HostCall {
  method: keyof HostCalls;
  model?: string | undefined;
}

/** Whose absence the browser tells: the ends of connections need no messages for that. */
const NEVER_STUCK = { silentBeats: Infinity, stall: Infinity, cancel: 2_000 };

/** Of a {@link HostCall}: its beats keep a background worker awake. */
export const CONTROL_TIMING: CallTiming = { ...NEVER_STUCK, beat: 5_000 };

/** Of the models' state, which may not change for days: a background worker may sleep meanwhile. */
export const STATUS_TIMING: CallTiming = { ...NEVER_STUCK, beat: 2 ** 31 - 1 };

/** To the background: open the host. Answered with a {@link BackgroundAnswer}. */
export interface OpenHostMessage {
  inpage: 'open-host';
}

/** Of the background to every message. */
export interface BackgroundAnswer {
  error?: SerializedInferenceError;
}

/** To the background, from the content script of a web page: may its origin, which the browser tells, use the models? */
export interface AskConsentMessage {
  inpage: 'ask-consent';
  /** The person was asked already: not once more when that came to nothing. */
  again: boolean;
  /** The page at the top of the tab has another origin. */
  isForeignFrame: boolean;
  /** The person has just done something in the page. */
  hasGesture: boolean;
}

/** What the person said; `closed`: nothing, and the question is gone; `pending`: nothing yet, to be asked again. */
export type ConsentState = 'allowed' | 'denied' | 'closed' | 'pending';

/** Answer to an {@link AskConsentMessage}. */
export interface ConsentAnswer extends BackgroundAnswer {
  state?: ConsentState;
}

/** Of a web page to itself, whose content script may listen. A port comes with it. */
export interface FindBridgeMessage {
  inpage: 'find-bridge';
}

/** Of a web page, on that port. With `call` comes the port of a request; `ping` is answered with `bridge`. */
export interface PageToBridge {
  type: 'connect' | 'call' | 'ping';
}

/** Of the content script, on that port: it is there; the person allowed it, and this is the host; neither. */
export type BridgeToPage = { type: 'bridge' } | HostHello | { type: 'error'; error: SerializedInferenceError };
